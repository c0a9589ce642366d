//! Names as statements write them, folded.

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName,
};

use crate::error::{Error, Result};

/// A name without a schema, folded.
///
/// # Errors
/// `NotSupported` for a name with several parts.
pub fn object_name(name: &ObjectName) -> Result<String> {
    match name.0.as_slice() {
        [only] => only
            .as_ident()
            .map(identifier)
            .ok_or_else(|| Error::unsupported(format!("the name `{name}` is not implemented"))),
        _ => Err(Error::unsupported(format!(
            "`{name}`: tables have no schema"
        ))),
    }
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
