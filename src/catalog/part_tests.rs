//! Key parts in DDL, for every transform there is: what SHOW CREATE TABLE writes is read again.

use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::*;
use crate::key::TRANSFORMS;
use crate::key::testing::{key_of, with_seed};

fn parsed(sql: &str) -> Result<Expression> {
    let mut parser = Parser::new(&GenericDialect {}).try_with_sql(sql).unwrap();
    expression(&parser.parse_expr().unwrap())
}

#[test]
fn every_part_is_read_as_it_is_written() {
    with_seed(|rng| {
        for name in TRANSFORMS.iter().map(|declaration| declaration.name()) {
            let keys = (0..100).filter_map(|_| key_of(rng, name));
            let keys: Vec<_> = keys.collect();
            assert!(keys.len() > 20, "{name}: {}", keys.len());
            for key in keys {
                let part = key.parts()[0].expression();
                let written = part.to_string();
                assert_eq!(parsed(&written).unwrap(), *part, "{written}");
            }
        }
    });
}

#[test]
fn what_is_no_part_is_refused_as_it_is_written() {
    for sql in [
        "a + 1",
        "CAST(a AS TEXT)",
        "a IS NULL",
        "CAST(a AS GEOMETRY)",
    ] {
        let error = parsed(sql).unwrap_err().to_string();
        let expected = format!("`{sql}` cannot be a part of a row key; these can: c, salt(n),");
        assert!(error.starts_with(&expected), "{error}");
    }
}
