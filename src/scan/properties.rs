//! What a scan promises to the planner: schema, order, constants, partitions.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::physical_expr::equivalence::EquivalenceProperties;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    AcrossPartitions, ConstExpr, Partitioning, PhysicalExpr, PhysicalSortExpr,
};
use datafusion::physical_plan::PlanProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};

use super::order::SortPart;
use super::{KeyOrder, ScanRequest, external};

/// The properties of a scan of `partitions` partitions, whose keys are in `order`: told where the request asks for it.
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
    if !request.in_order {
        return Ok(equivalences);
    }
    equivalences.add_constants(constants(request, order)?)?;
    for part in request.part_expressions.iter() {
        let mut spellings = part.iter().filter_map(|one| over_output(request, one));
        if let Some(first) = spellings.next() {
            for other in spellings {
                equivalences.add_equal_conditions(Arc::clone(&first), other)?;
            }
        }
    }
    for parts in order.sequences() {
        let ordering = ordering(request, &parts);
        // What follows from an order that is known is not told again.
        if !equivalences.ordering_satisfy(ordering.iter().cloned())? {
            equivalences.add_ordering(ordering);
        }
    }
    Ok(equivalences)
}

/// The order as the output shows it. It ends before a part that the output does not show, unless that part is implied.
fn ordering(request: &ScanRequest, parts: &[&SortPart]) -> Vec<PhysicalSortExpr> {
    let mut ordering = Vec::with_capacity(parts.len());
    for part in parts {
        match sort_expression(request, part) {
            Some(shown) => {
                let mut options = part.options(request.direction);
                let mut said = request.nulls_first.iter();
                if let Some((_, first)) = said.find(|(said, _)| *said == part.position) {
                    options.nulls_first = *first;
                }
                ordering.push(PhysicalSortExpr::new(shown, options));
            }
            None if part.is_implied => {}
            None => break,
        }
    }
    ordering
}

fn sort_expression(request: &ScanRequest, part: &SortPart) -> Option<Arc<dyn PhysicalExpr>> {
    match part.column {
        Some(column) => output_column(request, column),
        None => part_expression(request, part.position),
    }
}

/// Where the order has NULLs of parts that cannot be NULL, though DataFusion takes their expressions to be nullable: the
/// part, and whether they come first.
pub(super) fn absent_nulls(
    request: &ScanRequest,
    order: &[PhysicalSortExpr],
) -> Vec<(usize, bool)> {
    let asked = |part: usize| {
        let spellings = request.part_expressions.get(part)?;
        let mut spellings = spellings.iter().filter_map(|one| over_output(request, one));
        spellings.find_map(|one| order.iter().find(|sort| sort.expr.eq(&one)))
    };
    let parts = request.table.row_key().parts().iter().enumerate();
    let parts = parts.filter(|(_, part)| !part.nullable());
    parts
        .filter_map(|(part, _)| Some((part, asked(part)?.options.nulls_first)))
        .collect()
}

/// What SQL computes for a part, over the output.
fn part_expression(request: &ScanRequest, part: usize) -> Option<Arc<dyn PhysicalExpr>> {
    let spellings = request.part_expressions.get(part)?;
    over_output(request, spellings.first()?)
}

/// An expression over the table's columns as one over the output's; `None` where it does not show one of them.
fn over_output(
    request: &ScanRequest,
    expression: &Arc<dyn PhysicalExpr>,
) -> Option<Arc<dyn PhysicalExpr>> {
    let mut is_shown = true;
    let over_output = Arc::clone(expression).transform_down(|inner| {
        let Some(column) = inner.downcast_ref::<Column>() else {
            return Ok(Transformed::no(inner));
        };
        match output_column(request, column.index()) {
            Some(shown) => Ok(Transformed::yes(shown)),
            None => {
                is_shown = false;
                Ok(Transformed::no(inner))
            }
        }
    });
    over_output.ok().map(|over| over.data).filter(|_| is_shown)
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
    let parts = order.pinned.iter();
    let parts = parts.filter_map(|part| part_expression(request, *part));
    constants.extend(parts.map(|part| ConstExpr::new(part, AcrossPartitions::Uniform(None))));
    Ok(constants)
}

/// The output column that shows the table's column at `position`.
fn output_column(request: &ScanRequest, position: usize) -> Option<Arc<dyn PhysicalExpr>> {
    let index = request
        .projection
        .iter()
        .position(|shown| *shown == position)?;
    let name = &request.table.column(position).ok()?.name;
    Some(Arc::new(Column::new(name, index)))
}
