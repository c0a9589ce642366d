use sqlparser::ast::Statement;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use crate::catalog::ddl::define_table;
use crate::error::{Error, Result};
use crate::keyrange::hex;
use crate::schema::{BoundTable, Table};

const COLUMNS: &str = "a TEXT, b BIGINT, c TIMESTAMP(3), d SMALLINT, e BYTEA, f VARCHAR(2), g UUID";

fn define(key: &str, split: &str) -> Result<Table> {
    let sql = format!("CREATE TABLE t ({COLUMNS}, PRIMARY KEY ({key})) WITH (split = {split})");
    let statements = Parser::parse_sql(&GenericDialect {}, &sql).unwrap();
    match &statements[..] {
        [Statement::CreateTable(create)] => define_table(create, 1),
        other => panic!("{other:?}"),
    }
}

fn borders(key: &str, split: &str) -> Vec<String> {
    let table = define(key, split).unwrap_or_else(|error| panic!("{key}, {split}: {error}"));
    // What is stored is the same table.
    let stored = Table::from_json(&table.to_json().unwrap()).unwrap();
    assert_eq!(stored, table);
    let bound = BoundTable::new(stored).unwrap();
    bound.borders().iter().map(|border| hex(border)).collect()
}

#[test]
fn values_are_the_fields_that_rows_have() {
    for (key, split, expected) in [
        ("a", "('m', 'b')", &["620001", "6d0001"][..]),
        ("a DESC", "('m', 'b')", &["92fffe", "9dfffe"]),
        ("b", "(100, -1)", &["7fffffffffffffff", "8000000000000064"]),
        (
            "a, b",
            "(('a', 1), ('m', 5))",
            &["6100018000000000000001", "6d00018000000000000005"],
        ),
        ("a, b", "('m')", &["6d0001"]),
        ("'o', d", "(1)", &["6f00018001"]),
        ("reverse(a)", "('abc')", &["6362610001"]),
        ("d / 10", "(25)", &["8002"]),
        (
            "date_trunc('hour', c), a",
            "('1970-01-01 01:30:00')",
            &["800000000036ee80"],
        ),
    ] {
        let found = borders(key, split);
        assert_eq!(found, expected, "{key}, {split}");
    }
}

#[test]
fn a_point_is_in_each_bucket() {
    let found = borders("salt(3), a", "('m')");
    assert_eq!(found, ["006d0001", "01", "016d0001", "02", "026d0001"]);
    let found = borders("bucket(2, a) DESC, a", "('m')");
    assert_eq!(found, ["fe6d0001", "ff", "ff6d0001"]);
    // Before a bucket that does not come first.
    assert_eq!(borders("a, salt(3), b", "('m')"), ["6d0001"]);
}

/// Whatever the layout, a border is no other than the beginning of the key of the row with its values.
#[test]
fn a_row_with_these_values_is_the_first_of_its_part() {
    use crate::datum::Datum;
    for (key, split, row) in [
        ("a", "('m')", Datum::Text("m".to_owned())),
        ("a DESC", "('m')", Datum::Text("m".to_owned())),
        ("e", "(x'00ff')", Datum::Bytes(vec![0, 0xff])),
        ("c", "('3000-01-01')", Datum::Timestamp(32_503_680_000_000)),
        (
            "c DESC",
            "('1969-12-31 23:59:59.999')",
            Datum::Timestamp(-1),
        ),
        ("b", "(9223372036854775807)", Datum::Integer(i64::MAX)),
    ] {
        let table = BoundTable::new(define(key, split).unwrap()).unwrap();
        let mut values = vec![None; table.columns().len()];
        let column = table.row_key().parts()[0].sources()[0];
        values[column] = Some(row);
        let first = table.row_key().encode(&values).unwrap();
        assert_eq!(table.borders(), [first], "{key}, {split}");
    }
}

fn refused(key: &str, split: &str) -> String {
    let error: Error = define(key, split).expect_err(&format!("{key}, {split}"));
    error.to_string()
}

#[test]
fn what_is_wrong_is_said() {
    for (key, split, said) in [
        (
            "b",
            "('x')",
            "table `t`: SPLIT: column `b` of type BIGINT: 'x' is no value of this type",
        ),
        (
            "a",
            "(5)",
            "column `a` of type TEXT: 5 is no value of this type",
        ),
        (
            "b",
            "(1.5)",
            "column `b` of type BIGINT: 1.5 is no value of this type",
        ),
        (
            "d",
            "(40000)",
            "column `d` of type SMALLINT: 40000 is no value",
        ),
        (
            "c",
            "('2024-13-01')",
            "column `c` of type TIMESTAMP(3): '2024-13-01' is no value",
        ),
        (
            "f",
            "('abc')",
            "column `f` of type VARCHAR(2): 'abc' is too long",
        ),
        ("g", "('1')", "column `g` of type UUID: '1' is no value"),
        (
            "b",
            "(NULL)",
            "column `b` of type BIGINT: NULL is where no part begins",
        ),
        (
            "b",
            "(b + 1)",
            "column `b` of type BIGINT: b + 1 is no constant",
        ),
        (
            "a",
            "(('a', 1))",
            "('a', 1): 2 values, and the row key has 1 parts that take one",
        ),
        (
            "a",
            "('a', 'a')",
            "SPLIT: 'a' and 'a' are one place in the row key (a)",
        ),
        (
            "left(a, 1)",
            "('ab', 'ac')",
            "'ab' and 'ac' are one place in the row key (left(a, 1))",
        ),
        ("hash(a), a", "('a')", "key part hash(a) is a hash"),
        ("md5(a)", "('a')", "key part md5(a) is a hash"),
        ("dict(a), b", "('a')", "key part dict(a) has numbers"),
        ("a, salt(3), b", "(('a', 1))", "in the place of salt(3)"),
        ("reverse_digits(b)", "(-5)", "key part `reverse_digits(b)`"),
        ("salt(4096), a", "('m')", "8192 parts, 4096 are possible"),
    ] {
        let error = refused(key, split);
        assert!(error.contains(said), "{key}, {split}: {error}");
        assert!(error.contains("table `t`"), "{error}");
    }
}
