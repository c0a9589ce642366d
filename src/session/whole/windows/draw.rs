//! Tables and windows, drawn.

use super::Row;
use crate::plan::law::random::Random;

/// What rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Unsigned,
    Date,
    Text,
    Bytes,
    Time,
    Boolean,
}

impl Kind {
    fn sql_type(self) -> &'static str {
        match self {
            Self::Integer => "INT",
            Self::Unsigned => "INT UNSIGNED",
            Self::Date => "DATE",
            Self::Text => "TEXT",
            Self::Bytes => "BYTEA",
            Self::Time => "TIME",
            Self::Boolean => "BOOLEAN",
        }
    }

    /// A key as a constant of the type; in the order of the numbers.
    fn constant(self, key: i64) -> String {
        match self {
            Self::Integer | Self::Unsigned => key.to_string(),
            Self::Date => format!("DATE '2024-02-27' + {key}"),
            Self::Text => format!("'{}'", "a".repeat(key as usize)),
            Self::Bytes => format!("'\\x{key:02x}'"),
            Self::Time => format!("'10:00:{key:02}'"),
            Self::Boolean => (key > 2).to_string(),
        }
    }

    fn key(self, random: &mut Random) -> i64 {
        match self {
            Self::Integer => match random.between(0, 19) {
                0 => i32::MIN.into(),
                1 => i32::MAX.into(),
                _ => random.integer(-4, 4),
            },
            // One of two that are told apart.
            Self::Boolean => [0, 5][random.between(0, 1)],
            _ => random.integer(0, 6),
        }
    }

    fn takes_offsets(self) -> bool {
        matches!(self, Self::Integer | Self::Unsigned | Self::Date)
    }
}

/// A table.
pub(super) struct Drawn {
    pub(super) kind: Kind,
    pub(super) rows: Vec<Row>,
    key: &'static str,
}

impl Drawn {
    pub(super) fn draw(random: &mut Random) -> Self {
        let kinds = [
            (40, Kind::Integer),
            (15, Kind::Unsigned),
            (15, Kind::Date),
            (8, Kind::Text),
            (8, Kind::Bytes),
            (7, Kind::Time),
            (7, Kind::Boolean),
        ];
        let kind = random.weighted(&kinds);
        let count = random.between(0, 30);
        let nulls = random.between(0, 70) as u32;
        let rows = (0..count).map(|id| Row {
            id: id as i64,
            part: (!random.percent(10)).then(|| random.integer(0, 2)),
            key: (!random.percent(15)).then(|| kind.key(random)),
            value: (!random.percent(nulls)).then(|| random.integer(-9, 99)),
        });
        let rows = rows.collect();
        let keys = ["id", "id DESC", "salt(3), id", "id % 2, id"];
        let key = *random.pick(&keys);
        Self { kind, rows, key }
    }

    pub(super) fn script(&self) -> Vec<String> {
        let create = format!(
            "CREATE TABLE t (id INT, part INT, k {}, v INT, PRIMARY KEY ({}))",
            self.kind.sql_type(),
            self.key
        );
        let rows = self.rows.iter().map(|row| {
            let number = |value: Option<i64>| value.map_or("NULL".to_owned(), |it| it.to_string());
            let key = row.key.map(|key| self.kind.constant(key));
            format!(
                "({}, {}, {}, {})",
                row.id,
                number(row.part),
                key.unwrap_or_else(|| "NULL".to_owned()),
                number(row.value)
            )
        });
        let rows: Vec<String> = rows.collect();
        let mut script = vec![create];
        if !rows.is_empty() {
            script.push(format!("INSERT INTO t VALUES {}", rows.join(", ")));
        }
        script
    }
}

/// A function over a window.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) function: Function,
    pub(super) ignores_nulls: bool,
    pub(super) partitioned: bool,
    pub(super) order: Option<Order>,
    pub(super) frame: Option<Frame>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Count,
    Sum,
    Min,
    Max,
    First,
    Last,
    Nth(i64),
    Lag(i64, Option<i64>),
    Lead(i64, Option<i64>),
    RowNumber,
    Rank,
    DenseRank,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) descending: bool,
    pub(super) nulls_first: bool,
    /// Sorted by `id`, too, so that no two rows are equal.
    pub(super) total: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) unit: Unit,
    pub(super) start: Bound,
    pub(super) end: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Rows,
    Range,
    Groups,
}

/// In the order in which a start may not be behind an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    First,
    Before(u64),
    Current,
    After(u64),
    Last,
}

impl Bound {
    fn rank(self) -> u8 {
        match self {
            Self::First => 0,
            Self::Before(_) => 1,
            Self::Current => 2,
            Self::After(_) => 3,
            Self::Last => 4,
        }
    }

    fn draw(offsets: &[u64], random: &mut Random) -> Self {
        match random.between(0, 9) {
            0..2 => Self::First,
            2..4 if !offsets.is_empty() => Self::Before(*random.pick(offsets)),
            4..6 => Self::Current,
            6..8 if !offsets.is_empty() => Self::After(*random.pick(offsets)),
            _ => Self::Last,
        }
    }

    fn sql(self, unit: Unit, kind: Kind) -> String {
        let offset = |offset: u64| match (unit, kind) {
            (Unit::Range, Kind::Date) => format!("INTERVAL '{offset} days'"),
            _ => offset.to_string(),
        };
        match self {
            Self::First => "UNBOUNDED PRECEDING".to_owned(),
            Self::Before(rows) => format!("{} PRECEDING", offset(rows)),
            Self::Current => "CURRENT ROW".to_owned(),
            Self::After(rows) => format!("{} FOLLOWING", offset(rows)),
            Self::Last => "UNBOUNDED FOLLOWING".to_owned(),
        }
    }
}

