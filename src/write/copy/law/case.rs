//! A case: a file of random rows, what its columns must be, and what must be answered.

use std::fmt::Write as _;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::cells::{Cell, KINDS, Kind, Type};
use super::file::{Style, written};
use crate::plan::law::random::Random;
use crate::session::{Connection, Database};

pub(super) struct Case {
    style: Style,
    /// The rows, of which the first column numbers them.
    rows: Vec<Vec<Cell>>,
    /// How many of them are looked at for their types.
    looked_at: usize,
    types: Vec<Type>,
    /// A name that only an object behind them has.
    late_name: Option<usize>,
    text: String,
    lines: Vec<usize>,
}

/// What a case came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Every answer is that of the table.
    Same(Vec<&'static str>),
    /// An error named the file and the line of the first value that does not fit.
    Refused,
}

impl Case {
    pub(super) fn drawn(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let (count, columns) = (random.between(0, 14), random.between(1, 4));
        let style = Style::drawn(&mut random, count);
        let looked_at = random.between(1, 12);
        let kinds: Vec<(Kind, Kind)> = (0..columns)
            .map(|_| {
                let kind = *random.pick(&KINDS);
                let late = if random.percent(40) {
                    *random.pick(&KINDS)
                } else {
                    kind
                };
                (kind, late)
            })
            .collect();
        let rows: Vec<Vec<Cell>> = (0..count)
            .map(|number| {
                let mut row = vec![Cell::Bare(number.to_string())];
                row.extend(kinds.iter().map(|(kind, late)| {
                    let kind = if number < looked_at { kind } else { late };
                    kind.draw(&mut random, style.is_json)
                }));
                row
            })
            .collect();
        let is_late = style.is_json && count > looked_at && random.percent(10);
        let mut case = Self {
            late_name: is_late.then(|| random.between(looked_at, count - 1)),
            types: Vec::new(),
            text: String::new(),
            lines: Vec::new(),
            style,
            rows,
            looked_at,
        };
        case.types = (0..=columns).map(|column| case.type_of(column)).collect();
        let names = case.names();
        (case.text, case.lines) = written(&case.style, &names, &case.rows, &mut random);
        if let Some(row) = case.late_name {
            case.name_late(row);
        }
        case
    }

    fn type_of(&self, column: usize) -> Type {
        // Without a header the first line is looked at besides.
        let besides = usize::from(!self.style.is_json && !self.style.has_header);
        let cells = self.rows.iter().take(self.looked_at + besides);
        let cells = cells.filter_map(|row| row.get(column));
        if self.style.is_json {
            Type::of_json(cells)
        } else {
            Type::of_csv(cells)
        }
    }

    /// Whether the first row has a value that none of the others' type has: then it is taken for a header.
    fn begins_as_header(&self) -> bool {
        let columns = 0..self.types.len();
        let of = |column: usize, from: usize| {
            let rows = self.rows.iter().skip(from).take(self.looked_at + 1 - from);
            Type::of_csv(rows.filter_map(move |row| row.get(column)))
        };
        let mut columns = columns.map(|column| (of(column, 1), of(column, 0)));
        columns.any(|(others, all)| others != Type::Text && all == Type::Text)
    }

    fn names(&self) -> Vec<String> {
        let columns = 1..self.types.len();
        let others = columns.map(|column| {
            if self.style.is_json || self.style.has_header {
                format!("c{column}")
            } else {
                format!("column{}", column + 1)
            }
        });
        let first = if self.style.is_json || self.style.has_header {
            "n"
        } else {
            "column1"
        };
        std::iter::once(first.to_owned()).chain(others).collect()
    }

    /// Puts another name into the object of a row.
    fn name_late(&mut self, row: usize) {
        let begin = format!("\"n\":{}{row}", if self.style.is_spread { " " } else { "" });
        let place = self
            .text
            .find(&(begin.clone() + ","))
            .or_else(|| self.text.find(&(begin.clone() + "}")));
        match place {
            Some(place) => self.text.insert_str(place, "\"late\":1,"),
            None => self.late_name = None,
        }
    }

    /// The first row that cannot be read as the rows that were looked at.
    fn first_wrong(&self) -> Option<usize> {
        let fits = |row: &Vec<Cell>| {
            let mut pairs = row.iter().zip(&self.types);
            pairs.all(|(cell, of)| of.takes(cell, self.style.is_json))
        };
        let late = self.rows.iter().position(|row| !fits(row));
        [late, self.late_name, self.style.broken]
            .into_iter()
            .flatten()
            .min()
    }

    pub(super) async fn run(&self, directory: &Path) -> Result<Verdict, String> {
        let path = directory.join(format!("rows.{}", self.style.extension()));
        std::fs::write(&path, &self.text).unwrap();
        let connection = Database::in_memory().unwrap().connect();
        let ran = self.compare(&connection, &path).await;
        ran.map_err(|problem| {
            format!(
                "{problem}\n{:?}\n{:?}\n{}",
                self.style, self.types, self.text
            )
        })
    }

