//! Queries as SQL: as Halite is asked, and as the oracle is.
//!
//! The oracle's text means the same and trusts less. What a condition of the law says of a table's rows is known
//! already and stands there as a column ([`Truths`]); integers are computed as decimals that do not wrap; USING, IN
//! and coalesce are what SQL defines them by.

use super::data::Table;
use super::query::{
    Aggregate, Body, Expr, From, Group, GroupKind, Item, Join, JoinKind, On, Predicate, Query,
    Relation, Select, SetOperation, SetOperator, SortBy, SortKey, Source, Window,
};
use super::truths::Truths;
use crate::plan::law::condition::{Column, Truth};
use crate::plan::law::predicate_text;

/// Writes queries over some tables.
struct Renderer<'a, 't> {
    tables: &'a [Table],
    /// The oracle's: the conditions that were met.
    truths: Option<&'a mut Truths<'t>>,
    /// How many set operations are counted.
    counts: usize,
}

/// The query as Halite is asked.
pub(super) fn halite_sql(query: &Query, tables: &[Table]) -> String {
    let mut renderer = Renderer {
        tables,
        truths: None,
        counts: 0,
    };
    renderer.query(query)
}

/// The query as the oracle is asked, without the outermost order and page: the values, and behind them what they are
/// ordered by.
pub(super) fn oracle_sql(query: &Query, tables: &[Table], truths: &mut Truths<'_>) -> String {
    let mut bare = Query {
        order: Vec::new(),
        limit: None,
        offset: 0,
        ..query.clone()
    };
    rename(&mut bare.body);
    if let Body::Select(select) = &mut bare.body {
        for (number, key) in query.order.iter().enumerate() {
            if let SortBy::Expr(expr) = &key.by {
                select.items.push(Item {
                    expr: expr.clone(),
                    alias: Some(format!("k{number}")),
                });
            }
        }
    }
    let mut renderer = Renderer {
        tables,
        truths: Some(truths),
        counts: 0,
    };
    renderer.query(&bare)
}

/// Gives every column a name of its own.
fn rename(body: &mut Body) {
    match body {
        Body::Select(select) => {
            for (number, item) in select.items.iter_mut().enumerate() {
                item.alias = Some(format!("o{number}"));
            }
        }
        Body::Set(set) => {
            rename(&mut set.left);
            rename(&mut set.right);
        }
    }
}

impl Renderer<'_, '_> {
    fn is_oracle(&self) -> bool {
        self.truths.is_some()
    }

    fn query(&mut self, query: &Query) -> String {
        let mut text = String::new();
        for (number, (name, inner)) in query.ctes.iter().enumerate() {
            let begin = if number == 0 { "WITH" } else { "," };
            text.push_str(&format!("{begin} {name} AS ({}) ", self.query(inner)));
        }
        text.push_str(&self.body(&query.body));
        if !query.order.is_empty() {
            let keys = self.sort_keys(&query.order, Some(query.body.first()));
            text.push_str(&format!(" ORDER BY {keys}"));
        }
        if let Some(limit) = query.limit {
            text.push_str(&format!(" LIMIT {limit}"));
        }
        if query.offset > 0 {
            text.push_str(&format!(" OFFSET {}", query.offset));
        }
        text
    }

    fn body(&mut self, body: &Body) -> String {
        match body {
            Body::Select(select) => self.select(select),
            Body::Set(set) if self.is_oracle() && set.operator != SetOperator::Union => {
                self.counted(set)
            }
            Body::Set(set) => {
                let operator = match set.operator {
                    SetOperator::Union => "UNION",
                    SetOperator::Intersect => "INTERSECT",
                    SetOperator::Except => "EXCEPT",
                };
                let all = if set.all { " ALL" } else { "" };
                let (left, right) = (self.arm(&set.left), self.arm(&set.right));
                format!("{left} {operator}{all} {right}")
            }
        }
    }

