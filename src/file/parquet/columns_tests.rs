//! Columns of several files.

use arrow::datatypes::TimeUnit;

use super::*;

fn file(name: &str, columns: &[(&str, DataType)]) -> (String, SchemaRef) {
    let fields = columns
        .iter()
        .map(|(name, of)| Field::new(*name, of.clone(), false));
    (
        name.to_owned(),
        Arc::new(Schema::new(fields.collect::<Vec<_>>())),
    )
}

fn met_in(types: &[DataType]) -> Result<DataType> {
    let files = types.iter().zip(["a", "b", "c"]);
    let files: Vec<_> = files
        .map(|(of, name)| file(name, &[("c", of.clone())]))
        .collect();
    Ok(of_all(&files)?.field(0).data_type().clone())
}

#[test]
fn types_meet_where_the_values_of_both_fit() {
    let days = DataType::Date32;
    let moments = DataType::Timestamp(TimeUnit::Microsecond, None);
    for (types, expected) in [
        (vec![DataType::Int32, DataType::Int64], DataType::Int64),
        (
            vec![DataType::Int64, DataType::Int16, DataType::Int32],
            DataType::Int64,
        ),
        (
            vec![DataType::Float32, DataType::Float64],
            DataType::Float64,
        ),
        (
            vec![DataType::Decimal128(5, 2), DataType::Float64],
            DataType::Float64,
        ),
        (
            vec![DataType::Decimal128(5, 2), DataType::Decimal128(9, 4)],
            DataType::Decimal128(9, 4),
        ),
        (vec![days, moments.clone()], moments),
        (vec![DataType::Null, DataType::Utf8View], DataType::Utf8View),
    ] {
        assert_eq!(met_in(&types).unwrap(), expected, "{types:?}");
    }
}

#[test]
fn types_that_do_not_meet_are_told_with_their_files() {
    for (types, expected) in [
        (
            vec![DataType::Int32, DataType::Int64, DataType::Utf8],
            "`c` is BIGINT in `b`, and TEXT in `c`: one column cannot be both; read the files one by one, and CAST what they give",
        ),
        (
            vec![DataType::Boolean, DataType::Date32],
            "`c` is BOOLEAN in `a`, and DATE in `b`: one column cannot be both; read the files one by one, and CAST what they give",
        ),
    ] {
        assert_eq!(met_in(&types).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_column_comes_where_it_first_comes_and_may_be_missing() {
    let files = [
        file("a", &[("x", DataType::Int32)]),
        file("b", &[("y", DataType::Int32), ("x", DataType::Int32)]),
    ];
    let columns = of_all(&files).unwrap();
    let columns: Vec<_> = columns
        .fields()
        .iter()
        .map(|it| (it.name().as_str(), it.is_nullable()))
        .collect();
    assert_eq!(columns, [("x", true), ("y", true)]);
}
