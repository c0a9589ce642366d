//! Stored transforms against DataFusion's functions of the same name: where SQL gives a value, the key holds it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array};
use arrow::compute::cast;
use arrow::compute::kernels::numeric::{div, rem};
use arrow::datatypes::{DataType, Field};
use datafusion::common::ScalarValue;
use datafusion::common::config::ConfigOptions;
use datafusion::functions::{crypto, datetime, unicode};
use datafusion::logical_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF};
use fastrand::Rng;

use super::*;
use crate::datum::{datum_at, to_array};
use crate::key::testing::{arguments, column_types, value, with_seed};

/// An array of one row through a function of DataFusion; `None` where it raises an error.
fn call(function: &ScalarUDF, arguments: Vec<ColumnarValue>) -> Option<ArrayRef> {
    let fields: Vec<Arc<Field>> = arguments
        .iter()
        .map(|argument| Arc::new(Field::new("argument", argument.data_type(), true)))
        .collect();
    let scalars: Vec<Option<&ScalarValue>> = arguments
        .iter()
        .map(|argument| match argument {
            ColumnarValue::Scalar(scalar) => Some(scalar),
            ColumnarValue::Array(_) => None,
        })
        .collect();
    let return_field = function
        .return_field_from_args(ReturnFieldArgs {
            arg_fields: &fields,
            scalar_arguments: &scalars,
        })
        .unwrap();
    let called = function.invoke_with_args(ScalarFunctionArgs {
        args: arguments,
        arg_fields: fields,
        number_rows: 1,
        return_field,
        config_options: Arc::new(ConfigOptions::default()),
    });
    called.ok().map(|result| result.to_array(1).unwrap())
}

/// What DataFusion computes of `source` for the transform of this name.
fn in_sql(name: &str, arguments: &[BoundArgument], source: &ArrayRef) -> Option<ArrayRef> {
    let column = || ColumnarValue::Array(Arc::clone(source));
    match (name, arguments) {
        ("md5", _) => call(&crypto::md5(), vec![column()]),
        ("reverse", _) => call(&unicode::reverse(), vec![column()]),
        ("left", [_, BoundArgument::Integer(count)]) => {
            let count = ColumnarValue::Scalar(ScalarValue::Int64(Some(*count)));
            call(&unicode::left(), vec![column(), count])
        }
        ("date_trunc", [BoundArgument::Text(unit), _]) => {
            let unit = ColumnarValue::Scalar(ScalarValue::Utf8(Some(unit.clone())));
            call(&datetime::date_trunc(), vec![unit, column()])
        }
        ("date_bin", [BoundArgument::Interval(stride), _]) => {
            let stride = i64::try_from(*stride).unwrap();
            let interval = ScalarValue::new_interval_mdn(0, 0, stride);
            call(
                &datetime::date_bin(),
                vec![ColumnarValue::Scalar(interval), column()],
            )
        }
        ("cast_date", _) => cast(source, &DataType::Date32).ok(),
        ("/" | "%", [_, BoundArgument::Integer(divisor)]) => {
            let whole = cast(source, &DataType::Int64).unwrap();
            let divisor = Int64Array::new_scalar(*divisor);
            let result = if name == "/" {
                div(&whole, &divisor)
            } else {
                rem(&whole, &divisor)
            };
            result.ok()
        }
        _ => panic!("say here what `{name}` is in SQL"),
    }
}

fn agrees(rng: &mut Rng, declaration: &dyn Declaration) -> bool {
    let name = declaration.name();
    let arguments = arguments(rng, name);
    let transform = declaration.bind(&arguments).unwrap();
    let sql_type = column_types(&arguments).remove(0);
    let source = Some(value(rng, &sql_type)).filter(|_| rng.u8(..20) > 0);
    let Ok(own) = transform.apply(std::slice::from_ref(&source)) else {
        // The result lies beyond its type: arithmetic of the layers below would wrap or panic.
        return false;
    };
    let array = to_array(std::slice::from_ref(&source), &sql_type).unwrap();
    let Some(result) = in_sql(name, &arguments, &array) else {
        return false;
    };
    let result = cast(&result, &transform.value_type().arrow()).unwrap();
    assert_eq!(result.len(), 1);
    let theirs = datum_at(&result, 0, transform.value_type()).unwrap();
    assert_eq!(own, theirs, "{name} of {source:?} with {arguments:?}");
    true
}

