//! Passes batches on and looks at them: what memory they take, what errors come in their place.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{Stream, StreamExt};

use super::key_groups::Group;
use crate::error::Error;
use crate::operator::one_input;

/// A window holds its input, the input in one piece, and its output.
const COPIES: usize = 3;
/// At most so many files are named in an error.
const NAMED_FILES: usize = 3;

/// What is looked for.
#[derive(Debug, Clone)]
pub enum Watch {
    /// The memory of all batches, which whoever is above keeps.
    Memory,
    /// The memory of the rows that are equal in these columns, which whoever is above keeps so many times while they
    /// come, one after the other.
    Group {
        /// What rows are sorted by.
        key: Vec<Arc<dyn PhysicalExpr>>,
        /// How often their bytes are held.
        copies: usize,
    },
    /// Batches of more rows than this, which are cut.
    Rows(usize),
    /// Errors, which are of one of the files of their partition.
    Files(Arc<Vec<Vec<String>>>),
}

/// The node.
#[derive(Debug)]
pub struct WatchedExec {
    input: Arc<dyn ExecutionPlan>,
    watch: Watch,
}

impl WatchedExec {
    /// Above this node.
    pub fn new(input: Arc<dyn ExecutionPlan>, watch: Watch) -> Self {
        Self { input, watch }
    }
}

impl DisplayAs for WatchedExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ExecutionPlan for WatchedExec {
    fn name(&self) -> &'static str {
        "WatchedExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    one_input!(input, |node, input| Ok(Arc::new(Self::new(
        input,
        node.watch.clone()
    ))));

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let watching = match &self.watch {
            Watch::Memory => {
                let consumer = MemoryConsumer::new("a window over all rows");
                Watching::Memory(consumer.register(context.memory_pool()))
            }
            Watch::Group { key, copies } => {
                let consumer = MemoryConsumer::new("a join, of the rows with one key,");
                let held = consumer.register(context.memory_pool());
                Watching::Group(Group::new(held, key.clone(), *copies))
            }
            Watch::Rows(most) => Watching::Rows {
                most: *most,
                rest: None,
            },
            Watch::Files(groups) => Watching::Files(
                groups
                    .get(partition)
                    .map_or_else(String::new, |it| named(it)),
            ),
        };
        let batches = self.input.execute(partition, context)?;
        Ok(Box::pin(Watched { batches, watching }))
    }
}

/// `the file a.csv`, `one of the files a.csv, b.csv`.
fn named(files: &[String]) -> String {
    let more = if files.len() > NAMED_FILES {
        " …"
    } else {
        ""
    };
    let shown: Vec<&str> = files.iter().take(NAMED_FILES).map(String::as_str).collect();
    match shown.as_slice() {
        [] => String::new(),
        [only] => format!("`{only}`"),
        several => format!("one of `{}`{more}", several.join("`, `")),
    }
}

struct Watched {
    batches: SendableRecordBatchStream,
    watching: Watching,
}

enum Watching {
    Memory(MemoryReservation),
    Group(Group),
    Rows {
        most: usize,
        /// What is left of a batch.
        rest: Option<RecordBatch>,
    },
    /// What an error is of.
    Files(String),
}

impl Watching {
    fn look_at(&mut self, next: Result<RecordBatch>) -> Result<RecordBatch> {
        match self {
            Self::Memory(held) => {
                let batch = next?;
                held.try_grow(COPIES * batch.get_array_memory_size())?;
                Ok(batch)
            }
            Self::Group(group) => {
                let batch = next?;
                group.take(&batch)?;
                Ok(batch)
            }
            Self::Rows { most, rest } => {
                let batch = next?;
                let rows = batch.num_rows();
                if rows <= *most {
                    return Ok(batch);
                }
                *rest = Some(batch.slice(*most, rows - *most));
                Ok(batch.slice(0, *most))
            }
            Self::Files(files) if !files.is_empty() => next.map_err(|error| match error {
                // Others ask for it by its kind.
                DataFusionError::ResourcesExhausted(_) => error,
                error => Error::from(error).context(files).into(),
            }),
            Self::Files(_) => next,
        }
    }
}

impl Stream for Watched {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Watching::Rows { rest, .. } = &mut self.watching
            && let Some(batch) = rest.take()
        {
            return Poll::Ready(Some(self.watching.look_at(Ok(batch))));
        }
        let polled = self.batches.poll_next_unpin(context);
        polled.map(|next| next.map(|next| self.watching.look_at(next)))
    }
}

impl RecordBatchStream for Watched {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }
}
