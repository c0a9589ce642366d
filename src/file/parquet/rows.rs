//! Rows of files as a table would keep them: one zero, one NaN, also in lists and structs.
//!
//! Conditions are asked of these values, and not of those in the file: below, they are only pruned by. Of a column of
//! directories nothing is stated exactly, for a file in them may have no row.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::CardinalityEffect;
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterDescription, FilterPushdownPhase, FilterPushdownPropagation,
};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;

use crate::datum::canonical_array;
use crate::error::Error;
use crate::operator::one_input;

/// The node above the reader.
#[derive(Debug)]
pub(super) struct RowsOfFiles {
    input: Arc<dyn ExecutionPlan>,
    /// The places of columns that files in directories may have without a row.
    of_directories: Arc<[usize]>,
}

impl RowsOfFiles {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>, of_directories: Arc<[usize]>) -> Self {
        Self {
            input,
            of_directories,
        }
    }
}

/// Whether values of the type may be kept otherwise than they are in a file.
pub(super) fn has_floats(data_type: &DataType) -> bool {
    match data_type {
        DataType::Float32 | DataType::Float64 => true,
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => has_floats(item.data_type()),
        DataType::Struct(members) => members.iter().any(|it| has_floats(it.data_type())),
        _ => false,
    }
}

fn as_kept(batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch.columns().iter().map(canonical_array).collect();
    let kept = RecordBatch::try_new_with_options(
        batch.schema(),
        columns,
        &arrow::array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows())),
    );
    Ok(kept.map_err(|error| {
        Error::internal("rows of a file, as a table keeps them").with_source(error)
    })?)
}

impl DisplayAs for RowsOfFiles {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ExecutionPlan for RowsOfFiles {
    fn name(&self) -> &'static str {
        "RowsOfFiles"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    one_input!(input, |node, input| Ok(Arc::new(Self::new(
        input,
        Arc::clone(&node.of_directories)
    ))));

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn repartitioned(
        &self,
        partitions: usize,
        config: &ConfigOptions,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let input = self.input.repartitioned(partitions, config)?;
        Ok(input.map(|input| {
            let again = Self::new(input, Arc::clone(&self.of_directories));
            Arc::new(again) as Arc<dyn ExecutionPlan>
        }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let batches = self.input.execute(partition, context)?;
        let schema = batches.schema();
        if !schema.fields().iter().any(|it| has_floats(it.data_type())) {
            return Ok(batches);
        }
        let kept = batches.map(|batch| as_kept(&batch?));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, kept)))
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        input_stats: &[Arc<Statistics>],
        _args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let [input] = input_stats else {
            return internal_err!("{} has one input", self.name());
        };
        if self.of_directories.is_empty() {
            return Ok(Arc::clone(input));
        }
        let mut statistics = input.as_ref().clone();
        for place in self.of_directories.iter() {
            if let Some(column) = statistics.column_statistics.get_mut(*place) {
                *column = column.clone().to_inexact();
            }
        }
        Ok(Arc::new(statistics))
    }

    fn supports_limit_pushdown(&self) -> bool {
        true
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }

    fn gather_filters_for_pushdown(
        &self,
        _phase: FilterPushdownPhase,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        config: &ConfigOptions,
    ) -> Result<FilterDescription> {
        // The reader would ask them of the rows as they are in the file.
        if config.execution.parquet.pushdown_filters {
            Ok(FilterDescription::all_unsupported(
                &filters,
                &self.children(),
            ))
        } else {
            FilterDescription::from_children(filters, &self.children())
        }
    }

    fn handle_child_pushdown_result(
        &self,
        _phase: FilterPushdownPhase,
        result: ChildPushdownResult,
        _config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        Ok(FilterPushdownPropagation::if_all(result))
    }
}
