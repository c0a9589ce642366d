//! Definitions: what is valid, what is stored, what is shown.

use arrow::datatypes::DataType;

use super::*;
use crate::datum::Precision;
use crate::error::ErrorKind;
use crate::key::{Argument, Expression, NullOrder, SortOrder};

fn column(id: u32, name: &str, sql_type: SqlType, nullable: bool) -> Column {
    Column {
        id,
        name: name.to_owned(),
        sql_type,
        nullable,
        default: None,
        missing: None,
        generated: None,
        identity: None,
        comment: None,
    }
}

fn part(name: &str) -> PartDefinition {
    PartDefinition {
        expression: Expression::column(name),
        direction: SortOrder::Ascending,
        nulls: NullOrder::Last,
    }
}

fn cpu() -> Table {
    let stamp = SqlType::Timestamp {
        precision: Precision::Millisecond,
        utc: false,
    };
    let mut usage = column(7, "usage", SqlType::Double, true);
    usage.default = Some("0.5".to_owned());
    Table {
        id: 17,
        name: "cpu".to_owned(),
        columns: vec![
            column(0, "host", SqlType::Text, true),
            column(3, "ts", stamp, false),
            usage,
            column(1, "order", SqlType::Char(3), false),
        ],
        key: vec![
            PartDefinition {
                nulls: NullOrder::First,
                ..part("host")
            },
            PartDefinition {
                direction: SortOrder::Descending,
                nulls: NullOrder::First,
                ..part("ts")
            },
        ],
        keyspace: None,
        split: Vec::new(),
        families: Vec::new(),
        checks: Vec::new(),
        next_column: None,
        comment: None,
    }
}

#[test]
fn a_definition_comes_back_from_its_json() {
    let table = cpu();
    let text = table.to_json().unwrap();
    assert_eq!(Table::from_json(&text).unwrap(), table);
    let beginning = r#""table":{"id":17,"name":"cpu","columns":[{"id":0,"name":"host","#;
    assert!(text.starts_with(&format!(r#"{{"format":2,{beginning}"#)));
    let mut first = cpu();
    first.columns[2].default = None;
    let text = first.to_json().unwrap();
    assert!(text.starts_with(&format!(r#"{{"format":1,{beginning}"#)) && !text.contains("checks"));
}

/// What version 1 wrote must be read for ever.
#[test]
fn version_1_is_read() {
    let text = r#"{"format":1,"table":{"id":2,"name":"t","columns":[
        {"id":0,"name":"a","sql_type":{"decimal":{"precision":10,"scale":2}},"nullable":false,"default":null},
        {"id":1,"name":"b","sql_type":{"timestamp":{"precision":"millisecond","utc":true}},"nullable":true,
         "default":"now()"},
        {"id":2,"name":"c","sql_type":{"varchar":5},"nullable":true,"default":null}],
        "key":[{"expression":{"function":"column","arguments":[{"column":"a"}]},
                "direction":"descending","nulls":"first"}]}}"#;
    let table = Table::from_json(text).unwrap();
    assert_eq!(table.columns[0].sql_type.to_string(), "DECIMAL(10, 2)");
    assert_eq!(table.columns[1].default.as_deref(), Some("now()"));
    assert_eq!(table.key[0].direction, SortOrder::Descending);
}

/// A table without a key is of version 2, which programs that know no row ids refuse; all others stay of version 1.
#[test]
fn version_2_is_a_table_without_a_key() {
    let text = r#"{"format":2,"table":{"id":2,"name":"t","columns":[
        {"id":0,"name":"a","sql_type":"integer","nullable":true,"default":null}],"key":[]}}"#;
    let table = Table::from_json(text).unwrap();
    let written = table.to_json().unwrap();
    assert_eq!(written, text.replace("\n        ", ""));
    assert_eq!(table.create_statement(), "CREATE TABLE t (\n    a INT\n)");
    let bound = BoundTable::new(table).unwrap();
    assert_eq!((bound.columns().len(), bound.row_id()), (1, Some(1)));
    assert_eq!(bound.stored_columns(), [0]);
    assert_eq!(bound.key_sources(), [1]);
    assert_eq!(bound.column(1).unwrap().name, ROW_ID);
    assert_eq!(bound.schema().fields().len(), 1);
    assert_eq!(bound.full_schema().fields().len(), 2);
}

