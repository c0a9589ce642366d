//! `CREATE VIEW`, `DROP VIEW`, `SHOW CREATE VIEW`, `DESCRIBE` of a view.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use sqlparser::ast::{CreateTableOptions, CreateView, ObjectName, ViewColumnDef};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Token};

use super::change::change;
use super::statement::ViewStatement;
use crate::catalog::{Existing, identifier, object_name};
use crate::datum;
use crate::error::{Error, Result};
use crate::plan::bind::views::of_database;
use crate::run::context::Context;
use crate::run::describe::describe;
use crate::run::outcome::{Outcome, done, rows};
use crate::sql::dialect;
use crate::sql::token::tokenize;

/// A statement about views, whose text it is given.
pub(crate) async fn view_statement(
    context: &Context,
    statement: ViewStatement<'_>,
    text: &str,
) -> Result<Outcome> {
    match statement {
        ViewStatement::Create(create) => create_view(context, create, text).await,
        ViewStatement::Drop {
            names,
            if_exists,
            dependents,
        } => {
            let names = names.iter().map(object_name);
            let names = names.collect::<Result<Vec<String>>>()?;
            let catalog = Arc::clone(context.catalogs().of_all(&names)?);
            change(move || catalog.drop_views(&names, if_exists, dependents)).await?;
            Ok(done("DROP VIEW"))
        }
        ViewStatement::ShowCreate(name) => {
            let name = object_name(name)?;
            let view = context.catalogs().of(&name).expect_view(&name)?;
            let statement = view.create_statement();
            let statement = context.catalogs().statement(&name, statement);
            let column = |text: String| Arc::new(StringArray::from(vec![text])) as ArrayRef;
            rows(vec![
                ("view", column(name)),
                ("statement", column(statement)),
            ])
        }
    }
}

async fn create_view(context: &Context, create: &CreateView, text: &str) -> Result<Outcome> {
    let name = object_name(&create.name)?;
    refuse_other_clauses(create).map_err(|error| error.context(format!("view `{name}`")))?;
    let existing = match (create.or_replace, create.if_not_exists) {
        (true, true) => {
            let message = "OR REPLACE and IF NOT EXISTS exclude each other";
            return Err(Error::invalid(message));
        }
        (true, false) => Existing::Replace,
        (false, true) => Existing::Keep,
        (false, false) => Existing::Refuse,
    };
    let columns: Vec<String> = create
        .columns
        .iter()
        .map(|it| identifier(&it.name))
        .collect();
    let query = behind_as(text)?;
    loop {
        let catalog = if create.temporary {
            context.catalogs().check_temporary(&name)?;
            Arc::clone(context.catalogs().temporary().begun()?)
        } else {
            Arc::clone(context.catalogs().database())
        };
        let version = catalog.version();
        let mut state = context.statement_state()?;
        if !create.temporary {
            state = of_database(state);
        }
        let view = context
            .views()
            .define(&state, &name, &columns, query)
            .await?;
        let made = change(move || catalog.create_view(view, version, existing)).await?;
        if made.is_some() {
            return Ok(done("CREATE VIEW"));
        }
    }
}

/// `DESCRIBE` of a view; `None` for what is none.
pub(crate) async fn describe_view(context: &Context, name: &ObjectName) -> Result<Option<Outcome>> {
    let Some(view) = context.catalogs().view(&object_name(name)?) else {
        return Ok(None);
    };
    let query = format!("SELECT * FROM {}", datum::identifier(&view.name));
    let query = dialect::query(&query).map_err(|error| Error::internal(error.to_string()))?;
    let (_, plan) = context.planned(&query.into()).await?;
    describe(plan.schema().as_arrow()).map(Some)
}

/// The query of a CREATE VIEW, as it is written: what stands behind the first AS outside of parentheses.
fn behind_as(text: &str) -> Result<&str> {
    let tokens = tokenize(text)?;
    let mut depth = 0_usize;
    let mut tokens = tokens
        .iter()
        .filter(|token| !matches!(token.token, Token::Whitespace(_)));
    let found = tokens.any(|token| match &token.token {
        Token::LParen => {
            depth += 1;
            false
        }
        Token::RParen => {
            depth = depth.saturating_sub(1);
            false
        }
        Token::Word(word) => depth == 0 && word.keyword == Keyword::AS,
        _ => false,
    });
    let first = tokens.next().filter(|_| found);
    let first = first.ok_or_else(|| Error::internal("a view without a query"))?;
    Ok(from_place(text, first.span.start))
}

/// A text from a place of it on.
fn from_place(text: &str, place: Location) -> &str {
    let mut at = Location { line: 1, column: 1 };
    let mut rest = text.char_indices();
    while at < place {
        match rest.next() {
            Some((_, '\n')) => {
                at = Location {
                    line: at.line + 1,
                    column: 1,
                };
            }
            Some(_) => at.column += 1,
            None => break,
        }
    }
    text.get(rest.offset()..).unwrap_or_default()
}

fn refuse_other_clauses(create: &CreateView) -> Result<()> {
    let CreateView {
        or_alter,
        or_replace: _,
        materialized,
        secure,
        name: _,
        name_before_not_exists: _,
        columns,
        query: _,
        options,
        cluster_by,
        comment,
        with_no_schema_binding,
        if_not_exists: _,
        temporary: _,
        copy_grants,
        to,
        params,
    } = create;
    let is_more = |column: &ViewColumnDef| column.data_type.is_some() || column.options.is_some();
    let clauses = [
        (*or_alter, "OR ALTER is not implemented; write OR REPLACE"),
        (
            *materialized,
            "MATERIALIZED is not implemented; CREATE TABLE … AS SELECT keeps rows",
        ),
        (*secure, "SECURE is not implemented"),
        (
            *options != CreateTableOptions::None,
            "options of a view are not implemented",
        ),
        (!cluster_by.is_empty(), "CLUSTER BY is not implemented"),
        (comment.is_some(), "COMMENT is not implemented"),
        (
            *with_no_schema_binding,
            "WITH NO SCHEMA BINDING is not implemented",
        ),
        (*copy_grants, "COPY GRANTS is not implemented"),
        (to.is_some(), "TO is not implemented"),
        (
            params.is_some(),
            "ALGORITHM, DEFINER and SQL SECURITY are not implemented",
        ),
        (
            columns.iter().any(is_more),
            "its columns have names alone; their types are those of the query",
        ),
    ];
    let given = clauses.iter().find(|(is_given, _)| *is_given);
    given.map_or(Ok(()), |(_, message)| Err(Error::unsupported(*message)))
}
