//! What is right: DataFusion's answer on every row.
//!
//! The condition is coerced but never simplified. Tuples are expanded to SQL's terms, float constants are canonical,
//! and numbers and times are compared by value: integers and decimals as DECIMAL(76, 30), dates and timestamps as
//! their nanoseconds. A double on either side makes both double, as in DataFusion. Lists and BETWEEN become the
//! comparisons that SQL defines them by, and COALESCE, NULLIF and CASE choose between what is compared. A row on which
//! DataFusion raises an error has no answer, nor has one on which a sum of integers is out of range, where DataFusion
//! wraps: unless the condition is about that.
//!
//! Nothing here comes from the code that makes predicates or spans.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, i256};
use datafusion::common::{DFSchema, DFSchemaRef, ScalarValue};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, ExprSchemable, Operator, binary_expr, cast, lit};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::physical_expr::create_physical_expr;

use super::condition::{Column, Comparison, Condition, Constant, Function, Made, Step, Term};
use super::constants::own;
use super::functions;
use super::quiet::quietly;
use super::render::{
    Meaning, case, column_expression, literal, operator, render, render_choice, render_term,
};
use crate::datum::{Datum, Precision, SqlType, canonical_double, datum_at, to_array};

/// The value of a condition on one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    True,
    False,
    Unknown,
    /// DataFusion raises an error.
    Error,
}

/// A table's rows, to evaluate conditions on.
pub(crate) struct Oracle {
    columns: Vec<Column>,
    schema: DFSchemaRef,
    batch: RecordBatch,
}

impl Oracle {
    /// The oracle of a table.
    pub fn new(columns: &[Column], rows: &[Vec<Option<Datum>>]) -> Self {
        let fields = columns
            .iter()
            .map(|column| Field::new(&column.name, column.sql_type.arrow(), column.nullable));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let arrays = columns.iter().enumerate().map(|(position, column)| {
            let values: Vec<_> = rows.iter().map(|row| row[position].clone()).collect();
            to_array(&values, &column.sql_type).expect("values of the column's type")
        });
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays.collect())
            .expect("a batch of the law's rows");
        Self {
            columns: columns.to_vec(),
            schema: Arc::new(DFSchema::try_from(schema).expect("unique column names")),
            batch,
        }
    }

    /// The table's schema for expressions.
    pub fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    /// The condition's value on every row.
    ///
    /// # Errors
    /// A message where the condition makes no sense to DataFusion, which is a fault of the law.
    pub fn evaluate(&self, condition: &Condition) -> Result<Vec<Outcome>, String> {
        let expression = render(condition, &ByValue(self));
        let values = self.values(&expression, &DataType::Boolean)?;
        let mut outcomes: Vec<Outcome> = values
            .iter()
            .map(|value| match value {
                None => Outcome::Error,
                Some(array) => truth(array.as_boolean()),
            })
            .collect();
        for term in truncations(condition) {
            for (value, outcome) in self.term_values(&term)?.iter().zip(&mut outcomes) {
                if value.is_none() {
                    *outcome = Outcome::Error;
                }
            }
        }
        Ok(outcomes)
    }

    /// Whether DataFusion fails to compare two columns on some row: it brings both to the finer unit of time, which does
    /// not reach as far as the other one.
    pub fn cannot_compare_times(&self, condition: &Condition) -> bool {
        let mut fails = false;
        condition.for_each_leaf(&mut |leaf| {
            let Condition::Columns {
                left,
                comparison,
                right,
            } = leaf
            else {
                return;
            };
            let sides = [*left, *right];
            if sides.map(|column| common(&self.columns[column].sql_type)) == [Common::Instant; 2] {
                let [left, right] = sides.map(|column| column_expression(column, &self.columns));
                let compared = binary_expr(left, operator(*comparison), right);
                let values = self.values(&compared, &DataType::Boolean);
                fails |= values.is_ok_and(|values| values.iter().any(Option::is_none));
            }
        });
        fails
    }

    /// A term's value on every row; rows with an error are `None`, NULL is `Some(None)`.
    ///
    /// Where `date_trunc` goes past the first instant of its type, DataFusion comes out at the other end if it is built
    /// without overflow checks, and panics with them: an error, either way.
    pub fn term_values(&self, term: &Term) -> Result<Vec<Option<Option<Datum>>>, String> {
        let values = self.data(term)?;
        let Some(truncated) = truncated(term) else {
            return Ok(values);
        };
        let kept = |(value, source): (Option<Option<Datum>>, Option<Option<Datum>>)| {
            value.filter(|value| source.is_some_and(|source| *value <= source))
        };
        let sources = self.data(&truncated)?;
        Ok(values.into_iter().zip(sources).map(kept).collect())
    }

    fn data(&self, term: &Term) -> Result<Vec<Option<Option<Datum>>>, String> {
        let sql_type = term.sql_type(&self.columns);
        let expression = cast(true_term(term, &self.columns), sql_type.arrow());
        let values = self.values(&expression, &sql_type.arrow())?;
        let datum = |array: &ArrayRef| datum_at(array, 0, &sql_type).expect("cast to its type");
        let values = values.iter().map(|value| value.as_ref().map(datum));
        Ok(values.collect())
    }

    /// An expression's value on every row as arrays of one; `None` where it raises an error.
    fn values(
        &self,
        expression: &Expr,
        expected: &DataType,
    ) -> Result<Vec<Option<ArrayRef>>, String> {
        let expression = coerce(expression.clone(), &self.schema)?;
        static PROPERTIES: LazyLock<ExecutionProps> = LazyLock::new(|| ExecutionProps {
            config_options: Some(Arc::default()),
            ..ExecutionProps::new()
        });
        let physical = create_physical_expr(
            &expression,
            &self.schema,
            &PROPERTIES,
            &PhysicalPlanningContext::default(),
        )
        .map_err(|error| format!("{expression}: {error}"))?;
        let evaluate = |batch: &RecordBatch| -> Option<ArrayRef> {
            // Where DataFusion is built with overflow checks, what would else wrap panics.
            let value = catch_unwind(AssertUnwindSafe(|| physical.evaluate(batch))).ok()?;
            value.ok()?.into_array(batch.num_rows()).ok()
        };
        let rows = self.batch.num_rows();
        let whole = quietly(|| evaluate(&self.batch));
        let values: Vec<Option<ArrayRef>> = match whole {
            Some(array) => (0..rows).map(|row| Some(array.slice(row, 1))).collect(),
            None => (0..rows)
                .map(|row| quietly(|| evaluate(&self.batch.slice(row, 1))))
                .collect(),
        };
        match values
            .iter()
            .flatten()
            .find(|array| array.data_type() != expected)
        {
            Some(array) => Err(format!("{expression} is {}", array.data_type())),
            None => Ok(values),
        }
    }
}

