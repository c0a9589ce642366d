//! Functions that SQL has elsewhere and DataFusion lacks, or answers wrongly: one declaration each.
//!
//! [`DECLARATIONS`] is the list that sessions and completion walk. A function is computed from arrays to an array, on
//! constants as on columns. What can be said in SQL is no function here: the session writes it out.

mod age;
mod beside_dates;
mod difference;
mod elapsed;
mod format;
mod interval;
mod json;
mod lengths;
mod made;
mod moment;
mod number;
mod parsed;
mod pattern;
mod printf;
mod ranked;
mod regexp;
mod strftime;
mod to_date;

pub(super) use self::interval::divided_intervals;
pub(super) use self::json::rows_as_json;
pub(super) use self::ranked::{RANKS_OF_INTERVALS, intervals_of_ranks, ranks_of_intervals};
pub use self::to_date::format_of;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// A function.
#[derive(Debug)]
pub(super) struct Declaration {
    name: &'static str,
    aliases: &'static [&'static str],
    /// The types that arguments of these types are cast to.
    coerce: fn(&[DataType]) -> Result<Vec<DataType>>,
    /// The type of the result, of arguments that were cast.
    result: fn(&[DataType]) -> Result<DataType>,
    /// The results: one for each place of the arrays, which are of one length; at least one where there are none.
    compute: fn(&[ArrayRef]) -> Result<ArrayRef>,
}

/// Every function.
static DECLARATIONS: &[&Declaration] = &[
    &strftime::STRFTIME,
    &pattern::TO_CHAR,
    &difference::DATE_DIFF,
    &difference::DATE_SUB,
    &age::AGE,
    &made::MAKE_TIMESTAMP,
    &made::WIDTH_BUCKET,
    &lengths::LENGTH,
    &printf::FORMAT,
    &printf::PRINTF,
    &regexp::REGEXP_EXTRACT,
    &regexp::REGEXP_EXTRACT_ALL,
    &regexp::REGEXP_SPLIT,
    &json::JSON,
    &json::JSON_VALID,
    &json::JSON_EXTRACT,
    &json::JSON_EXTRACT_STRING,
    &json::JSON_AT,
    &json::JSON_AT_TEXT,
    &json::JSON_EXTRACT_PATH,
    &json::JSON_EXTRACT_PATH_TEXT,
    &json::JSON_EXISTS,
    &json::JSON_ARRAY_LENGTH,
    &json::JSON_KEYS,
    &json::JSON_TYPEOF,
    &json::JSON_TYPE,
    &json::TO_JSON,
    &json::JSON_ARRAY,
    &json::JSON_OBJECT,
    &parsed::PARSE_UUID,
    &parsed::TRY_PARSE_UUID,
    &parsed::TRY_PARSE_JSON,
    &VERSION,
];

/// What `version()` says, which many a program asks first.
static VERSION: Declaration = Declaration {
    name: "version",
    aliases: &[],
    coerce: |types| match types {
        [] => Ok(Vec::new()),
        _ => plan_err!("version() takes no arguments"),
    },
    result: |_| Ok(DataType::Utf8),
    compute: |_| {
        let version = format!(
            "Halite {} on {}, {}",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH
        );
        Ok(Arc::new(StringArray::from(vec![version])))
    },
};

/// The functions, for the session to register.
pub(super) fn functions() -> impl Iterator<Item = ScalarUDF> {
    let declared = DECLARATIONS.iter();
    declared.map(|declaration| ScalarUDF::new_from_impl(Added::new(declaration)))
}

/// `i * n` of an interval and a number.
pub fn interval_times(interval: Expr, factor: Expr) -> Expr {
    call(&interval::TIMES, vec![interval, factor])
}

/// Whether a function is that product.
pub fn is_interval_times(function: &ScalarUDF) -> bool {
    is(function, &interval::TIMES)
}

/// `i / n` of an interval and a number.
pub fn interval_divided(interval: Expr, divisor: Expr) -> Expr {
    call(&interval::DIVIDED, vec![interval, divisor])
}

/// The difference of two times, as an interval.
pub fn interval_between(later: Expr, earlier: Expr) -> Expr {
    call(&elapsed::BETWEEN, vec![later, earlier])
}

/// Whether a function is that difference.
pub fn is_interval_between(function: &ScalarUDF) -> bool {
    is(function, &elapsed::BETWEEN)
}

