//! Random conditions over a table's rows.

use super::cases::Variant;
use super::condition::{Column, Comparison, Condition, Constant, Function, Spelling, Term, Truth};
use super::constants::{constant, spelt};
use super::oracle::Oracle;
use super::random::Random;
use crate::datum::{Datum, SqlType};

/// What conditions are made from.
pub(crate) struct Generator<'a> {
    pub columns: &'a [Column],
    pub rows: &'a [Vec<Option<Datum>>],
    pub oracle: &'a Oracle,
    /// Columns that the key is computed from: most leaves restrict these.
    pub key_columns: Vec<usize>,
    /// The functions that are parts of the key.
    pub key_terms: Vec<Term>,
    /// Conditions restrict the key's columns alone, and only by what must become ranges.
    pub plain: bool,
    pub variant: Variant,
    /// Conditions are made so that many of their leaves are true for this row.
    pub target: usize,
}

/// A leaf over one term, before its constants are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Compare(Comparison),
    Between { negated: bool },
    InList { negated: bool },
    IsNull { negated: bool },
}

pub(super) const SHAPES: [Shape; 14] = [
    Shape::Compare(Comparison::Equal),
    Shape::Compare(Comparison::NotEqual),
    Shape::Compare(Comparison::Less),
    Shape::Compare(Comparison::LessOrEqual),
    Shape::Compare(Comparison::Greater),
    Shape::Compare(Comparison::GreaterOrEqual),
    Shape::Compare(Comparison::Distinct),
    Shape::Compare(Comparison::NotDistinct),
    Shape::Between { negated: false },
    Shape::Between { negated: true },
    Shape::InList { negated: false },
    Shape::InList { negated: true },
    Shape::IsNull { negated: false },
    Shape::IsNull { negated: true },
];

/// Shapes that leave several intervals.
const SEVERAL: [(u32, Shape); 4] = [
    (15, Shape::Compare(Comparison::NotEqual)),
    (10, Shape::Between { negated: true }),
    (65, Shape::InList { negated: false }),
    (10, Shape::InList { negated: true }),
];

/// The depth of AND, OR and NOT.
const DEPTH: usize = 5;

