//! What `EXPLAIN KEYS` returns: the key ranges of the scans of a plan, and with `SET halite.explain_regions = true` the
//! regions that they are in.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int64Array, StringArray};
use datafusion::execution::session_state::SessionState;
use datafusion::physical_plan::ExecutionPlan;

use super::outcome::{Outcome, rows, strings};
use super::waiting::on_waiting_thread;
use crate::error::Result;
use crate::scan::{KeyEstimates, ScanExec};
use crate::settings::HaliteOptions;
use crate::span::{Kind, SpanRow};
use crate::sql::parse::Buckets;
use crate::store::Store;

/// One row for each key range of each scan of a plan, in a session that says whether its regions stand beside it.
pub(crate) async fn explain(
    state: SessionState,
    plan: Arc<dyn ExecutionPlan>,
    buckets: Buckets,
) -> Result<Outcome> {
    let regions = HaliteOptions::of(state.config_options()).explain_regions;
    // Others may have to be asked.
    let explain = move || explain_keys(&plan, regions, buckets);
    on_waiting_thread("EXPLAIN KEYS broke off", explain).await
}

fn explain_keys(plan: &Arc<dyn ExecutionPlan>, regions: bool, buckets: Buckets) -> Result<Outcome> {
    let mut found = KeyRows {
        region: regions.then(Vec::new),
        ..KeyRows::default()
    };
    found.visit(plan, buckets)?;
    found.rows()
}

/// The columns of `EXPLAIN KEYS`.
#[derive(Default)]
struct KeyRows {
    table: Vec<String>,
    alias: Vec<Option<String>>,
    kind: Vec<String>,
    bucket: Vec<Option<String>>,
    start: Vec<String>,
    stop: Vec<String>,
    estimated_keys: Vec<Option<u64>>,
    start_hex: Vec<Option<String>>,
    stop_hex: Vec<Option<String>>,
    tight: Vec<Option<bool>>,
    residual: Vec<String>,
    /// Where it is wanted.
    region: Option<Vec<Option<String>>>,
}

/// A scan that is explained.
struct Explained<'a> {
    table: &'a str,
    alias: Option<&'a str>,
    store: &'a Arc<dyn Store>,
    space: &'a str,
    estimates: KeyEstimates,
    rows: Vec<SpanRow>,
    residual: &'a [String],
}

impl KeyRows {
    fn visit(&mut self, plan: &Arc<dyn ExecutionPlan>, buckets: Buckets) -> Result<()> {
        if let Some(scan) = plan.downcast_ref::<ScanExec>() {
            let table = scan.table();
            let explained = Explained {
                table: table.name(),
                alias: scan.request().alias.as_deref(),
                store: scan.store(),
                space: table.space(),
                estimates: KeyEstimates::of(table, scan.store().as_ref()),
                rows: scan.explain_keys()?,
                residual: &scan.residual_texts(),
            };
            self.add(explained, buckets);
        }
        plan.children()
            .into_iter()
            .try_for_each(|child| self.visit(child, buckets))
    }

    fn add(&mut self, scan: Explained<'_>, buckets: Buckets) {
        let has_regions = self.region.is_some();
        let of_row = |row: SpanRow| {
            let region = has_regions.then(|| regions(scan.store, scan.space, &row));
            (row, region.flatten())
        };
        let rows: Vec<_> = scan.rows.into_iter().map(of_row).collect();
        let rows = match buckets {
            Buckets::Together => SpanRow::together(rows),
            Buckets::Each => rows,
        };
        let is_tight = scan.residual.is_empty();
        let residual = scan.residual.join("; ");
        for (row, region) in rows {
            let [start_hex, stop_hex] = match row.hex() {
                Some(ends) => ends.map(Some),
                None => [None, None],
            };
            self.table.push(scan.table.to_owned());
            self.alias.push(scan.alias.map(str::to_owned));
            self.kind.push(row.kind.to_string());
            self.bucket.push(row.buckets_in_words());
            self.start.push(row.start());
            self.stop.push(row.stop());
            self.estimated_keys
                .push(estimated(&row, scan.store, &scan.estimates));
            self.start_hex.push(start_hex);
            self.stop_hex.push(stop_hex);
            self.tight.push(Some(is_tight));
            self.residual.push(residual.clone());
            self.region
                .iter_mut()
                .for_each(|all| all.push(region.clone()));
        }
    }

    /// A row of kind `empty` where the plan has no scan, since nothing can satisfy the predicate.
    fn add_empty(&mut self) {
        self.table.push(String::new());
        self.alias.push(None);
        self.kind.push(Kind::Empty.to_string());
        self.bucket.push(None);
        self.start.push(String::new());
        self.stop.push(String::new());
        self.estimated_keys.push(Some(0));
        self.start_hex.push(Some(String::new()));
        self.stop_hex.push(Some(String::new()));
        self.tight.push(Some(true));
        self.residual.push(String::new());
        self.region.iter_mut().for_each(|region| region.push(None));
    }

    fn rows(mut self) -> Result<Outcome> {
        if self.table.is_empty() {
            self.add_empty();
        }
        let no_index = StringArray::new_null(self.table.len());
        let texts = |texts: Vec<Option<String>>| Arc::new(StringArray::from(texts)) as ArrayRef;
        let region = self.region.map(texts);
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("table", strings(self.table)),
            ("alias", texts(self.alias)),
            ("index", Arc::new(no_index)),
            ("kind", strings(self.kind)),
            ("bucket", texts(self.bucket)),
            ("start", strings(self.start)),
            ("stop", strings(self.stop)),
            ("estimated_keys", Arc::new(counts(self.estimated_keys))),
            ("start_hex", texts(self.start_hex)),
            ("stop_hex", texts(self.stop_hex)),
            ("tight", Arc::new(BooleanArray::from(self.tight))),
            ("residual", strings(self.residual)),
        ];
        columns.extend(region.map(|region| ("region", region)));
        rows(columns)
    }
}

fn counts(counts: Vec<Option<u64>>) -> Int64Array {
    let count = |count: Option<u64>| count.and_then(|count| i64::try_from(count).ok());
    counts.into_iter().map(count).collect()
}

/// About how many keys lie in the ranges of a row; those of a walk are all between its first and its last, of which it
/// reads some. `None` where the store cannot say, and of what is known at run time alone.
fn estimated(row: &SpanRow, store: &Arc<dyn Store>, estimates: &KeyEstimates) -> Option<u64> {
    match row.kind {
        Kind::Empty => Some(0),
        Kind::Point => u64::try_from(row.ranges.len()).ok(),
        Kind::Range | Kind::Full | Kind::Walk => estimates.keys(store.as_ref(), &row.ranges),
        Kind::Runtime => None,
    }
}

/// The most regions of a range that are named.
const NAMED: usize = 4;

/// The regions of the range of a row, in words; `None` where there are none. Where nobody says, that is no error of the statement.
fn regions(store: &Arc<dyn Store>, space: &str, row: &SpanRow) -> Option<String> {
    let found = match store.regions(space, row.ranges.first()?) {
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
