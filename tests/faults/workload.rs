//! Random statements that change a database, each with what the database must hold after it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fastrand::Rng;

use super::Contents;

/// The rows of a table: key and value.
type Rows = BTreeMap<i64, String>;

/// What the database holds, by table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    tables: BTreeMap<String, Arc<Rows>>,
    /// The tables that lie in one key space.
    shared: BTreeSet<String>,
    /// The tables whose values are kept apart, in a space of their own.
    split: BTreeSet<String>,
    /// The table that has a column more, with what all of its rows have there. It is taken away again at once.
    widened: Option<(String, u64)>,
}

impl Model {
    /// As [`super::contents`] finds it.
    pub fn contents(&self) -> Contents {
        let tables = self.tables.iter();
        tables
            .map(|(table, rows)| (table.clone(), lines(rows, &self.added(table))))
            .collect()
    }

    /// How many spaces of the store the tables have.
    pub fn spaces(&self) -> usize {
        let shared = usize::from(!self.shared.is_empty());
        self.tables.len() - self.shared.len() + shared + self.split.len()
    }

    /// What the rows of a table have behind their value.
    fn added(&self, table: &str) -> String {
        match &self.widened {
            Some((widened, value)) if widened == table => format!("|{value}"),
            _ => String::new(),
        }
    }
}

fn lines(rows: &Rows, added: &str) -> Vec<String> {
    let mut lines: Vec<_> = rows
        .iter()
        .map(|(key, value)| format!("{key}|{value}{added}"))
        .collect();
    lines.sort();
    lines
}

/// A statement, on one line, and what the database holds once it is done.
#[derive(Debug)]
pub struct Step {
    pub sql: String,
    pub after: Model,
}

impl Step {
    /// What kind of statement it is.
    pub fn kind(&self) -> String {
        let mut words = self.sql.split_whitespace();
        let first = words.next().unwrap_or_default();
        match first {
            "CREATE" if self.sql.contains("families") => "CREATE TABLE with families".to_owned(),
            "CREATE" if self.sql.contains("keyspace") => "CREATE TABLE of a key space".to_owned(),
            "CREATE" if self.sql.contains(" AS SELECT ") => "CREATE TABLE AS".to_owned(),
            "CREATE" | "DROP" => format!("{first} {}", words.next().unwrap_or_default()),
            "ALTER" => {
                let change = words.nth(2).unwrap_or_default();
                format!("ALTER TABLE {change}")
            }
            "INSERT" if self.sql.contains("DO UPDATE") => "INSERT DO UPDATE".to_owned(),
            "INSERT" if self.sql.contains("DO NOTHING") => "INSERT DO NOTHING".to_owned(),
            "INSERT" if self.sql.contains("SELECT") => "INSERT SELECT".to_owned(),
            "UPDATE" if self.sql.contains(" FROM ") => "UPDATE FROM".to_owned(),
            "UPDATE" if self.sql.contains("SET k") => "UPDATE of keys".to_owned(),
            "DELETE" if self.sql.contains(" USING ") => "DELETE USING".to_owned(),
            _ => first.to_owned(),
        }
    }
}

const NAMES: [&str; 4] = ["apple", "birch", "cedar", "daisy"];
const LAYOUTS: [&str; 4] = ["k", "salt(4), k", "k DESC", "bucket(3, k), k"];
/// Keys are below this, so that statements meet.
const KEYS: i64 = 6_000;

/// Makes statements, one after the other. Files that they read are written to `directory`.
pub struct Workload {
    random: Rng,
    directory: PathBuf,
    model: Model,
    /// How many statements were made: tells values and files apart.
    count: u64,
    /// Rows of the largest statements.
    many: i64,
}

impl Workload {
    pub fn new(seed: u64, directory: &Path, many: i64) -> Self {
        Self {
            random: Rng::with_seed(seed),
            directory: directory.to_owned(),
            model: Model::default(),
            count: 0,
            many,
        }
    }

    /// What the database holds now.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Goes on from another state: that in which a database was found.
    pub fn resume(&mut self, model: Model) {
        self.model = model;
    }

    pub fn steps(&mut self, count: usize) -> Vec<Step> {
        (0..count).map(|_| self.step()).collect()
    }

