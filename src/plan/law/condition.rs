//! The predicates of the law: a small tree of our own with SQL's meaning, known to nothing that is under test.

use crate::datum::{Datum, Precision, SqlType};

/// A column of a case's table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Column {
    pub name: String,
    pub sql_type: SqlType,
    pub nullable: bool,
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Distinct,
    NotDistinct,
}

impl Comparison {
    pub const ALL: [Self; 8] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::Distinct,
        Self::NotDistinct,
    ];

    /// Those that tuples know.
    pub const PLAIN: [Self; 6] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
    ];

    /// As SQL writes it.
    pub fn sql(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Distinct => "IS DISTINCT FROM",
            Self::NotDistinct => "IS NOT DISTINCT FROM",
        }
    }

    /// The comparison with its sides exchanged.
    pub fn flipped(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            other => other,
        }
    }
}

/// What stands on one side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Function {
    /// The column itself.
    Column,
    /// `left(c, n)`.
    Left(i64),
    /// `substr(c, 1, n)`.
    Prefix(i64),
    /// `reverse(c)`.
    Reverse,
    /// `md5(c)`.
    Md5,
    /// `hash(c, …)`.
    Hash,
    /// `bucket(n, c, …)`.
    Bucket(u32),
    /// `reverse_digits(c)`.
    ReverseDigits,
    /// `c % n`.
    Remainder(i64),
    /// `c / n`.
    Quotient(i64),
    /// `date_trunc(unit, c)`.
    DateTrunc(&'static str),
    /// `date_bin(interval of so many nanoseconds, c)`.
    DateBin(i64),
    /// `CAST(c AS DATE)`.
    Date,
    /// `date_part('year', c)`, which `extract` becomes, too.
    Year,
    /// `c + n`: nothing that spans understand.
    Plus(i64),
    /// `character_length(c)`: nothing that spans understand.
    Length,
    /// Arithmetic with whole numbers, step after step. If it is `checked`, as in a session of Halite's, what is out of
    /// range is an error; else it wraps, as DataFusion's operators do.
    Computed { steps: Vec<Step>, checked: bool },
    /// What is made of a time that is so many nanoseconds later.
    Moved { nanoseconds: i64, made: Made },
    /// `coalesce(c, …)`, at the end of which may stand a constant.
    Coalesce(Option<Datum>),
    /// `nullif(c, constant)`.
    NullIf(Datum),
    /// `CASE` with a value for some values of the column.
    Case(Choice),
}

/// A step of arithmetic on `x`, which is a column or what came of the step before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// `x + n`
    Plus(i64),
    /// `n + x`
    PlusTo(i64),
    /// `x - n`
    Minus(i64),
    /// `n - x`
    MinusFrom(i64),
    /// `x * n`
    Times(i64),
    /// `-x`
    Negative,
}

/// What is made of a time that is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Made {
    /// Nothing else.
    Itself,
    /// `date_trunc(unit, …)`
    DateTrunc(&'static str),
    /// `date_bin(interval, …)`, from an origin in nanoseconds.
    DateBin { width: i64, origin: Option<i64> },
    /// `CAST(… AS DATE)`
    Date,
}

/// The values of a CASE.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Choice {
    /// `CASE WHEN c = value`, not `CASE c WHEN value`.
    pub searched: bool,
    /// A value of the column, and what is chosen for it.
    pub branches: Vec<(Datum, Option<Datum>)>,
    pub otherwise: Otherwise,
}

/// What a CASE chooses for all other values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Otherwise {
    /// The value itself.
    Column,
    /// A constant; none without an ELSE.
    Constant(Option<Datum>),
}

impl Function {
    /// Whether conditions on it must become ranges of the column.
    pub fn becomes_ranges(&self) -> bool {
        matches!(
            self,
            Self::Column
                | Self::Left(_)
                | Self::Prefix(_)
                | Self::DateTrunc(_)
                | Self::DateBin(_)
                | Self::Date
                | Self::Year
        )
    }
}

/// A function over columns, given by their positions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Term {
    pub function: Function,
    pub columns: Vec<usize>,
}

impl Term {
    pub fn column(column: usize) -> Self {
        Self::of(Function::Column, column)
    }

    pub fn of(function: Function, column: usize) -> Self {
        Self {
            function,
            columns: vec![column],
        }
    }

    /// The constants that it brings along: what is asked of it is asked beside each of them, and of each column of a
    /// choice.
    pub fn constants(&self) -> usize {
        match &self.function {
            Function::Coalesce(last) => self.columns.len() - 1 + usize::from(last.is_some()),
            Function::NullIf(_) => 1,
            Function::Case(choice) => 2 * choice.branches.len() + 1,
            _ => 0,
        }
    }

