//! How much a query may read under a layout, said without the planner: the rows that satisfy those of its conjuncts
//! that speak of the key's columns alone, counted by DataFusion over a `MemTable`, and one key more for each range.
//!
//! A walk computes its ranges while it runs, and each costs a seek, which may land on a key outside: it is allowed one
//! key for each seek, or some keys instead of one. The seeks are bounded in turn, by the distinct prefixes of keys that it walks over.

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

use super::Case;
use super::oracle::Oracle;

/// How many keys a walk may read on its way instead of a seek.
const STEPS: usize = 8;
/// How often, in all of its buckets, it may try that in vain.
const TRIALS: usize = 100;

/// What a query may read under a layout, summed over its tables.
#[derive(Debug, Default)]
pub struct Bound {
    /// Rows that satisfy the conjuncts over key columns.
    rows: usize,
    /// Rows of the tables: no key is read twice.
    all_rows: usize,
    /// Seeks that walks may make.
    seeks: usize,
}

impl Bound {
    /// How the bound was exceeded.
    pub fn exceeded_by(&self, totals: &ScanTotals, walks: bool) -> Option<String> {
        // A seek lands on one key; one that was saved may have cost some keys on the way, and so may a few trials.
        let saved = self.seeks.saturating_sub(totals.seeks);
        let extra = match walks {
            true => totals.seeks + STEPS * (saved + TRIALS),
            false => totals.ranges,
        };
        let kept = totals.keys_read <= self.all_rows
            && totals.keys_read <= self.rows + extra
            && (!walks || totals.seeks <= self.seeks);
        (!kept).then(|| format!("{totals:?}, allowed {self:?}"))
    }
}

/// The bound of a query under a layout.
pub async fn of(case: &Case, oracle: &Oracle) -> Bound {
    let select = parse_select(&case.asked);
    let own = [
        case.query.table.to_owned(),
        case.query.table_of(case.layout.name),
    ];
    let mut bound = Bound::default();
    for (table, qualifier) in tables(&select) {
        let key = match table.as_str() {
            name if own.iter().any(|own| own == name) => Key::parse(case.layout.script),
            name => Key::parse(script_of(name)),
        };
        let conjuncts: Vec<Conjunct> = conjuncts(&select)
            .into_iter()
            .filter(|it| it.is_about(&qualifier, &key))
            .collect();
        let from = format!("{table} {}", qualifier.as_deref().unwrap_or_default());
        bound.rows += count(&from, conjuncts.iter(), oracle).await;
        bound.all_rows += count(&from, [].iter(), oracle).await;
        bound.seeks += seeks(&key, &conjuncts, &from, oracle).await;
    }
    bound
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

    /// Whether it speaks of columns of this table's key, in a way that the key understands, and of nothing else.
    fn is_about(&self, qualifier: &Option<String>, key: &Key) -> bool {
        let is_understood = |column: &String| {
            key.columns.contains(column)
                && match key.changed.get(column) {
                    Some(function) => self.passes_through(function),
                    None => !self.is_remainder(),
                }
        };
        !self.columns.is_empty()
            && self.qualified.keys().all(|own| own == qualifier)
            && self.columns.iter().all(is_understood)
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
