//! What every session of Halite has: its rules, its planners and its functions.

use std::sync::Arc;

use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};

use super::bind::names;
use super::bind::operators::Operators;
use super::rule;
use crate::catalog::{CATALOG_NAME, SCHEMA_NAME};
use crate::function;
use crate::plan::bind::type_names::TypeNames;
use crate::settings::HaliteOptions;

/// A session with the default settings, and no tables.
pub(crate) fn builder() -> SessionStateBuilder {
    let config = SessionConfig::new()
        .with_default_catalog_and_schema(CATALOG_NAME, SCHEMA_NAME)
        .with_create_default_catalog_and_schema(false)
        .with_option_extension(HaliteOptions::default());
    let builder = SessionStateBuilder::new()
        .with_default_features()
        .with_config(config)
        .with_type_planner(Arc::new(TypeNames));
    let mut builder = rule::install(builder);
    // Halite has its own.
    let config = builder.config().get_or_insert_default();
    config.options_mut().catalog.information_schema = false;
    let planners = builder.expr_planners().get_or_insert_default();
    planners.insert(0, Arc::new(Operators));
    builder
}

/// The functions that need no table.
pub(crate) fn register(context: &SessionContext) {
    function::scalar_functions().for_each(|function| context.register_udf(function));
    function::aggregate_functions().for_each(|function| context.register_udaf(function));
    names::casts::register(context);
}