    fn step(&mut self) -> Step {
        self.count += 1;
        let table = match self.model.widened.take() {
            Some((table, _)) => return self.stepped(format!("ALTER TABLE {table} DROP COLUMN w")),
            None => self.table(),
        };
        let is_full = self.model.tables.len() == NAMES.len();
        let sql = match table {
            None => self.create(),
            Some(table) => match self.random.u8(0..30) {
                0..=1 if !is_full => self.create(),
                24..=25 if !is_full => self.create_as(&table),
                26 if !is_full => self.rename(&table),
                0..=1 | 24..=27 => self.drop(),
                28..=29 => self.widen(&table),
                2 => self.truncate(&table),
                3..=5 => self.insert_few(&table),
                6..=8 => self.insert_many(&table),
                9..=11 => self.replace(&table),
                12..=13 => self.delete(&table),
                14 => self.update(&table),
                15 => self.shift(&table),
                16 => self.upsert(&table),
                17 => self.merge(&table),
                18 => self.insert_new(&table),
                19 => self.update_from(&table),
                20 => self.delete_using(&table),
                21 => self.insert_own(&table),
                _ => self.copy(&table),
            },
        };
        self.stepped(sql)
    }

    fn stepped(&self, sql: String) -> Step {
        assert!(!sql.contains('\n'));
        Step {
            sql,
            after: self.model.clone(),
        }
    }

    fn table(&mut self) -> Option<String> {
        let tables: Vec<_> = self.model.tables.keys().cloned().collect();
        self.random.choice(tables)
    }

    fn rows(&mut self, table: &str) -> &mut Rows {
        Arc::make_mut(self.model.tables.get_mut(table).unwrap())
    }

