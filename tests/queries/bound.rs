//! How much a query may read under a layout, said without the planner: the rows that satisfy those of its conjuncts
//! that speak of the key's columns alone, counted by DataFusion over a `MemTable`, and one key more for each range.
//! Which of the tables are read by ranges, by how many, and which by a walk, is told from the query and the layout
//! ([`shape`]). [`UNORDERED`] names the exceptions.
//!
//! A walk computes its ranges while it runs, and each costs a seek, which may land on a key outside: one key more for each
//! seek. The seeks are bounded in turn, by the distinct prefixes of keys that the walk passes. Beside them it tries now
//! and then, once in [`TRIED`] seeks, whether the next candidate is so near that reading on costs less, and reads up to
//! [`STEPS`] keys for that. Only under the layouts of [`NEAR`] does it go on doing so, and then saves the seeks; it never
//! leaves the stretch that the conjuncts on the first open column and on those in front of it mark out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use halite::scan::ScanTotals;
use halite::shell::sample;
use sqlparser::ast::{
    BinaryOperator, Expr, IndexColumn, Query as SqlQuery, Select, SetExpr, Statement,
    TableConstraint, TableFactor, Value, visit_expressions,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::oracle::Oracle;
use super::{Case, shape};

/// How many keys a walk may read on its way to a candidate instead of a seek.
const STEPS: usize = 8;
/// In so many seeks of a walk one may be tried in vain.
const TRIED: usize = 32;

/// Queries that restrict a column which stands in the key in another order, or in none, in a way that says nothing there:
/// of these conjuncts only those count that the key's function passes on.
pub const UNORDERED: [&str; 4] = [
    // The beginning of a number that is read backwards.
    "order_state/08-orders-of-a-day by_order",
    "phone_call/07-a-block by_digits",
    // The end of a number that is read forwards.
    "phone_call/06-last-digits by_remainder",
    // The beginning of a name of which the key has a hash.
    "server_log/05-role by_hash",
];

/// Layouts, or queries under one, where a walk's candidates lie a few keys apart, so that it gives up seeking (§5.4 of the
/// design): one key of two is a candidate, or the next one is.
pub const NEAR: [&str; 7] = [
    // Nearly every row has a time of its own, and what is looked for stands behind the time.
    "flights by_time",
    "barrage by_time",
    "server_log by_time",
    // As many aircraft have but a few flights as have many.
    "flights by_tailnum",
    // Some ten flights leave at the same minute, and one or two lines stand under a machine and an event.
    "flights/17-carrier-day by_origin",
    "server_log/03-five-minutes by_host",
    "server_log/03-five-minutes by_hash",
];

/// Which of `names` speaks of this query under its layout.
fn named(case: &Case, names: &[&'static str]) -> Option<&'static str> {
    let layout = format!("{} {}", case.query.table, case.layout.name);
    let mut names = names.iter().copied();
    names.find(|name| *name == case.name() || *name == layout)
}

/// What a query may read under a layout, summed over its tables.
#[derive(Debug, Default)]
pub struct Bound {
    /// Rows that satisfy the conjuncts over key columns.
    rows: usize,
    /// Rows of the stretches that are walked over, and all of the other tables: no key is read twice.
    within: usize,
    /// Ranges, without those of walks.
    ranges: usize,
    /// Walks.
    walks: usize,
    /// Seeks that walks may make.
    seeks: usize,
    /// Whether these may be few for the keys that are read instead.
    near: bool,
    /// The exception of [`UNORDERED`] or [`NEAR`] that was made.
    pub exception: Option<&'static str>,
}

impl Bound {
    /// How the bound was exceeded.
    pub fn exceeded_by(&self, totals: &ScanTotals) -> Option<String> {
        let mut keys = self.rows + self.ranges;
        if self.walks > 0 {
            keys += totals.seeks + STEPS * (totals.seeks / TRIED);
        }
        if self.near {
            keys += STEPS * self.seeks.saturating_sub(totals.seeks);
        }
        let kept = totals.keys_read <= keys.min(self.within)
            && totals.ranges <= self.ranges + self.walks
            && totals.seeks <= self.ranges + self.seeks;
        (!kept).then(|| format!("{totals:?}, allowed {self:?}"))
    }
}

/// The bound of a query under a layout.
pub async fn of(case: &Case, oracle: &Oracle) -> Bound {
    let exception = named(case, &UNORDERED).or_else(|| named(case, &NEAR));
    Bound {
        exception,
        ..bound(case, exception, oracle).await
    }
}

/// The bound that a query under a layout would have without the exception that is made for it.
pub async fn without_exception(case: &Case, oracle: &Oracle) -> Bound {
    bound(case, None, oracle).await
}

async fn bound(case: &Case, exception: Option<&str>, oracle: &Oracle) -> Bound {
    let is_unordered = exception.is_some_and(|name| UNORDERED.contains(&name));
    let select = parse_select(&case.asked);
    let own = [
        case.query.table.to_owned(),
        case.query.table_of(case.layout.name),
    ];
    let mut bound = Bound {
        near: exception.is_some() && !is_unordered,
        ..Bound::default()
    };
    for (table, qualifier) in tables(&select) {
        let key = match table.as_str() {
            name if own.iter().any(|own| own == name) => Key::parse(case.layout.script),
            name => Key::parse(script_of(name)),
        };
        let conjuncts: Vec<Conjunct> = conjuncts(&select)
            .into_iter()
            .filter(|it| it.is_about(&qualifier, &key) && (!is_unordered || it.is_passed_on(&key)))
            .collect();
        let from = format!("{table} {}", qualifier.as_deref().unwrap_or_default());
        bound.rows += count(&from, conjuncts.iter(), oracle).await;
        match ranges(&key, &conjuncts) {
            Some(ranges) => {
                bound.ranges += ranges;
                bound.within += count(&from, [].iter(), oracle).await;
            }
            None => {
                bound.walks += key.buckets;
                bound.seeks += seeks(&key, &conjuncts, &from, oracle).await;
                bound.within += count(&from, leading(&key, &conjuncts), oracle).await;
            }
        }
    }
    bound
}

/// In how many ranges the rows stand, where that is told by the conjuncts.
fn ranges(key: &Key, conjuncts: &[Conjunct]) -> Option<usize> {
    let alternatives = shape::alternatives(conjuncts.iter().map(|it| &it.expr));
    let ranges = alternatives.iter().map(|alternative| {
        let mut sources = key.bucket_sources.iter();
        let is_one_bucket = sources.all(|column| alternative.lists(column));
        let buckets = if is_one_bucket { 1 } else { key.buckets };
        Some(alternative.ranges(&key.columns)? * buckets)
    });
    ranges.sum()
}

/// The conjuncts that mark out the stretch of a walk: those on the first columns, up to the first that is not pinned to
/// one value.
fn leading<'a>(key: &Key, conjuncts: &'a [Conjunct]) -> impl Iterator<Item = &'a Conjunct> {
    let is_about = |it: &&Conjunct, column: &String| it.columns.iter().eq([column]);
    let is_pinned = |column: &&String| {
        let mut own = conjuncts.iter().filter(|it| is_about(it, column));
        own.any(Conjunct::is_pin)
    };
    let pinned = key.columns.iter().take_while(is_pinned).count();
    let columns: Vec<String> = key.columns.iter().take(pinned + 1).cloned().collect();
    conjuncts.iter().filter(move |it| {
        let mut columns = columns.iter();
        let in_order = |column: &String| !key.changed.contains_key(column) && it.is_interval();
        columns.any(|column| is_about(it, column) && (it.is_pin() || in_order(column)))
    })
}

/// The statements that make a table that has no other layout.
fn script_of(table: &str) -> &'static str {
    let path = format!("catalog/flights/{table}.sql");
    let file = sample::layouts().find(|file| file.path == path);
    file.unwrap_or_else(|| panic!("no table {table}"))
        .text()
        .unwrap()
}

