//! Statements, tables and functions of other databases that Halite has not: what is told whoever writes one.

use sqlparser::ast::{Ident, ObjectType, ShowCreateObject, Statement};

use crate::error::{Error, Nameable};

/// Something that is not there, and what to write instead.
struct Absent(&'static str, &'static str);

const TRANSACTION: Absent = Absent(
    "a transaction of several statements",
    "each statement is done as a whole or not at all by itself: leave this one out, and of changes that belong together \
     make one statement, such as MERGE INTO or INSERT … SELECT",
);
const INDEX: Absent = Absent(
    "an index",
    "rows are found by the row key: let the column lead it, or keep the rows a second time under another key, as CREATE \
     TABLE t_by_c (PRIMARY KEY (c, id)) AS SELECT * FROM t",
);
const SCHEMA: Absent = Absent(
    "CREATE SCHEMA",
    "a database has one schema, public: put the name in front of the table's, as sales_orders",
);
const DATABASE: Absent = Absent(
    "CREATE DATABASE",
    "a database is a directory, which is made when it is opened: halite other.halite",
);
const USE: Absent = Absent(
    "USE",
    "a connection has one database: open another one with halite other.halite",
);
const TYPE: Absent = Absent(
    "CREATE TYPE",
    "instead of an ENUM write TEXT CHECK (mood IN ('good', 'bad')), instead of a composite type STRUCT(a INT, b TEXT)",
);
const DOMAIN: Absent = Absent(
    "CREATE DOMAIN",
    "write its type and its CHECK at each column",
);
const FUNCTION: Absent = Absent(
    "CREATE FUNCTION",
    "write a view, or a generated column; a program registers functions of its own with Connection::register_udf",
);
const PROCEDURE: Absent = Absent(
    "a procedure",
    "write its statements into a file, which .read FILE runs, or into the program",
);
const TRIGGER: Absent = Absent(
    "CREATE TRIGGER",
    "a DEFAULT, a CHECK or a generated column does what is about the row itself; the rest belongs to the statement",
);
const USER: Absent = Absent(
    "a user, a role or a right",
    "a database has no users: whoever may write its directory may do everything; --readonly and --safe restrict a program",
);
const OPTIMIZE: Absent = Absent(
    "OPTIMIZE or CLUSTER",
    "VACUUM [t] gives back the room of what was deleted",
);
const ANALYZE: Absent = Absent(
    "ANALYZE",
    "the sizes of tables are known without it: SELECT * FROM halite_tables()",
);
const CHECKPOINT: Absent = Absent(
    "CHECKPOINT",
    "what a statement has changed is on disk when it is done; halite backup copies a database",
);
const EXTENSION: Absent = Absent("an extension", "what there is needs none");
const CURSOR: Absent = Absent(
    "a cursor",
    "a program reads the rows of a query one after the other with Connection::stream; the next page is WHERE (a, b) > \
     (…) ORDER BY a, b LIMIT 100",
);
const LOCK: Absent = Absent(
    "LOCK",
    "a statement has what it changes for itself, and a query reads one moment",
);
const NOTICE: Absent = Absent(
    "LISTEN or NOTIFY",
    "a program is told of its statements by Connection::with_observer",
);
const UPSERT: Absent = Absent(
    "UPSERT",
    "write INSERT OR REPLACE INTO t (a, b) VALUES …, which keeps the columns that it does not name, too",
);
const DATABASES: Absent = Absent(
    "SHOW DATABASES",
    "a connection has one database; SHOW TABLES lists its tables, SELECT * FROM information_schema.schemata its schemas",
);
const INDEXES: Absent = Absent(
    "SHOW INDEX",
    "a table has one key, which DESCRIBE t shows; SHOW CREATE TABLE t is its whole declaration",
);

const ATTACH: Absent = Absent(
    "ATTACH",
    "open the other database by itself, and take its rows along in a file: COPY … TO 'rows.parquet'",
);
const EXTERNAL: Absent = Absent(
    "CREATE EXTERNAL TABLE",
    "query a file as SELECT … FROM 'file.parquet'",
);

impl Absent {
    fn error(&self) -> Error {
        let Self(what, instead) = self;
        Error::unsupported(format!("{what} is not implemented; {instead}"))
    }
}