    /// A name that no table has.
    fn free_name(&mut self) -> &'static str {
        let free = NAMES
            .into_iter()
            .filter(|name| !self.model.tables.contains_key(*name));
        self.random.choice(free.collect::<Vec<_>>()).unwrap()
    }

    /// A row key for a new table, and what stands behind the columns. Every third table lies in the key space, and every
    /// third keeps its values apart.
    fn layout(&mut self, name: &str) -> (String, &'static str) {
        let kind = self.random.u8(0..3);
        if kind > 0 {
            let layout = LAYOUTS[self.random.usize(0..LAYOUTS.len())];
            let families = match kind {
                1 => {
                    self.model.split.insert(name.to_owned());
                    " WITH (families = 'apart(v)')"
                }
                _ => "",
            };
            return (layout.to_owned(), families);
        }
        self.model.shared.insert(name.to_owned());
        (
            format!("k, 'of {}'", self.count),
            " WITH (keyspace = 'shared')",
        )
    }

    /// Another table with the rows of this one.
    fn create_as(&mut self, table: &str) -> String {
        let name = self.free_name();
        let layout = LAYOUTS[self.random.usize(0..LAYOUTS.len())];
        let rows = Arc::clone(&self.model.tables[table]);
        self.model.tables.insert(name.to_owned(), rows);
        format!("CREATE TABLE {name} (PRIMARY KEY ({layout})) AS SELECT k, v FROM {table}")
    }

    fn rename(&mut self, table: &str) -> String {
        let name = self.free_name();
        let rows = self.model.tables.remove(table).unwrap();
        self.model.tables.insert(name.to_owned(), rows);
        let model = &mut self.model;
        for kind in [&mut model.shared, &mut model.split] {
            if kind.remove(table) {
                kind.insert(name.to_owned());
            }
        }
        format!("ALTER TABLE {table} RENAME TO {name}")
    }

    /// A column more. Without a row nobody could tell whether it is there.
    fn widen(&mut self, table: &str) -> String {
        if self.model.tables[table].is_empty() {
            return self.insert_few(table);
        }
        self.model.widened = Some((table.to_owned(), self.count));
        format!(
            "ALTER TABLE {table} ADD COLUMN w BIGINT DEFAULT {}",
            self.count
        )
    }

    fn create(&mut self) -> String {
        let name = self.free_name();
        let (layout, space) = self.layout(name);
        self.model.tables.insert(name.to_owned(), Arc::default());
        format!("CREATE TABLE {name} (k BIGINT, v TEXT, PRIMARY KEY ({layout})){space}")
    }

    /// Drops one table or all.
    fn drop(&mut self) -> String {
        let mut names: Vec<_> = self.model.tables.keys().cloned().collect();
        self.random.shuffle(&mut names);
        if self.random.bool() {
            names.truncate(1);
        }
        for name in &names {
            self.model.tables.remove(name);
            self.model.shared.remove(name);
            self.model.split.remove(name);
        }
        format!("DROP TABLE {}", names.join(", "))
    }

    fn truncate(&mut self, table: &str) -> String {
        self.rows(table).clear();
        format!("TRUNCATE TABLE {table}")
    }

    /// Keys that the table does not have, at least one.
    fn free_keys(&mut self, table: &str, count: usize) -> Vec<i64> {
        let used = Arc::clone(&self.model.tables[table]);
        let mut keys: Vec<_> = (0..KEYS).filter(|key| !used.contains_key(key)).collect();
        self.random.shuffle(&mut keys);
        keys.truncate(count);
        keys.push(beyond(&used));
        keys
    }

    fn insert_few(&mut self, table: &str) -> String {
        let count = self.random.usize(1..6);
        let keys = self.free_keys(table, count);
        format!("INSERT INTO {table} VALUES {}", self.put(table, keys))
    }

    fn replace(&mut self, table: &str) -> String {
        let count = self.random.usize(1..300);
        let keys = (0..count).map(|_| self.random.i64(0..KEYS)).collect();
        format!("REPLACE INTO {table} VALUES {}", self.put(table, keys))
    }

    /// Puts rows into the model, and returns them as SQL.
    fn put(&mut self, table: &str, keys: Vec<i64>) -> String {
        let count = self.count;
        let rows = self.rows(table);
        let mut sql = String::new();
        for key in keys {
            let value = format!("{count}-{key}");
            let comma = if sql.is_empty() { "" } else { ", " };
            write!(sql, "{comma}({key}, '{value}')").unwrap();
            rows.insert(key, value);
        }
        sql
    }

    /// Many rows of one statement, beyond all keys that there are.
    fn insert_many(&mut self, table: &str) -> String {
        let (count, many) = (self.count, self.many);
        let rows = self.rows(table);
        let first = beyond(rows);
        let last = first + many - 1;
        rows.extend((first..=last).map(|key| (key, format!("{count}-{key}-{}", "x".repeat(100)))));
        format!(
            "INSERT INTO {table} SELECT value, '{count}-' || value || '-' || repeat('x', 100) \
             FROM generate_series({first}, {last})"
        )
    }

    fn delete(&mut self, table: &str) -> String {
        let (divisor, remainder) = (self.random.i64(2..7), self.random.i64(0..2));
        let start = self.random.i64(0..KEYS);
        if self.random.bool() {
            self.rows(table).retain(|key, _| key % divisor != remainder);
            return format!("DELETE FROM {table} WHERE k % {divisor} = {remainder}");
        }
        self.rows(table).retain(|key, _| *key < start);
        format!("DELETE FROM {table} WHERE k >= {start}")
    }

    fn update(&mut self, table: &str) -> String {
        let (divisor, count) = (self.random.i64(1..7), self.count);
        let rows = self.rows(table).iter_mut();
        for (key, value) in rows.filter(|(key, _)| *key % divisor == 0) {
            *value = format!("{count}-{key}");
        }
        format!("UPDATE {table} SET v = '{count}-' || k WHERE k % {divisor} = 0")
    }

    /// Moves the rows from a key on, each to the place of its neighbour.
    fn shift(&mut self, table: &str) -> String {
        let start = self.random.i64(0..KEYS);
        let rows = self.rows(table);
        let moved = rows.split_off(&start).into_iter();
        rows.extend(moved.map(|(key, value)| (key + 1, value)));
        format!("UPDATE {table} SET k = k + 1 WHERE k >= {start}")
    }

    /// Rows of which some are there.
    fn upsert(&mut self, table: &str) -> String {
        let (keys, number) = (self.some_keys(), self.count);
        let rows = self.rows(table);
        let mut sql = Vec::new();
        for key in keys {
            sql.push(format!("({key}, '{number}-{key}')"));
            let value = if rows.contains_key(&key) {
                format!("{number}-{key}+{key}")
            } else {
                format!("{number}-{key}")
            };
            rows.insert(key, value);
        }
        format!(
            "INSERT INTO {table} VALUES {} ON CONFLICT (k) DO UPDATE SET v = excluded.v || '+' || {table}.k",
            sql.join(", ")
        )
    }

    /// Some keys, each once.
    fn some_keys(&mut self) -> BTreeSet<i64> {
        let count = self.random.usize(1..300);
        (0..count).map(|_| self.random.i64(0..KEYS)).collect()
    }

    /// Rows of which those are left out whose keys are there.
    fn insert_new(&mut self, table: &str) -> String {
        let (keys, number) = (self.some_keys(), self.count);
        let rows = self.rows(table);
        let mut sql = Vec::new();
        for key in keys {
            sql.push(format!("({key}, '{number}-{key}')"));
            rows.entry(key).or_insert_with(|| format!("{number}-{key}"));
        }
        let sql = sql.join(", ");
        format!("INSERT INTO {table} VALUES {sql} ON CONFLICT DO NOTHING")
    }

    /// Changes the rows that another table names.
    fn update_from(&mut self, table: &str) -> String {
        let (keys, number) = (self.some_keys(), self.count);
        let rows = self.rows(table);
        for key in &keys {
            if let Some(value) = rows.get_mut(key) {
                *value = format!("{number}-{key}");
            }
        }
        let keys = listed(&keys);
        format!(
            "UPDATE {table} SET v = '{number}-' || s.k FROM (VALUES {keys}) AS s (k) WHERE s.k = {table}.k"
        )
    }

    /// Deletes the rows that another table names.
    fn delete_using(&mut self, table: &str) -> String {
        let keys = self.some_keys();
        self.rows(table).retain(|key, _| !keys.contains(key));
        let keys = listed(&keys);
        format!("DELETE FROM {table} USING (VALUES {keys}) AS s (k) WHERE s.k = {table}.k")
    }

    /// Inserts copies of the rows below a key beyond all keys that there are.
    fn insert_own(&mut self, table: &str) -> String {
        let below = self.random.i64(0..KEYS);
        let rows = self.rows(table);
        let up = beyond(rows);
        let copies: Vec<_> = rows
            .range(..below)
            .map(|(key, value)| (key + up, value.clone()))
            .collect();
        rows.extend(copies);
        format!("INSERT INTO {table} SELECT k + {up}, v FROM {table} WHERE k < {below}")
    }

    /// Deletes, changes and inserts rows of a stretch of keys.
    fn merge(&mut self, table: &str) -> String {
        let (start, count) = (self.random.i64(0..KEYS), self.count);
        let end = start + self.random.i64(1..400);
        let rows = self.rows(table);
        for key in start..=end {
            if rows.contains_key(&key) && key % 2 == 0 {
                drop(rows.remove(&key))
            } else {
                drop(rows.insert(key, format!("{count}-{key}")))
            }
        }
        format!(
            "MERGE INTO {table} AS t USING generate_series({start}, {end}) AS s (k) ON s.k = t.k \
             WHEN MATCHED AND s.k % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = '{count}-' || s.k \
             WHEN NOT MATCHED THEN INSERT VALUES (s.k, '{count}-' || s.k)"
        )
    }

    /// A file of rows that the table does not have.
    fn copy(&mut self, table: &str) -> String {
        let count = self.random.usize(1..self.many as usize + 1);
        let keys = self.free_keys(table, count);
        let number = self.count;
        let mut lines = String::new();
        let rows = self.rows(table);
        for key in keys {
            let value = format!("{number}-{key}-{}", "y".repeat(60));
            writeln!(lines, "{key},{value}").unwrap();
            rows.insert(key, value);
        }
        let file = self.directory.join(format!("{number}.csv"));
        fs::write(&file, lines).unwrap();
        format!("COPY {table} FROM '{}'", file.display())
    }
}

/// Keys as rows of VALUES.
fn listed(keys: &BTreeSet<i64>) -> String {
    let keys: Vec<_> = keys.iter().map(|key| format!("({key})")).collect();
    keys.join(", ")
}

/// A key beyond all that there are, and all that are chosen at random.
fn beyond(rows: &Rows) -> i64 {
    rows.last_key_value()
        .map_or(KEYS, |(key, _)| (key + 1).max(KEYS))
}
