//! A case: a table, the layout of its row key, rows, and a condition. All of it follows from one seed, by a stream of random
//! numbers and, for leaves on what is computed of columns, a second one ([`super::computed`]).

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::condition::{Column, Condition, Function, Term};
use super::oracle::Oracle;
use super::predicates::{BINS, Generator, TRUNCATIONS};
use super::random::Random;
use super::tightness::must_be_exact;
use super::values::{hostile, key_types, pool};
use crate::datum::{Datum, SqlType};
use crate::key::testing::{self, bound};
use crate::key::transform::{BoundArgument, Declaration, Parameter};
use crate::key::{
    Argument, BUCKET_COLUMN, Expression, KeyColumn, KeyPart, NullOrder, PartDefinition, RowKey,
    SortOrder, TRANSFORMS,
};

/// A case has at least so many rows that its key can store, no two of them equal. Only where all columns together have
/// fewer values, a BOOLEAN or two, equal rows make up the number.
pub(crate) const ROWS: usize = 16;

/// So many of a hundred cases have a key of plain columns, and conditions on these alone that must become ranges: few
/// others are held to it that nothing is read which does not match. What is computed of columns joins them, and most
/// others that are held to it, only where it must become ranges, too.
const PLAIN: u32 = 15;

/// How the condition reaches the system under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// As SQL is planned.
    Planned,
    /// With the casts of DataFusion's analyzer.
    Coerced,
    /// Through a whole session of Halite's: its rules, then DataFusion's.
    Session,
}

/// A table, the layout of its row key, rows, and a condition.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub seed: u64,
    pub columns: Vec<Column>,
    pub parts: Vec<PartDefinition>,
    pub rows: Vec<Vec<Option<Datum>>>,
    pub condition: Condition,
    pub variant: Variant,
}

impl Case {
    /// The case of a seed; `None` where too few of its rows can be stored.
    pub fn generate(seed: u64) -> Option<Case> {
        let mut random = Random::new(seed);
        let mut columns = columns(&mut random);
        let plain = random.percent(PLAIN);
        let parts = parts(&columns, plain, &mut random);
        if parts.iter().any(|part| part.expression.is_dealt()) {
            columns.push(bucket_column());
        }
        let key = row_key(&columns, &parts).ok()?;
        let pools: Vec<Vec<Datum>> = columns
            .iter()
            .map(|column| match column.name.as_str() {
                BUCKET_COLUMN => buckets(&key),
                _ => pool(&column.sql_type, &mut random),
            })
            .collect();
        let rows = storable_rows(&columns, &pools, &key, &mut random)?;
        let oracle = Oracle::new(&columns, &rows);
        let variant = random.weighted(&[
            (47, Variant::Planned),
            (47, Variant::Coerced),
            (6, Variant::Session),
        ]);
        let generator = Generator {
            columns: &columns,
            rows: &rows,
            oracle: &oracle,
            key_columns: key_columns(&key),
            key_terms: key_terms(&key),
            plain,
            variant,
            target: random.between(0, rows.len() - 1),
        };
        let condition = generator.condition(&mut random);
        let computed = generator.with_computed(condition.clone(), seed);
        let mut case = Case {
            seed,
            columns,
            parts,
            rows,
            condition: computed,
            variant,
        };
        if !must_be_exact(&case) {
            let computed = std::mem::replace(&mut case.condition, condition);
            let is_kept = !plain && (!must_be_exact(&case) || random.percent(8));
            if is_kept {
                case.condition = computed;
            }
        }
        Some(case)
    }

    /// The layout of the row key.
    ///
    /// # Errors
    /// Where the parts are no layout, which shrinking may bring about.
    pub fn key(&self) -> crate::error::Result<RowKey> {
        let key = row_key(&self.columns, &self.parts)?;
        self.rows.iter().for_each(|row| key.learn_row(row));
        Ok(if self.is_shared() {
            key.among_others()
        } else {
            key
        })
    }

    /// Whether keys of other layouts stand among those of the case, as in a key space.
    fn is_shared(&self) -> bool {
        self.seed % 2 == 1 && self.parts.iter().any(is_literal)
    }

