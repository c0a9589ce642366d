use super::*;
use crate::session::{Database, Row};

async fn row(sql: &str) -> Row {
    let connection = Database::in_memory().unwrap().connect();
    let create = "CREATE TABLE t (k INT PRIMARY KEY, l INT[], s STRUCT(a INT, b TEXT), m MAP(TEXT, INT), \
                  n STRUCT(a INT, l TEXT[])[], b BYTEA)";
    connection.execute(create, ()).await.unwrap();
    let insert = "INSERT INTO t VALUES (1, [0], {'a': 0, 'b': 'o'}, MAP {'o': 0}, '[]', x'00'), \
                  (2, [1, NULL, 3], {'a': 7, 'b': 'x'}, MAP {'p': 1, 'q': NULL}, \
                   '[{\"a\": 1, \"l\": [\"u\", \"v\"]}, {\"a\": 2, \"l\": []}]', x'0102')";
    connection.execute(insert, ()).await.unwrap();
    connection.query_row(sql, ()).await.unwrap().unwrap()
}

/// Of the second row, whose values do not begin where the arrays do.
const SECOND: &str = "SELECT l, s, m, n, b, k FROM t WHERE k = 2";

#[tokio::test]
async fn nested_values_become_those_of_rust() {
    let row = row(SECOND).await;
    let list: Vec<Option<i64>> = row.get("l").unwrap();
    assert_eq!(list, [Some(1), None, Some(3)]);
    let pair: (i32, &str) = row.get("s").unwrap();
    assert_eq!(pair, (7, "x"));
    let map: BTreeMap<String, Option<i32>> = row.get("m").unwrap();
    assert_eq!(
        map,
        BTreeMap::from([("p".to_owned(), Some(1)), ("q".to_owned(), None)])
    );
    let map: HashMap<&str, Option<i32>> = row.get("m").unwrap();
    assert_eq!(map["p"], Some(1));
    let nested: Vec<(u8, Vec<&str>)> = row.get("n").unwrap();
    assert_eq!(nested, [(1, vec!["u", "v"]), (2, vec![])]);
    assert_eq!(row.get::<Vec<u8>>("b").unwrap(), [1, 2]);
    let Value::Struct(members) = row.get::<Value<'_>>("s").unwrap() else {
        panic!("no struct");
    };
    assert_eq!(members.get("b"), Some(Value::Text("x")));
    assert_eq!(members.get("c"), None);
    assert_eq!(members.len(), 2);
}

#[tokio::test]
async fn a_row_of_nested_values_is_a_tuple() {
    let row = row("SELECT l, s FROM t WHERE k = 2").await;
    let (list, pair): (Vec<Option<i32>>, (i32, String)) = row.to().unwrap();
    assert_eq!((list.len(), pair.1.as_str()), (3, "x"));
}

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let row = row(SECOND).await;
    let error = row.get::<Vec<i32>>("l").unwrap_err().to_string();
    assert!(
        error.contains("[1, NULL, 3]") || error.contains("[1, , 3]"),
        "{error}"
    );
    assert!(row.get::<Vec<String>>("l").is_err());
    assert!(
        row.get::<(i32,)>("s").is_err(),
        "a struct of two is no tuple of one"
    );
    assert!(row.get::<(i32, String, i32)>("s").is_err());
    assert!(row.get::<Vec<i32>>("b").is_err(), "bytes are bytes");
    let error = row.get::<Vec<u8>>("k").unwrap_err().to_string();
    assert!(error.contains("Vec<u8>"), "{error}");
}

#[tokio::test]
async fn structs_of_the_program_have_nested_fields() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Pair {
        a: i32,
        b: String,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Whole {
        l: Vec<Option<i32>>,
        s: Pair,
        m: HashMap<String, Option<i32>>,
    }
    let whole: Whole = row(SECOND).await.deserialize().unwrap();
    let expected = Whole {
        l: vec![Some(1), None, Some(3)],
        s: Pair {
            a: 7,
            b: "x".to_owned(),
        },
        m: HashMap::from([("p".to_owned(), Some(1)), ("q".to_owned(), None)]),
    };
    assert_eq!(whole, expected);
}