impl Generator<'_> {
    /// A condition of one to eight leaves, half of the time three or more.
    pub fn condition(&self, random: &mut Random) -> Condition {
        let leaves = match random.between(0, 99) {
            0..18 => 1,
            18..38 => 2,
            38..60 => 3,
            60..78 => 4,
            _ => random.between(5, 8),
        };
        let condition = self.tree(leaves, DEPTH, random);
        match self.key_columns.first() {
            // Ranges are many where the first part of the key has several values.
            Some(leading) if random.percent(50) => {
                let several =
                    self.shaped_leaf(Term::column(*leading), random.weighted(&SEVERAL), random);
                Condition::And(vec![several, condition])
            }
            _ => condition,
        }
    }

    pub fn tree(&self, leaves: usize, depth: usize, random: &mut Random) -> Condition {
        if leaves <= 1 || depth == 0 {
            return self.decorated_leaf(random);
        }
        let branches = random.between(2, leaves.min(4));
        let mut sizes = vec![1; branches];
        for _ in branches..leaves {
            let branch = random.between(0, branches - 1);
            sizes[branch] += 1;
        }
        let terms = sizes
            .into_iter()
            .map(|size| self.tree(size, depth - 1, random))
            .collect();
        let joined = if random.percent(45) {
            Condition::And(terms)
        } else {
            Condition::Or(terms)
        };
        self.decorate(joined, 8, random)
    }

    fn decorated_leaf(&self, random: &mut Random) -> Condition {
        let leaf = self.leaf(random);
        self.decorate(leaf, 6, random)
    }

    pub(super) fn decorate(
        &self,
        condition: Condition,
        percent: u32,
        random: &mut Random,
    ) -> Condition {
        if random.percent(percent) {
            return Condition::Not(Box::new(condition));
        }
        if random.percent(3) {
            return Condition::Test {
                condition: Box::new(condition),
                truth: *random.pick(&[Truth::True, Truth::False, Truth::Unknown]),
                negated: random.percent(50),
            };
        }
        condition
    }

    pub(super) fn leaf(&self, random: &mut Random) -> Condition {
        let several = if self.plain {
            self.key_columns.len() > 1
        } else {
            self.columns.len() > 1
        };
        match random.between(0, 99) {
            0..13 if several => self.tuple(random),
            13..19 if several => self.tuple_in(random),
            19..21 => Condition::Constant(*random.pick(&[Some(true), Some(false), None])),
            21..24 if !self.plain => self
                .comparable_columns(random)
                .unwrap_or_else(|| self.column_leaf(random)),
            24..34 if !self.key_terms.is_empty() => {
                let term = random.pick(&self.key_terms).clone();
                self.term_leaf(term, random)
            }
            _ => self.column_leaf(random),
        }
    }

    pub(super) fn column(&self, random: &mut Random) -> usize {
        if let Some(leading) = self.key_columns.first()
            && random.percent(35)
        {
            *leading
        } else if !self.key_columns.is_empty() && (self.plain || random.percent(90)) {
            *random.pick(&self.key_columns)
        } else {
            random.between(0, self.columns.len() - 1)
        }
    }

    /// A leaf that names one column, by every way that its type has.
    fn column_leaf(&self, random: &mut Random) -> Condition {
        let column = self.column(random);
        let sql_type = &self.columns[column].sql_type;
        match sql_type {
            SqlType::Boolean if random.percent(if self.plain { 65 } else { 35 }) => {
                boolean_leaf(column, random)
            }
            text if text.is_text() && random.percent(45) => self.text_leaf(column, random),
            _ => {
                let functions = self.functions(column, random);
                // Texts have more functions than others, and leaves of their own; of stamps many functions raise errors.
                let percent = match sql_type {
                    SqlType::Timestamp { .. } => 20,
                    _ if sql_type.is_text() => 40,
                    _ => 28,
                };
                let term = if !functions.is_empty() && random.percent(percent) {
                    Term::of(random.pick(&functions).clone(), column)
                } else {
                    Term::column(column)
                };
                self.term_leaf(term, random)
            }
        }
    }

    /// The functions that a column of this type can be wrapped in.
    fn functions(&self, column: usize, random: &mut Random) -> Vec<Function> {
        let own = match &self.columns[column].sql_type {
            SqlType::UnsignedBigInt => Vec::new(),
            one if one.is_integer() => vec![
                Function::Remainder(*random.pick(&[2, 4, 16, 10_000])),
                Function::Remainder(*random.pick(&[2, 4, 16, 10_000])),
                Function::Quotient(*random.pick(&[2, 4, 100])),
                Function::Quotient(*random.pick(&[2, 4, 100])),
                Function::ReverseDigits,
                Function::Plus(1),
            ],
            text if text.is_text() => vec![
                Function::Left(random.integer(1, 3)),
                Function::Prefix(random.integer(1, 3)),
                Function::Reverse,
                Function::Md5,
                Function::Length,
            ],
            SqlType::Timestamp { .. } => vec![
                Function::DateTrunc(random.pick::<&str>(&TRUNCATIONS)),
                Function::DateTrunc(random.pick::<&str>(&TRUNCATIONS)),
                Function::DateBin(*random.pick(&BINS)),
                Function::Date,
                Function::Year,
            ],
            SqlType::Bytea => vec![Function::Md5],
            SqlType::Date => vec![Function::Year],
            _ => Vec::new(),
        };
        let everywhere = [
            Function::Hash,
            Function::Bucket(*random.pick(&[4, 16, 300])),
        ];
        let mut all: Vec<Function> = own.into_iter().chain(everywhere).collect();
        all.retain(|function| !self.plain || function.becomes_ranges());
        all
    }

    /// A leaf over a term, of any shape.
    fn term_leaf(&self, term: Term, random: &mut Random) -> Condition {
        self.shaped_leaf(term, *random.pick(&SHAPES), random)
    }

    /// A comparison of a term with constants that its values on the rows suggest.
    pub(super) fn shaped_leaf(&self, term: Term, shape: Shape, random: &mut Random) -> Condition {
        let sql_type = term.sql_type(self.columns);
        let values = self.values(&term);
        let known: Vec<Datum> = values.iter().flatten().flatten().cloned().collect();
        let target = values.get(self.target).cloned().flatten().flatten();
        let aimed = |random: &mut Random| match &target {
            Some(value) if random.percent(55) => spelt(value, &sql_type, random),
            _ => constant(&sql_type, &known, random),
        };
        match shape {
            Shape::Compare(comparison) => Condition::Compare {
                constant: self.fitting(aimed(random), &sql_type, true, random),
                term,
                comparison,
                constant_first: random.percent(10),
            },
            Shape::Between { negated } => {
                let (low, high) = (aimed(random), aimed(random));
                let mut fitting = |bound| self.fitting(bound, &sql_type, false, random);
                let (low, high) = (fitting(low), fitting(high));
                Condition::Between {
                    term,
                    low,
                    high,
                    negated,
                }
            }
            Shape::InList { negated } => {
                let length = if random.percent(8) {
                    12
                } else {
                    random.between(1, 5)
                };
                Condition::InList {
                    term,
                    list: (0..length)
                        .map(|_| self.fitting(aimed(random), &sql_type, false, random))
                        .collect(),
                    negated,
                }
            }
            Shape::IsNull { negated } => Condition::IsNull { term, negated },
        }
    }

    /// A constant such that what the case stands for has one meaning.
    ///
    /// Halite's sessions compare each constant by value. Without their rules DataFusion brings a whole list, and a
    /// DOUBLE beside a DECIMAL, to one type that rounds; and what is not coerced yet does not round as DOUBLE will.
    fn fitting(
        &self,
        constant: Constant,
        sql_type: &SqlType,
        alone: bool,
        random: &mut Random,
    ) -> Constant {
        match (constant, self.variant) {
            (Constant::Decimal { unscaled, scale }, Variant::Session)
                if matches!(sql_type, SqlType::Decimal { .. }) && random.percent(8) =>
            {
                whole_double(unscaled, scale).unwrap_or(Constant::Decimal { unscaled, scale })
            }
            (other, Variant::Session) => other,
            #[expect(clippy::cast_possible_truncation, reason = "out of range it saturates")]
            (Constant::Double(value), variant)
                if sql_type.is_integer()
                    && (!alone || (variant == Variant::Planned && value.abs() >= TWO_53)) =>
            {
                Constant::Integer((value as i64).into())
            }
            (other, _) => other,
        }
    }

    /// The term's value on every row.
    pub(super) fn values(&self, term: &Term) -> Vec<Option<Option<Datum>>> {
        if term.function == Function::Column {
            let column = term.columns[0];
            return self
                .rows
                .iter()
                .map(|row| Some(row[column].clone()))
                .collect();
        }
        self.oracle
            .term_values(term)
            .unwrap_or_else(|error| panic!("the law cannot evaluate {term:?}: {error}"))
    }

    /// Text values of a column on the rows, the target's first.
    pub(super) fn texts(&self, column: usize) -> Vec<&str> {
        let target = self.rows.get(self.target).into_iter();
        let rows = target.chain(self.rows);
        rows.filter_map(|row| row[column].as_ref().and_then(Datum::as_text))
            .collect()
    }

    fn text_leaf(&self, column: usize, random: &mut Random) -> Condition {
        let texts = self.texts(column);
        let text: Vec<char> = match texts.as_slice() {
            [] => "ab".chars().collect(),
            [target, ..] if random.percent(50) => target.chars().collect(),
            texts => random.pick(texts).chars().collect(),
        };
        let length = random.between(0, text.len());
        let prefix: String = text[..length].iter().collect();
        let suffix: String = text[length..].iter().collect();
        let whole: String = text.iter().collect();
        let pattern = match random.between(0, if self.plain { 2 } else { 4 }) {
            0 => return Condition::StartsWith { column, prefix },
            1 => format!("{}%", escaped(&prefix)),
            2 => escaped(&whole),
            // `%` alone would be the empty prefix.
            3 if suffix.is_empty() => "%b".to_owned(),
            3 => format!("%{}", escaped(&suffix)),
            _ => format!("{}_%{}", escaped(&prefix), escaped(&suffix)),
        };
        Condition::Like {
            column,
            pattern,
            negated: random.percent(40),
        }
    }

    /// Two or three different columns, most of them of the key and in its order.
    fn tuple_columns(&self, random: &mut Random) -> Vec<usize> {
        let mut columns = Vec::new();
        if random.percent(70) {
            for column in &self.key_columns {
                if !columns.contains(column) {
                    columns.push(*column);
                }
            }
        }
        let mut rest: Vec<usize> = if self.plain {
            self.key_columns.clone()
        } else {
            (0..self.columns.len()).collect()
        };
        random.shuffle(&mut rest);
        for column in rest {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        let most = columns.len().min(3);
        columns.truncate(random.between(2, most));
        columns
    }

    fn tuple_constants(&self, columns: &[usize], random: &mut Random) -> Vec<Constant> {
        let row = if random.percent(50) {
            self.target
        } else {
            random.between(0, self.rows.len() - 1)
        };
        let mut member = |column: &usize| {
            let sql_type = &self.columns[*column].sql_type;
            let constant = match &self.rows[row][*column] {
                Some(value) if random.percent(75) => spelt(value, sql_type, random),
                _ => {
                    let values = self.values(&Term::column(*column));
                    let known: Vec<Datum> = values.into_iter().flatten().flatten().collect();
                    constant(sql_type, &known, random)
                }
            };
            self.fitting(constant, sql_type, true, random)
        };
        columns.iter().map(&mut member).collect()
    }

    fn tuple(&self, random: &mut Random) -> Condition {
        let columns = self.tuple_columns(random);
        let mixed = random.percent(30);
        Condition::Tuple {
            descending: columns
                .iter()
                .map(|_| mixed && random.percent(50))
                .collect(),
            comparison: *random.pick(&Comparison::PLAIN),
            constants: self.tuple_constants(&columns, random),
            spelling: *random.pick(&[Spelling::Alternatives, Spelling::Nested]),
            columns,
        }
    }

    fn tuple_in(&self, random: &mut Random) -> Condition {
        let columns = self.tuple_columns(random);
        let length = random.between(1, 4);
        Condition::TupleIn {
            rows: (0..length)
                .map(|_| self.tuple_constants(&columns, random))
                .collect(),
            negated: random.percent(40),
            columns,
        }
    }

    /// A comparison of two columns whose values can be compared.
    fn comparable_columns(&self, random: &mut Random) -> Option<Condition> {
        let left = self.column(random);
        let kind = kind(&self.columns[left].sql_type);
        let others = (0..self.columns.len()).filter(|column| {
            *column != left && self::kind(&self.columns[*column].sql_type) == kind
        });
        let others: Vec<usize> = others.collect();
        if others.is_empty() {
            return None;
        }
        Some(Condition::Columns {
            left,
            comparison: *random.pick(&Comparison::ALL),
            right: *random.pick(&others),
        })
    }
}