    /// The type of its value.
    pub fn sql_type(&self, columns: &[Column]) -> SqlType {
        let own = || columns[self.columns[0]].sql_type.clone();
        match &self.function {
            Function::Left(_)
            | Function::Prefix(_)
            | Function::Reverse
            | Function::Md5
            | Function::ReverseDigits => SqlType::Text,
            Function::Hash => SqlType::Bytea,
            Function::Bucket(_) | Function::Year | Function::Length => SqlType::Integer,
            Function::Remainder(_) | Function::Quotient(_) | Function::Plus(_) => SqlType::BigInt,
            Function::Computed { steps, .. } if steps.iter().any(|it| *it != Step::Negative) => {
                SqlType::BigInt
            }
            Function::Date
            | Function::Moved {
                made: Made::Date, ..
            } => SqlType::Date,
            Function::Column
            | Function::DateTrunc(_)
            | Function::DateBin(_)
            | Function::Computed { .. }
            | Function::Moved { .. }
            | Function::Coalesce(_)
            | Function::NullIf(_)
            | Function::Case(_) => own(),
        }
    }
}

/// A constant as the parse of SQL gives it.
#[derive(Debug, Clone)]
pub(crate) enum Constant {
    Null,
    Boolean(bool),
    /// Beyond 64 bits it is a decimal without a scale.
    Integer(i128),
    Decimal {
        unscaled: i128,
        scale: i8,
    },
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    Date(i32),
    Timestamp {
        count: i64,
        precision: Precision,
        utc: bool,
    },
}

/// The tests of a truth value that SQL has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Truth {
    True,
    False,
    Unknown,
}

/// How a text is matched with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Matching {
    /// `~`
    Regex,
    /// `~*`
    CaselessRegex,
    /// `ILIKE`, with `\` for its escape.
    CaselessLike,
}

impl Matching {
    /// As SQL writes it, or its opposite.
    pub fn sql(self, negated: bool) -> &'static str {
        match (self, negated) {
            (Self::Regex, false) => "~",
            (Self::Regex, true) => "!~",
            (Self::CaselessRegex, false) => "~*",
            (Self::CaselessRegex, true) => "!~*",
            (Self::CaselessLike, false) => "ILIKE",
            (Self::CaselessLike, true) => "NOT ILIKE",
        }
    }
}

/// How a comparison of tuples is spelt out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Spelling {
    /// `a > 1 OR (a = 1 AND b > 2)`.
    Alternatives,
    /// `a >= 1 AND (a > 1 OR b > 2)`.
    Nested,
}

/// An SQL condition.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// TRUE, FALSE or NULL.
    Constant(Option<bool>),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Compare {
        term: Term,
        comparison: Comparison,
        constant: Constant,
        /// The constant is written first.
        constant_first: bool,
    },
    Between {
        term: Term,
        low: Constant,
        high: Constant,
        negated: bool,
    },
    InList {
        term: Term,
        list: Vec<Constant>,
        negated: bool,
    },
    IsNull {
        term: Term,
        negated: bool,
    },
    /// A pattern with `\` for its escape.
    Like {
        column: usize,
        pattern: String,
        negated: bool,
    },
    StartsWith {
        column: usize,
        prefix: String,
    },
    /// A pattern that LIKE does not know.
    Matches {
        column: usize,
        matching: Matching,
        pattern: String,
        negated: bool,
    },
    /// `CASE WHEN … THEN … ELSE … END`, all of them conditions.
    Case {
        branches: Vec<(Condition, Condition)>,
        otherwise: Option<Box<Condition>>,
    },
    /// A boolean column, bare.
    Boolean(usize),
    /// `… IS [NOT] TRUE`, `FALSE` or `UNKNOWN`.
    Test {
        condition: Box<Condition>,
        truth: Truth,
        negated: bool,
    },
    /// `(a, b) > (x, y)`; with a descending member the written-out keyset condition of that order. The comparison is
    /// one of [`Comparison::PLAIN`].
    Tuple {
        columns: Vec<usize>,
        descending: Vec<bool>,
        comparison: Comparison,
        constants: Vec<Constant>,
        spelling: Spelling,
    },
    /// `(a, b) IN ((x, y), …)`.
    TupleIn {
        columns: Vec<usize>,
        rows: Vec<Vec<Constant>>,
        negated: bool,
    },
    /// A comparison of two columns: nothing that spans understand.
    Columns {
        left: usize,
        comparison: Comparison,
        right: usize,
    },
}

impl Condition {
    /// The terms of the outermost AND.
    pub fn conjuncts(&self) -> Vec<&Condition> {
        match self {
            Self::And(terms) => terms.iter().flat_map(Self::conjuncts).collect(),
            other => vec![other],
        }
    }

