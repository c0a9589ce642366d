//! How much a query may read under a layout, said without the planner: counted by DataFusion over a `MemTable`.
//!
//! In the order of its key each row of a table has a *place*. The rows that satisfy the conjuncts over the key's columns
//! alone stand in stretches of places. So many ranges do, in the bucket that is told or in each; and it does to read these
//! rows, and one key for each seek.
//!
//! Where every column in front of the last restricted one is *listed* (`=`, `IN`, `IS NULL`), there is a seek to a range.
//! Where one is *open*, what comes behind it must be looked for behind each of its values, and nobody but the table knows
//! these: a walk, with two seeks for each distinct prefix that it passes (to its candidate, and past the prefix) and one
//! for each bucket. In place of a seek it may read on, as many keys as are read in that time, and now and then it does so
//! to try whether the next candidate is near. It never leaves the places from the first row to the last that satisfy the
//! conjuncts on the listed columns and the first open one. [`UNORDERED`] names the exceptions.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::Column;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, LogicalPlan, Operator};
use datafusion::prelude::DataFrame;
use halite::key::{Argument, Dictionary, SortOrder};
use halite::scan::ScanTotals;
use halite::schema::BoundTable;
use halite::store::ENTRIES_PER_SEEK;

use super::Case;
use super::oracle::Oracle;
use super::run::Samples;
use crate::answers::texts;

/// In so many seeks of a walk one trial may be in vain.
const TRIED: usize = 8;

/// Queries that restrict a column which stands in the key in another order, or in none, in a way that says nothing there:
/// their conjuncts do not count.
pub const UNORDERED: [&str; 4] = [
    // The beginning of a number that is read backwards.
    "order_state/08-orders-of-a-day by_order",
    "phone_call/07-a-block by_digits",
    // The end of a number that is read forwards.
    "phone_call/06-last-digits by_remainder",
    // The beginning of a name of which the key has a hash.
    "server_log/05-role by_hash",
];

/// The exception that is made for a query under its layout.
pub fn exception(case: &Case) -> Option<&'static str> {
    UNORDERED.into_iter().find(|name| *name == case.name())
}

/// What a query may read under a layout, summed over its tables.
#[derive(Debug, Default)]
pub struct Bound {
    /// Rows that satisfy the conjuncts over key columns.
    rows: usize,
    /// RowLabels among which they are looked for: no key is read twice.
    within: usize,
    /// Ranges; a walk is one.
    ranges: usize,
    seeks: usize,
    walks: bool,
}

impl Bound {
    /// How the bound was exceeded.
    pub fn exceeded_by(&self, totals: &ScanTotals) -> Option<String> {
        let tried = totals.ranges + totals.seeks / TRIED;
        let saved = self.seeks.saturating_sub(totals.seeks);
        let instead = usize::from(self.walks) * (tried + saved) * ENTRIES_PER_SEEK;
        let keys = self.rows + totals.seeks + instead;
        let kept = totals.keys_read <= keys.min(self.within)
            && totals.ranges <= self.ranges
            && totals.seeks <= self.seeks;
        (!kept).then(|| format!("{totals:?}, allowed {self:?}"))
    }

    /// The same of a scan that is narrowed while the plan runs: it seeks as it goes, and reads no more for that.
    pub fn exceeded_though_narrowed(&self, totals: &ScanTotals) -> Option<String> {
        let is_kept = totals.keys_read <= self.within + totals.seeks;
        (!is_kept).then(|| format!("{totals:?}, allowed {self:?}"))
    }

    async fn add(&mut self, key: &Key, rows: &Rows) {
        let listed: Vec<&String> = rows.conjuncts.iter().filter_map(listed).collect();
        let is_listed = |column: &&String| listed.contains(column);
        let open = key.columns.iter().take_while(is_listed).count();
        let mentioned: HashSet<_> = rows.conjuncts.iter().flat_map(Expr::column_refs).collect();
        let is_restricted = |name: &String| mentioned.iter().any(|column| column.name == *name);
        let last = key.columns.iter().rposition(is_restricted).unwrap_or(0);

        let front = key.columns.get(..=open).unwrap_or(&key.columns);
        let hull = rows.places(front).await;
        let hull = hull[hull.len() - 1] - hull[0] + 1;
        let places = rows.places(&key.columns).await;
        let stretches = places.chunk_by(|place, next| place + 1 == *next);
        let ranges = stretches.count() * key.buckets_of(is_listed);
        let walks = open < last;
        self.rows += places.len();
        self.within += hull;
        self.ranges += ranges;
        self.walks |= walks;
        self.seeks += if walks { key.buckets } else { ranges };
        for length in open + 1..=last {
            let prefix = &key.columns[..length];
            let buckets = key.buckets_of(|column| prefix.contains(column));
            self.seeks += 2 * rows.distinct(prefix).await * buckets;
        }
    }
}

/// The bound of a query under a layout, with an exception or without.
pub async fn of(case: &Case, exception: Option<&str>, samples: &Samples, oracle: &Oracle) -> Bound {
    let mut bound = Bound::default();
    let query = oracle.context.sql(&case.asked).await.unwrap();
    let plan = query.logical_plan();
    for (table, alias) in tables(plan) {
        let stored = if table == case.query.table {
            case.query.table_of(case.layout.name)
        } else {
            table.clone()
        };
        let key = Key::of(&samples.table(&stored));
        let frame = in_order(oracle, &table, &stored, &key).await;
        let frame = frame.alias(&alias).unwrap();
        let is_known = |column: &&Column| frame.schema().has_column(column);
        let mut conjuncts = conjuncts(plan);
        conjuncts.retain(|it| exception.is_none() && it.column_refs().iter().all(is_known));
        let rows = Rows { frame, conjuncts };
        bound.add(&key, &rows).await;
    }
    bound
}