    /// INTERSECT and EXCEPT, of which a plain plan does not count the rows: here equal rows of each side are numbered, and
    /// those of the right side counted. They are of the type that UNION ALL gives them.
    fn counted(&mut self, set: &SetOperation) -> String {
        self.counts += 1;
        let number = self.counts;
        let items = set.left.first().items.iter();
        let names = items.map(|item| item.alias.as_deref().expect("a name of an arm"));
        let names = names.collect::<Vec<_>>().join(", ");
        let (left, right) = (self.arm(&set.left), self.arm(&set.right));
        let is_kept = match (set.operator, set.all) {
            (SetOperator::Intersect, true) => "i <= n",
            (SetOperator::Intersect, false) => "i = 1 AND n > 0",
            (SetOperator::Except | SetOperator::Union, true) => "i > n",
            (SetOperator::Except | SetOperator::Union, false) => "i = 1 AND n = 0",
        };
        format!(
            "SELECT {names} FROM (SELECT *, row_number() OVER (PARTITION BY {names}, r) AS i, \
             sum(r) OVER (PARTITION BY {names}) AS n FROM (\
             SELECT *, 0 AS r FROM ({left}) AS l{number} UNION ALL \
             SELECT *, 1 AS r FROM ({right}) AS r{number}\
             ) AS b{number}) AS u{number} WHERE r = 0 AND {is_kept}"
        )
    }

    fn arm(&mut self, body: &Body) -> String {
        match body {
            Body::Select(select) => self.select(select),
            set @ Body::Set(_) => format!("({})", self.body(set)),
        }
    }

    fn select(&mut self, select: &Select) -> String {
        let distinct = if select.distinct { "DISTINCT " } else { "" };
        let items: Vec<String> = select.items.iter().map(|item| self.item(item)).collect();
        let from = self.from(&select.from);
        let mut text = format!("SELECT {distinct}{} FROM {from}", items.join(", "));
        if let Some(filter) = &select.filter {
            text.push_str(&format!(" WHERE {}", self.predicate(filter)));
        }
        if let Some(group) = &select.group {
            text.push_str(&self.group(group));
        }
        if let Some(having) = &select.having {
            text.push_str(&format!(" HAVING {}", self.predicate(having)));
        }
        text
    }

    fn item(&mut self, item: &Item) -> String {
        let expr = self.expr(&item.expr);
        match &item.alias {
            Some(alias) => format!("{expr} AS {alias}"),
            None => expr,
        }
    }

    fn group(&mut self, group: &Group) -> String {
        let by = self.exprs(&group.by);
        match &group.kind {
            GroupKind::Plain if by.is_empty() => String::new(),
            GroupKind::Plain => format!(" GROUP BY {}", by.join(", ")),
            GroupKind::Rollup => format!(" GROUP BY ROLLUP ({})", by.join(", ")),
            GroupKind::Cube => format!(" GROUP BY CUBE ({})", by.join(", ")),
            GroupKind::Sets(sets) => {
                let sets = sets.iter().map(|set| {
                    let members = set.iter().map(|member| by[*member].as_str());
                    format!("({})", members.collect::<Vec<_>>().join(", "))
                });
                let sets: Vec<String> = sets.collect();
                format!(" GROUP BY GROUPING SETS ({})", sets.join(", "))
            }
        }
    }

    fn from(&mut self, from: &From) -> String {
        match from {
            From::Source(source) => self.source(source),
            From::Join(join) => self.join(join),
        }
    }

    fn source(&mut self, source: &Source) -> String {
        let alias = &source.alias;
        match &source.relation {
            Relation::Table(table) => format!("{} AS {alias}", self.tables[*table].name),
            Relation::Derived(query) => format!("({}) AS {alias}", self.query(query)),
            Relation::Named(name) => format!("{name} AS {alias}"),
        }
    }

    fn join(&mut self, join: &Join) -> String {
        let kind = match join.kind {
            JoinKind::Inner => "JOIN",
            JoinKind::Left => "LEFT JOIN",
            JoinKind::Right => "RIGHT JOIN",
            JoinKind::Full => "FULL JOIN",
            JoinKind::Cross => "CROSS JOIN",
            JoinKind::Semi => "LEFT SEMI JOIN",
            JoinKind::Anti => "LEFT ANTI JOIN",
        };
        let (left, right) = (self.from(&join.left), self.source(&join.right));
        let on = match &join.on {
            On::Nothing => String::new(),
            On::Condition(condition) => format!(" ON {}", self.predicate(condition)),
            On::Using { column, left } if self.is_oracle() => {
                format!(" ON {left}.{column} = {}.{column}", join.right.alias)
            }
            On::Using { column, .. } => format!(" USING ({column})"),
        };
        format!("{left} {kind} {right}{on}")
    }

