//! DataFusion's session of a connection: Halite's rules, functions and tables in it.

use std::sync::Arc;

use datafusion::prelude::SessionContext;

use crate::catalog::visible::Catalogs;
use crate::catalog::{CATALOG_NAME, GuestFunctions, Guests, HaliteCatalog, ViewPlanner};
use crate::ddl::information::Information;
use crate::ddl::sequences;
use crate::function;
use crate::plan::bind::files;
use crate::plan::bind::views::Views;
use crate::plan::change::ChangePlanner;
use crate::plan::environment;
use crate::run::resources::Resources;
use crate::table::HaliteTable;

/// A new session over the tables of `catalogs` and `guests`, in which `views` are planned.
pub(crate) fn new(
    resources: &Resources,
    catalogs: &Catalogs,
    guests: &Guests,
    views: &Arc<Views>,
) -> SessionContext {
    let builder = environment::builder().with_query_planner(Arc::new(ChangePlanner));
    let mut builder = builder.with_runtime_env(resources.environment());
    let config = builder.config().get_or_insert_default();
    config.set_extension(Arc::new(GuestFunctions::default()));
    let context = files::enable(
        SessionContext::new_with_state(builder.build()),
        resources.access(),
    );
    views.set_session(context.state_weak_ref());
    let information = Information::new(catalogs.clone(), guests.clone(), Arc::clone(views));
    let catalog = HaliteCatalog::new(
        Arc::clone(catalogs.database()),
        catalogs.temporary().clone(),
        guests.clone(),
        Arc::clone(views) as Arc<dyn ViewPlanner>,
        Arc::new(information),
    );
    context.register_catalog(CATALOG_NAME, Arc::new(catalog));
    register_functions(&context, catalogs);
    context
}

fn register_functions(context: &SessionContext, catalogs: &Catalogs) {
    let tables = catalogs.clone();
    let look_up = move |name: &str| {
        let table = tables.expect_table(name)?;
        Ok((Arc::clone(table.bound()), Arc::clone(table.store())))
    };
    let look_up: function::Lookup = Arc::new(look_up);
    context.register_udtf("keys", function::keys(Arc::clone(&look_up)));
    context.register_udf(function::decode_key(look_up));
    let tables = Arc::clone(catalogs.database());
    let look_up =
        move |name: &str| Ok((tables.expect_key_space(name)?, Arc::clone(tables.store())));
    context.register_udtf("keyspace", function::key_spaces(Arc::new(look_up)));
    let tables = catalogs.clone();
    let list = move || {
        let of_table =
            |table: Arc<HaliteTable>| (Arc::clone(table.bound()), Arc::clone(table.store()));
        tables
            .tables()
            .into_iter()
            .map(of_table)
            .collect::<Vec<_>>()
    };
    context.register_udtf("halite_tables", function::sizes(Arc::new(list)));
    sequences::functions(catalogs).for_each(|function| context.register_udf(function));
    environment::register(context);
}
