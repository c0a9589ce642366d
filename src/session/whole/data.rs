//! Random databases: two to four small tables under random row keys, whose values meet.

use std::collections::HashSet;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema};

use super::truths::is_sql;
use crate::datum::{Datum, Precision, SqlType, to_array};
use crate::key::{NullOrder, PartDefinition, RowKey, SortOrder};
use crate::plan::law::cases::{parts, row_key};
use crate::plan::law::condition::Column;
use crate::plan::law::predicate_text::value_sql;
use crate::plan::law::random::Random;
use crate::plan::law::values::pool;

/// A row's values, in the order of the columns.
pub(super) type Row = Vec<Option<Datum>>;

/// A table, its row key and its rows. Its first column, `id`, tells the rows apart.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    pub parts: Vec<PartDefinition>,
    pub rows: Vec<Row>,
}

/// The tables of some queries.
#[derive(Debug, Clone)]
pub(super) struct Data {
    pub tables: Vec<Table>,
}

/// The columns besides `id`: tables have the same names.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

impl Data {
    pub fn draw(random: &mut Random) -> Self {
        let types: Vec<SqlType> = NAMES.iter().map(|_| sql_type(random)).collect();
        let pools: Vec<Vec<Datum>> = types.iter().map(|one| few(one, random)).collect();
        let count = random.between(2, 4);
        let tables = (0..count).map(|number| {
            loop {
                if let Some(table) = Table::draw(number, &types, &pools, random) {
                    break table;
                }
            }
        });
        Self {
            tables: tables.collect(),
        }
    }

    /// What makes the tables in SQL.
    pub fn script(&self) -> Vec<String> {
        let tables = self.tables.iter();
        tables
            .flat_map(|table| [Some(table.create()), table.insert()])
            .flatten()
            .collect()
    }
}

/// The types of columns; small integers most of all, because joins, sums and orders are made of them.
fn sql_type(random: &mut Random) -> SqlType {
    let stamp = |precision, utc| SqlType::Timestamp { precision, utc };
    let decimal = |precision, scale| SqlType::Decimal { precision, scale };
    match random.between(0, 31) {
        0..8 => SqlType::Integer,
        8..12 => SqlType::BigInt,
        12..14 => SqlType::SmallInt,
        14..18 => SqlType::Text,
        18 => SqlType::Varchar(4),
        19 => SqlType::Char(4),
        20..22 => SqlType::Boolean,
        22..24 => SqlType::Double,
        24..26 => decimal(10, 2),
        26 => decimal(38, 6),
        27..29 => SqlType::Date,
        29 => stamp(Precision::Millisecond, false),
        30 => stamp(Precision::Nanosecond, true),
        _ => SqlType::Bytea,
    }
}

/// A double that Arrow's cast of the DECIMAL with its digits misses.
pub(super) const MISSED: f64 = 9.204938554384977;

/// A few values that rows are made of, so that they tie and meet.
fn few(sql_type: &SqlType, random: &mut Random) -> Vec<Datum> {
    if sql_type.is_integer() && random.percent(70) {
        let low = random.integer(-2, 4);
        return (low..=low + random.integer(1, 4))
            .map(Datum::Integer)
            .collect();
    }
    let is_temporal = matches!(sql_type, SqlType::Date | SqlType::Timestamp { .. });
    loop {
        let mut values = pool(sql_type, random);
        values.extend((*sql_type == SqlType::Double).then_some(Datum::Double(MISSED)));
        // What has no place in the calendar has a year, or an error, as planners see fit.
        values.retain(|value| !is_temporal || is_sql(&value_sql(Some(value), sql_type)));
        if !values.is_empty() {
            return values;
        }
    }
}

impl Table {
    fn draw(
        number: usize,
        types: &[SqlType],
        pools: &[Vec<Datum>],
        random: &mut Random,
    ) -> Option<Self> {
        let mut columns = vec![Column {
            name: "id".to_owned(),
            sql_type: SqlType::Integer,
            nullable: random.percent(20),
        }];
        let count = random.between(1, NAMES.len());
        // Of another table's type now and then: then one name has two types.
        let kinds: Vec<usize> = (0..count)
            .map(|column| {
                if random.percent(85) {
                    column
                } else {
                    random.between(0, types.len() - 1)
                }
            })
            .collect();
        for (name, kind) in NAMES.iter().zip(&kinds) {
            columns.push(Column {
                name: (*name).to_owned(),
                sql_type: types[*kind].clone(),
                nullable: random.percent(65),
            });
        }
        let mut table = Self {
            name: format!("t{number}"),
            parts: parts(&columns, false, random),
            columns,
            rows: Vec::new(),
        };
        let key = table.key()?;
        let parts: HashSet<String> = (table.parts.iter())
            .map(|part| part.expression.to_string())
            .collect();
        if parts.len() < table.parts.len() {
            return None;
        }
        let pools: Vec<&[Datum]> = kinds.iter().map(|kind| pools[*kind].as_slice()).collect();
        table.fill(&key, &pools, random);
        Some(table)
    }

