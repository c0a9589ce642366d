//! What INSERT does to a value on its way to a column: the cast to the column's type, and an error that names table,
//! column and value.
//!
//! A constant of VALUES is converted when the statement is planned; around everything else goes a function. Values come out as a CAST would give them, but that they are rounded where the column is coarser: a
//! number to the nearest whole one, a stamp to the nearest of the column's unit. A column of the row key refuses what would
//! have to be rounded, for two rows could become one; what is computed of the clock alone (`now()`) it rounds as well, whose
//! digits nobody chose.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::kernels::zip::zip;
use arrow::compute::{can_cast_types, cast, is_not_null};
use arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, Expr, ExprSchemable, LogicalPlan, ScalarUDF};

use crate::convert::bytes::{NO_BYTES, bytes_of_texts, is_text};
use crate::convert::clocks::is_read_on_clocks;
use crate::convert::function::{Conversion, conversion_in, converted};
use crate::convert::rounded::{first_changed, first_lost, rounded, too_great};
use crate::convert::shown::{shown, text_at};
use crate::convert::text::values_of_texts;
use crate::datum::{CutTexts, Precision, SqlType, text_of_uuid};
use crate::error::Error;
use crate::schema::BoundTable;

const OUT_OF_RANGE: &str = "it is out of range";

/// The functions that read the clock, under the names that they are found by.
const CLOCKS: &[&str] = &["now", "current_date", "current_time"];

/// The column that a value is assigned to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    table: String,
    column: String,
    sql_type: SqlType,
    /// Whether values must stay what they are, for the row key is computed from them.
    is_exact: bool,
    /// The row of VALUES, counted from 1.
    row: Option<usize>,
}

impl Target {
    pub(crate) fn of(table: &BoundTable, position: usize, row: Option<usize>) -> Result<Self> {
        let column = table.column(position)?;
        Ok(Self {
            table: table.name().to_owned(),
            column: column.name.clone(),
            sql_type: column.sql_type.clone(),
            is_exact: table.key_sources().contains(&position),
            row,
        })
    }

    /// The same for values of the clock, if `value` is computed of it and of nothing else.
    fn of_clock(self, value: &Expr) -> Result<Self> {
        let is_clock = self.is_exact && self.is_time() && reads_clock_alone(value)?;
        Ok(Self {
            is_exact: self.is_exact && !is_clock,
            ..self
        })
    }