    /// Keys of the same rows in layouts that differ from this one by a literal: no span of a shared one holds them.
    pub fn strangers(&self) -> Vec<Vec<u8>> {
        let mut keys = Vec::new();
        let literals = self.parts.iter().enumerate();
        let literals = literals.filter(|(_, part)| self.is_shared() && is_literal(part));
        for (position, literal) in literals {
            let others = match literal.expression.arguments.first() {
                Some(Argument::Text(text)) => Argument::Text(format!("{text}\0x")),
                Some(Argument::Integer(number)) => Argument::Integer(number.wrapping_add(1)),
                _ => continue,
            };
            let mut parts = self.parts.clone();
            parts[position].expression = Expression::new("literal", vec![others]);
            if let Ok(key) = row_key(&self.columns, &parts) {
                self.rows.iter().for_each(|row| key.learn_row(row));
                keys.extend(self.rows.iter().filter_map(|row| key.encode(row).ok()));
            }
        }
        keys
    }

    /// A number that tells layouts and conditions apart; rows do not count.
    pub fn identity(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.columns.hash(&mut hasher);
        format!("{:?}{:?}{:?}", self.parts, self.condition, self.variant).hash(&mut hasher);
        hasher.finish()
    }
}

pub(crate) fn row_key(
    columns: &[Column],
    parts: &[PartDefinition],
) -> crate::error::Result<RowKey> {
    RowKey::new(key_columns_of(columns), parts.to_vec())
}

/// The columns as the key knows them.
pub(crate) fn key_columns_of(columns: &[Column]) -> Vec<KeyColumn> {
    columns
        .iter()
        .map(|column| KeyColumn {
            name: column.name.clone(),
            sql_type: column.sql_type.clone(),
            nullable: column.nullable,
        })
        .collect()
}

fn columns(random: &mut Random) -> Vec<Column> {
    let types = key_types();
    let count = random.weighted(&[(15, 1), (35, 2), (35, 3), (15, 4)]);
    let names = ["a", "b", "c", "d"].iter().take(count);
    names
        .map(|name| Column {
            name: (*name).to_owned(),
            sql_type: random.pick(&types).clone(),
            nullable: random.percent(60),
        })
        .collect()
}

/// The hidden column of rows that are dealt out. Conditions name it, too, which no statement does.
fn bucket_column() -> Column {
    Column {
        name: BUCKET_COLUMN.to_owned(),
        sql_type: SqlType::Integer,
        nullable: false,
    }
}

/// Buckets that rows may have been dealt.
fn buckets(key: &RowKey) -> Vec<Datum> {
    let count = i64::from(key.dealt_buckets().unwrap_or(1));
    let buckets = [0, 1, 2, count / 2, count - 1].into_iter();
    let buckets = buckets.filter(|bucket| *bucket < count);
    buckets.map(Datum::Integer).collect()
}

fn storable_rows(
    columns: &[Column],
    pools: &[Vec<Datum>],
    key: &RowKey,
    random: &mut Random,
) -> Option<Vec<Vec<Option<Datum>>>> {
    let wanted = random.between(ROWS, ROWS + 8);
    let all: Vec<Vec<Datum>> = columns.iter().map(|it| hostile(&it.sql_type)).collect();
    let mut seen = BTreeSet::new();
    let mut rows = Vec::with_capacity(wanted);
    for trial in 0..wanted * 8 {
        // What small pools do not give is drawn from all hostile values.
        let outside = if trial < wanted * 2 { 2 } else { 50 };
        let row: Vec<Option<Datum>> = (0..columns.len())
            .map(|it| {
                let pool = if random.percent(outside) {
                    &all[..]
                } else {
                    pools
                };
                value(&columns[it], &pool[it], random)
            })
            .collect();
        key.learn_row(&row);
        if key.encode(&row).is_ok() && seen.insert(row.clone()) {
            rows.push(row);
        }
        if rows.len() == wanted {
            return Some(rows);
        }
    }
    let values = columns.iter().zip(&all);
    let most: usize = values
        .map(|(column, all)| all.len() + usize::from(column.nullable))
        .product();
    while most < ROWS && !rows.is_empty() && rows.len() < ROWS {
        rows.push(random.pick(&rows).clone());
    }
    (rows.len() >= ROWS).then_some(rows)
}

