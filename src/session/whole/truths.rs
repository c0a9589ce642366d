//! What the law's oracle says of a table's rows, as columns for the oracle of whole queries.
//!
//! A condition over one table is evaluated on each of its rows, by value, before the query is planned; the query then
//! reads its truth values. A row of NULLs, as outer joins make them, has a truth value, too.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};

use super::data::{Row, Table};
use crate::plan::law::cases::{Variant, key_columns, key_terms};
use crate::plan::law::condition::{Column, Condition, Term};
use crate::plan::law::oracle::{Oracle, Outcome};
use crate::plan::law::predicate_text::sql;
use crate::plan::law::predicates::Generator;
use crate::plan::law::random::Random;

/// A table as the law knows it: the rows, behind them one of NULLs, and their oracle.
pub(super) struct LawTable {
    columns: Vec<Column>,
    rows: Vec<Row>,
    oracle: Oracle,
    key_columns: Vec<usize>,
    key_terms: Vec<Term>,
}

impl LawTable {
    pub fn new(table: &Table) -> Self {
        let nullable = |column: &Column| Column {
            nullable: true,
            ..column.clone()
        };
        let columns: Vec<Column> = table.columns.iter().map(nullable).collect();
        let mut rows = table.rows.clone();
        rows.push(vec![None; columns.len()]);
        let key = table.key().expect("the layout of a table");
        Self {
            oracle: Oracle::new(&columns, &rows),
            key_columns: key_columns(&key),
            key_terms: key_terms(&key),
            columns,
            rows,
        }
    }

    /// A condition that has a value on every row.
    pub fn condition(&self, random: &mut Random) -> Option<Condition> {
        let generator = Generator {
            columns: &self.columns,
            rows: &self.rows,
            oracle: &self.oracle,
            key_columns: self.key_columns.clone(),
            key_terms: self.key_terms.clone(),
            plain: false,
            variant: Variant::Session,
            target: random.between(0, self.rows.len() - 1),
        };
        let leaves = random.weighted(&[(70, 1), (20, 2), (10, 3)]);
        let condition = generator.tree(leaves, 2, random);
        let text = sql(&condition, &self.columns);
        (is_sql(&text) && self.truths(&condition).is_some()).then_some(condition)
    }

    /// The condition's value on every row, the row of NULLs last; none where it raises an error.
    pub fn truths(&self, condition: &Condition) -> Option<Vec<Option<bool>>> {
        if self.oracle.cannot_compare_times(condition) {
            return None;
        }
        let outcomes = self.oracle.evaluate(condition).ok()?.into_iter();
        let truths = outcomes.map(|outcome| match outcome {
            Outcome::True => Some(Some(true)),
            Outcome::False => Some(Some(false)),
            Outcome::Unknown => Some(None),
            Outcome::Error => None,
        });
        truths.collect()
    }
}

/// Whether what the law writes for people can be parsed: dates beyond four digits and control characters cannot.
pub(super) fn is_sql(text: &str) -> bool {
    !["E'", "'day ", "'count ", "'+", "'-"]
        .iter()
        .any(|words| text.contains(words))
}

/// The conditions that a query asks of its tables.
pub(super) struct Truths<'a> {
    known: &'a [LawTable],
    columns: Vec<Vec<Vec<Option<bool>>>>,
    /// A condition has no value on a row.
    pub failed: bool,
}

/// The column that is TRUE on every row, and NULL where an outer join made it.
const PRESENT: &str = "present";

impl<'a> Truths<'a> {
    pub fn new(known: &'a [LawTable]) -> Self {
        Self {
            known,
            columns: vec![Vec::new(); known.len()],
            failed: false,
        }
    }

    /// What to write for a condition over the rows of a table under an alias.
    pub fn column(&mut self, source: &str, table: usize, condition: &Condition) -> String {
        let Some(mut truths) = self.known[table].truths(condition) else {
            self.failed = true;
            return "FALSE".to_owned();
        };
        let absent = match truths.pop().flatten() {
            None => "NULL",
            Some(true) => "TRUE",
            Some(false) => "FALSE",
        };
        let number = self.columns[table].len();
        self.columns[table].push(truths);
        format!("(CASE WHEN {source}.{PRESENT} THEN {source}.w{number} ELSE {absent} END)")
    }

    /// A table's rows with their truth values.
    pub fn batch(&self, table: usize, rows: &RecordBatch) -> RecordBatch {
        let mut fields: Vec<Arc<Field>> = rows.schema().fields().to_vec();
        let mut arrays = rows.columns().to_vec();
        let mut add = |name: String, truths: BooleanArray| {
            fields.push(Arc::new(Field::new(name, DataType::Boolean, true)));
            arrays.push(Arc::new(truths) as ArrayRef);
        };
        add(PRESENT.to_owned(), vec![true; rows.num_rows()].into());
        for (number, truths) in self.columns[table].iter().enumerate() {
            add(format!("w{number}"), truths.clone().into());
        }
        RecordBatch::try_new(Schema::new(fields).into(), arrays).expect("as many truths as rows")
    }
}
