//! What a scan promises to the planner: schema, order, constants, partitions.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::physical_expr::equivalence::EquivalenceProperties;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    AcrossPartitions, ConstExpr, Partitioning, PhysicalExpr, PhysicalSortExpr,
};
use datafusion::physical_plan::PlanProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};

use super::{KeyOrder, ScanRequest, external};

/// The properties of a scan of `partitions` partitions, whose keys are in `order`.
pub(super) fn of_request(
    request: &ScanRequest,
    order: &KeyOrder,
    partitions: usize,
) -> Result<PlanProperties> {
    let properties = PlanProperties::new(
        equivalences(request, order)?,
        Partitioning::UnknownPartitioning(partitions),
        EmissionType::Incremental,
        Boundedness::Bounded,
    );
    Ok(properties.with_scheduling_type(SchedulingType::Cooperative))
}

fn equivalences(request: &ScanRequest, order: &KeyOrder) -> Result<EquivalenceProperties> {
    let mut equivalences = EquivalenceProperties::new(request.schema()?);
    equivalences.add_constants(constants(request, order)?)?;
    if request.in_order {
        // What follows a column that is not shown cannot be said without it.
        let shown = order
            .columns(request.direction)
            .map_while(|(column, options)| {
                Some(PhysicalSortExpr::new(
                    output_column(request, column)?,
                    options,
                ))
            });
        equivalences.add_ordering(shown.collect::<Vec<_>>());
    }
    Ok(equivalences)
}

fn constants(request: &ScanRequest, order: &KeyOrder) -> Result<Vec<ConstExpr>> {
    let mut constants = Vec::new();
    for (position, value) in &order.constants {
        let Some(column) = output_column(request, *position) else {
            continue;
        };
        let sql_type = &request.table.column(*position).map_err(external)?.sql_type;
        let value = value.as_ref().map(|value| value.to_scalar(sql_type));
        let value = value.transpose().map_err(external)?;
        constants.push(ConstExpr::new(column, AcrossPartitions::Uniform(value)));
    }
    Ok(constants)
}

/// The output column that shows the table's column at `position`.
fn output_column(request: &ScanRequest, position: usize) -> Option<Arc<dyn PhysicalExpr>> {
    let index = request
        .projection
        .iter()
        .position(|shown| *shown == position)?;
    let name = &request.table.columns().get(position)?.name;
    Some(Arc::new(Column::new(name, index)))
}