fn value(column: &Column, pool: &[Datum], random: &mut Random) -> Option<Datum> {
    if column.nullable && random.percent(15) {
        return None;
    }
    Some(random.pick(pool).clone())
}

/// One to four parts: most of them, or all, plain columns, each once; at most one bucket, anywhere.
pub(crate) fn parts(
    columns: &[Column],
    plain_alone: bool,
    random: &mut Random,
) -> Vec<PartDefinition> {
    let count = random.weighted(&[(20, 1), (40, 2), (28, 3), (12, 4)]);
    let mut plain: Vec<usize> = (0..columns.len()).collect();
    random.shuffle(&mut plain);
    let mut parts: Vec<PartDefinition> = Vec::with_capacity(count);
    let mut bucketed = false;
    while parts.len() < count && !(plain_alone && plain.is_empty()) {
        let transformed = plain.is_empty() || (!plain_alone && random.percent(35));
        let expression = if transformed {
            let Some(expression) = transformed_part(columns, &plain, bucketed, random) else {
                if plain.is_empty() {
                    break;
                }
                continue;
            };
            bucketed |= is_bucket(&expression);
            expression
        } else {
            let column = plain.pop().expect("a plain column is left");
            Expression::column(&columns[column].name)
        };
        parts.push(PartDefinition {
            expression,
            direction: *random.pick(&[SortOrder::Ascending, SortOrder::Descending]),
            nulls: *random.pick(&[NullOrder::First, NullOrder::Last]),
        });
    }
    parts
}

fn is_literal(part: &PartDefinition) -> bool {
    part.expression.function == "literal"
}

fn is_bucket(expression: &Expression) -> bool {
    matches!(
        expression.function.as_str(),
        "salt" | "bucket" | "random_salt"
    )
}

/// A transform of a random column, preferably of one that will follow as a plain part.
fn transformed_part(
    columns: &[Column],
    plain: &[usize],
    bucketed: bool,
    random: &mut Random,
) -> Option<Expression> {
    let drawn: Vec<_> = TRANSFORMS.iter().filter(|it| it.name() != DICT).collect();
    let declaration = **random.pick(&drawn);
    let name = declaration.name();
    if name == "column" || (bucketed && matches!(name, "salt" | "bucket" | "random_salt")) {
        return None;
    }
    let fitting: Vec<usize> = (0..columns.len())
        .filter(|column| fits(declaration, &columns[*column]))
        .collect();
    let preferred: Vec<usize> = fitting
        .iter()
        .copied()
        .filter(|column| plain.contains(column))
        .collect();
    let source = if preferred.is_empty() || random.percent(20) {
        fitting
    } else {
        preferred
    };
    if source.is_empty() {
        return None;
    }
    let column = *random.pick(&source);
    let declaration = in_place_of(declaration, columns, column);
    let mut sources = vec![Argument::Column(columns[column].name.clone())];
    let second = random.between(0, columns.len() - 1);
    if second != column && random.percent(30) {
        sources.push(Argument::Column(columns[second].name.clone()));
    }
    Some(Expression::new(
        declaration.name(),
        arguments(declaration, &sources, random),
    ))
}

const DICT: &str = "dict";

/// A dictionary in the place of every other text that is read backwards: not drawn, so that the seeds that are recorded
/// give the tables that they gave before there were dictionaries.
fn in_place_of(
    declaration: &'static dyn Declaration,
    columns: &[Column],
    column: usize,
) -> &'static dyn Declaration {
    let dictionary = testing::declaration(DICT);
    let is_replaced = declaration.name() == "reverse" && (column + columns.len()).is_multiple_of(2);
    if is_replaced && fits(dictionary, &columns[column]) {
        dictionary
    } else {
        declaration
    }
}

/// Whether the transform takes this column.
fn fits(declaration: &dyn Declaration, column: &Column) -> bool {
    let source = || BoundArgument::Column(column.name.clone(), column.sql_type.clone());
    let parameters = declaration.parameters().iter();
    let arguments = parameters.map(
        |parameter| match constants(declaration, *parameter).first() {
            Some(constant) => bound(constant.clone()),
            None => source(),
        },
    );
    let rest_of_key = declaration.takes_whole_key().then(source);
    let bucket = || BoundArgument::Column(BUCKET_COLUMN.to_owned(), SqlType::Integer);
    let dealt = declaration.is_dealt().then(bucket);
    let arguments: Vec<BoundArgument> = arguments.chain(rest_of_key).chain(dealt).collect();
    declaration.bind(&arguments).is_ok()
}

