//! Runs of prepared changes that need no plan.

use datafusion::common::ScalarValue;

use crate::error::Result;
use crate::run::context::Context;
use crate::run::fast_change::direct::Made;
use crate::run::outcome::Outcome;
use crate::run::planned::Planned;
use crate::run::waiting::{at_waiting_thread, on_waiting_thread};

impl Context {
    /// Makes a prepared change that needs no plan, with parameters that are bound; `None` where it needs one, or where the
    /// tables or the settings are others by now.
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub(crate) async fn change_directly(
        &self,
        planned: &Planned,
        params: &[ScalarValue],
    ) -> Result<Option<Outcome>> {
        let Some(bound) = planned.direct_change(self.catalogs(), params).await? else {
            return Ok(None);
        };
        let lock = bound.lock();
        let guard = match lock.try_acquire() {
            Some(guard) => guard,
            None => lock.acquire().await,
        };
        if !self.is_current(planned) {
            return Ok(None);
        }
        let counters = self.meter.as_ref().map(|meter| meter.counters());
        let progress = self.progress().clone();
        let made = match bound.run(guard, false, &progress, counters.clone())? {
            Made::IsClaimed(guard) if bound.waits() => {
                let work = move || bound.run(guard, true, &progress, counters);
                on_waiting_thread("the thread that writes has failed", work).await?
            }
            made => made,
        };
        let Made::Written(outcome, durable) = made else {
            return Ok(None);
        };
        if let Some(durable) = durable {
            durable.reached(at_waiting_thread).await?;
        }
        Ok(Some(outcome))
    }
}

#[cfg(test)]
#[path = "runs_tests.rs"]
mod tests;
