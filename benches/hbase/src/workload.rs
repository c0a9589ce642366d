//! What is measured: a table of works, with what Halite is to reach in each.

use crate::answer::Answer;
use crate::data::{self, KINDS, Rows, Size};
use crate::goal::Goal;

/// Rows of a range, in all salts together.
pub const RANGE: usize = 1_249;
/// Keys of a list.
pub const KEYS: usize = 1_000;
/// Rows of what has a LIMIT.
pub const LIMIT: usize = 10;

/// Who is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    Halite,
    Raw,
    Phoenix,
}

impl Name {
    pub const fn shown(self) -> &'static str {
        match self {
            Self::Halite => "Halite",
            Self::Raw => "raw Java",
            Self::Phoenix => "Phoenix",
        }
    }
}

/// What a work asks for: by it raw Java has its own way, and answers are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Point,
    Range,
    Newest,
    Sum,
    Keys,
    /// Two beginnings of keys.
    Beginnings,
    /// All keys behind one.
    Behind,
    /// Many rows into a new table.
    Load,
    /// A row into a table.
    Insert,
}

/// A work.
#[derive(Debug, Clone)]
pub struct Workload {
    pub name: &'static str,
    pub kind: Kind,
    /// With `?` for values; how each is typed says [`Workload::types`].
    pub sql: String,
    /// The types of the values, again and again: `s` for SMALLINT, `l` for BIGINT.
    pub types: &'static str,
    /// The types of the columns of its rows: `l` for numbers, `t` for texts.
    pub columns: &'static str,
    /// Sets of values; calls take them in turn.
    pub calls: usize,
    pub goals: Vec<Goal>,
}

const ALL: &str = "lllllllt";

/// Every work, in the order in which it is told.
pub fn all() -> Vec<Workload> {
    let mut all = reads();
    all.extend(ors());
    all.extend(writes());
    all
}

fn read(name: &'static str, kind: Kind, condition: &str, types: &'static str) -> Workload {
    Workload {
        name,
        kind,
        sql: format!("SELECT * FROM event {condition}"),
        types,
        columns: ALL,
        calls: 256,
        goals: Vec::new(),
    }
}

fn reads() -> Vec<Workload> {
    let places = vec!["(?, ?, ?)"; KEYS].join(", ");
    vec![
        Workload {
            calls: 2_000,
            goals: vec![Goal::Time(Name::Raw, 1.25), Goal::Time(Name::Phoenix, 0.4)],
            ..read(
                "point, prepared",
                Kind::Point,
                "WHERE ev = ? AND ts = ? AND offs = ?",
                "sll",
            )
        },
        Workload {
            goals: vec![Goal::Time(Name::Raw, 1.1), Goal::Time(Name::Phoenix, 0.7)],
            ..read(
                "1,249 rows over 16 salts",
                Kind::Range,
                "WHERE ev = ? AND ts >= ? AND ts < ?",
                "sll",
            )
        },
        Workload {
            calls: KINDS,
            goals: vec![Goal::Time(Name::Phoenix, 0.5)],
            ..read(
                "newest 10 over 16 salts",
                Kind::Newest,
                "WHERE ev = ? ORDER BY ts DESC LIMIT 10",
                "s",
            )
        },
        Workload {
            sql: "SELECT count(*), sum(v1) FROM event".to_owned(),
            columns: "ll",
            calls: 1,
            goals: vec![Goal::Rate(Name::Raw, 0.9), Goal::Rate(Name::Phoenix, 0.8)],
            ..read("full scan, sum", Kind::Sum, "", "")
        },
        Workload {
            calls: 8,
            goals: vec![Goal::Time(Name::Raw, 1.2)],
            ..read(
                "IN of 1,000 keys",
                Kind::Keys,
                &format!("WHERE (ev, ts, offs) IN ({places})"),
                "sll",
            )
        },
    ]
}

fn ors() -> Vec<Workload> {
    vec![
        Workload {
            goals: vec![Goal::Seconds(0.02)],
            ..read(
                "`(ev=1 AND ts=2) OR (ev=3 AND ts=4)`",
                Kind::Beginnings,
                "WHERE (ev = ? AND ts = ?) OR (ev = ? AND ts = ?)",
                "slsl",
            )
        },
        Workload {
            goals: vec![Goal::Seconds(0.02)],
            ..read(
                "`ev > 1 OR (ev = 1 AND ts > 2)` LIMIT 10",
                Kind::Behind,
                "WHERE ev > ? OR (ev = ? AND ts > ?) LIMIT 10",
                "ssl",
            )
        },
    ]
}

/// The SQL of a load is that of the check of what was loaded.
fn writes() -> Vec<Workload> {
    vec![
        Workload {
            name: "COPY",
            kind: Kind::Load,
            sql: "SELECT count(*), sum(v1) FROM target".to_owned(),
            types: "",
            columns: "ll",
            calls: 1,
            goals: vec![Goal::Rate(Name::Raw, 0.8), Goal::Rate(Name::Phoenix, 3.0)],
        },
        Workload {
            name: "INSERT of one row",
            kind: Kind::Insert,
            sql: "INSERT INTO single VALUES (?, 1)".to_owned(),
            types: "l",
            columns: "",
            calls: 1,
            goals: vec![Goal::Requests(5)],
        },
    ]
}

impl Workload {
    /// With `$1`, `$2`, … for values.
    pub fn numbered(&self) -> String {
        let mut parts = self.sql.split('?');
        let first = parts.next().unwrap_or_default().to_owned();
        (1..)
            .zip(parts)
            .fold(first, |sql, (place, part)| format!("{sql}${place}{part}"))
    }