async fn count(from: &str, conjuncts: impl Iterator<Item = &Conjunct>, oracle: &Oracle) -> usize {
    oracle
        .number(&format!("SELECT count(*) FROM {from}{}", filter(conjuncts)))
        .await
}

/// Two seeks for each distinct prefix in front of the last column that is restricted (to its candidate, and past the
/// prefix), one for each constant, and one for each bucket.
async fn seeks(key: &Key, conjuncts: &[Conjunct], from: &str, oracle: &Oracle) -> usize {
    let is_restricted = |column: &String| conjuncts.iter().any(|it| it.columns.contains(column));
    let depth = key
        .columns
        .iter()
        .rposition(is_restricted)
        .unwrap_or_default();
    let mut prefixes = 0;
    for length in 1..=depth {
        let columns = &key.columns[..length];
        let within = conjuncts
            .iter()
            .filter(|it| it.columns.iter().all(|column| columns.contains(column)));
        let distinct = format!(
            "SELECT DISTINCT {} FROM {from}{}",
            columns.join(", "),
            filter(within)
        );
        let count = oracle
            .number(&format!("SELECT count(*) FROM ({distinct})"))
            .await;
        // A bucket that is no function of the prefix may hold a part of its rows.
        prefixes += if key
            .bucket_sources
            .iter()
            .all(|column| columns.contains(column))
        {
            count
        } else {
            count * key.buckets
        };
    }
    let constants: usize = conjuncts.iter().map(|it| it.constants).sum();
    2 * prefixes + key.buckets * (constants + 1)
}