    async fn compare(&self, connection: &Connection, path: &Path) -> Result<Verdict, String> {
        let file = self.call(path);
        let (names, count) = (self.names(), self.rows.len());
        if !self.style.is_json && !self.style.has_header && self.begins_as_header() {
            return Ok(Verdict::Same(Vec::new()));
        }
        // Nothing says what is in a file without rows.
        if count == 0 && (self.style.is_json || !self.style.has_header) {
            return Ok(Verdict::Same(Vec::new()));
        }
        let all = format!("SELECT {} FROM {file} ORDER BY 1", names.join(", "));
        let answered = rows_of(connection, &all).await;
        if let Some(wrong) = self.first_wrong() {
            let place = format!("{} line {}", path.display(), self.lines[wrong]);
            return match answered {
                Err(error) if error.contains(&place) && error.matches("rows.").count() == 1 => {
                    Ok(Verdict::Refused)
                }
                other => Err(format!("row {wrong} is wrong, at {place}: {other:?}")),
            };
        }
        self.check_values(&answered?)?;
        self.make_table(connection).await?;
        for question in self.questions() {
            let of_file = rows_of(connection, &question.replace("{}", &file)).await;
            let of_table = rows_of(connection, &question.replace("{}", "t")).await;
            if of_file != of_table {
                return Err(format!(
                    "{question}: {of_file:?}, and of the table {of_table:?}"
                ));
            }
        }
        Ok(Verdict::Same(
            self.types.iter().map(|of| of.sql()).collect(),
        ))
    }

    fn call(&self, path: &Path) -> String {
        let (path, looked_at) = (path.display(), self.looked_at);
        if self.style.is_json {
            format!("read_json('{path}', sample_size => {looked_at})")
        } else {
            let delimiter = match self.style.delimiter {
                '\t' => "\\t".to_owned(),
                other => other.to_string(),
            };
            format!("read_csv('{path}', sample_size => {looked_at}, delim => '{delimiter}')")
        }
    }

    /// Each value says what its text does.
    fn check_values(&self, found: &[Vec<Option<String>>]) -> Result<(), String> {
        if found.len() != self.rows.len() {
            return Err(format!("{} rows of {}", found.len(), self.rows.len()));
        }
        for (row, shown) in self.rows.iter().zip(found) {
            for ((cell, shown), of) in row.iter().zip(shown).zip(&self.types) {
                let is_same = match (cell.text(), shown) {
                    (None, None) => true,
                    (Some(""), None) => *of != Type::Text,
                    (Some(text), Some(shown)) => of.is_shown(text, shown),
                    _ => false,
                };
                if !is_same {
                    return Err(format!("{cell:?} is read as {shown:?}, of {of:?}"));
                }
            }
        }
        Ok(())
    }

    async fn make_table(&self, connection: &Connection) -> Result<(), String> {
        let names = self.names();
        let columns = names.iter().zip(&self.types);
        let columns: Vec<String> = columns
            .map(|(name, of)| format!("{name} {}", of.sql()))
            .collect();
        let create = format!(
            "CREATE TABLE t ({}, PRIMARY KEY ({}))",
            columns.join(", "),
            names[0]
        );
        let failed = |error: crate::error::Error| error.to_string();
        connection.execute(&create, ()).await.map_err(failed)?;
        if self.rows.is_empty() {
            return Ok(());
        }
        let rows = self.rows.iter().map(|row| {
            let values = row
                .iter()
                .zip(&self.types)
                .map(|(cell, of)| literal(cell, *of));
            format!("({})", values.collect::<Vec<_>>().join(", "))
        });
        let insert = format!(
            "INSERT INTO t VALUES {}",
            rows.collect::<Vec<_>>().join(", ")
        );
        connection.execute(&insert, ()).await.map_err(failed)?;
        Ok(())
    }

    fn questions(&self) -> Vec<String> {
        let names = self.names();
        let n = &names[0];
        let mut questions = vec![
            format!("SELECT {} FROM {{}} ORDER BY 1", names.join(", ")),
            "SELECT count(*) FROM {}".to_owned(),
        ];
        for (column, (name, of)) in names.iter().zip(&self.types).enumerate().skip(1) {
            questions.push(format!(
                "SELECT count({name}), count(DISTINCT {name}) FROM {{}}"
            ));
            questions.push(format!(
                "SELECT {name}, count(*) FROM {{}} GROUP BY 1 ORDER BY 1"
            ));
            questions.push(format!(
                "SELECT {n} FROM {{}} ORDER BY {name} DESC, 1 LIMIT 3"
            ));
            questions.push(format!("SELECT sum({n}) FROM {{}} WHERE {name} IS NULL"));
            if *of != Type::Boolean {
                questions.push(format!("SELECT min({name}), max({name}) FROM {{}}"));
            }
            let cells = self.rows.iter().map(|row| &row[column]);
            for cell in cells.filter(|cell| **cell != Cell::Null).take(2) {
                let literal = literal(cell, *of);
                for operator in ["=", "<>", ">="] {
                    questions.push(format!(
                        "SELECT {n} FROM {{}} WHERE {name} {operator} {literal} ORDER BY 1"
                    ));
                }
            }
        }
        questions
    }
}

fn literal(cell: &Cell, of: Type) -> String {
    match cell.text() {
        None => "NULL".to_owned(),
        Some("") if of != Type::Text => "NULL".to_owned(),
        Some(text) => format!("'{}'::{}", text.replace('\'', "''"), of.sql()),
    }
}

/// The rows of a query as texts.
async fn rows_of(connection: &Connection, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
    let batches = connection
        .query(sql, ())
        .await
        .map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for batch in &batches {
        add_rows(batch, &mut rows);
    }
    Ok(rows)
}

fn add_rows(batch: &RecordBatch, rows: &mut Vec<Vec<Option<String>>>) {
    let options = FormatOptions::default();
    let columns = batch.columns().iter();
    let columns: Vec<_> = columns
        .map(|array| (array, ArrayFormatter::try_new(array, &options).unwrap()))
        .collect();
    for row in 0..batch.num_rows() {
        let values = columns.iter().map(|(array, shown)| {
            let mut text = String::new();
            write!(text, "{}", shown.value(row)).unwrap();
            array.is_valid(row).then_some(text)
        });
        rows.push(values.collect());
    }
}
