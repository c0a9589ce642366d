//! What INSERT does to a value on its way to a column: the cast to the column's type, and an error that names table,
//! column and value.
//!
//! DataFusion plans INSERT with a CAST around every value of another type, whose error says nothing of the table.
//! [`name_columns`] takes these casts out of the logical plan. A constant of VALUES is converted there and then, so that
//! its error also has the number of the row; around everything else goes the function [`Assignment`]. Values come out as
//! the CAST would give them, but for numbers that become whole ones: these are rounded.
//!
//! A plan with parameters is named before they have values: DataFusion would else cast all values of a column to a type
//! that the parameters have in common with them, and lose digits, or find none.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::kernels::zip::zip;
use arrow::compute::{cast, is_not_null};
use arrow::datatypes::{DataType, Field};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, DFSchemaRef, Result, ScalarValue};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{
    Cast, ColumnarValue, DmlStatement, Expr, ExprSchemable, LogicalPlan, Projection,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Values, Volatility, WriteOp,
};

use super::conversion::{first_lost, rounded, shown, text_at, too_great};
use crate::datum::SqlType;
use crate::error::Error;
use crate::optimize::bytes::{NO_BYTES, bytes_of_texts, is_text};
use crate::schema::BoundTable;
use crate::table::HaliteTable;
use crate::write::copy::values_of_texts;

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

/// Whether the value is on its way to its column already: the plan of a prepared statement is named before its runs.
fn is_assigned(source: &Expr) -> bool {
    match source {
        Expr::ScalarFunction(call) => call.func.inner().downcast_ref::<Assignment>().is_some(),
        _ => false,
    }
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
        // The type of everything else is known when operands, branches and the inputs of a UNION have been made alike.
        if let Expr::Literal(value, _) = &source
            && value.data_type() == self.sql_type.arrow()
        {
            return Ok(source);
        }
        if is_assigned(&source) {
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
        let array = scalar.to_array()?;
        ScalarValue::try_from_array(&self.convert_array(&array)?, 0)
    }

    /// Whether a cast would take a number for what it is not: for its bytes, or for a count of days or units of time.
    fn is_other_kind(&self, from: &DataType) -> bool {
        let is_other = matches!(
            self.sql_type,
            SqlType::Bytea | SqlType::Date | SqlType::Timestamp { .. }
        );
        is_other && (from.is_numeric() || from == &DataType::Boolean)
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
            ColumnarValue::Array(array) => self.convert_array(array).map(ColumnarValue::Array),
        }
    }

    fn convert_array(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let to = self.sql_type.arrow();
        if *values.data_type() == to {
            return Ok(Arc::clone(values));
        }
        if self.sql_type == SqlType::Bytea && is_text(values.data_type()) {
            return self.bytes(values);
        }
        let whole = rounded(values, &to)?;
        let cast = ColumnarValue::Array(Arc::clone(&whole)).cast_to(&to, None);
        let converted = cast.and_then(|converted| converted.to_array(values.len()));
        let converted = converted.or_else(|error| {
            match first_lost(&whole, &to) {
                // Years of more than four digits, which a cast does not read.
                Some(_) if self.is_time() && is_text(values.data_type()) => self.times(values),
                Some(row) => Err(self.of_value(values, row, &self.reason(values, row)).into()),
                None => Err(self.of_type(values.data_type(), &error).into()),
            }
        })?;
        match too_great(values, &converted) {
            Some(row) => Err(self.of_value(values, row, "it is out of range").into()),
            None => Ok(converted),
        }
    }

    fn is_time(&self) -> bool {
        matches!(self.sql_type, SqlType::Date | SqlType::Timestamp { .. })
    }

    /// Texts as dates or timestamps: as the cast reads them, and what it cannot read as files are read.
    fn times(&self, texts: &ArrayRef) -> Result<ArrayRef> {
        let to = self.sql_type.arrow();
        let kept = cast(texts, &to)?;
        let strings = cast(texts, &DataType::Utf8)?;
        let is_lost = |row| kept.is_null(row);
        let lost = values_of_texts(&self.sql_type, strings.as_string(), is_lost)
            .map_err(|row| self.of_value(texts, row, &self.reason(texts, row)))?;
        Ok(zip(&is_not_null(&kept)?, &kept, &lost)?)
    }

    /// Texts as the bytes that they stand for.
    fn bytes(&self, texts: &ArrayRef) -> Result<ArrayRef> {
        match bytes_of_texts(texts)? {
            (bytes, None) => Ok(Arc::new(bytes)),
            (_, Some(row)) => Err(self.of_value(texts, row, NO_BYTES).into()),
        }
    }

    fn of_type(&self, given: &DataType, cause: &datafusion::error::DataFusionError) -> Error {
        Error::invalid(format!(
            "{}: column `{}` is of type {}, the value is of type {given}: {}",
            self.place(),
            self.column,
            self.sql_type,
            cause.strip_backtrace()
        ))
    }

    fn of_value(&self, values: &ArrayRef, row: usize, reason: &str) -> Error {
        Error::invalid(format!(
            "{}: column `{}` of type {} cannot hold {}: {reason}",
            self.place(),
            self.column,
            self.sql_type,
            shown(values, row)
        ))
    }

    /// Why the column cannot hold the value.
    fn reason(&self, values: &ArrayRef, row: usize) -> String {
        let from_text = is_text(values.data_type());
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
