//! Names as statements write them, folded.

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName,
    ObjectNamePart,
};

use super::provider::{CATALOG_NAME, SCHEMA_NAME};
use crate::error::{Error, Result};

/// The name of a table, a view or a sequence, folded; it may stand behind the one schema that there is, `public`, and that
/// behind the one catalog.
///
/// # Errors
/// `NotSupported` for a name with another schema.
pub fn object_name(name: &ObjectName) -> Result<String> {
    let [schemas @ .., last] = name.0.as_slice() else {
        return Err(Error::unsupported("a name without parts"));
    };
    let known = [SCHEMA_NAME, CATALOG_NAME];
    let mut given = schemas.iter().rev().zip(known);
    let folded = |part: &ObjectNamePart| part.as_ident().map(identifier);
    if schemas.len() > known.len()
        || !given.all(|(given, known)| folded(given).as_deref() == Some(known))
    {
        return Err(Error::unsupported(format!(
            "`{name}`: tables have no schema but {SCHEMA_NAME}"
        )));
    }
    part_name(last, name)
}

/// The name of a column without its table, folded.
///
/// # Errors
/// `NotSupported` for a name with several parts.
pub fn column_name(name: &ObjectName) -> Result<String> {
    match name.0.as_slice() {
        [only] => part_name(only, name),
        _ => Err(Error::unsupported(format!(
            "`{name}`: name the column without its table"
        ))),
    }
}

fn part_name(part: &ObjectNamePart, name: &ObjectName) -> Result<String> {
    let name_of_part = part.as_ident().map(identifier);
    name_of_part.ok_or_else(|| Error::unsupported(format!("the name `{name}` is not implemented")))
}

/// The arguments of a call, if none has a name.
pub fn plain_arguments(function: &Function) -> Option<Vec<Expr>> {
    let FunctionArguments::List(list) = &function.args else {
        return None;
    };
    let arguments = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value.clone()),
        _ => None,
    });
    arguments.collect()
}

/// An identifier folded to lower case unless it is quoted.
pub fn identifier(identifier: &Ident) -> String {
    match identifier.quote_style {
        Some(_) => identifier.value.clone(),
        None => identifier.value.to_lowercase(),
    }
}