/// The terms of a condition that truncate an instant.
fn truncations(condition: &Condition) -> Vec<Term> {
    let mut terms = Vec::new();
    condition.for_each_leaf(&mut |leaf| {
        terms.extend(
            leaf.term()
                .filter(|term| truncated(term).is_some())
                .cloned(),
        );
    });
    terms
}

/// What a term that is a `date_trunc` truncates.
fn truncated(term: &Term) -> Option<Term> {
    let function = match &term.function {
        Function::DateTrunc(_) => Function::Column,
        Function::Moved {
            nanoseconds,
            made: Made::DateTrunc(_),
        } => Function::Moved {
            nanoseconds: *nanoseconds,
            made: Made::Itself,
        },
        _ => return None,
    };
    Some(Term {
        function,
        columns: term.columns.clone(),
    })
}

/// A term as DataFusion computes it, but for sums that must not wrap.
fn true_term(term: &Term, columns: &[Column]) -> Expr {
    let checked = |steps: &[Step]| {
        let column = term.columns[0];
        let limits = columns[column].sql_type.limits();
        let [least, most] = limits.map_or([None, None], |(least, most)| {
            [least, most].map(|it| it.as_integer().and_then(|it| i64::try_from(it).ok()))
        });
        let own = [
            least.expect("64 bits with a sign"),
            most.expect("64 bits with a sign"),
        ];
        checked_sum(column_expression(column, columns), own, steps)
    };
    match &term.function {
        Function::Plus(summand) => checked(&[Step::Plus(*summand)]),
        Function::Computed {
            steps,
            checked: true,
        } => checked(steps),
        _ => render_term(term, columns),
    }
}

