//! Random leaves on what is computed of a column: sums, moved times, choices between values, patterns that LIKE does not
//! know. They are drawn from a stream of their own, so that a seed keeps its table and its rows, and mostly the rest of its
//! condition.
//!
//! `c BETWEEN SYMMETRIC x AND y` is drawn as the parser leaves it, two BETWEEN in an OR. `c = ANY(array)` is a list before
//! spans hear of it.

use super::cases::Variant;
use super::condition::{
    Choice, Comparison, Condition, Function, Made, Matching, Otherwise, Step, Term,
};
use super::predicates::{BINS, Generator, SHAPES, Shape, TRUNCATIONS, boolean_leaf, escaped};
use super::random::Random;
use super::values::hostile;
use crate::datum::{Datum, SqlType};

/// So many of a hundred cases have such a leaf.
const SHARE: u32 = 50;

/// The number of the stream that belongs to a seed.
const STREAM: u64 = 0x0c0_57ed;

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3_600 * SECOND;
const DAY: i64 = 24 * HOUR;

/// Delays that every unit of time can tell.
const DELAYS: [i64; 8] = [
    HOUR,
    -9 * HOUR,
    5_400 * SECOND,
    DAY,
    -DAY,
    -SECOND,
    36 * HOUR,
    31 * DAY,
];

/// Those that some cannot, and two centuries and a half, which take many stamps out of range.
const ODD_DELAYS: [i64; 5] = [1, -1_500_000, 2_500_000_000, 91_250 * DAY, -91_250 * DAY];

/// Where bins begin, in nanoseconds: 1970, a Wednesday of 2024, half past midnight of 2001, a second and a half before 1970.
const ORIGINS: [i64; 4] = [
    0,
    1_704_240_000 * SECOND,
    978_309_000 * SECOND,
    -1_500_000_000,
];

