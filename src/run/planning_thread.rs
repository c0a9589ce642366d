//! Planning, on a thread of its own where there is much to plan.
//!
//! Planning computes without a break. Where it is done on a thread that others' tasks wait for as well, it holds these
//! up, and whoever stops the statement waits for its end. So it goes to a thread that may wait, which is left behind when
//! nobody waits for the plan any more, and ends where it asks next
//! ([`check_wanted`](crate::function::check_wanted)). A panic in it is an error.

use std::any::Any;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll};

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use sqlparser::ast::{visit_expressions, visit_relations};
use tokio::runtime::Handle;

use crate::error::{Error, Result, words_of_panic};
#[cfg(test)]
use crate::fault;
use crate::function::{Stop, while_planning};
use crate::sql::stack::{Depth, on_large_stack, on_stack_for};
use crate::sql::written::Written;

/// What `planning` gives, on a thread of its own, and on a large stack; on this one where little is planned, and outside
/// of a runtime.
///
/// # Errors
/// Those of `planning`; `Internal` where it panics.
pub(crate) async fn apart<T: Send + 'static>(
    effort: Effort,
    planning: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let waiting = Waiting(Stop::default());
    let stop = waiting.0.clone();
    let runtime = match (effort, Handle::try_current()) {
        (Effort::Great, Ok(runtime)) => runtime,
        _ => {
            let depth = match effort {
                Effort::Small => Depth::Shallow,
                Effort::Great => Depth::Deep,
            };
            let future = Box::pin(planning);
            return Here {
                future,
                stop,
                depth,
            }
            .await;
        }
    };
    #[cfg(test)]
    let made = fault::made_here();
    let thread = runtime.clone();
    let planned = runtime.spawn_blocking(move || {
        let plan = || on_large_stack(|| while_planning(&stop, || thread.block_on(planning)));
        #[cfg(test)]
        return fault::with_any(made, plan);
        #[cfg(not(test))]
        plan()
    });
    match planned.await {
        Ok(planned) => planned,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => Err(panicked("planning this statement", panic.as_ref())),
            Err(error) => Err(Error::unavailable("planning broke off").with_source(error)),
        },
    }
}

/// How much there is to plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// What is planned sooner than a thread is woken for it, or nearly so. It cannot be deep.
    Small,
    /// Anything else.
    Great,
}

/// What counts as small: so many tables, expressions and nodes of a plan, each with what is nested in it.
const MOST_PARTS: usize = 64;

impl Effort {
    /// That of a statement.
    pub(crate) fn of_statement(statement: &Written) -> Self {
        let Some(statement) = statement.unexplained() else {
            return Self::Great;
        };
        let mut parts = 0;
        let mut count = |weight| {
            parts += weight;
            if parts > MOST_PARTS {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let is_small = visit_expressions(statement, |_| count(1)).is_continue()
            // A join is planned in many ways.
            && visit_relations(statement, |_| count(MOST_PARTS / 4)).is_continue();
        if is_small { Self::Small } else { Self::Great }
    }

    /// That of a plan.
    pub(crate) fn of_plan(plan: &LogicalPlan) -> Self {
        let mut parts = 0;
        let counted = plan.apply_with_subqueries(|node| {
            parts += match node {
                LogicalPlan::TableScan(_) => MOST_PARTS / 4,
                _ => 1,
            };
            node.apply_expressions(|expression| {
                expression.apply(|_| {
                    parts += 1;
                    Ok(if parts > MOST_PARTS {
                        TreeNodeRecursion::Stop
                    } else {
                        TreeNodeRecursion::Continue
                    })
                })
            })
        });
        if counted.is_ok() && parts <= MOST_PARTS {
            Self::Small
        } else {
            Self::Great
        }
    }
}

/// Tells the thread to end when it is dropped.
struct Waiting(Stop);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.tell();
    }
}

/// Planning on the thread that polls it.
struct Here<F> {
    future: Pin<Box<F>>,
    stop: Stop,
    depth: Depth,
}

impl<F: Future> Future for Here<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let stop = self.stop.clone();
        on_stack_for(self.depth, || {
            while_planning(&stop, || self.future.as_mut().poll(context))
        })
    }
}

/// The error of a panic below: a fault of ours, which changed nothing.
pub(crate) fn panicked(what: &str, panic: &(dyn Any + Send)) -> Error {
    let text = words_of_panic(panic);
    Error::internal(format!(
        "{what} has failed inside of Halite: {text}. Please report it, with the statement and the declarations of its \
         tables; nothing was changed"
    ))
}