/// The bytes are for ever.
#[test]
fn version_2_has_more_types_and_columns_that_fill_themselves() {
    let text = r#"{"format":2,"table":{"id":2,"name":"t","columns":[
        {"id":0,"name":"a","sql_type":"unsigned_big_int","nullable":false,"default":null,
         "identity":{"sequence":"t_a_seq","always":true},"comment":"x"},
        {"id":1,"name":"b","sql_type":{"list":{"struct":[["x","uuid"],["y",{"map":["text","tiny_int"]}]]}},
         "nullable":true,"default":null},
        {"id":2,"name":"c","sql_type":"time","nullable":true,"default":null,"generated":"a"}],
        "key":[],"comment":"y"}}"#;
    let table = Table::from_json(text).unwrap();
    let written = table.to_json().unwrap();
    let expected: String = text.lines().map(str::trim_start).collect();
    assert_eq!(written, expected);
    assert_eq!(
        table.create_statement(),
        "CREATE TABLE t (\n    a BIGINT UNSIGNED NOT NULL GENERATED ALWAYS AS IDENTITY,\n    \
         b STRUCT<x UUID, y MAP(TEXT, TINYINT)>[],\n    c TIME GENERATED ALWAYS AS (a) STORED\n)"
    );
    assert_eq!(
        table.comment_statements(),
        ["COMMENT ON TABLE t IS 'y'", "COMMENT ON COLUMN t.a IS 'x'"]
    );
}