impl Generator<'_> {
    /// The condition of the case of this seed, with what is drawn here.
    pub(super) fn with_computed(&self, condition: Condition, seed: u64) -> Condition {
        let random = &mut Random::new(Random::case_seed(seed, STREAM));
        if !random.percent(SHARE) {
            return condition;
        }
        let count = random.weighted(&[(45, 1), (40, 2), (15, 3)]);
        let leaves = (0..count).filter_map(|_| {
            let leaf = self.computed_leaf(random)?;
            Some(self.decorate(leaf, 8, random))
        });
        let mut terms: Vec<Condition> = leaves.collect();
        if terms.is_empty() || random.percent(80) {
            terms.push(condition);
        }
        if random.percent(50) {
            Condition::And(terms)
        } else {
            Condition::Or(terms)
        }
    }

    /// A leaf on a column that has something computed of it.
    fn computed_leaf(&self, random: &mut Random) -> Option<Condition> {
        let column = self.column(random);
        if !self.plain && random.percent(14) {
            return Some(self.case_of_conditions(random));
        }
        if random.percent(4) {
            return Some(self.symmetric(column, random));
        }
        let sql_type = &self.columns[column].sql_type;
        let term = match sql_type {
            SqlType::UnsignedBigInt => return None,
            // Its own tests are few of all that is held to exactness.
            SqlType::Boolean if self.plain && random.percent(60) => {
                return Some(boolean_leaf(column, random));
            }
            one if one.is_integer() && random.percent(48) => self.sum(column, random)?,
            SqlType::Timestamp { .. } if random.percent(if self.plain { 80 } else { 58 }) => {
                self.moved(column, random)?
            }
            SqlType::Date if random.percent(40) => self.moved_date(column, random),
            text if text.is_text() && !self.plain && random.percent(60) => {
                return Some(self.pattern(column, random));
            }
            _ => self.choice(column, random)?,
        };
        let shape = if self.plain {
            *random.pick(&plain_shapes())
        } else {
            *random.pick(&SHAPES)
        };
        Some(self.shaped_leaf(term, shape, random))
    }

    /// Arithmetic with one whole number or two; in a session it is always checked.
    fn sum(&self, column: usize, random: &mut Random) -> Option<Term> {
        let sql_type = &self.columns[column].sql_type;
        if self.plain && *sql_type == SqlType::BigInt {
            return None;
        }
        let has_opposite = sql_type
            .limits()
            .is_some_and(|(least, _)| least < Datum::Integer(0));
        let mut steps: Vec<Step> = Vec::new();
        while steps.is_empty() || steps.len() < 3 && random.percent(30) {
            let is_wide = steps.iter().any(|step| *step != Step::Negative);
            let step = self.step(random);
            if step != Step::Negative || is_wide || has_opposite && !self.plain {
                steps.push(step);
            }
        }
        let checked = match self.variant {
            Variant::Session => true,
            Variant::Planned => self.plain || random.percent(70),
            Variant::Coerced => random.percent(50),
        };
        let function = Function::Computed { steps, checked };
        Some(Term::of(function, column))
    }

    fn step(&self, random: &mut Random) -> Step {
        let number = if random.percent(8) && !self.plain {
            *random.pick(&[i64::MAX, -i64::MAX, i64::MAX - 1, 1 << 32])
        } else {
            *random.pick(&[0, 1, -1, 2, 3, 7, -10, 100, -128, 1_000])
        };
        match random.between(0, if self.plain { 8 } else { 9 }) {
            0..2 => Step::Plus(number),
            2 => Step::PlusTo(number),
            3 => Step::Minus(number),
            4..6 => Step::MinusFrom(number),
            6 => Step::Times(*random.pick(&[-1, 1])),
            7..9 => Step::Negative,
            _ => Step::Times(number),
        }
    }

    /// What is made of a later or an earlier time.
    fn moved(&self, column: usize, random: &mut Random) -> Option<Term> {
        let is_utc = matches!(
            self.columns[column].sql_type,
            SqlType::Timestamp { utc: true, .. }
        );
        if self.plain && is_utc {
            return None;
        }
        let origin = if random.percent(70) && !is_utc {
            Some(*random.pick(&ORIGINS))
        } else {
            None
        };
        let made = match random.between(0, 9) {
            0..2 => Made::Itself,
            2..5 => Made::DateTrunc(random.pick::<&str>(&TRUNCATIONS)),
            5..7 => Made::Date,
            _ => Made::DateBin {
                width: *random.pick(&BINS),
                origin,
            },
        };
        let has_origin = matches!(
            made,
            Made::DateBin {
                origin: Some(_),
                ..
            }
        );
        let nanoseconds = match random.between(0, 9) {
            0..4 if has_origin => 0,
            4..6 if !self.plain => *random.pick(&ODD_DELAYS),
            _ => *random.pick(&DELAYS),
        };
        Some(Term::of(Function::Moved { nanoseconds, made }, column))
    }

    fn moved_date(&self, column: usize, random: &mut Random) -> Term {
        let days = *random.pick(&[1, -1, 31, 365, 91_250]) * DAY;
        let hours = if self.plain || random.percent(80) {
            0
        } else {
            *random.pick(&[HOUR, -9 * HOUR])
        };
        let function = Function::Moved {
            nanoseconds: days + hours,
            made: Made::Itself,
        };
        Term::of(function, column)
    }

    /// COALESCE, NULLIF, or a CASE with values.
    fn choice(&self, column: usize, random: &mut Random) -> Option<Term> {
        let sql_type = &self.columns[column].sql_type;
        if *sql_type == SqlType::UnsignedBigInt {
            return None;
        }
        let of = |function| Some(Term::of(function, column));
        match random.between(0, 9) {
            0..3 => of(Function::Coalesce(Some(self.datum(column, random)))),
            3 => self.coalesce_columns(column, random),
            4..7 => of(Function::NullIf(self.datum(column, random))),
            _ => of(Function::Case(self.values_of_case(column, random))),
        }
    }

    /// COALESCE of the column and another one of its type.
    fn coalesce_columns(&self, column: usize, random: &mut Random) -> Option<Term> {
        let fits = |other: &usize| {
            *other != column
                && self.columns[*other].sql_type == self.columns[column].sql_type
                && (!self.plain || self.key_columns.contains(other))
        };
        let others: Vec<usize> = (0..self.columns.len()).filter(fits).collect();
        let last = random.percent(50);
        let last = last.then(|| self.datum(column, random));
        let mut columns = vec![column];
        if !others.is_empty() {
            columns.push(*random.pick(&others));
        }
        (columns.len() > 1 || last.is_some()).then_some(Term {
            function: Function::Coalesce(last),
            columns,
        })
    }

    fn values_of_case(&self, column: usize, random: &mut Random) -> Choice {
        let count = random.between(1, 3);
        let branches = (0..count).map(|branch| {
            let when = self.datum(column, random);
            // A CASE of NULLs alone would have no type.
            let then = branch == 0 || random.percent(80);
            (when, then.then(|| self.datum(column, random)))
        });
        Choice {
            branches: branches.collect(),
            searched: random.percent(50),
            otherwise: match random.between(0, 3) {
                0..2 => Otherwise::Column,
                2 => Otherwise::Constant(Some(self.datum(column, random))),
                _ => Otherwise::Constant(None),
            },
        }
    }

    /// A value of a column's type, mostly one of a row.
    fn datum(&self, column: usize, random: &mut Random) -> Datum {
        let values = self.values(&Term::column(column));
        let known: Vec<Datum> = values.into_iter().flatten().flatten().collect();
        if known.is_empty() || random.percent(15) {
            random
                .pick(&hostile(&self.columns[column].sql_type))
                .clone()
        } else {
            random.pick(&known).clone()
        }
    }

    fn case_of_conditions(&self, random: &mut Random) -> Condition {
        let count = random.between(1, 2);
        let branches = (0..count).map(|_| (self.leaf(random), self.leaf(random)));
        let branches = branches.collect();
        let otherwise = random.percent(60).then(|| Box::new(self.leaf(random)));
        Condition::Case {
            branches,
            otherwise,
        }
    }

    /// BETWEEN with its bounds in either order.
    fn symmetric(&self, column: usize, random: &mut Random) -> Condition {
        let shape = Shape::Between { negated: false };
        let between = self.shaped_leaf(Term::column(column), shape, random);
        let Condition::Between {
            term, low, high, ..
        } = between.clone()
        else {
            return between;
        };
        let other = Condition::Between {
            term,
            low: high,
            high: low,
            negated: false,
        };
        Condition::Or(vec![between, other])
    }

    /// A regular expression, or ILIKE.
    fn pattern(&self, column: usize, random: &mut Random) -> Condition {
        let texts = self.texts(column);
        let text: Vec<char> = match texts.as_slice() {
            [] => "ab".chars().collect(),
            [target, ..] if random.percent(50) => target.chars().collect(),
            texts => random.pick(texts).chars().collect(),
        };
        let length = random.between(0, text.len());
        let prefix: String = text[..length].iter().collect();
        let rest: String = text[length..].iter().collect();
        let matching = random.weighted(&[
            (65, Matching::Regex),
            (10, Matching::CaselessRegex),
            (25, Matching::CaselessLike),
        ]);
        let pattern = match matching {
            Matching::CaselessLike => caseless_pattern(&prefix, &rest, random),
            _ => regular_expression(&quoted(&prefix), &quoted(&rest), random),
        };
        Condition::Matches {
            column,
            matching,
            pattern,
            negated: random.percent(40),
        }
    }
}

