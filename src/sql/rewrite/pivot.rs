//! PIVOT and UNPIVOT in FROM, as the queries that they stand for.
//!
//! ```text
//! t PIVOT (sum(n) FOR c IN ('x', 'y'))
//!     SELECT * EXCLUDE (n, c), sum(n) FILTER (WHERE c = 'x') AS x, … FROM t GROUP BY ALL
//! t UNPIVOT (n FOR c IN (a, b))
//!     SELECT * FROM (SELECT * EXCLUDE (a, b), unnest(['a', 'b']) AS c, unnest([a, b]) AS n FROM t) WHERE n IS NOT NULL
//! ```
//!
//! As in DuckDB and Snowflake rows are grouped by every column that the aggregates and FOR do not name.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, ExprWithAlias, Ident, NullInclusion, PivotValueSource, TableAlias, TableFactor, Value,
    VisitMut, VisitorMut, visit_expressions,
};

use super::sample::only_table;
use crate::error::{Error, Result};
use crate::sql::dialect;

/// What [`write_out`] looks for.
pub(crate) const WORDS: [&str; 2] = ["pivot", "unpivot"];

/// Writes them out.
///
/// # Errors
/// `NotSupported` for values that only a query knows, and forms that are rare.
pub(crate) fn write_out(tree: &mut impl VisitMut) -> Result<()> {
    tree.visit(&mut Pivots).break_value().map_or(Ok(()), Err)
}

struct Pivots;

impl VisitorMut for Pivots {
    type Break = Error;

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        let queried = match factor {
            TableFactor::Pivot { .. } => pivoted(factor),
            TableFactor::Unpivot { .. } => unpivoted(factor),
            _ => return ControlFlow::Continue(()),
        };
        match queried {
            Ok(queried) => {
                *factor = queried;
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        }
    }
}

fn pivoted(factor: &TableFactor) -> Result<TableFactor> {
    let TableFactor::Pivot {
        table,
        aggregate_functions,
        value_column,
        value_source,
        default_on_null: None,
        alias,
    } = factor
    else {
        return Err(Error::unsupported(
            "PIVOT with DEFAULT ON NULL is not implemented; write coalesce(…) in the list of SELECT",
        ));
    };
    let [column] = value_column.as_slice() else {
        return Err(Error::unsupported(
            "PIVOT over several columns is not implemented; write sum(…) FILTER (WHERE …)",
        ));
    };
    let PivotValueSource::List(values) = value_source else {
        return Err(Error::unsupported(
            "PIVOT over values that a query finds is not implemented; list them: FOR c IN ('x', 'y')",
        ));
    };
    let mut used = names_in(column)?;
    let mut listed = Vec::new();
    for value in values {
        for aggregate in aggregate_functions {
            let name = heading(value, aggregate, aggregate_functions.len());
            let (call, value) = (&aggregate.expr, &value.expr);
            listed.push(format!(
                "{call} FILTER (WHERE {column} = {value}) AS {name}"
            ));
        }
    }
    for aggregate in aggregate_functions {
        used.extend(names_in(&aggregate.expr)?);
    }
    let query = format!(
        "SELECT * EXCLUDE ({}), {} FROM t GROUP BY ALL",
        list_of(&mut used),
        listed.join(", ")
    );
    queried(&query, table, alias.as_ref())
}

/// What the column of a value is called: as the value is, with the name of the aggregate where there are several.
fn heading(value: &ExprWithAlias, aggregate: &ExprWithAlias, aggregates: usize) -> Ident {
    let mut name = match (&value.alias, &value.expr) {
        (Some(alias), _) => alias.value.clone(),
        (None, Expr::Value(text)) => match &text.value {
            Value::SingleQuotedString(text) => text.clone(),
            other => other.to_string(),
        },
        (None, expr) => expr.to_string(),
    };
    let of = aggregate.alias.as_ref().map(|alias| alias.value.clone());
    match (of, aggregates) {
        (Some(of), _) => name = format!("{name}_{of}"),
        (None, 1) => {}
        (None, _) => name = format!("{name}_{}", aggregate.expr),
    }
    Ident::with_quote('"', name)
}

fn unpivoted(factor: &TableFactor) -> Result<TableFactor> {
    let TableFactor::Unpivot {
        table,
        value: Expr::Identifier(value),
        name,
        columns,
        null_inclusion,
        alias,
    } = factor
    else {
        return Err(Error::unsupported(
            "UNPIVOT into several columns is not implemented; write UNION ALL",
        ));
    };
    let mut used = Vec::new();
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for column in columns {
        let Expr::Identifier(of) = &column.expr else {
            return Err(Error::unsupported(format!(
                "UNPIVOT of `{}` is not implemented; name columns",
                column.expr
            )));
        };
        let called = column.alias.as_ref().unwrap_or(of);
        names.push(Value::SingleQuotedString(called.value.clone()).to_string());
        values.push(of.to_string());
        used.push(of.clone());
    }
    let rows = format!(
        "SELECT * EXCLUDE ({}), unnest([{}]) AS {name}, unnest([{}]) AS {value} FROM t",
        list_of(&mut used),
        names.join(", "),
        values.join(", ")
    );
    let query = match null_inclusion {
        Some(NullInclusion::IncludeNulls) => rows,
        _ => format!("SELECT * FROM ({rows}) AS unpivoted WHERE {value} IS NOT NULL"),
    };
    queried(&query, table, alias.as_ref())
}

/// The columns that an expression names.
fn names_in(expr: &Expr) -> Result<Vec<Ident>> {
    let mut names = Vec::new();
    let found = visit_expressions(expr, |expr| match expr {
        Expr::Identifier(name) => {
            names.push(name.clone());
            ControlFlow::Continue(())
        }
        Expr::CompoundIdentifier(_) => ControlFlow::Break(expr.to_string()),
        _ => ControlFlow::Continue(()),
    });
    match found.break_value() {
        None => Ok(names),
        Some(name) => Err(Error::invalid(format!(
            "PIVOT is given `{name}`; name its column alone"
        ))),
    }
}

/// Names, each once.
fn list_of(names: &mut Vec<Ident>) -> String {
    let mut seen = Vec::new();
    names.retain(|name| {
        let folded = match name.quote_style {
            Some(_) => name.value.clone(),
            None => name.value.to_lowercase(),
        };
        let is_new = !seen.contains(&folded);
        seen.push(folded);
        is_new
    });
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// The query of a table `t`, in which it stands in the place of that.
fn queried(text: &str, table: &TableFactor, alias: Option<&TableAlias>) -> Result<TableFactor> {
    let query = dialect::query(text);
    let mut subquery = query
        .map_err(|error| Error::invalid(format!("PIVOT or UNPIVOT: {error}")).with_source(error))?;
    if let Some(place) = only_table(&mut subquery) {
        *place = table.clone();
    }
    let called = |name: &str| TableAlias {
        explicit: true,
        name: Ident::new(name),
        columns: Vec::new(),
        at: None,
    };
    Ok(TableFactor::Derived {
        lateral: false,
        subquery,
        alias: Some(alias.cloned().unwrap_or_else(|| called("pivoted"))),
        sample: None,
    })
}