/// The bytes are for ever.
#[test]
fn version_3_has_rows_that_are_dealt_out_and_key_spaces() {
    let part = |function: &str, arguments: &str| {
        format!(
            r#"{{"expression":{{"function":"{function}","arguments":[{arguments}]}},"direction":"ascending","nulls":"last"}}"#
        )
    };
    let text = |key: [String; 2], keyspace: &str| {
        let key = key.join(",");
        format!(
            r#"{{"format":3,"table":{{"id":9,"name":"t","columns":[{{"id":0,"name":"a","sql_type":"integer","nullable":false,"default":null}}],"key":[{key}]{keyspace}}}}}"#
        )
    };
    let column = || part("column", r#"{"column":"a"}"#);
    let dealt = text([part("random_salt", r#"{"integer":4}"#), column()], "");
    let shared = text(
        [column(), part("literal", r#"{"text":"O"}"#)],
        r#","keyspace":{"name":"the shop's","id":7}"#,
    );
    for text in [&dealt, &shared] {
        assert_eq!(Table::from_json(text).unwrap().to_json().unwrap(), *text);
    }
    let table = Table::from_json(&dealt).unwrap();
    let bound = BoundTable::new(table).unwrap();
    assert_eq!(
        (bound.space(), bound.row_id(), bound.hidden()),
        ("t9", None, Some(1))
    );
    assert_eq!(bound.key_sources(), [0, 1]);
    assert!(bound.stored_columns().is_empty());
    let table = Table::from_json(&shared).unwrap();
    assert_eq!(
        table.create_statement(),
        "CREATE TABLE t (\n    a INT NOT NULL,\n    PRIMARY KEY (a, 'O')\n) WITH (keyspace = 'the shop''s')"
    );
    assert_eq!(&**table.spaces().first(), "t7");
}

/// The bytes are for ever.
#[test]
fn version_5_has_dictionaries() {
    let text = r#"{"format":5,"table":{"id":9,"name":"t","columns":[{"id":0,"name":"a","sql_type":"text","nullable":false,"default":null}],"key":[{"expression":{"function":"dict","arguments":[{"column":"a"}]},"direction":"ascending","nulls":"last"}]}}"#;
    let table = Table::from_json(text).unwrap();
    assert_eq!(table.to_json().unwrap(), text);
    assert_eq!(table.spaces().names().collect::<Vec<_>>(), ["t9", "t9_d"]);
    assert_eq!(
        table.create_statement(),
        "CREATE TABLE t (\n    a TEXT NOT NULL,\n    PRIMARY KEY (dict(a))\n)"
    );
    assert!(BoundTable::new(table).unwrap().stored_columns().is_empty());
}

#[test]
fn points_of_a_split_are_of_the_sixth_format() {
    let text = r#"{"format":6,"table":{"id":9,"name":"t","columns":[{"id":0,"name":"a","sql_type":"text","nullable":false,"default":null}],"key":[{"expression":{"function":"column","arguments":[{"column":"a"}]},"direction":"ascending","nulls":"last"}],"split":[{"values":["'m'"],"key":"6d0001"}]}}"#;
    let table = Table::from_json(text).unwrap();
    assert_eq!(table.to_json().unwrap(), text);
    assert_eq!(
        table.create_statement(),
        "CREATE TABLE t (\n    a TEXT NOT NULL,\n    PRIMARY KEY (a)\n) SPLIT ('m')"
    );
    let without = Table {
        split: Vec::new(),
        ..table.clone()
    };
    assert!(without.to_json().unwrap().starts_with("{\"format\":1,"));
    assert_eq!(BoundTable::new(table).unwrap().borders(), [b"m\0\x01"]);
    let nothing = text.replace("6d0001", "");
    assert_eq!(
        Table::from_json(&nothing).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
}

#[test]
fn what_cannot_be_read_is_corrupt() {
    let good = cpu().to_json().unwrap();
    let newer = good.replace("\"format\":2", "\"format\":7,\"extra\":[]");
    let error = Table::from_json(&newer).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.to_string().contains("upgrade Halite"), "{error}");
    let damaged = [
        String::new(),
        "{}".to_owned(),
        good.replace("\"format\":2", "\"format\":0"),
        good.replace("\"id\":17", "\"id\":17,\"ttl\":5"),
        good.replace(
            "\"nullable\":true",
            "\"nullable\":true,\"collation\":\"de\"",
        ),
        good.replace("\"id\":3", "\"id\":0"),
        good[..good.len() - 1].to_owned(),
    ];
    for text in damaged {
        let error = Table::from_json(&text).expect_err(&text);
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{text}");
    }
}

type Change = fn(&mut Table);

/// What cannot be a table, and what the error says.
const INVALID: &[(Change, &str)] = &[
    (
        |table| table.columns.clear(),
        "table `cpu`: a table needs at least one column",
    ),
    (|table| table.name.clear(), "the name of table `` is empty"),
    (
        |table| table.name = "x".repeat(256),
        "has 256 bytes, 255 are possible",
    ),
    (
        |table| table.columns[3].name = "a\nb".to_owned(),
        "`a\\nb` holds a control character",
    ),
    (
        |table| table.columns[3].name = "ts".to_owned(),
        "column `ts` is declared twice",
    ),
    (
        |table| table.columns[3].name = "HOST".to_owned(),
        "columns `host` and `HOST` differ in case alone",
    ),
    (
        |table| table.columns[3].id = 7,
        "column `order` has the id 7, which is taken",
    ),
    (
        |table| table.columns[3].id = COLUMN_ID_LIMIT,
        "not less than 65535",
    ),
    (
        |table| table.columns[3].sql_type = SqlType::Char(0),
        "column `order` cannot be CHAR(0)",
    ),
    (
        |table| {
            table.columns[3].sql_type = SqlType::Decimal {
                precision: 39,
                scale: 0,
            };
        },
        "column `order` cannot be DECIMAL(39, 0)",
    ),
    (
        |table| {
            table.columns[3].sql_type = SqlType::Decimal {
                precision: 3,
                scale: 4,
            };
        },
        "0 ≤ s ≤ p",
    ),
    (
        |table| {
            table.key.clear();
            table.columns[3].name = "_ROW_ID".to_owned();
        },
        "table `cpu`: column `_ROW_ID` has the name of the hidden key",
    ),
    (
        |table| table.key[0] = part("nosuch"),
        "there is no column `nosuch`",
    ),
    (
        |table| table.key[0] = part("usage_"),
        "table `cpu`: key part `usage_`",
    ),
    (
        |table| {
            table.columns[3].sql_type = SqlType::Char(40_000);
            table.key.push(part("order"));
        },
        "at least 40008 bytes, 32767 are possible",
    ),
];

#[test]
fn what_cannot_be_a_table_is_refused_with_its_name() {
    cpu().validate().unwrap();
    for (change, expected) in INVALID {
        let mut table = cpu();
        change(&mut table);
        let error = table.validate().expect_err(expected);
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(expected), "{error}");
        assert!(BoundTable::new(table).is_err());
    }
}

#[test]
fn what_follows_from_a_definition() {
    let table = BoundTable::new(cpu()).unwrap();
    assert_eq!((table.space(), table.name()), ("t17", "cpu"));
    assert_eq!(table.stored_columns(), [2, 3]);
    let nullable: Vec<bool> = table
        .schema()
        .fields()
        .iter()
        .map(|field| field.is_nullable())
        .collect();
    assert_eq!(nullable, [true, false, true, false]);
    assert_eq!(table.schema().field(3).data_type(), &DataType::Utf8);
    assert_eq!(table.row_key().parts().len(), 2);
    assert_eq!(table.table().column_position("usage"), Some(2));
    assert_eq!(table.column(4).unwrap_err().kind(), ErrorKind::Internal);
}

#[test]
fn the_statement_spells_out_what_is_not_default() {
    let expected = "CREATE TABLE cpu (\n    \
        host TEXT NULL,\n    \
        ts TIMESTAMP(3) NOT NULL,\n    \
        usage DOUBLE DEFAULT 0.5,\n    \
        \"order\" CHAR(3) NOT NULL,\n    \
        PRIMARY KEY (host NULLS FIRST, ts DESC)\n)";
    assert_eq!(cpu().create_statement(), expected);
    let mut table = cpu();
    table.name = "CPU \"x\"".to_owned();
    table.key = vec![PartDefinition {
        expression: Expression::new(
            "left",
            vec![Argument::Column("order".to_owned()), Argument::Integer(2)],
        ),
        direction: SortOrder::Descending,
        nulls: NullOrder::Last,
    }];
    let statement = table.create_statement();
    assert!(
        statement.starts_with("CREATE TABLE \"CPU \"\"x\"\"\" ("),
        "{statement}"
    );
    assert!(
        statement.contains("PRIMARY KEY (left(\"order\", 2) DESC NULLS LAST)"),
        "{statement}"
    );
    assert!(statement.contains("    host TEXT,\n"), "{statement}");
}