fn filter<'a>(conjuncts: impl Iterator<Item = &'a Conjunct>) -> String {
    let terms: Vec<String> = conjuncts.map(|it| format!("({})", it.sql)).collect();
    if terms.is_empty() {
        String::new()
    } else {
        format!(" WHERE {}", terms.join(" AND "))
    }
}

/// A table's key as its `CREATE TABLE` spells it out.
struct Key {
    /// The columns, in the order of the key, those that stand in it reversed or hashed included: to each of their values
    /// belongs another one, so that there are as many of the one as of the other.
    columns: Vec<String>,
    /// Those that stand in the key through a function alone, and which.
    changed: BTreeMap<String, String>,
    /// The number of buckets; 1 without.
    buckets: usize,
    /// The columns that decide the bucket.
    bucket_sources: BTreeSet<String>,
}

impl Key {
    fn parse(script: &str) -> Self {
        let statements = Parser::parse_sql(&GenericDialect {}, script).unwrap();
        let Some(Statement::CreateTable(table)) = statements.first() else {
            panic!("a catalog file begins with CREATE TABLE");
        };
        let Some(TableConstraint::PrimaryKey(primary)) = table.constraints.first() else {
            panic!("{} has no PRIMARY KEY", table.name);
        };
        let mut key = Self {
            columns: Vec::new(),
            changed: BTreeMap::new(),
            buckets: 1,
            bucket_sources: BTreeSet::new(),
        };
        let parts = primary.columns.iter();
        for part in parts.map(|part: &IndexColumn| &part.column.expr) {
            key.part(part);
        }
        if key.buckets > 1 && key.bucket_sources.is_empty() {
            key.bucket_sources = key.columns.iter().cloned().collect();
        }
        key
    }

    fn part(&mut self, part: &Expr) {
        let (columns, numbers) = mentioned(part);
        let columns: BTreeSet<String> = columns.into_values().flatten().collect();
        let function = match part {
            Expr::Identifier(column) => {
                self.columns.push(column.value.clone());
                return;
            }
            // A remainder deals rows out as a bucket does.
            Expr::BinaryOp {
                op: BinaryOperator::Modulo,
                ..
            } => "bucket".to_owned(),
            Expr::Function(function) => function.name.to_string(),
            other => panic!("no bound for `{other}`"),
        };
        match function.as_str() {
            "salt" | "bucket" => {
                assert_eq!(self.buckets, 1, "no bound for several buckets");
                self.buckets = numbers[0].parse().unwrap();
                self.bucket_sources = columns;
            }
            "md5" | "reverse" | "reverse_digits" => {
                let column = columns.first().unwrap();
                self.columns.push(column.clone());
                self.changed.insert(column.clone(), function);
            }
            other => panic!("no bound for `{other}`"),
        }
    }
}

/// A term of a WHERE.
struct Conjunct {
    expr: Expr,
    sql: String,
    /// The columns it mentions, by qualifier.
    qualified: BTreeMap<Option<String>, BTreeSet<String>>,
    columns: BTreeSet<String>,
    constants: usize,
}

impl Conjunct {
    fn new(expr: &Expr) -> Self {
        let (qualified, constants) = mentioned(expr);
        let columns = qualified.values().flatten().cloned().collect();
        Self {
            expr: expr.clone(),
            sql: expr.to_string(),
            qualified,
            columns,
            constants: constants.len(),
        }
    }

    /// Whether it speaks of columns of this table's key, and of nothing else.
    fn is_about(&self, qualifier: &Option<String>, key: &Key) -> bool {
        !self.columns.is_empty()
            && self.qualified.keys().all(|own| own == qualifier)
            && self
                .columns
                .iter()
                .all(|column| key.columns.contains(column))
    }

    /// Whether what it says of its columns can be said of the values that stand in the key for them.
    fn is_passed_on(&self, key: &Key) -> bool {
        let mut columns = self.columns.iter();
        columns.all(|column| match key.changed.get(column) {
            Some(function) => self.passes_through(function),
            None => !self.is_remainder(),
        })
    }

    /// Whether it leaves its column a single value.
    fn is_pin(&self) -> bool {
        let is_column =
            |expr: &Expr| matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
        matches!(&self.expr, Expr::BinaryOp { left, op: BinaryOperator::Eq, .. } if is_column(left))
    }

