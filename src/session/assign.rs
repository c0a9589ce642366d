//! What INSERT does to a value on its way to a column: the cast to the column's type, and an error that names table,
//! column and value.
//!
//! DataFusion plans INSERT with a CAST around every value of another type, whose error says nothing of the table.
//! [`name_columns`] takes these casts out of the logical plan. A constant of VALUES is converted there and then, so that
//! its error also has the number of the row; around everything else goes the function [`Assignment`]. Values come out as
//! the CAST would give them.
//!
//! A plan with parameters is named before they have values: DataFusion would else cast all values of a column to a type
//! that the parameters have in common with them, and lose digits, or find none.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, DFSchemaRef, Result, ScalarValue};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{
    Cast, ColumnarValue, DmlStatement, Expr, ExprSchemable, LogicalPlan, Projection,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Values, Volatility, WriteOp,
};

use crate::datum::SqlType;
use crate::error::Error;
use crate::schema::BoundTable;
use crate::table::HaliteTable;

/// At most so many characters of a value are shown in an error.
const SHOWN_CHARACTERS: usize = 60;

/// The plan with the assignments of every INSERT into one of Halite's tables named.
///
/// # Errors
/// `InvalidInput` for a constant that its column cannot hold, with table, row, column and value.
pub(super) fn name_columns(plan: LogicalPlan) -> Result<LogicalPlan> {
    let named = plan.transform_down(|node| match node {
        LogicalPlan::Dml(dml) if matches!(dml.op, WriteOp::Insert(_)) => assigned(dml),
        other => Ok(Transformed::no(other)),
    })?;
    Ok(named.data)
}

fn assigned(mut dml: DmlStatement) -> Result<Transformed<LogicalPlan>> {
    let provider = source_as_provider(&dml.target)?;
    let Some(table) = provider.downcast_ref::<HaliteTable>() else {
        return Ok(Transformed::no(LogicalPlan::Dml(dml)));
    };
    let table = table.bound();
    if dml.input.schema().fields().len() == table.columns().len() {
        let (expressions, input) = match Arc::unwrap_or_clone(dml.input) {
            LogicalPlan::Projection(projection) => (projection.expr, projection.input),
            other => (
                other
                    .schema()
                    .columns()
                    .into_iter()
                    .map(Expr::Column)
                    .collect(),
                Arc::new(other),
            ),
        };
        dml.input = Arc::new(project(table, expressions, input)?);
    }
    Ok(Transformed::yes(LogicalPlan::Dml(dml)))
}

/// The columns of the table computed from `input`, one by each expression.
fn project(
    table: &BoundTable,
    expressions: Vec<Expr>,
    input: Arc<LogicalPlan>,
) -> Result<LogicalPlan> {
    let columns = table.columns().iter();
    let sources: Vec<Expr> = expressions
        .into_iter()
        .zip(columns)
        .map(|(expression, column)| without_cast(expression, &column.sql_type.arrow()))
        .collect();
    let input = match Arc::unwrap_or_clone(input) {
        LogicalPlan::Values(values) => {
            Arc::new(LogicalPlan::Values(assign_values(table, &sources, values)?))
        }
        other => Arc::new(other),
    };
    let named = sources.into_iter().enumerate().map(|(position, source)| {
        let target = Target::of(table, position, None)?;
        let name = target.column.clone();
        Ok(target.assign(source, input.schema())?.alias(name))
    });
    let named = named.collect::<Result<Vec<Expr>>>()?;
    Ok(LogicalPlan::Projection(Projection::try_new(named, input)?))
}

/// The values of which each column that becomes one of the table has its type.
fn assign_values(table: &BoundTable, sources: &[Expr], values: Values) -> Result<Values> {
    // For each column of the values the column of the table that it becomes.
    let mut targets: Vec<Option<usize>> = vec![None; values.schema.fields().len()];
    for (position, source) in sources.iter().enumerate() {
        if let Expr::Column(column) = source
            && let Some(from) = values.schema.maybe_index_of_column(column)
            && let Some(target) = targets.get_mut(from)
        {
            *target = Some(position);
        }
    }
    let schema = typed_as(table, &values.schema, &targets)?;
    let rows = values.values.into_iter().zip(1..).map(|(row, number)| {
        let cells = row.into_iter().zip(&targets).zip(values.schema.fields());
        let assigned = cells.map(|((value, target), common)| match target {
            Some(position) => {
                // Parameters of other types have all values of the column cast to a common type, which may lose digits.
                let value = without_cast(value, common.data_type());
                Target::of(table, *position, Some(number))?.assign_value(value)
            }
            None => Ok(value),
        });
        assigned.collect::<Result<Vec<Expr>>>()
    });
    Ok(Values {
        values: rows.collect::<Result<_>>()?,
        schema,
    })
}