/// Arithmetic that is right or an error: a BIGINT, but for the opposite of a column, which is of the column's type.
fn checked_sum(column: Expr, own: [i64; 2], steps: &[Step]) -> Expr {
    let (mut value, mut limits) = (column, own);
    for step in steps {
        let (factor, summand) = match *step {
            Step::Plus(number) | Step::PlusTo(number) => (1, number),
            // No number of the law's is the least one, which has no opposite.
            Step::Minus(number) => (1, -number),
            Step::MinusFrom(number) => (-1, number),
            Step::Times(number) => (number, 0),
            Step::Negative => (-1, 0),
        };
        if *step != Step::Negative {
            limits = [i64::MIN, i64::MAX];
        }
        let constants = [factor, summand, limits[0], limits[1]].map(lit);
        let arguments = std::iter::once(value).chain(constants);
        value = functions::sum().call(arguments.collect());
    }
    value
}

/// Casts as DataFusion's analyzer adds them.
pub(crate) fn coerce(expression: Expr, schema: &DFSchemaRef) -> Result<Expr, String> {
    static CONTEXT: LazyLock<SimplifyContext> = LazyLock::new(SimplifyContext::default);
    let before = expression.clone();
    ExprSimplifier::new(CONTEXT.clone())
        .coerce(expression, schema)
        .map_err(|error| format!("{before}: {error}"))
}

fn truth(values: &BooleanArray) -> Outcome {
    match values.is_valid(0).then(|| values.value(0)) {
        None => Outcome::Unknown,
        Some(true) => Outcome::True,
        Some(false) => Outcome::False,
    }
}

/// Comparisons by value.
struct ByValue<'a>(&'a Oracle);

impl ByValue<'_> {
    /// A term as DataFusion computes it, and the type it then has: `date_bin` of an instant counts nanoseconds
    /// whatever its column counts.
    fn term(&self, term: &Term) -> (Expr, SqlType) {
        let sql_type = term.sql_type(&self.0.columns);
        let value = true_term(term, &self.0.columns);
        let SqlType::Timestamp { utc, .. } = sql_type else {
            return (value, sql_type);
        };
        let coerced = coerce(value.clone(), &self.0.schema)
            .ok()
            .and_then(|value| value.get_type(&self.0.schema).ok());
        match coerced {
            Some(DataType::Timestamp(unit, _)) => {
                let precision = Precision::from(unit);
                (value, SqlType::Timestamp { precision, utc })
            }
            _ => (value, sql_type),
        }
    }

    /// A term as what it is compared as. A choice is one between values that have become that.
    fn lifted(&self, term: &Term, common: Common) -> Expr {
        let columns = &self.0.columns;
        let sql_type = term.sql_type(columns);
        let column = |column: &usize| lift(column_expression(*column, columns), &sql_type, common);
        let constant =
            |value: &Datum| lit(lift_constant(&own(value, &sql_type), &sql_type, common));
        let first = || column(&term.columns[0]);
        match &term.function {
            Function::Coalesce(last) => {
                let known = term.columns.iter().map(column);
                let known = known.map(|value| (value.clone().is_not_null(), value));
                case(None, known.collect(), last.as_ref().map(constant))
            }
            Function::NullIf(other) => {
                let equal = binary_expr(first(), Operator::Eq, constant(other));
                let null = lit(ScalarValue::Null);
                case(None, vec![(equal, null)], Some(first()))
            }
            Function::Case(choice) => render_choice(choice, first(), &constant),
            _ => {
                let (value, sql_type) = self.term(term);
                lift(value, &sql_type, common)
            }
        }
    }
}

/// What both sides of a comparison become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Common {
    /// Integers and decimals: DECIMAL(76, 30).
    Number,
    /// DOUBLE.
    Double,
    /// Dates and timestamps: nanoseconds.
    Instant,
    /// Booleans, text and bytes: as they are.
    Plain,
}

fn common(sql_type: &SqlType) -> Common {
    match sql_type {
        SqlType::Decimal { .. } => Common::Number,
        one if one.is_integer() => Common::Number,
        SqlType::Real | SqlType::Double => Common::Double,
        SqlType::Date | SqlType::Timestamp { .. } => Common::Instant,
        _ => Common::Plain,
    }
}