impl Frame {
    fn draw(kind: Kind, order: Option<Order>, random: &mut Random) -> Self {
        let units: &[Unit] = match order {
            None => &[Unit::Rows],
            Some(_) => &[Unit::Rows, Unit::Range, Unit::Groups],
        };
        let unit = *random.pick(units);
        let is_single = order.is_some_and(|order| !order.total);
        let offsets: &[u64] = match unit {
            Unit::Range if kind.takes_offsets() && is_single => &[0, 1, 2, 3, 7, 1_000],
            Unit::Range => &[],
            _ => &[0, 1, 2, 3, 7, 1_000, 1 << 62, u64::MAX],
        };
        loop {
            let [start, end] = [(); 2].map(|()| Bound::draw(offsets, random));
            // What begins behind its end is refused.
            let is_turned = match (start, end) {
                (Bound::Before(start), Bound::Before(end)) => start < end,
                (Bound::After(start), Bound::After(end)) => start > end,
                _ => start.rank() > end.rank(),
            };
            if start != Bound::Last && end != Bound::First && !is_turned {
                return Self { unit, start, end };
            }
        }
    }
}

impl Call {
    pub(super) fn draw(kind: Kind, random: &mut Random) -> Self {
        let function = Function::draw(random);
        let order = (function.is_of_places() || random.percent(80)).then(|| Order {
            descending: random.percent(40),
            nulls_first: random.percent(50),
            total: function.tells_rows_apart() || random.percent(30),
        });
        let mut call = Self {
            function,
            ignores_nulls: function.may_ignore_nulls() && random.percent(60),
            partitioned: random.percent(60),
            order,
            frame: None,
        };
        if function.takes_frame() && random.percent(80) {
            let mut frame = Frame::draw(kind, order, random);
            let is_total = call.order.is_some_and(|order| order.total);
            // Which of equal rows is in it would not be known.
            if frame.unit == Unit::Rows && !is_total {
                frame.start = Bound::First;
                frame.end = Bound::Last;
            }
            call.frame = Some(frame);
        }
        call
    }

    pub(super) fn sql(&self, kind: Kind) -> String {
        let mut clauses = Vec::new();
        if self.partitioned {
            clauses.push("PARTITION BY part".to_owned());
        }
        if let Some(order) = self.order {
            let direction = if order.descending { " DESC" } else { "" };
            let nulls = if order.nulls_first { "FIRST" } else { "LAST" };
            let id = if order.total { ", id" } else { "" };
            clauses.push(format!("ORDER BY k{direction} NULLS {nulls}{id}"));
        }
        if let Some(Frame { unit, start, end }) = self.frame {
            let name = match unit {
                Unit::Rows => "ROWS",
                Unit::Range => "RANGE",
                Unit::Groups => "GROUPS",
            };
            let (start, end) = (start.sql(unit, kind), end.sql(unit, kind));
            clauses.push(format!("{name} BETWEEN {start} AND {end}"));
        }
        let ignoring = if self.ignores_nulls {
            " IGNORE NULLS"
        } else {
            ""
        };
        format!(
            "{}{ignoring} OVER ({})",
            self.function.sql(),
            clauses.join(" ")
        )
    }
}

impl Function {
    fn draw(random: &mut Random) -> Self {
        let far = |random: &mut Random| {
            random.weighted(&[(30, 1), (30, 2), (20, 3), (5, 0), (10, -2), (5, 1_000)])
        };
        let default = |random: &mut Random| random.percent(30).then_some(-77);
        match random.between(0, 19) {
            0 => Self::Count,
            1..3 => Self::Sum,
            3 => Self::Min,
            4 => Self::Max,
            5..7 => Self::First,
            7..9 => Self::Last,
            9..11 => Self::Nth(random.integer(1, 4)),
            11..14 => Self::Lag(far(random), default(random)),
            14..17 => Self::Lead(far(random), default(random)),
            17 => Self::RowNumber,
            18 => Self::Rank,
            _ => Self::DenseRank,
        }
    }

    fn sql(self) -> String {
        let shift = |name: &str, far: i64, default: Option<i64>| match default {
            Some(default) => format!("{name}(v, {far}, {default})"),
            None => format!("{name}(v, {far})"),
        };
        match self {
            Self::Count => "count(v)".to_owned(),
            Self::Sum => "sum(v)".to_owned(),
            Self::Min => "min(v)".to_owned(),
            Self::Max => "max(v)".to_owned(),
            Self::First => "first_value(v)".to_owned(),
            Self::Last => "last_value(v)".to_owned(),
            Self::Nth(n) => format!("nth_value(v, {n})"),
            Self::Lag(far, default) => shift("lag", far, default),
            Self::Lead(far, default) => shift("lead", far, default),
            Self::RowNumber => "row_number()".to_owned(),
            Self::Rank => "rank()".to_owned(),
            Self::DenseRank => "dense_rank()".to_owned(),
        }
    }

    fn is_aggregate(self) -> bool {
        matches!(self, Self::Count | Self::Sum | Self::Min | Self::Max)
    }

    fn takes_frame(self) -> bool {
        self.is_aggregate() || matches!(self, Self::First | Self::Last | Self::Nth(_))
    }

    fn tells_rows_apart(self) -> bool {
        !self.is_aggregate() && !matches!(self, Self::Rank | Self::DenseRank)
    }

    /// Whether it goes by the place of a row, and there is none without an order.
    fn is_of_places(self) -> bool {
        !self.is_aggregate()
    }

    fn may_ignore_nulls(self) -> bool {
        matches!(
            self,
            Self::First | Self::Last | Self::Nth(_) | Self::Lag(..) | Self::Lead(..)
        )
    }
}