#[test]
fn stored_values_are_those_of_the_sql_function() {
    const OF_SQL: [&str; 8] = [
        "md5",
        "reverse",
        "left",
        "/",
        "%",
        "date_trunc",
        "date_bin",
        "cast_date",
    ];
    with_seed(|rng| {
        for declaration in TRANSFORMS
            .iter()
            .filter(|declaration| OF_SQL.contains(&declaration.name()))
        {
            let compared = (0..2_000).filter(|_| agrees(rng, *declaration)).count();
            assert!(
                compared > 600,
                "{} compared {compared} times",
                declaration.name()
            );
        }
    });
}

/// The part of a stamp under a function with this argument; `index` into [`crate::key::testing::timestamps`].
fn part_of(name: &str, argument: &BoundArgument, index: usize, source: i64) -> Option<Datum> {
    let sql_type = crate::key::testing::timestamps()[index].clone();
    let column = BoundArgument::Column("c".to_owned(), sql_type);
    let declaration = Expression::new(name, Vec::new()).declaration().unwrap();
    let transform = declaration.bind(&[argument.clone(), column]).unwrap();
    transform.apply(&[Some(Datum::Timestamp(source))]).unwrap()
}

#[test]
fn truncation_before_1970_rounds_down() {
    let cases = [
        ("second", 2, -1, -1_000),
        ("microsecond", 6, -1, -1_000),
        ("millisecond", 0, -7, -7),
        ("day", 0, -1, -86_400),
        ("week", 0, 0, -259_200),
        ("week", 0, -259_201, -864_000),
        ("month", 0, -1, -2_678_400),
        ("quarter", 0, -1, -7_948_800),
        ("YEAR", 0, -1, -31_536_000),
        // The year 3000, which nanoseconds do not reach.
        ("year", 2, 32_519_000_000_000, 32_503_680_000_000),
    ];
    for (unit, index, source, expected) in cases {
        let part = part_of(
            "date_trunc",
            &BoundArgument::Text(unit.to_owned()),
            index,
            source,
        );
        assert_eq!(part, Some(Datum::Timestamp(expected)), "{unit} of {source}");
    }
}

#[test]
fn bins_before_1970_round_down() {
    let quarter = BoundArgument::Interval(900_000_000_000);
    assert_eq!(
        part_of("date_bin", &quarter, 0, -1),
        Some(Datum::Timestamp(-900))
    );
    // Bins of one and a half seconds, cut to whole seconds towards zero as SQL's function does.
    let odd = BoundArgument::Interval(1_500_000_000);
    assert_eq!(part_of("date_bin", &odd, 0, -1), Some(Datum::Timestamp(-1)));
}

#[test]
fn bins_end_where_those_of_sql_do() {
    for sql_type in crate::key::testing::timestamps() {
        for stride in [
            1,
            7,
            1_500_000_000,
            3_600_000_000_000,
            1 << 61,
            i128::from(i64::MAX),
        ] {
            let column = BoundArgument::Column("c".to_owned(), sql_type.clone());
            let arguments = [BoundArgument::Interval(stride), column];
            let declaration = Expression::new("date_bin", Vec::new())
                .declaration()
                .unwrap();
            let transform = declaration.bind(&arguments).unwrap();
            let defined = transform.preimage(&Domain::not_null(&sql_type)).unwrap();
            let (first, last) = defined.ends_of(&defined.intervals()[0]).unwrap();
            let beside = [sql_type.predecessor(&first), sql_type.successor(&last)];
            for source in [Some(first), Some(last)].into_iter().chain(beside) {
                let own = transform.apply(std::slice::from_ref(&source)).unwrap();
                let array = to_array(std::slice::from_ref(&source), &sql_type).unwrap();
                let result = in_sql("date_bin", &arguments, &array).unwrap();
                let theirs = datum_at(&result, 0, &sql_type).unwrap();
                assert_eq!(own, theirs, "{source:?} in bins of {stride}, {sql_type}");
            }
        }
    }
}