    /// The conditions directly below.
    pub fn children(&self) -> Vec<&Condition> {
        match self {
            Self::Not(term)
            | Self::Test {
                condition: term, ..
            } => vec![term],
            Self::And(terms) | Self::Or(terms) => terms.iter().collect(),
            Self::Case {
                branches,
                otherwise,
            } => {
                let branches = branches.iter().flat_map(|(when, then)| [when, then]);
                branches.chain(otherwise.as_deref()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Calls `visit` for every leaf.
    pub fn for_each_leaf<'a>(&'a self, visit: &mut dyn FnMut(&'a Condition)) {
        let children = self.children();
        if children.is_empty() {
            visit(self);
        }
        for child in children {
            child.for_each_leaf(visit);
        }
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        let mut count = 0;
        self.for_each_leaf(&mut |_| count += 1);
        count
    }

    /// The positions of the columns that a leaf names; empty for anything else.
    pub fn leaf_columns(&self) -> Vec<usize> {
        match self {
            Self::Compare { term, .. }
            | Self::Between { term, .. }
            | Self::InList { term, .. }
            | Self::IsNull { term, .. } => term.columns.clone(),
            Self::Like { column, .. }
            | Self::StartsWith { column, .. }
            | Self::Matches { column, .. }
            | Self::Boolean(column) => vec![*column],
            Self::Tuple { columns, .. } | Self::TupleIn { columns, .. } => columns.clone(),
            Self::Columns { left, right, .. } => vec![*left, *right],
            Self::Constant(_)
            | Self::Not(_)
            | Self::And(_)
            | Self::Or(_)
            | Self::Test { .. }
            | Self::Case { .. } => Vec::new(),
        }
    }

    /// The term of a leaf that compares one with constants.
    pub fn term(&self) -> Option<&Term> {
        match self {
            Self::Compare { term, .. }
            | Self::Between { term, .. }
            | Self::InList { term, .. }
            | Self::IsNull { term, .. } => Some(term),
            _ => None,
        }
    }

    /// The number of constants, which bounds what a walk has to try.
    pub fn constants(&self) -> usize {
        let mut count = 0;
        self.for_each_leaf(&mut |leaf| {
            count += leaf.term().map_or(0, Term::constants);
            count += match leaf {
                Self::InList { list, .. } => list.len(),
                Self::Tuple { constants, .. } => constants.len(),
                Self::TupleIn { rows, .. } => rows.iter().map(Vec::len).sum(),
                Self::Between { .. } => 2,
                _ => 1,
            };
        });
        count
    }
}

/// The SQL terms of a comparison of tuples, made of comparisons of their members.
///
/// `compare(i, comparison)` compares the `i`-th member; `all` and `any` join.
pub(crate) fn spell_tuple<T>(
    descending: &[bool],
    comparison: Comparison,
    spelling: Spelling,
    compare: &mut dyn FnMut(usize, Comparison) -> T,
    join: &dyn Fn(bool, Vec<T>) -> T,
) -> T {
    let members = descending.len();
    match comparison {
        Comparison::Equal | Comparison::NotEqual => {
            let terms = (0..members).map(|member| compare(member, comparison));
            let terms = terms.collect();
            join(comparison == Comparison::Equal, terms)
        }
        _ => {
            let (strict, last) = match comparison {
                Comparison::Less => (Comparison::Less, Comparison::Less),
                Comparison::LessOrEqual => (Comparison::Less, Comparison::LessOrEqual),
                Comparison::GreaterOrEqual => (Comparison::Greater, Comparison::GreaterOrEqual),
                _ => (Comparison::Greater, Comparison::Greater),
            };
            let directed = |member: usize, comparison: Comparison| {
                if descending[member] {
                    comparison.flipped()
                } else {
                    comparison
                }
            };
            match spelling {
                Spelling::Alternatives => {
                    let alternatives = (0..members).map(|member| {
                        let equal = (0..member).map(|before| compare(before, Comparison::Equal));
                        let mut terms: Vec<T> = equal.collect();
                        let own = if member + 1 == members { last } else { strict };
                        terms.push(compare(member, directed(member, own)));
                        join(true, terms)
                    });
                    let alternatives = alternatives.collect();
                    join(false, alternatives)
                }
                Spelling::Nested => {
                    let mut tail = compare(members - 1, directed(members - 1, last));
                    for member in (0..members - 1).rev() {
                        let strict = directed(member, strict);
                        let rest = join(false, vec![compare(member, strict), tail]);
                        tail = join(true, vec![compare(member, or_equal(strict)), rest]);
                    }
                    tail
                }
            }
        }
    }
}

fn or_equal(strict: Comparison) -> Comparison {
    match strict {
        Comparison::Less => Comparison::LessOrEqual,
        _ => Comparison::GreaterOrEqual,
    }
}