/// The schema of values, each column that becomes one of the table with that one's type.
fn typed_as(
    table: &BoundTable,
    schema: &DFSchema,
    targets: &[Option<usize>],
) -> Result<DFSchemaRef> {
    let fields = schema
        .iter()
        .zip(targets)
        .map(|((qualifier, field), target)| {
            let data_type = match target {
                Some(position) => table.column(*position)?.sql_type.arrow(),
                None => field.data_type().clone(),
            };
            let field = Field::new(field.name(), data_type, true);
            Ok((qualifier.cloned(), Arc::new(field)))
        });
    let fields = fields.collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(DFSchema::new_with_metadata(
        fields,
        schema.metadata().clone(),
    )?))
}

/// What is under the names of an expression and under one cast to the type.
fn without_cast(expression: Expr, to: &DataType) -> Expr {
    match expression.unalias() {
        Expr::Cast(Cast { expr, field }) if field.data_type() == to => expr.unalias(),
        other => other,
    }
}

/// The column that a value is assigned to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Target {
    table: String,
    column: String,
    sql_type: SqlType,
    /// The row of VALUES, counted from 1.
    row: Option<u64>,
}

impl Target {
    fn of(table: &BoundTable, position: usize, row: Option<u64>) -> Result<Self> {
        let column = table.column(position)?;
        Ok(Self {
            table: table.name().to_owned(),
            column: column.name.clone(),
            sql_type: column.sql_type.clone(),
            row,
        })
    }

    /// A value of VALUES as one of the column's type.
    fn assign_value(self, value: Expr) -> Result<Expr> {
        match without_cast(value, &self.sql_type.arrow()) {
            Expr::Literal(scalar, _) => Ok(Expr::Literal(self.convert_scalar(&scalar)?, None)),
            other => self.assign(other, &DFSchema::empty()),
        }
    }

    /// An expression over `schema` as one of the column's type.
    fn assign(self, source: Expr, schema: &DFSchema) -> Result<Expr> {
        // A parameter may still become a value of any type.
        let is_open = source.exists(|part| Ok(matches!(part, Expr::Placeholder(_))))?;
        let from = source.get_type(schema)?;
        if from == self.sql_type.arrow() && !is_open {
            return Ok(source);
        }
        if self.is_other_kind(&from) && !is_open {
            return Err(self.of_other_kind(&format!("values of type {from}")).into());
        }
        let function = ScalarUDF::new_from_impl(Assignment::new(self));
        Ok(function.call(vec![source]))
    }