/// The rows of a table with their places in the order of a key, made once for each of its layouts.
async fn in_order(oracle: &Oracle, table: &str, layout: &str, key: &Key) -> DataFrame {
    let (context, name) = (&oracle.context, &*format!("{layout}_in_order"));
    if !context.table_exist(name).unwrap() {
        let (columns, order) = (key.columns.join(", "), key.order.join(", "));
        let place = format!("row_number() OVER (ORDER BY {order}) AS place");
        let sql = format!("SELECT {columns}, {place} FROM {table}");
        let frame = context.sql(&sql).await.unwrap().cache().await.unwrap();
        context.register_table(name, frame.into_view()).unwrap();
    }
    context.table(name).await.unwrap()
}

/// The rows of a table, and what a query says of its key's columns.
struct Rows {
    frame: DataFrame,
    conjuncts: Vec<Expr>,
}

impl Rows {
    /// Those that satisfy the conjuncts on these columns alone.
    fn told_by(&self, columns: &[String]) -> DataFrame {
        let is_in = |column: &&Column| columns.contains(&column.name);
        let is_told = |conjunct: &&Expr| conjunct.column_refs().iter().all(is_in);
        let told = self.conjuncts.iter().filter(is_told).cloned();
        told.fold(self.frame.clone(), |frame, conjunct| {
            frame.filter(conjunct).unwrap()
        })
    }

    /// Their places, in order.
    async fn places(&self, columns: &[String]) -> Vec<usize> {
        let frame = self.told_by(columns).select_columns(&["place"]).unwrap();
        let places = texts(&frame.collect().await.unwrap());
        let mut places: Vec<usize> = places.iter().map(|place| place.parse().unwrap()).collect();
        places.sort_unstable();
        places
    }

    /// How many different values these columns have among them.
    async fn distinct(&self, columns: &[String]) -> usize {
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        let frame = self.told_by(columns).select_columns(&names).unwrap();
        frame.distinct().unwrap().count().await.unwrap()
    }
}

/// A row key, but for the part that deals rows out.
struct Key {
    /// The columns that its parts are made of.
    columns: Vec<String>,
    /// The parts as SQL sorts by them.
    order: Vec<String>,
    /// The number of buckets; 1 without.
    buckets: usize,
    /// The columns that tell the bucket.
    bucket_sources: Vec<String>,
}

impl Key {
    fn of(table: &BoundTable) -> Self {
        let mut key = Self {
            columns: Vec::new(),
            order: Vec::new(),
            buckets: 1,
            bucket_sources: Vec::new(),
        };
        for part in table.row_key().parts() {
            let sources = part.sources().iter();
            let sources = sources.map(|source| table.all_columns()[*source].name.clone());
            let dictionary = part.transform().dictionary().map(Arc::clone);
            let part = part.definition();
            let number = |argument: &Argument| match argument {
                Argument::Integer(number) => usize::try_from(*number).ok(),
                _ => None,
            };
            // A remainder deals rows out as a bucket does; no query knows the hidden column of a random salt.
            if ["salt", "bucket", "random_salt", "%"].contains(&&*part.expression.function) {
                key.buckets *= part.expression.arguments.iter().find_map(number).unwrap();
                key.bucket_sources.extend(sources);
                continue;
            }
            key.columns.extend(sources);
            let expression = match dictionary {
                Some(dictionary) => place_in(&dictionary, key.columns.last().unwrap()),
                None => part.expression.to_string(),
            };
            key.order.push(match part.direction {
                SortOrder::Ascending => expression,
                SortOrder::Descending => format!("{expression} DESC"),
            });
        }
        key
    }

    /// In how many buckets rows are of which these columns are known.
    fn buckets_of(&self, is_known: impl Fn(&&String) -> bool) -> usize {
        let is_told = self.bucket_sources.iter().all(|column| is_known(&column));
        if is_told { 1 } else { self.buckets }
    }
}

/// The id of a column's text, as SQL that everybody has.
fn place_in(dictionary: &Dictionary, column: &str) -> String {
    let entries = dictionary.entries();
    let texts = (1..=entries.last()).filter_map(|id| entries.text(id));
    let texts: Vec<String> = texts.map(|text| format!("'{text}'")).collect();
    format!("array_position(ARRAY[{}], {column})", texts.join(", "))
}

/// The column of which a conjunct names the values.
fn listed(conjunct: &Expr) -> Option<&String> {
    let tested = match conjunct {
        Expr::BinaryExpr(equal) if equal.op == Operator::Eq => &equal.left,
        Expr::InList(list) if !list.negated => &list.expr,
        Expr::IsNull(tested) => tested,
        _ => return None,
    };
    tested.try_as_col().map(|column| &column.name)
}

/// The tables of a query, each with the name that qualifies its columns.
fn tables(plan: &LogicalPlan) -> Vec<(String, String)> {
    let below = plan.inputs().into_iter().flat_map(tables);
    match plan {
        LogicalPlan::TableScan(scan) => {
            let name = scan.table_name.to_string();
            vec![(name.clone(), name)]
        }
        LogicalPlan::SubqueryAlias(named) => below
            .map(|(table, _)| (table, named.alias.to_string()))
            .collect(),
        _ => below.collect(),
    }
}

/// The terms of a query's WHERE.
fn conjuncts(plan: &LogicalPlan) -> Vec<Expr> {
    let mut terms: Vec<Expr> = plan.inputs().into_iter().flat_map(conjuncts).collect();
    if let LogicalPlan::Filter(filter) = plan {
        terms.extend(split_conjunction(&filter.predicate).into_iter().cloned());
    }
    terms
}
