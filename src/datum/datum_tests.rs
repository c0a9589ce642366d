use super::*;

#[test]
fn floating_point_values_are_canonical() {
    assert_eq!(Datum::double(-0.0), Datum::double(0.0));
    assert_eq!(Datum::double(-f64::NAN), Datum::double(f64::NAN));
    assert!(Datum::double(f64::NAN) > Datum::double(f64::INFINITY));
}

#[test]
fn discrete_types_end_where_their_type_does() {
    assert_eq!(
        SqlType::Integer.successor(&Datum::Integer(i32::MAX.into())),
        None
    );
    assert_eq!(SqlType::BigInt.predecessor(&Datum::Integer(i64::MIN)), None);
    let decimal = SqlType::Decimal {
        precision: 3,
        scale: 1,
    };
    assert_eq!(
        decimal.successor(&Datum::Decimal(998)),
        Some(Datum::Decimal(999))
    );
    assert_eq!(decimal.successor(&Datum::Decimal(999)), None);
    assert_eq!(
        SqlType::Boolean.successor(&Datum::Boolean(false)),
        Some(Datum::Boolean(true))
    );
    assert_eq!(SqlType::Text.successor(&Datum::Text("a".into())), None);
}

#[test]
fn values_are_readable() {
    let milli = SqlType::Timestamp {
        precision: Precision::Millisecond,
        utc: false,
    };
    let utc = SqlType::Timestamp {
        precision: Precision::Second,
        utc: true,
    };
    let cases = [
        (Datum::Timestamp(-1), &milli, "1969-12-31T23:59:59.999"),
        (Datum::Timestamp(0), &utc, "1970-01-01T00:00:00Z"),
        (
            Datum::Timestamp(i64::MAX),
            &utc,
            "count 9223372036854775807",
        ),
        (Datum::Date(-1), &SqlType::Date, "1969-12-31"),
        (
            Datum::Decimal(-5),
            &SqlType::Decimal {
                precision: 4,
                scale: 2,
            },
            "-0.05",
        ),
        (Datum::Bytes(vec![0, 255]), &SqlType::Bytea, "\\x00ff"),
    ];
    for (datum, sql_type, expected) in cases {
        assert_eq!(Readable(&datum, sql_type).to_string(), expected);
    }
}

#[test]
fn every_type_goes_to_arrow_and_back() {
    let cases = [
        (SqlType::Boolean, Datum::Boolean(true)),
        (SqlType::SmallInt, Datum::Integer(-3)),
        (SqlType::Integer, Datum::Integer(70_000)),
        (SqlType::BigInt, Datum::Integer(i64::MIN)),
        (SqlType::Real, Datum::double(1.5)),
        (SqlType::Double, Datum::double(-2.25)),
        (
            SqlType::Decimal {
                precision: 38,
                scale: 4,
            },
            Datum::Decimal(-12_345),
        ),
        (SqlType::Text, Datum::Text("a\0ü".into())),
        (SqlType::Bytea, Datum::Bytes(vec![0, 1, 255])),
        (SqlType::Date, Datum::Date(-719_162)),
        (
            SqlType::Timestamp {
                precision: Precision::Millisecond,
                utc: true,
            },
            Datum::Timestamp(32_503_680_000_000),
        ),
    ];
    for (sql_type, datum) in cases {
        let array = to_array(&[None, Some(datum.clone())], &sql_type).unwrap();
        assert_eq!(array.data_type(), &sql_type.arrow());
        assert_eq!(datum_at(&array, 0, &sql_type).unwrap(), None);
        assert_eq!(datum_at(&array, 1, &sql_type).unwrap(), Some(datum.clone()));
        let scalar = datum.to_scalar(&sql_type).unwrap();
        assert_eq!(&*scalar.to_array().unwrap(), &*array.slice(1, 1));
    }
}

/// Partitions share one error; what it asks of the caller must not get lost on the way.
#[test]
fn errors_keep_their_kind_and_words_through_datafusion() {
    use std::sync::Arc;

    use datafusion::common::DataFusionError;

    use crate::error::{Error, ErrorKind};

    let own = || DataFusionError::from(Error::corrupt("entry 7 is damaged"));
    for error in [
        own(),
        own().context("a context"),
        DataFusionError::Shared(Arc::new(own())),
        DataFusionError::Shared(Arc::new(own().context("a context"))).context("another"),
        DataFusionError::Collection(vec![own(), own()]),
    ] {
        let back = Error::from(error);
        assert_eq!(back.kind(), ErrorKind::Corrupt);
        assert_eq!(back.message(), "entry 7 is damaged");
    }
}

/// What DataFusion says of a file is the caller's mistake only where the caller named the wrong one.
#[tokio::test]
async fn errors_of_datafusion_ask_for_what_helps() {
    use std::io;

    use datafusion::common::DataFusionError;
    use datafusion::object_store::Error as FileError;

    use crate::error::{Error, ErrorKind};

    let kind = |error: DataFusionError| Error::from(error).kind();
    let file = |said| {
        let (store, source) = ("LocalFileSystem", Box::new(io::Error::from(said)));
        DataFusionError::from(FileError::Generic { store, source })
    };
    assert_eq!(kind(file(io::ErrorKind::NotFound)), ErrorKind::InvalidInput);
    assert_eq!(
        kind(file(io::ErrorKind::StorageFull)),
        ErrorKind::Unavailable
    );
    let task = tokio::spawn(std::future::pending::<()>());
    task.abort();
    let ended = DataFusionError::ExecutionJoin(Box::new(task.await.unwrap_err()));
    assert_eq!(kind(ended), ErrorKind::Internal);
}