/// The error of a statement that parses, and that DataFusion would refuse in words of its own, or worse: do.
pub(crate) fn statement(statement: &Statement) -> Option<Error> {
    let absent = match statement {
        Statement::CreateTable(create) if create.external => EXTERNAL,
        Statement::CreateIndex(_) => INDEX,
        Statement::CreateSchema { .. } => SCHEMA,
        Statement::CreateDatabase { .. } => DATABASE,
        Statement::Use(_) => USE,
        Statement::CreateType { .. } | Statement::AlterType(_) => TYPE,
        Statement::CreateDomain(_) | Statement::DropDomain(_) => DOMAIN,
        Statement::CreateFunction(_)
        | Statement::CreateMacro { .. }
        | Statement::DropFunction(_)
        | Statement::AlterFunction(_) => FUNCTION,
        Statement::CreateProcedure { .. }
        | Statement::DropProcedure { .. }
        | Statement::Call(_)
        | Statement::If(_)
        | Statement::While(_)
        | Statement::Case(_) => PROCEDURE,
        Statement::CreateTrigger(_) | Statement::DropTrigger(_) => TRIGGER,
        Statement::CreateRole(_)
        | Statement::CreateUser(_)
        | Statement::AlterRole { .. }
        | Statement::CreatePolicy(_)
        | Statement::Grant(_)
        | Statement::Deny(_)
        | Statement::Revoke(_) => USER,
        Statement::CreateExtension(_) | Statement::Install { .. } | Statement::Load { .. } => {
            EXTENSION
        }
        Statement::AttachDatabase { .. }
        | Statement::AttachDuckDBDatabase { .. }
        | Statement::DetachDuckDBDatabase { .. } => ATTACH,
        Statement::StartTransaction { .. }
        | Statement::Commit { .. }
        | Statement::Rollback { .. }
        | Statement::Savepoint { .. }
        | Statement::ReleaseSavepoint { .. } => TRANSACTION,
        Statement::OptimizeTable { .. } => OPTIMIZE,
        Statement::Analyze(_) => ANALYZE,
        Statement::Declare { .. }
        | Statement::Open(_)
        | Statement::Fetch { .. }
        | Statement::Close { .. } => CURSOR,
        Statement::Lock(_) | Statement::LockTables { .. } | Statement::UnlockTables => LOCK,
        Statement::LISTEN { .. } | Statement::UNLISTEN { .. } | Statement::NOTIFY { .. } => NOTICE,
        Statement::Pragma { .. } => Absent(
            "PRAGMA",
            "write DESCRIBE t, SHOW TABLES, or SET name = value",
        ),
        Statement::ShowViews { .. } => Absent(
            "SHOW VIEWS",
            "SELECT * FROM information_schema.views lists them",
        ),
        Statement::ShowDatabases { .. } | Statement::ShowSchemas { .. } => DATABASES,
        Statement::ShowVariable { variable } if is_about_indexes(variable) => INDEXES,
        Statement::Drop { object_type, .. } => dropped(object_type),
        Statement::ShowCreate { obj_type, .. } => match obj_type {
            ShowCreateObject::Table | ShowCreateObject::View => return None,
            _ => Absent(
                "SHOW CREATE of what is no table and no view",
                "SHOW CREATE TABLE and SHOW CREATE VIEW are",
            ),
        },
        _ => return None,
    };
    Some(absent.error())
}

/// `SHOW INDEXES FROM t`, which the parser takes for a variable of several words.
fn is_about_indexes(words: &[Ident]) -> bool {
    let first = words.first().map(|word| word.value.to_lowercase());
    first.is_some_and(|word| ["index", "indexes", "indices", "keys"].contains(&word.as_str()))
}

fn dropped(object_type: &ObjectType) -> Absent {
    match object_type {
        ObjectType::Index => INDEX,
        ObjectType::Schema => SCHEMA,
        ObjectType::Database => Absent(
            "DROP DATABASE",
            "a database is a directory: close it, and remove that",
        ),
        ObjectType::Role | ObjectType::User => USER,
        ObjectType::Type => TYPE,
        ObjectType::MaterializedView => {
            Absent("a materialized view", "DROP TABLE and DROP VIEW are")
        }
        _ => Absent(
            "this form of DROP",
            "DROP TABLE, DROP VIEW and DROP SEQUENCE [IF EXISTS] are",
        ),
    }
}

/// Statements whose first word the parser does not know.
const UNKNOWN: [(&str, Absent); 17] = [
    ("upsert", UPSERT),
    (
        "scan",
        Absent(
            "scan",
            "write SELECT * FROM t; WHERE about the columns of the key reads their range, and EXPLAIN KEYS shows it",
        ),
    ),
    (
        "get",
        Absent(
            "get",
            "write SELECT * FROM t WHERE id = 'k', by the columns of the key",
        ),
    ),
    (
        "put",
        Absent(
            "put",
            "write INSERT INTO t VALUES …, or INSERT OR REPLACE INTO t VALUES … over a row that may be there",
        ),
    ),
    (
        "deleteall",
        Absent(
            "deleteall",
            "write DELETE FROM t WHERE id = 'k', by the columns of the key",
        ),
    ),
    ("count", Absent("count", "write SELECT count(*) FROM t")),
    ("list", Absent("list", "SHOW TABLES lists the tables")),
    ("checkpoint", CHECKPOINT),
    ("do", PROCEDURE),
    ("listen", NOTICE),
    ("unlisten", NOTICE),
    ("notify", NOTICE),
    ("reindex", INDEX),
    ("cluster", OPTIMIZE),
    (
        "refresh",
        Absent(
            "REFRESH",
            "CREATE OR REPLACE TABLE t AS SELECT … makes its rows anew",
        ),
    ),
    (
        "attach",
        Absent(
            "ATTACH",
            "open the other database by itself, and take its rows along in a file: COPY … TO 'rows.parquet'",
        ),
    ),
    (
        "export",
        Absent(
            "EXPORT DATABASE",
            "halite backup copies a database, COPY t TO 't.parquet' writes a table",
        ),
    ),
];

