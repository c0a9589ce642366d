//! `PREPARE name AS …`, `EXECUTE name (…)`, `DEALLOCATE name`.
//!
//! Statements with a name are planned and run as those of `Connection::prepare`. DataFusion's own way is not taken: it
//! optimizes the plan before the parameters have values, or types, and casts the values to the types that it has found for
//! them, so that a number that is compared with an INT loses its digits. Here the types are open where the statement
//! declares none. Values are compared as they are, and those of an INSERT converted by [`assign`](crate::plan::change::assign); where
//! types are declared they are cast to them first.
//!
//! A plan holds the tables and settings as they were when it was made. After either was changed the statement is
//! therefore planned again before it is run.

use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::Execute;
use sqlparser::ast::{ObjectNamePart, Statement as SqlStatement};

use super::context::Context;
use super::named::{head, is_preparable, values};
use super::outcome::{Outcome, Wanted, done, no_prepared};
use super::planned::{Planned, Repeated};
use crate::error::{Error, Result};
use crate::plan::bind::parameters::constants::with_constants;
use crate::sql::ident::IdentCase;
use crate::sql::stack::Depth;
use crate::sql::written::Written;

impl Context {
    /// `PREPARE`.
    pub(crate) async fn prepare_named(&self, parsed: &Written, depth: Depth) -> Result<Outcome> {
        let Some((name, types)) = head(parsed) else {
            return Err(Error::internal("a PREPARE has a name"));
        };
        if !is_preparable(parsed) {
            return Err(no_prepared());
        }
        let statement = Repeated::plan(self, parsed.clone(), depth).await?;
        let parameters = statement.newest().placeholders.count();
        if types > 0 && types != parameters {
            return Err(Error::invalid(format!(
                "PREPARE {name} declares {types} types of parameters, and the statement has {parameters} parameters"
            )));
        }
        self.named.keep(name, statement)?;
        Ok(done("PREPARE"))
    }

    /// `DEALLOCATE`, of one statement or `ALL`.
    pub(crate) fn deallocate(&self, name: &str) -> Result<Outcome> {
        self.named.forget(name)?;
        Ok(done("DEALLOCATE"))
    }

    /// `EXECUTE`.
    pub(crate) async fn execute_named(
        &self,
        state: &SessionState,
        execute: Execute,
        wanted: Wanted,
    ) -> Result<Outcome> {
        let Execute { name, parameters } = execute;
        let values = values(state, parameters)?;
        let statement = self.named.get(&name)?;
        let planned = statement.renewed(self).await?;
        check_count(&name, &planned, values.len())?;
        wanted.check(planned.gives.rows())?;
        let values = match head(&statement.parsed) {
            Some((_, 1..)) => planned.placeholders.cast(values)?,
            _ => values,
        };
        if let Some(opened) = self.direct(&planned, &values)? {
            return Ok(Outcome::Rows(opened.into_stream()));
        }
        statement.run(self, planned, &values, wanted).await
    }

    /// The EXPLAIN of an EXECUTE as one of the statement that is executed, with the depth of that; `None` for all else.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such statement, or it has other parameters.
    pub(crate) fn explained(&self, parsed: &Written) -> Result<Option<(Written, Depth)>> {
        let (
            Some(explain),
            SqlStatement::Execute {
                name: Some(name),
                parameters,
                ..
            },
        ) = (&parsed.explain, parsed.sql.as_ref())
        else {
            return Ok(None);
        };
        let name = match name.0.as_slice() {
            [ObjectNamePart::Identifier(name)] => IdentCase::ALWAYS.name(name),
            _ => name.to_string(),
        };
        let named = self.named.get(&name)?;
        check_count(&name, &named.newest(), parameters.len())?;
        let mut executed = with_constants(&named.parsed, parameters.clone())?;
        executed.explain = Some(explain.clone());
        Ok(Some((executed, named.depth)))
    }
}

fn check_count(name: &str, planned: &Planned, given: usize) -> Result<()> {
    match planned.placeholders.count() {
        expected if expected == given => Ok(()),
        1 => Err(Error::invalid(format!(
            "the prepared statement `{name}` has one parameter, {given} are given"
        ))),
        expected => Err(Error::invalid(format!(
            "the prepared statement `{name}` has {expected} parameters, {given} are given"
        ))),
    }
}
