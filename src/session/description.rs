//! What a statement gives and asks for, told before it is run.

use arrow::datatypes::{DataType, SchemaRef};

use super::{Connection, PreparedStatement};
use crate::error::Result;
use crate::run::planned::Planned;
use crate::sql::stack::stack_for;

/// What a prepared statement gives, and which parameters it takes. It is for the tables and settings that there are when it
/// is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    columns: Option<SchemaRef>,
    parameters: Vec<Parameter>,
}

/// A parameter of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    name: Option<String>,
    data_type: Option<DataType>,
}

impl Description {
    /// The columns of its rows; `None` for a statement that gives a number of rows, as an INSERT without RETURNING does.
    ///
    /// A column that is computed from a parameter of which nothing says the type is of what NULL makes of it: that of
    /// `SELECT $1` is of type `Null`, and `a + $1` is as wide as `a`. With a value it may be of another type.
    pub fn columns(&self) -> Option<&SchemaRef> {
        self.columns.as_ref()
    }

    /// Its parameters, in the order of their numbers.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }
}

impl Parameter {
    /// Its name, as in `$host`; `None` for one that has a number.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The type of what it is compared with, or what it is cast to or stored as: a value of another type is compared by its
    /// value, or converted. `None` where any is good, where it stands in places of several types, and where the type is
    /// known with its value alone.
    pub fn data_type(&self) -> Option<&DataType> {
        self.data_type.as_ref()
    }
}

fn parameters(planned: &Planned, names: &[String]) -> Result<Vec<Parameter>> {
    let types = planned.parameter_types()?.into_iter().enumerate();
    let parameters = types.map(|(place, data_type)| Parameter {
        name: names.get(place).cloned(),
        data_type,
    });
    Ok(parameters.collect())
}

impl PreparedStatement {
    /// The columns that it gives and the parameters that it takes, for programs that must know them before there are
    /// values. It is planned, and nothing is run.
    ///
    /// # Errors
    /// What is wrong with the statement by now; what it says of NULL, where it must have the values of its parameters to
    /// be planned at all, as `generate_series(1, $1)`.
    pub async fn describe(&self) -> Result<Description> {
        let planned = self.renewed().await?;
        let context = &self.connection.run_context;
        let columns = context.columns_of(&planned, &self.statement.parsed);
        Ok(Description {
            columns: stack_for(self.statement.depth, columns).await?,
            parameters: parameters(&planned, &self.names)?,
        })
    }
}

impl Connection {
    /// The columns that a statement gives and the parameters that it takes, without running it.
    ///
    /// # Errors
    /// Those of [`Connection::prepare`] and [`PreparedStatement::describe`].
    pub async fn describe(&self, sql: &str) -> Result<Description> {
        self.prepare(sql).await?.describe().await
    }
}

#[cfg(test)]
#[path = "description_tests.rs"]
mod tests;
