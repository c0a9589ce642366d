//! The keywords that the shell colours, completes and suggests: those that Halite's statements are made of, not all that
//! some dialect knows.

/// The words, in order.
#[rustfmt::skip]
pub static KEYWORDS: &[&str] = &[
    "ADD", "ALL", "ALTER", "ANALYZE", "AND", "ANTI", "ANY", "ARRAY", "AS", "ASC", "ASOF", "BEGIN", "BETWEEN",
    "BIGINT", "BOOLEAN", "BOTH", "BY", "BYTEA", "CASCADE", "CASE", "CAST", "CHAR", "CHECK", "COLUMN",
    "COLUMNS", "COMMIT", "CONFLICT", "CONSTRAINT", "COPY", "CREATE", "CROSS", "CUBE", "CURRENT",
    "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "DATE", "DAY", "DEALLOCATE", "DECIMAL", "DEFAULT",
    "DELETE", "DELIMITER", "DESC", "DESCRIBE", "DISTINCT", "DO", "DOUBLE", "DROP", "ELSE", "END", "ESCAPE",
    "EXCEPT", "EXECUTE", "EXISTS", "EXPLAIN", "EXTRACT", "FALSE", "FETCH", "FILTER", "FIRST", "FLOAT",
    "FOLLOWING", "FOR", "FORMAT", "FROM", "FULL", "FUNCTIONS", "GROUP", "GROUPING", "HAVING", "HEADER",
    "HOUR", "IF", "IGNORE", "ILIKE", "IN", "INDEX", "INNER", "INSERT", "INT", "INTEGER", "INTERSECT",
    "INTERVAL", "INTO", "IS", "JOIN", "KEY", "KEYS", "LAST", "LATERAL", "LEFT", "LIKE", "LIMIT", "MATCHED",
    "MERGE", "MINUTE", "MONTH", "NATURAL", "NEXT", "NOT", "NOTHING", "NULL", "NULLS", "NUMERIC", "OF",
    "OFFSET", "ON", "OR", "ORDER", "OUTER", "OVER", "OVERLAY", "PARTITION", "PRECEDING", "PREPARE", "PRIMARY",
    "QUALIFY", "RANGE", "REAL", "RECURSIVE", "RENAME", "REPLACE", "RESET", "RETURNING", "RIGHT", "ROLLBACK", "ROLLUP", "ROW", "ROWS",
    "SECOND", "SELECT", "SEMI", "SEQUENCE", "SET", "SETS", "SHOW", "SIMILAR", "SMALLINT", "SOME", "SPLIT", "STORE", "TABLE", "TABLES",
    "TEMP", "TEXT", "THEN", "TIES", "TIME", "TIMESTAMP", "TO", "TRANSACTION", "TRANSFORMS", "TRUE", "TRUNCATE",
    "UNBOUNDED", "UNION", "UNIQUE", "UNNEST", "UPDATE", "USING", "VACUUM", "VALUES", "VARCHAR", "VERBOSE", "VIEW",
    "WHEN", "WHERE", "WINDOW", "WITH", "WITHIN", "WITHOUT", "YEAR", "ZONE",
];

/// Those that begin a statement.
pub static BEGINNINGS: &[&str] = &[
    "ALTER", "COPY", "CREATE", "DELETE", "DESCRIBE", "DROP", "EXPLAIN", "INSERT", "MERGE",
    "REPLACE", "RESET", "SELECT", "SET", "SHOW", "TABLE", "TRUNCATE", "UPDATE", "VACUUM", "VALUES",
    "WITH",
];

/// Whether a word is one of [`KEYWORDS`], in whatever case.
pub fn is_keyword(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    KEYWORDS.binary_search(&upper.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keywords_are_in_order_and_known_to_the_parser() {
        assert!(KEYWORDS.is_sorted() && BEGINNINGS.is_sorted());
        assert!(BEGINNINGS.iter().all(|word| is_keyword(word)));
        // Halite's own.
        let own = ["KEYS", "SPLIT", "STORE", "TRANSFORMS"];
        for word in KEYWORDS.iter().filter(|word| !own.contains(word)) {
            let known = sqlparser::keywords::ALL_KEYWORDS.binary_search(word);
            assert!(known.is_ok(), "{word}");
        }
        assert!(is_keyword("select") && !is_keyword("selects"));
    }
}