    /// The same for `value` over the rows of `query`, of which it may be a column.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(crate) fn over(self, query: &LogicalPlan, value: &Expr) -> Result<Self> {
        let (LogicalPlan::Projection(list), Expr::Column(column)) = (query, value) else {
            return match (query, query.inputs().as_slice()) {
                (LogicalPlan::Sort(_) | LogicalPlan::Limit(_), [input]) => self.over(input, value),
                _ => Ok(self),
            };
        };
        let place = list.schema.maybe_index_of_column(column);
        match place.and_then(|place| list.expr.get(place)) {
            Some(value) => self.of_clock(value),
            None => Ok(self),
        }
    }

    /// A value of VALUES as one of the column's type.
    ///
    /// # Errors
    /// As [`Target::assign`]; a constant that the column cannot hold.
    pub(crate) fn assign_value(self, value: Expr) -> Result<Expr> {
        match value {
            Expr::Literal(scalar, _) => Ok(Expr::Literal(self.convert_constant(&scalar)?, None)),
            other => self.assign(other, &DFSchema::empty()),
        }
    }

    /// A constant, or any other expression over `schema`, as one of the column's type.
    ///
    /// # Errors
    /// As [`Target::assign`]; a constant that the column cannot hold.
    pub(crate) fn assign_any(self, value: Expr, schema: &DFSchema) -> Result<Expr> {
        match value {
            // On which clocks it is read is known where the statement is analyzed.
            Expr::Literal(ref shown, _) if self.is_instant() && is_read_on_clocks(shown) => {
                self.assign(value, schema)
            }
            Expr::Literal(..) => self.assign_value(value),
            other => self.assign(other, schema),
        }
    }

    fn is_instant(&self) -> bool {
        matches!(self.sql_type, SqlType::Timestamp { utc: true, .. })
    }

    /// An expression over `schema` as one of the column's type. What has the type already goes through the function as
    /// well: the type is known when operands, branches and the inputs of a UNION have been made alike.
    ///
    /// # Errors
    /// An expression of another kind.
    pub(crate) fn assign(self, source: Expr, schema: &DFSchema) -> Result<Expr> {
        // A parameter may still become a value of any type.
        let is_open = source.exists(|part| Ok(matches!(part, Expr::Placeholder(_))))?;
        let from = source.get_type(schema)?;
        if self.is_other_kind(&from) && !is_open {
            let given = if can_cast_types(&from, &self.sql_type.arrow()) {
                format!("values of type {from}")
            } else {
                format!("`{}` of type {from}", source.qualified_name().1)
            };
            return Err(self.of_other_kind(&given).into());
        }
        Ok(converted(self.of_clock(&source)?, source))
    }

    /// Whether there is no cast, or one that takes a number for what it is not: for its bytes, or for a count of days or
    /// units of time.
    fn is_other_kind(&self, from: &DataType) -> bool {
        let is_other = matches!(
            self.sql_type,
            SqlType::Bytea
                | SqlType::Date
                | SqlType::Timestamp { .. }
                | SqlType::Time
                | SqlType::Interval
        );
        if self.sql_type.is_nested() && (is_text(from) || from == &DataType::Null) {
            return false;
        }
        // A cast would make a list of any value.
        (self.sql_type.is_nested() && !from.is_nested())
            || (is_other && (from.is_numeric() || from == &DataType::Boolean))
            || !can_cast_types(from, &self.sql_type.arrow())
    }

    /// Whether not every text is a value.
    fn is_special_text(&self) -> bool {
        matches!(self.sql_type, SqlType::Uuid | SqlType::Json)
    }

    fn of_other_kind(&self, given: &str) -> Error {
        self.refused(&format!(
            "cannot hold {given}: it is not the same kind of value"
        ))
    }

    /// The error of a value that is refused.
    fn refused(&self, why: &str) -> Error {
        let (column, sql_type) = (&self.column, &self.sql_type);
        let error = Error::invalid(format!("column `{column}` of type {sql_type} {why}"));
        let error = error.of_column(column).of_table(&self.table);
        match self.row {
            Some(row) => error.at_row(format_args!("row {row}")),
            None => error,
        }
    }

    /// The cast of values that are rounded already.
    fn cast(&self, values: &ArrayRef, whole: &ArrayRef) -> Result<ArrayRef> {
        let to = self.sql_type.arrow();
        let cast = ColumnarValue::Array(Arc::clone(whole)).cast_to(&to, None);
        let converted = cast.and_then(|converted| converted.to_array(values.len()));
        converted.or_else(|error| {
            match first_lost(whole, &to) {
                // Years of more than four digits, which a cast does not read.
                Some(_) if self.is_time() && is_text(values.data_type()) => {
                    self.times(values, whole)
                }
                Some(row) => Err(self.of_value(values, row, &self.reason(values, row)).into()),
                None => Err(self.of_type(values.data_type(), &error).into()),
            }
        })
    }

    /// Texts with more digits of a second than the column has.
    fn cut_texts(&self, values: &ArrayRef, cut: &CutTexts) -> Result<ArrayRef> {
        let stamps = self.cast(values, cut.texts())?;
        if self.is_exact {
            self.unchanged(cut.first_between(), values)?;
        }
        cut.rounded(&stamps).map_err(|row| match row {
            Some(row) => self.of_value(values, row, OUT_OF_RANGE).into(),
            None => Error::internal("stamps of another type").into(),
        })
    }

    /// Refuses the value that was changed, if one was.
    fn unchanged(&self, changed: Option<usize>, values: &ArrayRef) -> Result<()> {
        let Some(row) = changed else {
            return Ok(());
        };
        let sql_type = &self.sql_type;
        let given = shown(values, row);
        let why = format!(
            "cannot hold {given} exactly: it is part of the row key, where two rows could become one; round it, or write \
             CAST(… AS {sql_type})"
        );
        Err(self.refused(&why).into())
    }

    fn is_time(&self) -> bool {
        matches!(self.sql_type, SqlType::Date | SqlType::Timestamp { .. })
    }

    /// Texts as dates or timestamps: as the cast reads them, and what it cannot read as files are read.
    fn times(&self, given: &ArrayRef, texts: &ArrayRef) -> Result<ArrayRef> {
        let to = self.sql_type.arrow();
        let kept = cast(texts, &to)?;
        let strings = cast(texts, &DataType::Utf8)?;
        let is_lost = |row| kept.is_null(row);
        let lost = values_of_texts(&self.sql_type, strings.as_string(), is_lost)
            .map_err(|row| self.of_value(given, row, &self.reason(given, row)))?;
        Ok(zip(&is_not_null(&kept)?, &kept, &lost)?)
    }

    /// Texts as values of a type that not every text is one of, as files are read.
    fn texts(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let texts = match values.data_type() {
            DataType::FixedSizeBinary(_) if self.sql_type == SqlType::Uuid => {
                let bytes = values.as_fixed_size_binary().iter();
                let texts = bytes.map(|bytes| bytes.and_then(text_of_uuid));
                Arc::new(texts.collect::<StringArray>())
            }
            _ => cast(values, &DataType::Utf8)?,
        };
        let given = |row| texts.is_valid(row);
        values_of_texts(&self.sql_type, texts.as_string(), given)
            .map_err(|row| self.of_value(&texts, row, &self.reason(&texts, row)).into())
    }

    /// Texts as the bytes that they stand for.
    fn bytes(&self, texts: &ArrayRef) -> Result<ArrayRef> {
        match bytes_of_texts(texts)? {
            (bytes, None) => Ok(Arc::new(bytes)),
            (_, Some(row)) => Err(self.of_value(texts, row, NO_BYTES).into()),
        }
    }

    fn of_type(&self, given: &DataType, cause: &datafusion::error::DataFusionError) -> Error {
        let cause = cause.strip_backtrace();
        self.refused(&format!("cannot hold a value of type {given}: {cause}"))
    }

    fn of_value(&self, values: &ArrayRef, row: usize, reason: &str) -> Error {
        self.refused(&format!("cannot hold {}: {reason}", shown(values, row)))
    }

    /// Why the column cannot hold the value.
    fn reason(&self, values: &ArrayRef, row: usize) -> String {
        let from_text = is_text(values.data_type());
        let is_number = || text_at(values, row).trim().parse::<f64>().is_ok();
        match &self.sql_type {
            SqlType::Date if from_text => "it is no date such as 2024-01-31".to_owned(),
            SqlType::Timestamp { .. } if from_text => {
                let instead = match self.sql_type {
                    SqlType::Timestamp {
                        precision: Precision::Nanosecond,
                        ..
                    } => {
                        ", which for nanoseconds is before 1677-09-22 and after 2262-04-11: declare TIMESTAMP(6)"
                    }
                    _ => "",
                };
                format!("it is no timestamp such as 2024-01-31 05:06:07, or out of range{instead}")
            }
            SqlType::Uuid => "it is no UUID".to_owned(),
            SqlType::Json => "it is no JSON".to_owned(),
            nested if nested.is_nested() => {
                "it is no JSON of such values, as [1, 2] or {\"a\": 1}".to_owned()
            }
            SqlType::Time if from_text => "it is no time such as 05:06:07".to_owned(),
            SqlType::Interval if from_text => "it is no interval such as 1 month 2 days".to_owned(),
            SqlType::Boolean if from_text => "it is neither true nor false".to_owned(),
            number
                if number.is_integer()
                    && from_text
                    && is_number()
                    && text_at(values, row).contains(['.', 'e', 'E']) =>
            {
                "it is no whole number".to_owned()
            }
            _ if from_text && !is_number() => "it is no number".to_owned(),
            _ => OUT_OF_RANGE.to_owned(),
        }
    }
}