    fn fill(&mut self, key: &RowKey, pools: &[&[Datum]], random: &mut Random) {
        let wanted = random.weighted(&[(4, 0), (6, 1), (20, 3), (40, 8), (25, 14), (5, 40)]);
        let mut keys = HashSet::new();
        for number in 0..wanted {
            let id = i64::from(number);
            let mut row = vec![Some(Datum::Integer(id))];
            for (column, pool) in self.columns[1..].iter().zip(pools) {
                let is_null = column.nullable && random.percent(20);
                row.push((!is_null).then(|| random.pick(pool).clone()));
            }
            if key.encode(&row).is_ok_and(|bytes| keys.insert(bytes)) {
                self.rows.push(row);
            }
        }
        random.shuffle(&mut self.rows);
    }

    /// Whether a column holds small integers alone, whose sums and products overflow no type.
    pub fn is_small(&self, column: usize) -> bool {
        let mut values = self.rows.iter().filter_map(|row| row[column].as_ref());
        let is_small = |value: &Datum| matches!(value, Datum::Integer(-100..=100));
        self.columns[column].sql_type.is_integer() && values.all(is_small)
    }

    /// The layout of the row key; none where the parts are no layout.
    pub fn key(&self) -> Option<RowKey> {
        row_key(&self.columns, &self.parts).ok()
    }

    /// The rows as one batch.
    pub fn batch(&self) -> RecordBatch {
        let fields = self
            .columns
            .iter()
            .map(|column| Field::new(&column.name, column.sql_type.arrow(), true));
        let arrays = self.columns.iter().enumerate().map(|(position, column)| {
            let values: Vec<_> = self.rows.iter().map(|row| row[position].clone()).collect();
            to_array(&values, &column.sql_type).expect("values of the column's type")
        });
        let schema = Schema::new(fields.collect::<Vec<_>>());
        RecordBatch::try_new(schema.into(), arrays.collect()).expect("the rows of a table")
    }

    pub fn create(&self) -> String {
        let columns = self.columns.iter().map(|column| {
            let null = if column.nullable { "NULL" } else { "NOT NULL" };
            format!("{} {} {null}", column.name, column.sql_type)
        });
        let parts = self.parts.iter().map(|part| {
            let direction = match part.direction {
                SortOrder::Ascending => "ASC",
                SortOrder::Descending => "DESC",
            };
            let nulls = match part.nulls {
                NullOrder::First => "FIRST",
                NullOrder::Last => "LAST",
            };
            format!("{} {direction} NULLS {nulls}", part.expression)
        });
        format!(
            "CREATE TABLE {} ({}, PRIMARY KEY ({})){}",
            self.name,
            columns.collect::<Vec<_>>().join(", "),
            parts.collect::<Vec<_>>().join(", "),
            self.families()
        )
    }

    /// Every third table keeps some of its columns apart.
    fn families(&self) -> String {
        let mut parts = self.parts.iter().flat_map(|part| part.expression.columns());
        let keyed: Vec<&str> = parts.by_ref().collect();
        let columns = self.columns.iter().map(|column| column.name.as_str());
        let beside = columns.filter(|name| !keyed.contains(name));
        let apart: Vec<&str> = beside.skip(1).step_by(2).collect();
        if self.rows.len().is_multiple_of(3) && !apart.is_empty() {
            format!(" WITH (families = 'apart({})')", apart.join(", "))
        } else {
            String::new()
        }
    }

    fn insert(&self) -> Option<String> {
        let rows = self.rows.iter().map(|row| {
            let values = row.iter().zip(&self.columns);
            let values = values.map(|(value, column)| value_sql(value.as_ref(), &column.sql_type));
            format!("({})", values.collect::<Vec<_>>().join(", "))
        });
        let rows: Vec<String> = rows.collect();
        let all = rows.join(", ");
        (!rows.is_empty()).then(|| format!("INSERT INTO {} VALUES {all}", self.name))
    }
}
