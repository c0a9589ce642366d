use crate::function::tests::check;

/// What PostgreSQL 16 gives, and DuckDB where it has the function alone.
#[tokio::test]
async fn documents_are_taken_apart() {
    const DOC: &str = r#"'{"a": {"b": [1.10, "x\n", null]}, "c": "ä", "n": null, "t": true}'"#;
    let cases = [
        ("DOC -> 'a' -> 'b' -> 0", "1.10"),
        ("DOC -> 'a' -> 'b' -> -2", r#""x\n""#),
        ("DOC -> 'a' -> 'b' ->> 1", "x\n"),
        ("DOC ->> 'c' || '!'", "ä!"),
        ("DOC ->> 'c' = 'ä'", "true"),
        ("DOC -> 'n'", "null"),
        ("DOC ->> 'n'", "NULL"),
        ("DOC -> 'missing'", "NULL"),
        ("DOC -> 0", "NULL"),
        ("DOC -> NULL", "NULL"),
        ("DOC #> '{a,b,1}'", r#""x\n""#),
        ("DOC #>> '{a,b,0}'", "1.10"),
        ("json_extract(DOC, '$.a.b[0]')", "1.10"),
        ("json_extract_string(DOC, '$.c')", "ä"),
        ("json_extract_path_text(DOC, 'a', 'b', '0')", "1.10"),
        ("json_get(DOC, 'a', 'b', 2)", "null"),
        ("json_array_length(DOC, '$.a.b')", "3"),
        ("json_array_length(DOC)", "0"),
        ("json_keys(DOC)", "[a, c, n, t]"),
        ("json_keys(DOC, '$.c')", "NULL"),
        ("json_exists(DOC, '$.n')", "true"),
        ("json_exists(DOC, '$.m')", "false"),
        ("json_typeof(DOC -> 'a')", "object"),
        ("json_type(DOC, '$.t')", "BOOLEAN"),
        ("json_valid(DOC)", "true"),
        ("json_valid('{')", "false"),
        ("json_valid(NULL)", "NULL"),
        ("(DOC ->> 't')::BOOLEAN", "true"),
        ("DOC::JSON ->> 'c'", "ä"),
        ("json_extract(DOC, '$..a')", "error: is no path into JSON"),
        (
            "'{\"a\" 1}' -> 'a'",
            "error: is no JSON: byte 6 does not belong",
        ),
        ("'[1'::JSON", "error: '[1' is no JSON"),
        (
            "json_extract(1, '$')",
            "error: json_extract takes a document of JSON",
        ),
        (
            "json_extract('{}')",
            "error: takes a document of JSON and a path",
        ),
    ];
    let cases: Vec<(String, &str)> = cases
        .iter()
        .map(|(expr, expected)| (expr.replace("DOC", DOC), *expected))
        .collect();
    let cases: Vec<(&str, &str)> = cases.iter().map(|(expr, it)| (&**expr, *it)).collect();
    check(&cases).await;
}

#[tokio::test]
async fn values_are_written_as_json() {
    check(&[
        ("to_json('a\"\\\n')", r#""a\"\\\n""#),
        ("to_json(1.50)", "1.50"),
        ("to_json(NULL)", "null"),
        ("to_json([1, NULL])", "[1,null]"),
        ("to_json(DATE '2024-01-31')", "\"2024-01-31\""),
        (
            "to_json(named_struct('a', 1, 'b', ['x']))",
            r#"{"a":1,"b":["x"]}"#,
        ),
        ("to_json(MAP {'a': 1})", r#"{"a":1}"#),
        ("to_json(CAST('NaN' AS DOUBLE))", "\"NaN\""),
        ("json_object('a', 1, 'b', true)", r#"{"a":1,"b":true}"#),
        ("json_object()", "{}"),
        ("json_build_array(1, 'b', NULL)", r#"[1,"b",null]"#),
        ("json_object('a')", "error: takes a value for each name"),
        ("json_object(NULL, 1)", "error: NULL for a name"),
        ("to_json(x) FROM (VALUES (1), (NULL)) AS t (x)", "1\nnull"),
    ])
    .await;
}