impl Meaning for ByValue<'_> {
    fn columns(&self) -> &[Column] {
        &self.0.columns
    }

    fn value(&self, term: &Term) -> Expr {
        true_term(term, &self.0.columns)
    }

    fn compare(&self, term: &Term, comparison: Comparison, constant: &Constant) -> Expr {
        let sql_type = term.sql_type(&self.0.columns);
        let common = match constant {
            Constant::Double(_) => Common::Double,
            _ => common(&sql_type),
        };
        let left = self.lifted(term, common);
        let right = lit(lift_constant(constant, &sql_type, common));
        binary_expr(left, operator(comparison), right)
    }

    fn compare_columns(&self, left: usize, comparison: Comparison, right: usize) -> Expr {
        let columns = &self.0.columns;
        let types = [left, right].map(|column| &columns[column].sql_type);
        let both = match types.map(common) {
            [Common::Double, _] | [_, Common::Double] => Common::Double,
            [other, _] => other,
        };
        let side =
            |column: usize, sql_type| lift(column_expression(column, columns), sql_type, both);
        binary_expr(
            side(left, types[0]),
            operator(comparison),
            side(right, types[1]),
        )
    }
}

/// Digits behind the point of every number that is compared.
const SCALE: i8 = 30;
const NUMBER: DataType = DataType::Decimal256(76, SCALE);
const COUNT: DataType = DataType::Decimal256(40, 0);
const UNIT: (u8, i8) = (20, 0);
/// The type of a count times a unit.
const NANOSECONDS: (u8, i8) = (61, 0);

fn lift(value: Expr, sql_type: &SqlType, common: Common) -> Expr {
    match common {
        Common::Number => cast(value, NUMBER),
        Common::Double => cast(value, DataType::Float64),
        Common::Plain => cast(value, sql_type.arrow()),
        Common::Instant => {
            let count = match sql_type {
                SqlType::Date => cast(cast(value, DataType::Int32), DataType::Int64),
                _ => cast(value, DataType::Int64),
            };
            let unit =
                ScalarValue::Decimal256(Some(i256::from_i128(unit(sql_type))), UNIT.0, UNIT.1);
            binary_expr(cast(count, COUNT), Operator::Multiply, lit(unit))
        }
    }
}

/// Nanoseconds in what a date or timestamp counts.
fn unit(sql_type: &SqlType) -> i128 {
    match sql_type {
        SqlType::Timestamp { precision, .. } => i128::from(precision.nanoseconds()),
        _ => 86_400_000_000_000,
    }
}

fn lift_constant(constant: &Constant, sql_type: &SqlType, common: Common) -> ScalarValue {
    match common {
        Common::Number => ScalarValue::Decimal256(number(constant), 76, SCALE),
        Common::Double => ScalarValue::Float64(double(constant)),
        Common::Instant => {
            let nanoseconds = nanoseconds(constant).map(i256::from_i128);
            ScalarValue::Decimal256(nanoseconds, NANOSECONDS.0, NANOSECONDS.1)
        }
        Common::Plain => match constant {
            Constant::Null => ScalarValue::try_new_null(&sql_type.arrow()).expect("a NULL"),
            plain => literal(plain),
        },
    }
}

fn number(constant: &Constant) -> Option<i256> {
    let (unscaled, scale) = match constant {
        Constant::Integer(value) => (*value, 0),
        Constant::Decimal { unscaled, scale } => (*unscaled, *scale),
        Constant::Null => return None,
        other => unreachable!("{other:?} is no exact number"),
    };
    let power = i256::from_i128(10).wrapping_pow(u32::try_from(SCALE - scale).expect("at most 30"));
    Some(i256::from_i128(unscaled).wrapping_mul(power))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "DOUBLE rounds, in the oracle as in SQL"
)]
fn double(constant: &Constant) -> Option<f64> {
    let value = match constant {
        Constant::Double(value) => *value,
        Constant::Integer(value) => *value as f64,
        Constant::Decimal { unscaled, scale } => *unscaled as f64 / 10_f64.powi(i32::from(*scale)),
        Constant::Null => return None,
        other => unreachable!("{other:?} is no number"),
    };
    Some(canonical_double(value))
}

/// The nanoseconds of a date or timestamp since the epoch.
pub(crate) fn nanoseconds(constant: &Constant) -> Option<i128> {
    match constant {
        Constant::Date(days) => Some(i128::from(*days) * unit(&SqlType::Date)),
        Constant::Timestamp {
            count, precision, ..
        } => Some(i128::from(*count) * i128::from(Precision::nanoseconds(*precision))),
        Constant::Null => None,
        other => unreachable!("{other:?} is no point in time"),
    }
}

#[cfg(test)]
#[path = "oracle_tests.rs"]
mod tests;