fn caseless_pattern(prefix: &str, rest: &str, random: &mut Random) -> String {
    let (prefix, rest) = (escaped(prefix), escaped(rest));
    let prefix = if random.percent(50) {
        prefix.to_ascii_uppercase()
    } else {
        prefix
    };
    match random.between(0, 3) {
        0..2 => format!("{prefix}%"),
        2 => format!("{prefix}{rest}"),
        _ => format!("{prefix}_%{rest}"),
    }
}

/// Most begin at the beginning of the text; what follows may take the last character of that back.
fn regular_expression(prefix: &str, rest: &str, random: &mut Random) -> String {
    let repeated = if prefix.is_empty() {
        "[a-z]"
    } else {
        *random.pick(&["*", "?", "+", "{0}", "{0,2}", "{1}", "*?"])
    };
    let behind = *random.pick(&[
        "", "$", ".", ".*", "[a-z]", r"\d", r"\x61", "(b|c)", "|x", "|^x",
    ]);
    match random.between(0, 9) {
        0..3 => format!("^{prefix}"),
        3 => format!("^{prefix}{rest}$"),
        4..6 => format!("^{prefix}{repeated}{rest}"),
        6..8 => format!("^{prefix}{behind}"),
        8 => format!("^({prefix})"),
        _ => format!("{prefix}{behind}"),
    }
}

/// A text as a regular expression that matches nothing else.
fn quoted(text: &str) -> String {
    text.chars().fold(String::new(), |mut pattern, character| {
        if character.is_ascii_punctuation() && !matches!(character, '_' | '%') {
            pattern.push('\\');
        }
        pattern.push(character);
        pattern
    })
}

/// Shapes that must become ranges whatever the term.
fn plain_shapes() -> Vec<Shape> {
    let is_plain = |shape: &Shape| match shape {
        Shape::Compare(Comparison::Distinct | Comparison::NotDistinct) | Shape::IsNull { .. } => {
            false
        }
        Shape::Compare(_) | Shape::Between { .. } | Shape::InList { .. } => true,
    };
    SHAPES.into_iter().filter(is_plain).collect()
}