/// From here on DOUBLE does not tell all whole numbers apart.
const TWO_53: f64 = 9_007_199_254_740_992.0;

/// A small whole decimal as a DOUBLE.
fn whole_double(unscaled: i128, scale: i8) -> Option<Constant> {
    let power = 10_i128.pow(u32::try_from(scale).ok()?);
    let whole = i32::try_from(unscaled / power).ok()?;
    (unscaled % power == 0).then(|| Constant::Double(whole.into()))
}

/// Types with the same number can be compared with one another.
pub(crate) fn kind(sql_type: &SqlType) -> u8 {
    match sql_type {
        SqlType::Boolean => 0,
        one if one.is_integer() => 1,
        SqlType::Decimal { .. } => 2,
        SqlType::Real | SqlType::Double => 3,
        text if text.is_text() => 4,
        SqlType::Bytea => 5,
        SqlType::Date => 6,
        SqlType::Timestamp { utc: false, .. } => 7,
        SqlType::Timestamp { utc: true, .. } => 8,
        other => unreachable!("{other} is no type of keys"),
    }
}

/// Units of `date_trunc`.
pub(crate) const TRUNCATIONS: [&str; 8] = [
    "second", "minute", "hour", "day", "week", "month", "quarter", "year",
];

/// Widths of `date_bin`, in nanoseconds: a quarter of an hour, seven minutes, an hour, a day, a second and a half.
pub(crate) const BINS: [i64; 5] = [
    900_000_000_000,
    420_000_000_000,
    3_600_000_000_000,
    86_400_000_000_000,
    1_500_000_000,
];

pub(super) fn boolean_leaf(column: usize, random: &mut Random) -> Condition {
    let bare = Condition::Boolean(column);
    if random.percent(25) {
        return bare;
    }
    Condition::Test {
        condition: Box::new(bare),
        truth: *random.pick(&[Truth::True, Truth::False, Truth::Unknown]),
        negated: random.percent(50),
    }
}

/// A text as a pattern that matches nothing else.
pub(super) fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut pattern, character| {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
        pattern
    })
}