/// The error of a statement whose first word is known elsewhere alone.
pub(crate) fn unknown(text: &str) -> Option<Error> {
    let mut words = text.split_whitespace().map(str::to_lowercase);
    let first = words.next()?;
    // CREATE [OR REPLACE] [UNBOUNDED] EXTERNAL
    if first == "create" && words.take(4).any(|word| word == "external") {
        return Some(EXTERNAL.error());
    }
    let (_, absent) = UNKNOWN.iter().find(|(word, _)| *word == first)?;
    Some(absent.error())
}

/// What to write instead of something that does not parse.
pub(crate) fn instead_of(text: &str, syntax_error: &str) -> Option<&'static str> {
    let mut words = text.split_whitespace().map(str::to_lowercase);
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    Some(match (first.as_str(), second.as_str()) {
        ("pivot", _) => "write SELECT * FROM t PIVOT (sum(n) FOR c IN ('x', 'y'))",
        ("unpivot", _) => "write SELECT * FROM t UNPIVOT (n FOR c IN (a, b))",
        ("create" | "drop" | "alter", "procedure") => PROCEDURE.1,
        ("create" | "drop" | "alter", "function" | "macro") => FUNCTION.1,
        ("create" | "drop" | "alter", "trigger") => TRIGGER.1,
        ("create" | "drop" | "alter", "user" | "role" | "group") => USER.1,
        ("create" | "drop" | "alter", "type") => TYPE.1,
        ("create" | "drop" | "alter", "domain") => DOMAIN.1,
        _ if syntax_error.contains("found: MATERIALIZED") => {
            "write CREATE TEMP TABLE q AS … for rows that are computed once"
        }
        _ if syntax_error.contains("found: NOT at") && contains(text, "not materialized") => {
            "leave NOT MATERIALIZED out: it is what is done"
        }
        _ if syntax_error.contains("Expected: ), found: EXCLUDE") => {
            "subtract what is to be left out: sum(x) OVER w - x"
        }
        ("merge", _) if syntax_error.contains("in merge clause") => {
            "leave the clause of DO NOTHING out, with AND NOT (…) in those behind it"
        }
        _ if syntax_error.contains("Expected: (, found:") && contains(text, " in ") => {
            "behind IN stands a list or a query: IN (SELECT c FROM t)"
        }
        ("create", _) if syntax_error.to_lowercase().contains("found: salt_buckets") => {
            "let the key begin with a salt: PRIMARY KEY (salt(16), id)"
        }
        ("create", _) if contains(text, " split on ") => {
            "write SPLIT ('a', 'm') behind the columns"
        }
        _ if contains(text, " glob ") => "write LIKE 'a%', or x ~ '^a' for a regular expression",
        _ if syntax_error.contains("MATCH_CONDITION") => {
            "write LEFT JOIN LATERAL (SELECT * FROM b WHERE b.ts <= a.ts ORDER BY b.ts DESC LIMIT 1) AS b ON true"
        }
        _ => return None,
    })
}

fn contains(text: &str, words: &str) -> bool {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.to_lowercase().contains(words)
}

/// An error of planning. Of a table or a function of another database it says what to write instead.
pub(crate) fn told(error: Error) -> Error {
    let instead = error.missing().and_then(|missing| match missing.what {
        Nameable::Function => function(&missing.name),
        Nameable::Table | Nameable::TableFunction | Nameable::Schema => table(&missing.name),
        _ => None,
    });
    match instead {
        Some(instead) => error.suggesting(instead),
        None => error,
    }
}

/// What to read instead of a table of another database's catalog.
pub fn table(name: &str) -> Option<&'static str> {
    let name = name.replace('"', "").to_lowercase();
    let is_of_catalog = name.split('.').any(|part| {
        let mut begin = ["pg_", "sqlite_", "duckdb_"].iter();
        begin.any(|begin| part.starts_with(begin))
    });
    is_of_catalog.then_some(
        "what there is stands in information_schema: tables, columns, views, sequences, table_constraints; SHOW TABLES lists \
         the tables, DESCRIBE t a table's columns",
    )
}

/// What to write instead of a function of another database.
pub fn function(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "columns" => {
            "write the columns one by one, * EXCLUDE (a, b) for all but some, or SUMMARIZE t for the statistics of each"
        }
        "row_to_json" => "name the columns: to_json({'a': a, 'b': b})",
        "last_insert_rowid" | "last_insert_id" => "write INSERT … RETURNING id",
        "getdate" | "sysdate" => "write now()",
        "charindex" => "write strpos(text, part)",
        "dateadd" => "write d + INTERVAL '1 day', or date_add(d, INTERVAL '1 day')",
        _ => return None,
    })
}
