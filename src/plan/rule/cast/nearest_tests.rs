//! Casts of DECIMAL to floating point, beside what DataFusion makes of them.

use crate::session::testing::{mended, rows};

/// The text of 1,000 doubles, as CAST makes them of DECIMALs: constants, and a column.
async fn missed(session: &datafusion::prelude::SessionContext) -> usize {
    let mut random = fastrand::Rng::with_seed(11);
    let doubles: Vec<f64> = (0..1_000).map(|_| random.f64() * 10.0).collect();
    let values: Vec<String> = doubles
        .iter()
        .map(|double| format!("({double}, '{double}')"))
        .collect();
    let sql = format!(
        "SELECT count(*) FROM (VALUES {}) t (d, s) WHERE arrow_cast(CAST(d AS DOUBLE), 'Utf8') <> arrow_cast(CAST(s AS DOUBLE), 'Utf8')",
        values.join(", ")
    );
    rows(session, &sql).await[0].parse().unwrap()
}

#[tokio::test]
async fn a_cast_gives_the_nearest_double() {
    assert_eq!(missed(&mended()).await, 0);
    let session = mended();
    for (sql, expected) in [
        (
            "SELECT CAST(9.204938554384977 AS DOUBLE) = 9204938554384977e-15",
            "true",
        ),
        ("SELECT CAST(1.9999999999999998 AS DOUBLE) < 2.0e0", "true"),
        ("SELECT 1.9999999999999998 * 1e0 < 2e0", "true"),
        (
            "SELECT count(*) FROM (VALUES (1.9999999999999998)) t (d) WHERE CAST(d AS DOUBLE) < 2.0e0",
            "1",
        ),
        ("SELECT 0.1 + 0.2", "0.3"),
    ] {
        assert_eq!(rows(&session, sql).await, [expected], "{sql}");
    }
}

/// Fails as soon as Arrow casts to the nearest: then the rule can go.
#[tokio::test]
async fn canary() {
    use datafusion::arrow::array::{Array, AsArray, Decimal128Array};
    use datafusion::arrow::compute::cast;
    use datafusion::arrow::datatypes::{DataType, Float64Type};
    let decimals = Decimal128Array::from(vec![9_204_938_554_384_977])
        .with_precision_and_scale(16, 15)
        .unwrap();
    let cast = cast(&decimals as &dyn Array, &DataType::Float64).unwrap();
    assert_ne!(
        cast.as_primitive::<Float64Type>().value(0),
        9.204938554384977
    );
}