    /// Whether the values that it leaves stand next to each other.
    fn is_interval(&self) -> bool {
        match &self.expr {
            Expr::BinaryOp { op, .. } => {
                !matches!(op, BinaryOperator::NotEq | BinaryOperator::Or) && !self.is_remainder()
            }
            Expr::Between { negated, .. } | Expr::Like { negated, .. } => !negated,
            _ => false,
        }
    }

    /// Whether it says what remains when its column is divided: numbers that are not next to each other.
    fn is_remainder(&self) -> bool {
        let Expr::BinaryOp { left, .. } = &self.expr else {
            return false;
        };
        matches!(
            left.as_ref(),
            Expr::BinaryOp {
                op: BinaryOperator::Modulo,
                ..
            }
        )
    }

    /// Whether what it says of its column can be said of a function's value: that it is equal to something always;
    /// how it ends, where the function reads it backwards.
    fn passes_through(&self, function: &str) -> bool {
        let is_column = |expr: &Expr| matches!(expr, Expr::Identifier(_));
        match &self.expr {
            Expr::InList {
                expr,
                negated: false,
                ..
            } => is_column(expr),
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Eq,
                ..
            } => is_column(left) || (self.is_remainder() && function == "reverse_digits"),
            Expr::Like {
                expr,
                pattern,
                negated: false,
                ..
            } => is_column(expr) && function == "reverse" && pattern.to_string().starts_with("'%"),
            _ => false,
        }
    }
}

/// The columns that an expression mentions, by qualifier, and its constants.
fn mentioned(expr: &Expr) -> (BTreeMap<Option<String>, BTreeSet<String>>, Vec<String>) {
    let mut columns: BTreeMap<Option<String>, BTreeSet<String>> = BTreeMap::new();
    let mut constants = Vec::new();
    let _ = visit_expressions(expr, |expr| {
        match expr {
            Expr::Identifier(column) => {
                columns
                    .entry(None)
                    .or_default()
                    .insert(column.value.clone());
            }
            Expr::CompoundIdentifier(path) => {
                let [qualifier, column] = path.as_slice() else {
                    panic!("{expr}")
                };
                columns
                    .entry(Some(qualifier.value.clone()))
                    .or_default()
                    .insert(column.value.clone());
            }
            Expr::Value(value) => constants.push(match &value.value {
                Value::Number(number, _) => number.clone(),
                other => other.to_string(),
            }),
            Expr::TypedString(literal) => constants.push(literal.to_string()),
            Expr::Subquery(_) | Expr::InSubquery { .. } | Expr::Exists { .. } => {
                panic!("`{expr}`: no bound for subqueries")
            }
            _ => {}
        }
        ControlFlow::<()>::Continue(())
    });
    (columns, constants)
}

/// The column that an expression mentions, if it is one.
pub fn only_column(expr: &Expr) -> Option<String> {
    let mut columns = mentioned(expr).0.into_values().flatten();
    let only = columns.next();
    only.filter(|_| columns.next().is_none())
}

fn parse_select(sql: &str) -> Select {
    let statements = Parser::parse_sql(&GenericDialect {}, sql).unwrap();
    match statements.as_slice() {
        [Statement::Query(query)] => match query.as_ref() {
            SqlQuery {
                body, with: None, ..
            } => match body.as_ref() {
                SetExpr::Select(select) => select.as_ref().clone(),
                other => panic!("no bound for `{other}`"),
            },
            other => panic!("no bound for `{other}`"),
        },
        other => panic!("no bound for {other:?}"),
    }
}

/// The tables of a SELECT with their aliases.
fn tables(select: &Select) -> Vec<(String, Option<String>)> {
    let joined = select.from.iter().flat_map(|from| {
        std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation))
    });
    let table = |factor: &TableFactor| match factor {
        TableFactor::Table { name, alias, .. } => (
            name.to_string(),
            alias.as_ref().map(|alias| alias.name.value.clone()),
        ),
        other => panic!("no bound for `{other}`"),
    };
    joined.map(table).collect()
}

/// The terms of a SELECT's WHERE.
fn conjuncts(select: &Select) -> Vec<Conjunct> {
    let mut terms = Vec::new();
    let mut rest: Vec<&Expr> = select.selection.iter().collect();
    while let Some(expr) = rest.pop() {
        match expr {
            Expr::BinaryOp {
                left,
                op: BinaryOperator::And,
                right,
            } => rest.extend([left.as_ref(), right.as_ref()]),
            Expr::Nested(inner) => rest.push(inner),
            other => terms.push(Conjunct::new(other)),
        }
    }
    terms
}