    fn sort_keys(&mut self, keys: &[SortKey], select: Option<&Select>) -> String {
        let keys = keys.iter().map(|key| {
            let by = match &key.by {
                SortBy::Expr(expr) => self.expr(expr),
                SortBy::Item(item) => {
                    let named = select.and_then(|select| select.items[*item].alias.clone());
                    named.unwrap_or_else(|| (item + 1).to_string())
                }
            };
            let direction = if key.descending { " DESC" } else { "" };
            let nulls = match key.nulls_first {
                None => "",
                Some(true) => " NULLS FIRST",
                Some(false) => " NULLS LAST",
            };
            format!("{by}{direction}{nulls}")
        });
        keys.collect::<Vec<_>>().join(", ")
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Vec<String> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn expr(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Column { source, name } => format!("{source}.{name}"),
            Expr::Merged {
                name,
                of: Some(source),
                ..
            } if self.is_oracle() => format!("{source}.{name}"),
            Expr::Merged {
                name, left, right, ..
            } if self.is_oracle() => format!(
                "CASE WHEN {left}.{name} IS NOT NULL THEN {left}.{name} ELSE {right}.{name} END"
            ),
            Expr::Merged { name, .. } => name.clone(),
            Expr::Constant(sql) => sql.clone(),
            Expr::Bytes(digits) => {
                if self.is_oracle() {
                    format!("X'{digits}'")
                } else {
                    format!("'\\x{digits}'")
                }
            }
            Expr::TimeOfDay(inner) => format!("CAST({} AS TIME)", self.expr(inner)),
            Expr::InBerlin(inner) => format!("({} AT TIME ZONE 'Europe/Berlin')", self.expr(inner)),
            Expr::Arithmetic(operator, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                if self.is_oracle() {
                    exact(&format!("{} {operator} {}", wide(&left), wide(&right)))
                } else {
                    format!("({left} {operator} {right})")
                }
            }
            Expr::Binary(operator, left, right) => {
                format!("({} {operator} {})", self.expr(left), self.expr(right))
            }
            Expr::Call(function, arguments) => {
                format!("{function}({})", self.exprs(arguments).join(", "))
            }
            Expr::Coalesce(first, second) => {
                let (first, second) = (self.expr(first), self.expr(second));
                if self.is_oracle() {
                    format!("CASE WHEN {first} IS NOT NULL THEN {first} ELSE {second} END")
                } else {
                    format!("coalesce({first}, {second})")
                }
            }
            Expr::NullIf(first, second) => {
                format!("nullif({}, {})", self.expr(first), self.expr(second))
            }
            Expr::Case(when, then, otherwise) => format!(
                "CASE WHEN {} THEN {} ELSE {} END",
                self.predicate(when),
                self.expr(then),
                self.expr(otherwise)
            ),
            Expr::Cast(inner, sql_type) => format!("CAST({} AS {sql_type})", self.expr(inner)),
            Expr::Truth(predicate) => format!("({})", self.predicate(predicate)),
            Expr::Aggregate(aggregate) => self.aggregate(aggregate, ""),
            Expr::Window(window) => self.window(window),
            Expr::Scalar(query) => format!("({})", self.query(query)),
        }
    }

    /// An aggregate; `over` is what makes a window function of it.
    fn aggregate(&mut self, aggregate: &Aggregate, over: &str) -> String {
        let distinct = if aggregate.distinct { "DISTINCT " } else { "" };
        let is_exact = aggregate.exact && self.is_oracle();
        let mut arguments = self.exprs(&aggregate.arguments);
        if is_exact {
            arguments.iter_mut().for_each(|one| *one = wide(one));
        }
        let arguments = match (aggregate.function, arguments.is_empty()) {
            ("count", true) => "*".to_owned(),
            _ => arguments.join(", "),
        };
        let order = if aggregate.order.is_empty() {
            String::new()
        } else {
            format!(" ORDER BY {}", self.sort_keys(&aggregate.order, None))
        };
        let filter = match &aggregate.filter {
            None => String::new(),
            Some(filter) => format!(" FILTER (WHERE {})", self.predicate(filter)),
        };
        let function = aggregate.function;
        let text = format!("{function}({distinct}{arguments}{order}){filter}{over}");
        if is_exact { exact(&text) } else { text }
    }

