//! What `EXPLAIN KEYS` returns: the key ranges of the scans of a plan, and with `SET halite.explain_regions = true` the
//! regions that they are in.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, StringArray, UInt32Array};
use datafusion::execution::session_state::SessionState;
use datafusion::physical_plan::ExecutionPlan;

use super::Outcome;
use super::command::{rows, strings};
use super::waiting::on_waiting_thread;
use crate::error::Result;
use crate::function::KeysExec;
use crate::scan::ScanExec;
use crate::settings::HaliteOptions;
use crate::span::SpanRow;
use crate::store::Store;

/// One row for each key range of each scan of a plan, in a session that says whether its regions stand beside it.
pub(super) async fn explain(
    (state, plan): (SessionState, Arc<dyn ExecutionPlan>),
) -> Result<Outcome> {
    let regions = HaliteOptions::of(state.config_options()).explain_regions;
    // Others may have to be asked.
    let explain = move || explain_keys(&plan, regions);
    on_waiting_thread("EXPLAIN KEYS broke off", explain).await
}

fn explain_keys(plan: &Arc<dyn ExecutionPlan>, regions: bool) -> Result<Outcome> {
    let mut found = KeyRows {
        region: regions.then(Vec::new),
        ..KeyRows::default()
    };
    found.visit(plan)?;
    found.rows()
}

/// The columns of `EXPLAIN KEYS`.
#[derive(Default)]
struct KeyRows {
    table: Vec<String>,
    kind: Vec<String>,
    bucket: Vec<Option<u32>>,
    start: Vec<String>,
    stop: Vec<String>,
    start_hex: Vec<String>,
    stop_hex: Vec<String>,
    tight: Vec<Option<bool>>,
    residual: Vec<String>,
    /// Where it is wanted.
    region: Option<Vec<Option<String>>>,
}

impl KeyRows {
    fn visit(&mut self, plan: &Arc<dyn ExecutionPlan>) -> Result<()> {
        if let Some(scan) = plan.downcast_ref::<ScanExec>() {
            self.add(scan)?;
        }
        if let Some(keys) = plan.downcast_ref::<KeysExec>() {
            let rows = keys.explain_keys()?;
            self.add_regions(keys.store(), keys.space(), &rows);
            self.add_rows(keys.name_of_keys(), rows, keys.residual_texts());
        }
        plan.children()
            .into_iter()
            .try_for_each(|child| self.visit(child))
    }

    fn add(&mut self, scan: &ScanExec) -> Result<()> {
        let (table, rows) = (scan.table(), scan.explain_keys()?);
        self.add_regions(scan.store(), table.space(), &rows);
        self.add_rows(table.name(), rows, &scan.residual_texts());
        Ok(())
    }

    fn add_regions(&mut self, store: &Arc<dyn Store>, space: &str, rows: &[SpanRow]) {
        if let Some(region) = &mut self.region {
            let regions = rows.iter().map(|row| regions(store, space, row));
            region.extend(regions);
        }
    }

    fn add_rows(&mut self, table: &str, rows: Vec<SpanRow>, residual: &[String]) {
        for row in rows {
            self.table.push(table.to_owned());
            self.kind.push(row.kind.to_string());
            self.bucket.push(row.bucket);
            self.start.push(row.start);
            self.stop.push(row.stop);
            self.start_hex.push(row.start_hex);
            self.stop_hex.push(row.stop_hex);
            self.tight.push(Some(residual.is_empty()));
            self.residual.push(residual.join("; "));
        }
    }

    fn add_empty(&mut self) {
        self.table.push(String::new());
        self.kind.push("empty".to_owned());
        self.bucket.push(None);
        for column in [
            &mut self.start,
            &mut self.stop,
            &mut self.start_hex,
            &mut self.stop_hex,
        ] {
            column.push(String::new());
        }
        self.tight.push(Some(true));
        self.residual.push(String::new());
        self.region.iter_mut().for_each(|region| region.push(None));
    }

    /// The rows; one of kind `empty` where the plan has no scan, since nothing can satisfy the predicate.
    fn rows(mut self) -> Result<Outcome> {
        if self.table.is_empty() {
            self.add_empty();
        }
        let no_index = StringArray::new_null(self.table.len());
        let region = self.region.map(StringArray::from);
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("table", strings(self.table)),
            ("index", Arc::new(no_index)),
            ("kind", strings(self.kind)),
            ("bucket", Arc::new(UInt32Array::from(self.bucket))),
            ("start", strings(self.start)),
            ("stop", strings(self.stop)),
            ("start_hex", strings(self.start_hex)),
            ("stop_hex", strings(self.stop_hex)),
            ("tight", Arc::new(BooleanArray::from(self.tight))),
            ("residual", strings(self.residual)),
        ];
        columns.extend(region.map(|region| ("region", Arc::new(region) as ArrayRef)));
        rows(columns)
    }
}

/// The most regions of a range that are named.
const NAMED: usize = 4;

/// The regions of a range, in words; `None` where there are none. Where nobody says, that is no error of the statement.
fn regions(store: &Arc<dyn Store>, space: &str, row: &SpanRow) -> Option<String> {
    let found = match store.regions(space, row.range.as_ref()?) {
        Ok(found) if found.is_empty() => return None,
        Ok(found) => found,
        Err(error) => return Some(format!("not known: {}", error.message())),
    };
    let named = found.iter().take(NAMED).map(ToString::to_string);
    let more = (found.len() > NAMED).then(|| format!("… {} in all", found.len()));
    Some(named.chain(more).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
#[path = "key_rows_tests.rs"]
mod tests;