/// Whether a value is computed of the clock and of constants, as `now() - INTERVAL '1 hour'`; of one that is for some rows
/// alone, whether it is so there.
fn reads_clock_alone(value: &Expr) -> Result<bool> {
    match value {
        Expr::Alias(alias) => return reads_clock_alone(&alias.expr),
        Expr::Case(case) => {
            return match (case.when_then_expr.as_slice(), &case.else_expr) {
                ([(_, value)], None) => reads_clock_alone(value),
                _ => Ok(false),
            };
        }
        _ => {}
    }
    let mut reads = false;
    let mut is_alone = true;
    value.apply(|part| {
        match part {
            Expr::ScalarFunction(call) => reads |= CLOCKS.contains(&call.func.name()),
            Expr::Literal(..) | Expr::Cast(_) | Expr::BinaryExpr(_) | Expr::Negative(_) => {}
            _ => is_alone = false,
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(reads && is_alone)
}

/// Whether a function assigns a value to a column.
pub(crate) fn is_assignment(function: &ScalarUDF) -> bool {
    conversion_in::<Target>(function).is_some()
}

/// The cast to a column's type, whose errors name the column.
impl Conversion for Target {
    fn name(&self) -> &str {
        "assign"
    }

    fn target(&self) -> DataType {
        self.sql_type.arrow()
    }

    fn convert(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let to = self.sql_type.arrow();
        if self.is_special_text() || (self.sql_type.is_nested() && is_text(values.data_type())) {
            return self.texts(values);
        }
        if *values.data_type() == to {
            return Ok(Arc::clone(values));
        }
        if self.sql_type == SqlType::Bytea && is_text(values.data_type()) {
            return self.bytes(values);
        }
        if let SqlType::Timestamp { precision, .. } = self.sql_type
            && let Some(cut) = CutTexts::of(values, precision)
        {
            return self.cut_texts(values, &cut);
        }
        let converted = self.cast(values, &rounded(values, &to)?)?;
        if let Some(row) = too_great(values, &converted) {
            return Err(self.of_value(values, row, OUT_OF_RANGE).into());
        }
        if self.is_exact {
            self.unchanged(first_changed(values, &converted)?, values)?;
        }
        Ok(converted)
    }

    fn convert_constant(&self, scalar: &ScalarValue) -> Result<ScalarValue> {
        let to = self.sql_type.arrow();
        if scalar.data_type() == to && !self.is_special_text() {
            return Ok(scalar.clone());
        }
        if self.is_other_kind(&scalar.data_type()) {
            return Err(self.of_other_kind(&shown(&scalar.to_array()?, 0)).into());
        }
        let array = scalar.to_array()?;
        ScalarValue::try_from_array(&self.convert(&array)?, 0)
    }
}

#[cfg(test)]
#[path = "rounding_tests.rs"]
mod rounding_tests;
#[cfg(test)]
#[path = "assign_tests.rs"]
mod tests;