    fn window(&mut self, window: &Window) -> String {
        let mut clauses = Vec::new();
        if !window.partition.is_empty() {
            let by = self.exprs(&window.partition).join(", ");
            clauses.push(format!("PARTITION BY {by}"));
        }
        if !window.order.is_empty() {
            clauses.push(format!("ORDER BY {}", self.sort_keys(&window.order, None)));
        }
        clauses.extend(window.frame.map(str::to_owned));
        let nulls = if window.ignores_nulls {
            " IGNORE NULLS"
        } else {
            ""
        };
        let over = format!("{nulls} OVER ({})", clauses.join(" "));
        self.aggregate(&window.function, &over)
    }

    fn predicate(&mut self, predicate: &Predicate) -> String {
        let not = |negated: bool| if negated { "NOT " } else { "" };
        match predicate {
            Predicate::Constant(None) => "CAST(NULL AS BOOLEAN)".to_owned(),
            Predicate::Constant(Some(value)) => value.to_string().to_uppercase(),
            Predicate::Law {
                source,
                table,
                condition,
            } => match &mut self.truths {
                Some(truths) => truths.column(source, *table, condition),
                None => {
                    let columns = self.tables[*table].columns.iter();
                    let columns: Vec<Column> = columns
                        .map(|column| Column {
                            name: format!("{source}.{}", column.name),
                            ..column.clone()
                        })
                        .collect();
                    format!("({})", predicate_text::sql(condition, &columns))
                }
            },
            Predicate::Compare(left, comparison, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                format!("{left} {} {right}", comparison.sql())
            }
            Predicate::IsNull(expr, negated) => {
                format!("{} IS {}NULL", self.expr(expr), not(*negated))
            }
            Predicate::In(expr, list, negated) => {
                let mut list = self.exprs(list);
                if self.is_oracle() {
                    list.iter_mut().for_each(|value| *value = one_zero(value));
                }
                let list = list.join(", ");
                format!("{} {}IN ({list})", self.expr(expr), not(*negated))
            }
            Predicate::Between(expr, low, high) => {
                let (low, high) = (self.expr(low), self.expr(high));
                format!("{} BETWEEN {low} AND {high}", self.expr(expr))
            }
            Predicate::Exists(query, negated) => {
                format!("{}EXISTS ({})", not(*negated), self.query(query))
            }
            Predicate::InQuery(expr, query, negated) => {
                let (expr, query) = (self.expr(expr), self.query(query));
                match (self.is_oracle(), negated) {
                    (true, true) => format!("{expr} <> ALL ({query})"),
                    (true, false) => format!("{expr} = ANY ({query})"),
                    (false, negated) => format!("{expr} {}IN ({query})", not(*negated)),
                }
            }
            Predicate::Test(inner, truth, negated) => {
                let truth = match truth {
                    Truth::True => "TRUE",
                    Truth::False => "FALSE",
                    Truth::Unknown => "UNKNOWN",
                };
                format!("({}) IS {}{truth}", self.predicate(inner), not(*negated))
            }
            Predicate::Not(inner) => format!("NOT ({})", self.predicate(inner)),
            Predicate::And(terms) => self.joined(terms, " AND "),
            Predicate::Or(terms) => self.joined(terms, " OR "),
        }
    }

    fn joined(&mut self, terms: &[Predicate], by: &str) -> String {
        let terms = terms
            .iter()
            .map(|term| format!("({})", self.predicate(term)));
        terms.collect::<Vec<_>>().join(by)
    }
}

/// A value of a list, which is compared bit by bit without our rules: there is one zero.
fn one_zero(sql: &str) -> String {
    match sql.strip_prefix('-') {
        Some(digits) if digits.parse::<f64>() == Ok(0.0) => digits.to_owned(),
        _ => sql.to_owned(),
    }
}

/// An integer that does not wrap.
fn wide(sql: &str) -> String {
    format!("CAST({sql} AS DECIMAL(38, 0))")
}

/// A whole number as BIGINT; an error where it is none.
fn exact(sql: &str) -> String {
    format!("CAST({sql} AS BIGINT)")
}
