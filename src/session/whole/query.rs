//! Whole queries as a tree: what is drawn, rendered and shrunk.
//!
//! Every source has an alias of its own in the whole query, and every column is written with it, so that a part can be
//! taken out or put elsewhere without another meaning of what is left.

use crate::datum::SqlType;
use crate::plan::law::condition::{Comparison, Condition, Truth};

/// A query with its common table expressions, its order and its page.
#[derive(Debug, Clone)]
pub(super) struct Query {
    pub ctes: Vec<(String, Query)>,
    pub body: Body,
    pub order: Vec<SortKey>,
    pub limit: Option<usize>,
    pub offset: usize,
}

impl Query {
    /// A query without order, page and common table expressions.
    pub fn of(body: Body) -> Self {
        Self {
            ctes: Vec::new(),
            body,
            order: Vec::new(),
            limit: None,
            offset: 0,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) enum Body {
    Select(Box<Select>),
    Set(Box<SetOperation>),
}

impl Body {
    /// The SELECT that names the columns.
    pub fn first(&self) -> &Select {
        match self {
            Self::Select(select) => select,
            Self::Set(set) => set.left.first(),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct SetOperation {
    pub operator: SetOperator,
    pub all: bool,
    pub left: Body,
    pub right: Body,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SetOperator {
    Union,
    Intersect,
    Except,
}

#[derive(Debug, Clone)]
pub(super) struct Select {
    pub distinct: bool,
    pub items: Vec<Item>,
    pub from: From,
    pub filter: Option<Predicate>,
    /// `None` where rows are not grouped.
    pub group: Option<Group>,
    pub having: Option<Predicate>,
}

#[derive(Debug, Clone)]
pub(super) struct Item {
    pub expr: Expr,
    pub alias: Option<String>,
}

/// GROUP BY. Sets name the expressions by their positions.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub by: Vec<Expr>,
    pub kind: GroupKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GroupKind {
    /// The groups of all expressions; without any, one group of all rows.
    Plain,
    Rollup,
    Cube,
    Sets(Vec<Vec<usize>>),
}

#[derive(Debug, Clone)]
pub(super) enum From {
    Source(Source),
    Join(Box<Join>),
}

#[derive(Debug, Clone)]
pub(super) struct Join {
    pub left: From,
    pub kind: JoinKind,
    pub right: Source,
    pub on: On,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
    Semi,
    Anti,
}

#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant)] // Of a few joins of a test.
pub(super) enum On {
    /// Of a CROSS JOIN.
    Nothing,
    Condition(Predicate),
    /// The column of this name on both sides: of the source with this alias, and of the right one.
    Using {
        column: String,
        left: String,
    },
}

/// What rows come from, under an alias.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub alias: String,
    pub relation: Relation,
}

#[derive(Debug, Clone)]
pub(super) enum Relation {
    /// A table, by its number.
    Table(usize),
    Derived(Box<Query>),
    /// A common table expression.
    Named(String),
}

/// How rows are ordered.
#[derive(Debug, Clone)]
pub(super) struct SortKey {
    pub by: SortBy,
    pub descending: bool,
    pub nulls_first: Option<bool>,
}

impl SortKey {
    /// Ascending, as the default has it.
    pub fn ascending(expr: Expr) -> Self {
        Self {
            by: SortBy::Expr(expr),
            descending: false,
            nulls_first: None,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) enum SortBy {
    Expr(Expr),
    /// The position of an item, the first is 0.
    Item(usize),
}

#[derive(Debug, Clone)]
pub(super) enum Expr {
    Column {
        source: String,
        name: String,
    },
    /// The one column that USING makes of two: its name, and the aliases of the two.
    Merged {
        name: String,
        left: String,
        right: String,
        /// The one of them that it is, and so the same to a GROUP BY; `None` of a full join.
        of: Option<String>,
    },
    /// As SQL writes it.
    Constant(String),
    /// Bytes by their hexadecimal digits, which users write as a text.
    Bytes(String),
    /// The time of day.
    TimeOfDay(Box<Expr>),
    /// A time as the clocks of Berlin show it.
    InBerlin(Box<Expr>),
    /// `+`, `-`, `*` of integers, which oracles compute without bounds.
    Arithmetic(char, Box<Expr>, Box<Expr>),
    /// Any other operator.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Call(&'static str, Vec<Expr>),
    Coalesce(Box<Expr>, Box<Expr>),
    NullIf(Box<Expr>, Box<Expr>),
    Case(Box<Predicate>, Box<Expr>, Box<Expr>),
    Cast(Box<Expr>, SqlType),
    Truth(Box<Predicate>),
    Aggregate(Box<Aggregate>),
    Window(Box<Window>),
    Scalar(Box<Query>),
}

/// An aggregate; as a window function without DISTINCT, order and filter of its own.
#[derive(Debug, Clone)]
pub(super) struct Aggregate {
    pub function: &'static str,
    pub distinct: bool,
    pub arguments: Vec<Expr>,
    pub order: Vec<SortKey>,
    pub filter: Option<Predicate>,
    /// A sum of integers, which oracles compute without bounds.
    pub exact: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Window {
    pub function: Aggregate,
    pub ignores_nulls: bool,
    pub partition: Vec<Expr>,
    pub order: Vec<SortKey>,
    pub frame: Option<&'static str>,
}

impl Window {
    /// Whether it gives two rows that are equal something else.
    pub fn tells_apart(&self) -> bool {
        let is_of_rows = matches!(
            self.function.function,
            "row_number" | "ntile" | "lag" | "lead" | "first_value" | "last_value" | "nth_value"
        );
        is_of_rows || self.frame.is_some_and(|frame| frame.starts_with("ROWS"))
    }
}

/// A condition of a query; what it says of one table alone is a condition of the law.
#[derive(Debug, Clone)]
pub(super) enum Predicate {
    Constant(Option<bool>),
    /// A condition over the columns of a table, under an alias.
    Law {
        source: String,
        table: usize,
        condition: Condition,
    },
    Compare(Expr, Comparison, Expr),
    IsNull(Expr, bool),
    In(Expr, Vec<Expr>, bool),
    Between(Expr, Expr, Expr),
    Exists(Box<Query>, bool),
    InQuery(Expr, Box<Query>, bool),
    Test(Box<Predicate>, Truth, bool),
    Not(Box<Predicate>),
    And(Vec<Predicate>),
    Or(Vec<Predicate>),
}