/// A TIMESTAMP of nanoseconds as one of microseconds, or an error where it has more digits.
pub fn in_microseconds(stamp: Expr) -> Expr {
    call(&beside_dates::IN_MICROSECONDS, vec![stamp])
}

/// A TIMESTAMP as one of seconds that compares with a DATE, as a TIMESTAMP of seconds, as it does.
pub fn beside_days(stamp: Expr) -> Expr {
    call(&beside_dates::BESIDE_DAYS, vec![stamp])
}

/// How long an interval is: a number.
pub fn interval_length(interval: Expr) -> Expr {
    call(&elapsed::LENGTH, vec![interval])
}

/// An integer for an interval, of the same order.
pub fn interval_rank(interval: Expr) -> Expr {
    call(&ranked::RANK, vec![interval])
}

/// The interval that such an integer stands for.
pub fn interval_of_rank(rank: Expr) -> Expr {
    call(&ranked::OF_RANK, vec![rank])
}

/// `doc -> step` where `as_text` is false, and `doc ->> step`.
pub fn json_arrow(document: Expr, step: Expr, as_text: bool) -> Expr {
    let declaration = if as_text {
        &json::JSON_EXTRACT_STRING
    } else {
        &json::JSON_EXTRACT
    };
    call(declaration, vec![document, step])
}

/// `doc #> path` where `as_text` is false, and `doc #>> path`.
pub fn json_hash_arrow(document: Expr, path: Expr, as_text: bool) -> Expr {
    let declaration = if as_text {
        &json::JSON_AT_TEXT
    } else {
        &json::JSON_AT
    };
    call(declaration, vec![document, path])
}

fn call(declaration: &'static Declaration, arguments: Vec<Expr>) -> Expr {
    ScalarUDF::new_from_impl(Added::new(declaration)).call(arguments)
}

fn is(function: &ScalarUDF, declaration: &Declaration) -> bool {
    let added = function.inner().downcast_ref::<Added>();
    added.is_some_and(|added| added.declaration.name == declaration.name)
}

/// A declared function as DataFusion calls it.
#[derive(Debug)]
struct Added {
    declaration: &'static Declaration,
    aliases: Vec<String>,
    signature: Signature,
}

impl Added {
    fn new(declaration: &'static Declaration) -> Self {
        let aliases = declaration.aliases.iter();
        Self {
            declaration,
            aliases: aliases.map(|alias| (*alias).to_owned()).collect(),
            signature: Signature::user_defined(Volatility::Immutable),
        }
    }
}

impl PartialEq for Added {
    fn eq(&self, other: &Self) -> bool {
        self.declaration.name == other.declaration.name
    }
}

impl Eq for Added {}

impl Hash for Added {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.declaration.name.hash(state);
    }
}

impl ScalarUDFImpl for Added {
    fn name(&self) -> &str {
        self.declaration.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        (self.declaration.coerce)(types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        (self.declaration.result)(types)
    }

    /// All values of its type: DataFusion's own answer has no type, and nothing that is computed from it is known to be
    /// sorted then.
    fn evaluate_bounds(&self, arguments: &[&Interval]) -> Result<Interval> {
        let types: Vec<DataType> = arguments.iter().map(|it| it.data_type()).collect();
        let result = (self.declaration.result)(&types);
        Interval::make_unbounded(&result.unwrap_or(DataType::Null))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_constant = |value: &ColumnarValue| matches!(value, ColumnarValue::Scalar(_));
        let are_constant = args.args.iter().all(is_constant);
        let rows = if are_constant { 1 } else { args.number_rows };
        let arrays = args.args.iter().map(|value| value.to_array(rows));
        let computed = (self.declaration.compute)(&arrays.collect::<Result<Vec<_>>>()?)?;
        Ok(if are_constant {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&computed, 0)?)
        } else {
            ColumnarValue::Array(computed)
        })
    }
}

/// The first `N` arguments, of which there are so many.
fn arguments<const N: usize>(arguments: &[ArrayRef]) -> Result<[&ArrayRef; N]> {
    let all: Vec<&ArrayRef> = arguments.iter().collect();
    match all.try_into() {
        Ok(arguments) => Ok(arguments),
        Err(others) => plan_err!("{} arguments where there are {N}", others.len()),
    }
}

#[cfg(test)]
#[path = "added_tests.rs"]
mod tests;
