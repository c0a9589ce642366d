use super::*;

/// The objects of a file, read a few bytes at a time, with their lines.
fn objects(text: &str) -> Result<Vec<(u64, String)>, String> {
    let bytes = std::io::BufReader::with_capacity(3, text.as_bytes());
    let mut objects = Objects::new(bytes, 60);
    let mut found = Vec::new();
    loop {
        let mut object = Vec::new();
        match objects.next(&mut object) {
            Ok(Some(line)) => found.push((line, String::from_utf8(object).unwrap())),
            Ok(None) => return Ok(found),
            Err(problem) => return Err(format!("{problem:?}")),
        }
    }
}

#[test]
fn objects_are_found_with_their_lines() {
    let one = |line, text: &str| (line, text.to_owned());
    for (text, expected) in [
        ("", vec![]),
        (" \n ", vec![]),
        ("[]", vec![]),
        (" [ \n ] \n", vec![]),
        ("{}", vec![one(1, "{}")]),
        (
            "{\"a\":1}\n\n{\"a\":2}\n",
            vec![one(1, "{\"a\":1}"), one(3, "{\"a\":2}")],
        ),
        ("{}{}", vec![one(1, "{}"), one(1, "{}")]),
        (
            "[{\"a\": {\"b\": []}},\n {}]",
            vec![one(1, "{\"a\": {\"b\": []}}"), one(2, "{}")],
        ),
        (
            "[\n{\n\"a\": \"}\\\"]{\"\n}\n,{}]\r\n",
            vec![one(2, "{\n\"a\": \"}\\\"]{\"\n}"), one(5, "{}")],
        ),
        ("\u{feff}[{}]", vec![one(1, "{}")]),
    ] {
        assert_eq!(objects(text), Ok(expected), "{text}");
    }
    for (text, expected) in [
        ("1", "'1' stands where an object"),
        ("{} 1", "'1' stands where an object"),
        ("[1]", "in the array"),
        ("[{},]", "in the array"),
        ("[{} {}]", "a comma or the end"),
        ("[,{}]", "in the array"),
        ("[{}", "a ] is missing"),
        ("[{}] {}", "nothing behind the array"),
        ("\n{\"a\"", "Wrong(2, \"the file ends within an object"),
        (
            "{\"a\": \"0123456789012345678901234567890123456789012345678901234567890\"}",
            "TooLong",
        ),
    ] {
        let error = objects(text).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

use super::super::tests::{copy, file, people, person};
use crate::error::ErrorKind;
use crate::row::testing::batch;
use crate::write::tests::stored;

#[test]
fn rows_are_read_from_objects_in_every_shape() {
    let expected = [
        person(1, Some("a\n\"ü"), Some(1.5)),
        person(2, None, Some(0.1)),
        person(3, Some(""), None),
    ];
    for text in [
        "{\"id\":1,\"name\":\"a\\n\\\"\\u00fc\",\"size\":1.5}\n{\"id\":2,\"name\":null,\"size\":0.1}\n\n{\"name\":\"\",\"id\":3}",
        "[{\"id\":1,\"name\":\"a\\n\\\"ü\",\"size\":\"1.5\"},\n {\"size\":1e-1,\"id\":2}, {\"id\":\"3\",\"name\":\"\"}]\n",
        "\u{feff}[\n  {\n \"id\": 1,\n\"name\": \"a\\n\\\"ü\",\n\"size\": 15e-1},{\"id\":2,\"size\":0.10},{\"id\":3,\"name\":\"\"}\n]",
    ] {
        let writer = people();
        let copied = copy(
            &writer,
            &file(".json", text.as_bytes()),
            CopyOptions::default(),
        );
        assert_eq!(copied, Ok(3), "{text}");
        let expected = batch(writer.table(), &expected);
        assert_eq!(stored(&writer).columns(), expected.columns(), "{text}");
    }
}

#[test]
fn a_wrong_object_is_an_error_that_names_its_line() {
    for (text, expected) in [
        (
            "{\"id\":1}\n{\"id\":1.5}\n",
            "FILE line 2: table `t`: column `id`: '1.5' is not of type INT",
        ),
        (
            "{\"id\":1}\n\n{\"id\":2, \"nme\":\"x\"}",
            "FILE line 3: the object names `nme`, which is no column that is loaded; these are `id`, `name`, `size`",
        ),
        ("{\"id\":1}\n{\"id\":{\"a\":2}}", "FILE line 2: "),
        ("{\"id\":1}\n{\"id\":[2]}", "FILE line 2: "),
        (
            "{\"id\":1}\n{\"id\":2",
            "FILE line 2: the file ends within an object",
        ),
        (
            "[{\"id\":1},\n{\"id\":2}",
            "FILE line 2: the file ends within its array",
        ),
        ("{\"id\":1}\n{'id':2}", "FILE line 2: "),
        ("{\"id\":1}\n{\"name\":\"x\"}", "FILE line 2: "),
        ("{\"id\":1}\n{\"id\":1}", "FILE line 2: "),
        ("{\"id\":1,\"name\":\"123456\"}", "FILE line 1: "),
        (
            "id,name\n1,x",
            "FILE line 1: 'i' stands where an object in braces is expected",
        ),
    ] {
        let writer = people();
        let copied = copy(
            &writer,
            &file(".jsonl", text.as_bytes()),
            CopyOptions::default(),
        );
        let (kind, error) = copied.unwrap_err();
        assert!(error.starts_with(expected), "{text}: {error}");
        assert!(
            matches!(kind, ErrorKind::InvalidInput | ErrorKind::Conflict),
            "{text}"
        );
        assert_eq!(stored(&writer).num_rows(), 0, "{text}");
    }
}

/// More rows than are handed on at once, with a wrong one behind them.
#[test]
fn lines_are_counted_over_batches() {
    let row = |id: usize| format!("{{\"id\":{id},\"name\":\"x\"}}\n");
    let text: String = (1..=20_000).map(row).collect();
    let writer = people();
    let options = CopyOptions::default;
    assert_eq!(
        copy(&writer, &file(".jsonl", text.as_bytes()), options()),
        Ok(20_000)
    );
    let wrong = text.replace("{\"id\":15000,", "{\"id\":\"x\",");
    let error = copy(&people(), &file(".jsonl", wrong.as_bytes()), options())
        .unwrap_err()
        .1;
    assert!(
        error.starts_with("FILE line 15000: table `t`: column `id`: 'x' is not"),
        "{error}"
    );
}
