//! Settings of other databases, with which their dumps begin: what asks for nothing but what holds anyway is taken.
//!
//! `SET client_encoding = 'UTF8'` means nothing here, and a script need not fail for it. What would change the meaning of
//! the statements behind it is refused: a dump in another encoding would be read wrongly.

use crate::error::{Error, Result};

/// Whether a value asks for nothing.
enum Taken {
    /// Whatever it is.
    Always,
    /// One of these.
    As(&'static [&'static str]),
}

/// A setting of another database.
struct Foreign {
    name: &'static str,
    taken: Taken,
    /// Why it cannot have another value.
    instead: &'static str,
}

const fn always(name: &'static str) -> Foreign {
    Foreign {
        name,
        taken: Taken::Always,
        instead: "",
    }
}

const fn only(
    name: &'static str,
    values: &'static [&'static str],
    instead: &'static str,
) -> Foreign {
    Foreign {
        name,
        taken: Taken::As(values),
        instead,
    }
}

const NO_TIMEOUT: &[&str] = &["0", "0s", "0ms", "default"];
const ON: &[&str] = &["on", "true", "1", "yes", "default"];

/// What PostgreSQL, MySQL and SQLite write at the beginning of a dump.
const FOREIGN: &[Foreign] = &[
    only(
        "statement_timeout",
        NO_TIMEOUT,
        "SET halite.statement_timeout = '30s' limits statements",
    ),
    only(
        "lock_timeout",
        NO_TIMEOUT,
        "no statement waits for a lock so long",
    ),
    only(
        "idle_in_transaction_session_timeout",
        NO_TIMEOUT,
        "there are no transactions of several statements",
    ),
    only(
        "idle_session_timeout",
        NO_TIMEOUT,
        "connections are never closed for that",
    ),
    only(
        "transaction_timeout",
        NO_TIMEOUT,
        "there are no transactions of several statements",
    ),
    only(
        "client_encoding",
        &["utf8", "utf-8", "unicode", "default"],
        "texts are UTF-8: convert the file, as with iconv",
    ),
    only(
        "standard_conforming_strings",
        ON,
        "a backslash in '…' is a backslash; write E'…'",
    ),
    only(
        "search_path",
        &[
            "",
            "public",
            "\"$user\", public",
            "public, pg_catalog",
            "default",
        ],
        "there is one schema, public",
    ),
    always("check_function_bodies"),
    always("client_min_messages"),
    always("default_tablespace"),
    always("default_table_access_method"),
    always("default_toast_compression"),
    always("default_with_oids"),
    always("escape_string_warning"),
    always("row_security"),
    always("synchronize_seqscans"),
    always("xmloption"),
    always("foreign_key_checks"),
    always("unique_checks"),
    always("sql_notes"),
];

/// What is to be known of a setting of another database that is set to `value`, `None` for its default; `None` for one that
/// is not known.
///
/// # Errors
/// `NotSupported` for a value that would mean something.
pub fn foreign(name: &str, value: Option<&str>) -> Result<Option<String>> {
    let Some(foreign) = FOREIGN.iter().find(|it| it.name.eq_ignore_ascii_case(name)) else {
        return Ok(None);
    };
    let value = value.unwrap_or("default").trim().trim_matches('\'');
    let is_taken = match foreign.taken {
        Taken::Always => true,
        Taken::As(values) => values.iter().any(|it| it.eq_ignore_ascii_case(value)),
    };
    let (name, instead) = (foreign.name, foreign.instead);
    if is_taken {
        Ok(Some(format!(
            "`{name}` is a setting of another database: it is taken, and changes nothing"
        )))
    } else {
        Err(Error::unsupported(format!(
            "`{name}` cannot be '{value}': {instead}"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_for_nothing_is_taken() {
        for (name, value) in [
            ("statement_timeout", Some("0")),
            ("client_encoding", Some("'UTF8'")),
            ("CLIENT_ENCODING", Some("utf-8")),
            ("standard_conforming_strings", Some("on")),
            ("search_path", Some("")),
            ("row_security", Some("off")),
            ("statement_timeout", None),
        ] {
            assert!(foreign(name, value).unwrap().is_some(), "{name}");
        }
        for name in [
            "halite.pushdown",
            "timezone",
            "datafusion.execution.batch_size",
        ] {
            assert_eq!(foreign(name, Some("0")).unwrap(), None);
        }
        for (name, value) in [
            ("statement_timeout", "5000"),
            ("client_encoding", "LATIN1"),
            ("standard_conforming_strings", "off"),
            ("search_path", "shop"),
        ] {
            let error = foreign(name, Some(value)).unwrap_err();
            let expected = format!("`{name}` cannot be '{value}': ");
            assert!(error.message().starts_with(&expected), "{error}");
        }
    }
}