    /// With values written out.
    pub fn written_out(&self, values: &[i64]) -> String {
        let mut parts = self.sql.split('?');
        let first = parts.next().unwrap_or_default().to_owned();
        values
            .iter()
            .zip(parts)
            .fold(first, |sql, (value, part)| format!("{sql}{value}{part}"))
    }

    /// The rows that a call of a query for many of them finds; empty where it is not about rows of the generator.
    pub fn rows(&self, size: Size, call: usize) -> Vec<usize> {
        let call = call % self.calls;
        let kind = data::kind(call);
        match self.kind {
            Kind::Point => vec![size.row(call)],
            Kind::Range => {
                let first = first_of_range(size, call);
                (first..first + RANGE)
                    .map(|place| data::row_of(kind, place))
                    .collect()
            }
            Kind::Newest => {
                let places = size.of_kind() - LIMIT..size.of_kind();
                places.map(|place| data::row_of(kind, place)).collect()
            }
            Kind::Keys => (0..KEYS)
                .map(|index| size.row(call * KEYS + index))
                .collect(),
            Kind::Beginnings => vec![size.row(call), size.row(call + 1)],
            Kind::Sum => (0..size.rows).collect(),
            Kind::Behind | Kind::Load | Kind::Insert => Vec::new(),
        }
    }

    /// The values of a call.
    pub fn values(&self, size: Size, call: usize) -> Vec<i64> {
        let call = call % self.calls;
        let kind = data::kind(call);
        match self.kind {
            Kind::Point | Kind::Keys => {
                let rows = self.rows(size, call).into_iter();
                rows.flat_map(|row| data::numbers(size, row)[..3].to_vec())
                    .collect()
            }
            Kind::Range => {
                let first = first_of_range(size, call);
                let stamp = |place| size.stamp(data::row_of(kind, place));
                vec![kind, stamp(first), stamp(first + RANGE)]
            }
            Kind::Newest => vec![kind],
            Kind::Beginnings => {
                let rows = self.rows(size, call).into_iter();
                rows.flat_map(|row| [data::kind(row), size.stamp(row)])
                    .collect()
            }
            Kind::Behind => {
                // The last kind but one: who reads in the order of keys finds nothing for long.
                let kind = KINDS as i64 - 1;
                let place = size.of_kind() / 2 + call;
                vec![kind, kind, size.stamp(data::row_of(kind, place))]
            }
            Kind::Sum | Kind::Load => Vec::new(),
            // Halite counts by itself: no key comes twice.
            Kind::Insert => vec![call as i64],
        }
    }

    /// What a call must give, in the words of SQL.
    pub fn answer(&self, size: Size, call: usize) -> Answer {
        match self.kind {
            Kind::Sum => Answer::of([data::sums(0..size.rows)]),
            Kind::Load => Answer::of([data::sums(0..size.part())]),
            // Any ten rows will do.
            Kind::Behind => Answer::of_count(LIMIT as u64),
            Kind::Insert => Answer::of_count(1),
            _ => {
                let rows = self.rows(size, call).into_iter();
                Answer::of(rows.map(|row| data::line(size, row)))
            }
        }
    }

    /// What it must give whom knows keys alone.
    pub fn answer_of_keys(&self, rows: &Rows, call: usize) -> Answer {
        match self.kind {
            Kind::Load => Answer::of((0..rows.size.part()).map(|row| rows.key(row))),
            Kind::Behind | Kind::Insert => self.answer(rows.size, call),
            _ => {
                let found = self.rows(rows.size, call).into_iter();
                Answer::of(found.map(|row| rows.key(row)))
            }
        }
    }
}

/// The place, among the rows of its kind, where the range of a call begins.
fn first_of_range(size: Size, call: usize) -> usize {
    size.row(call) % (size.of_kind() - RANGE + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_find_the_rows_that_are_expected() -> anyhow::Result<()> {
        let size = Size::new(50_000)?;
        let matches = |row: usize, work: &Workload, values: &[i64]| {
            let [kind, stamp, offset, ..] = data::numbers(size, row);
            match work.kind {
                Kind::Range => kind == values[0] && (values[1]..values[2]).contains(&stamp),
                Kind::Beginnings => {
                    let mut pairs = values.chunks(2);
                    pairs.any(|pair| pair == [kind, stamp])
                }
                Kind::Keys | Kind::Point => {
                    let mut keys = values.chunks(3);
                    keys.any(|key| key == [kind, stamp, offset])
                }
                _ => false,
            }
        };
        for work in all() {
            for call in [0, 255] {
                let values = work.values(size, call);
                assert_eq!(work.sql.matches('?').count(), values.len(), "{}", work.name);
                let mut found: Vec<usize> = (0..size.rows)
                    .filter(|row| matches(*row, &work, &values))
                    .collect();
                if found.is_empty() {
                    continue;
                }
                let mut expected = work.rows(size, call);
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{}", work.name);
            }
        }
        Ok(())
    }

    #[test]
    fn values_take_their_places() {
        let ors = ors();
        let found = ors[0].written_out(&[1, 2, 3, 4]);
        let condition = "(ev = 1 AND ts = 2) OR (ev = 3 AND ts = 4)";
        assert_eq!(found, format!("SELECT * FROM event WHERE {condition}"));
        let numbered = ors[1].numbered();
        assert!(numbered.ends_with("WHERE ev > $1 OR (ev = $2 AND ts > $3) LIMIT 10"));
    }
}