    fn convert_scalar(&self, scalar: &ScalarValue) -> Result<ScalarValue> {
        let to = self.sql_type.arrow();
        if scalar.data_type() == to {
            return Ok(scalar.clone());
        }
        if self.is_other_kind(&scalar.data_type()) {
            return Err(self.of_other_kind(&shown(&scalar.to_array()?, 0)).into());
        }
        match scalar.cast_to(&to) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.refusal(&scalar.to_array()?, &error).into()),
        }
    }

    /// Whether a cast would take the bytes of a number for its value.
    fn is_other_kind(&self, from: &DataType) -> bool {
        self.sql_type == SqlType::Bytea && (from.is_numeric() || from == &DataType::Boolean)
    }

    fn of_other_kind(&self, given: &str) -> Error {
        Error::invalid(format!(
            "{}: column `{}` of type {} cannot hold {given}: it is not the same kind of value",
            self.place(),
            self.column,
            self.sql_type
        ))
    }

    /// What stands in front of an error.
    fn place(&self) -> String {
        match self.row {
            Some(row) => format!("row {row}: table `{}`", self.table),
            None => format!("table `{}`", self.table),
        }
    }

    fn convert(&self, value: &ColumnarValue) -> Result<ColumnarValue> {
        match value {
            ColumnarValue::Scalar(scalar) => self.convert_scalar(scalar).map(ColumnarValue::Scalar),
            ColumnarValue::Array(array) => value
                .cast_to(&self.sql_type.arrow(), None)
                .map_err(|error| self.refusal(array, &error).into()),
        }
    }

    /// The error about the first of the values that cannot be converted.
    fn refusal(&self, values: &ArrayRef, cause: &datafusion::error::DataFusionError) -> Error {
        let place = self.place();
        let (column, sql_type) = (&self.column, &self.sql_type);
        let message = match first_lost(values, &sql_type.arrow()) {
            Some(row) => format!(
                "{place}: column `{column}` of type {sql_type} cannot hold {}: {}",
                shown(values, row),
                self.reason(values, row)
            ),
            None => format!(
                "{place}: column `{column}` is of type {sql_type}, the value is of type {}: {}",
                values.data_type(),
                cause.strip_backtrace()
            ),
        };
        Error::invalid(message)
    }

    /// Why the column cannot hold the value.
    fn reason(&self, values: &ArrayRef, row: usize) -> String {
        let from_text = matches!(
            values.data_type(),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        );
        let is_number = || text_at(values, row).trim().parse::<f64>().is_ok();
        match &self.sql_type {
            SqlType::Date if from_text => "it is no date such as 2024-01-31".to_owned(),
            SqlType::Timestamp { .. } if from_text => {
                "it is no timestamp such as 2024-01-31 05:06:07, or out of range".to_owned()
            }
            SqlType::Boolean if from_text => "it is neither true nor false".to_owned(),
            SqlType::SmallInt | SqlType::Integer | SqlType::BigInt
                if from_text && is_number() && text_at(values, row).contains(['.', 'e', 'E']) =>
            {
                "it is no whole number".to_owned()
            }
            _ if from_text && !is_number() => "it is no number".to_owned(),
            _ => "it is out of range".to_owned(),
        }
    }
}

/// The first value that the type has nothing for.
fn first_lost(values: &ArrayRef, to: &DataType) -> Option<usize> {
    let options = CastOptions {
        safe: true,
        format_options: FormatOptions::new(),
    };
    let kept = cast_with_options(values, to, &options).ok()?;
    (0..values.len()).find(|row| kept.is_null(*row) && !values.is_null(*row))
}

fn text_at(values: &ArrayRef, row: usize) -> String {
    let options = FormatOptions::new();
    match ArrayFormatter::try_new(values, &options) {
        Ok(formatter) => formatter.value(row).to_string(),
        Err(error) => error.to_string(),
    }
}

/// The value as errors show it: text in quotes, and cut where it is long.
fn shown(values: &ArrayRef, row: usize) -> String {
    let text = text_at(values, row);
    let mut letters = text.chars();
    let kept: String = letters.by_ref().take(SHOWN_CHARACTERS).collect();
    let more = if letters.next().is_some() { "…" } else { "" };
    match values.data_type().is_numeric() {
        true => format!("{kept}{more}"),
        false => format!("'{}{more}'", kept.escape_debug()),
    }
}

/// The cast to a column's type, as a function whose errors name the column.
#[derive(Debug)]
struct Assignment {
    target: Target,
    signature: Signature,
}

impl Assignment {
    fn new(target: Target) -> Self {
        Self {
            target,
            signature: Signature::any(1, Volatility::Immutable),
        }
    }
}

impl PartialEq for Assignment {
    fn eq(&self, other: &Self) -> bool {
        self.target == other.target
    }
}

impl Eq for Assignment {}

impl Hash for Assignment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.target.hash(state);
    }
}

impl ScalarUDFImpl for Assignment {
    fn name(&self) -> &str {
        "assign"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(self.target.sql_type.arrow())
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match arguments.args.as_slice() {
            [value] => self.target.convert(value),
            _ => Err(Error::internal("an assignment has one argument").into()),
        }
    }
}

#[cfg(test)]
#[path = "assign_tests.rs"]
mod tests;