/// The arguments of a part over `sources`, one or two columns.
fn arguments(
    declaration: &dyn Declaration,
    sources: &[Argument],
    random: &mut Random,
) -> Vec<Argument> {
    let mut arguments = Vec::new();
    for parameter in declaration.parameters() {
        match parameter {
            Parameter::Column => arguments.push(sources[0].clone()),
            Parameter::Columns => arguments.extend_from_slice(sources),
            _ => {
                let constants = constants(declaration, *parameter);
                arguments.push(random.pick(&constants).clone());
            }
        }
    }
    arguments
}

/// The constants of a part; where conditions have few of their own, those, so that the two meet.
fn constants(declaration: &dyn Declaration, parameter: Parameter) -> Vec<Argument> {
    let numbers = |numbers: &[i64]| numbers.iter().copied().map(Argument::Integer).collect();
    match (declaration.name(), parameter) {
        ("left", Parameter::Integer(..)) => numbers(&[1, 2, 3]),
        ("/", Parameter::Integer(..)) => numbers(&[2, 4, 100]),
        ("%", Parameter::Integer(..)) => numbers(&[2, 4, 16]),
        ("salt" | "bucket" | "random_salt", Parameter::Integer(..)) => numbers(&[1, 4, 16, 300]),
        ("date_trunc", Parameter::Unit(_)) => {
            let units = TRUNCATIONS.iter().map(|unit| (*unit).to_owned());
            units.map(Argument::Text).collect()
        }
        ("date_bin", Parameter::Interval) => {
            let widths = BINS.iter().map(|width| i128::from(*width));
            widths.map(Argument::Interval).collect()
        }
        _ => testing::constants(parameter),
    }
}

/// The columns that the key is computed from, in the order of its parts.
pub(crate) fn key_columns(key: &RowKey) -> Vec<usize> {
    let sources = key.parts().iter().flat_map(|part| part.sources());
    sources.copied().collect()
}

/// What conditions can name of the key's parts, plain columns left out: the parts themselves, and of numbers that are
/// read backwards their last digits.
pub(crate) fn key_terms(key: &RowKey) -> Vec<Term> {
    let mut terms = Vec::new();
    for part in key.parts() {
        let Some(own) = key_term(part) else { continue };
        if own.function == Function::ReverseDigits {
            let last = [10, 100, 10_000].map(|power| Term {
                function: Function::Remainder(power),
                columns: own.columns.clone(),
            });
            terms.extend(last);
        }
        terms.push(own);
    }
    terms
}

/// A part of the key as SQL names it; none for plain columns.
pub(crate) fn key_term(part: &KeyPart) -> Option<Term> {
    let expression = part.expression();
    let number = || {
        expression
            .arguments
            .iter()
            .find_map(|argument| match argument {
                Argument::Integer(value) => Some(*value),
                _ => None,
            })
    };
    let has = |argument: Argument| expression.arguments.contains(&argument);
    let function = match expression.function.as_str() {
        "left" => Function::Left(number()?),
        "reverse" => Function::Reverse,
        "md5" => Function::Md5,
        "hash" => Function::Hash,
        "bucket" => Function::Bucket(u32::try_from(number()?).ok()?),
        "reverse_digits" => Function::ReverseDigits,
        "%" => Function::Remainder(number()?),
        "/" => Function::Quotient(number()?),
        "cast_date" => Function::Date,
        "date_trunc" => {
            let mut units = TRUNCATIONS.iter();
            Function::DateTrunc(units.find(|unit| has(Argument::Text((**unit).to_owned())))?)
        }
        "date_bin" => {
            let mut widths = BINS.iter().copied();
            Function::DateBin(widths.find(|width| has(Argument::Interval((*width).into())))?)
        }
        _ => return None,
    };
    Some(Term {
        function,
        columns: part.sources().to_vec(),
    })
}
