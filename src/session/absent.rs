//! Statements of other databases that Halite has not: what is told whoever writes one.

use sqlparser::ast::Statement;

use crate::error::Error;

/// The error of a statement that parses, and that DataFusion would refuse in words of its own, or worse: do.
pub(super) fn statement(statement: &Statement) -> Option<Error> {
    let (what, instead) = match statement {
        Statement::CreateIndex(_) => ("CREATE INDEX", ""),
        Statement::CreateSchema { .. } => ("CREATE SCHEMA", ""),
        Statement::CreateDatabase { .. } => ("CREATE DATABASE", ""),
        Statement::CreateFunction(_) => ("CREATE FUNCTION", ""),
        Statement::CreateExtension(_) | Statement::Install { .. } | Statement::Load { .. } => {
            ("an extension", "what there is needs none")
        }
        Statement::AttachDatabase { .. } | Statement::AttachDuckDBDatabase { .. } => (
            "ATTACH",
            "open the other database by itself, and take its rows along in a file: COPY … TO 'rows.parquet'",
        ),
        Statement::Drop { .. } => ("this form of DROP", ""),
        Statement::StartTransaction { .. }
        | Statement::Commit { .. }
        | Statement::Rollback { .. }
        | Statement::Savepoint { .. }
        | Statement::ReleaseSavepoint { .. } => ("a transaction of several statements", ""),
        Statement::Grant(_) | Statement::Revoke(_) => (
            "GRANT or REVOKE",
            "a database has no users: whoever may write its directory may do everything",
        ),
        Statement::Vacuum(_) => (
            "VACUUM",
            "the space of deleted rows is given back without it",
        ),
        Statement::Analyze(_) => ("ANALYZE", "the sizes of tables are known without it"),
        Statement::Pragma { .. } => (
            "PRAGMA",
            "write DESCRIBE t, SHOW TABLES, or SET name = value",
        ),
        _ => return None,
    };
    let instead = match instead {
        "" => String::new(),
        instead => format!("; {instead}"),
    };
    Some(Error::unsupported(format!(
        "{what} is not implemented{instead}"
    )))
}

/// What to write instead of something that does not parse.
pub(super) fn instead_of(text: &str, syntax_error: &str) -> Option<&'static str> {
    let first = text.split_whitespace().next().unwrap_or_default();
    if first.eq_ignore_ascii_case("pivot") {
        return Some("write SELECT * FROM t PIVOT (sum(n) FOR c IN ('x', 'y'))");
    }
    if first.eq_ignore_ascii_case("unpivot") {
        return Some("write SELECT * FROM t UNPIVOT (n FOR c IN (a, b))");
    }
    syntax_error.contains("MATCH_CONDITION").then_some(
        "write LEFT JOIN LATERAL (SELECT * FROM b WHERE b.ts <= a.ts ORDER BY b.ts DESC LIMIT 1) AS b ON true",
    )
}
