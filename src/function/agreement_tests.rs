//! Stored transforms against DataFusion's functions of the same name: where SQL gives a value, the key holds it.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{Field, Schema};
use datafusion::common::config::ConfigOptions;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::prelude::SessionContext;
use fastrand::Rng;

use crate::datum::{Datum, datum_at, to_array};
use crate::function::{DateBin, spellings};
use crate::key::testing::{key_of, row, with_seed};
use crate::key::transform::*;
use crate::key::{Domain, RowKey};

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

fn date_bin() -> ScalarUDF {
    ScalarUDF::new_from_impl(DateBin::default())
}

/// The bin of a stamp in SQL.
fn binned(stride: i128, source: &ArrayRef) -> ArrayRef {
    let stride = i64::try_from(stride).unwrap();
    let interval = ColumnarValue::Scalar(ScalarValue::new_interval_mdn(0, 0, stride));
    let source = ColumnarValue::Array(Arc::clone(source));
    call(&date_bin(), vec![interval, source]).unwrap()
}

/// How many of some random rows have the same part in a query as in the key. Others have an error on either side: those
/// whose part lies beyond its type.
fn agreeing(rng: &mut Rng, key: &RowKey, written: &Arc<dyn PhysicalExpr>) -> usize {
    let part = &key.parts()[0];
    let value_type = part.transform().value_type();
    let mut agreeing = 0;
    for _ in 0..20 {
        let row = row(rng, key);
        let sources: Vec<Option<Datum>> =
            part.sources().iter().map(|at| row[*at].clone()).collect();
        let Ok(own) = part.transform().apply(&sources) else {
            continue;
        };
        let columns = key.columns().iter().zip(&row);
        let columns = columns.map(|(column, value)| {
            let array = to_array(std::slice::from_ref(value), &column.sql_type).unwrap();
            (column.name.as_str(), array, true)
        });
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let Ok(theirs) = written.evaluate(&batch) else {
            continue;
        };
        let theirs = cast(&theirs.to_array(1).unwrap(), &value_type.arrow()).unwrap();
        let theirs = datum_at(&theirs, 0, value_type).unwrap();
        assert_eq!(own, theirs, "{written} of {row:?}");
        agreeing += 1;
    }
    agreeing
}

#[test]
fn a_query_computes_what_is_stored() {
    let context = SessionContext::new();
    context.register_udf(date_bin());
    with_seed(|rng| {
        for declaration in TRANSFORMS {
            let name = declaration.name();
            let mut count = 0;
            for _ in 0..60 {
                let Some(key) = key_of(rng, name) else {
                    continue;
                };
                let fields = key
                    .columns()
                    .iter()
                    .map(|column| Field::new(&column.name, column.sql_type.arrow(), true));
                let schema = Schema::new(fields.collect::<Vec<Field>>());
                let schema = DFSchema::try_from(schema).unwrap();
                for written in spellings(&key.parts()[0]) {
                    let written = context.create_physical_expr(written, &schema).unwrap();
                    count += agreeing(rng, &key, &written);
                }
            }
            let is_plain = matches!(declaration.form(), Form::Column | Form::Constant);
            let is_computed = !is_plain && declaration.computed() != Computed::ByNobody;
            assert_eq!(count > 300, is_computed, "{name} compared {count} times");
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
                let result = binned(stride, &array);
                let theirs = datum_at(&result, 0, &sql_type).unwrap();
                assert_eq!(own, theirs, "{source:?} in bins of {stride}, {sql_type}");
            }
        }
    }
}
