//! Aggregates and window functions.

use super::super::query::{Aggregate, Expr, SortBy, SortKey, Window};
use super::select::Material;
use super::{Draw, Scope, Value};
use crate::datum::SqlType;

impl Draw<'_> {
    /// An aggregate of the rows of a group.
    pub(super) fn aggregate(&mut self, material: &Material) -> Value {
        let Some(scope) = &material.grouped else {
            return count_all();
        };
        let (mut aggregate, sql_type) = self.function(scope, material.extremes);
        let ordered = matches!(
            aggregate.function,
            "string_agg" | "array_agg" | "first_value" | "last_value"
        );
        let is_countable =
            matches!(aggregate.function, "count" | "sum") && !aggregate.arguments.is_empty();
        if (is_countable && self.random.percent(35)) || (ordered && self.random.percent(25)) {
            aggregate.distinct = !matches!(aggregate.function, "first_value" | "last_value");
        }
        if ordered {
            aggregate.order = self.aggregate_order(&aggregate, scope);
        }
        if self.random.percent(15) {
            aggregate.filter = Some(self.predicate(scope, 0));
        }
        Value {
            expr: Expr::Aggregate(Box::new(aggregate)),
            sql_type,
            small: false,
        }
    }

    /// Ends with the argument, so that ties are equal.
    fn aggregate_order(&mut self, aggregate: &Aggregate, scope: &Scope) -> Vec<SortKey> {
        let mut order = Vec::new();
        if !aggregate.distinct && self.random.percent(50) {
            let expr = self.pick(scope).expr;
            order.push(self.key(SortBy::Expr(expr)));
        }
        let last = aggregate.arguments[0].clone();
        order.push(self.key(SortBy::Expr(last)));
        order
    }

    /// An aggregate function over the values of a scope, and its type.
    fn function(&mut self, scope: &Scope, extremes: bool) -> (Aggregate, SqlType) {
        let of = |function, arguments: Vec<Expr>| Aggregate {
            function,
            distinct: false,
            arguments,
            order: Vec::new(),
            filter: None,
            exact: false,
        };
        let value = if self.random.percent(if extremes { 50 } else { 80 }) {
            self.pick(scope)
        } else {
            let value = self.pick(scope);
            self.derived(value, scope, 0)
        };
        let argument = vec![value.expr.clone()];
        // What `nullif` makes of an integer and `6.0` is a DECIMAL.
        let is_column = matches!(value.expr, Expr::Column { .. } | Expr::Merged { .. });
        let is_great = !value.small && value.sql_type == SqlType::BigInt && self.random.percent(3);
        let may_sum = value.small || (is_great && is_column);
        let drawn = if extremes {
            self.random.between(30, 61)
        } else {
            self.random.between(0, 99)
        };
        match drawn {
            0..18 => (of("count", Vec::new()), SqlType::BigInt),
            18..30 => (of("count", argument), SqlType::BigInt),
            30..46 => (of("min", argument), value.sql_type),
            46..62 => (of("max", argument), value.sql_type),
            62..70 if value.sql_type.is_text() => {
                let arguments = vec![value.expr, Expr::Constant("','".to_owned())];
                (of("string_agg", arguments), SqlType::Text)
            }
            70..76 => (of("first_value", argument), value.sql_type),
            76..80 => (of("last_value", argument), value.sql_type),
            80..84 if value.sql_type == SqlType::Boolean => {
                (of("bool_and", argument), SqlType::Boolean)
            }
            _ if may_sum => {
                let sum = Aggregate {
                    exact: true,
                    ..of("sum", argument)
                };
                (sum, SqlType::BigInt)
            }
            _ if matches!(value.sql_type, SqlType::Decimal { precision: 10, .. }) => (
                of("sum", argument),
                SqlType::Decimal {
                    precision: 20,
                    scale: 2,
                },
            ),
            _ => (of("max", argument), value.sql_type),
        }
    }

    /// A window function. Where it depends on the order of ties, there are none.
    pub(super) fn window(&mut self, material: &Material) -> Value {
        let scope = &material.scope;
        if scope.values.is_empty() {
            return self.over_all(material);
        }
        let mut partition = Vec::new();
        for _ in 0..self.random.weighted(&[(45, 0), (45, 1), (10, 2)]) {
            partition.push(self.pick(scope).expr);
        }
        let mut order: Vec<SortKey> = Vec::new();
        for _ in 0..self.random.weighted(&[(30, 0), (50, 1), (20, 2)]) {
            let expr = self.pick(scope).expr;
            order.push(self.key(SortBy::Expr(expr)));
        }
        let (mut function, sql_type, mut needs_total) = self.window_function(material);
        let mut frame = None;
        let takes_frame = !matches!(
            function.function,
            "row_number" | "rank" | "dense_rank" | "ntile" | "lag" | "lead"
        );
        if takes_frame && self.random.percent(45) {
            let drawn = *self.random.pick(&FRAMES);
            if drawn.starts_with("ROWS") {
                needs_total = true;
                frame = Some(drawn);
            } else if !order.is_empty() {
                frame = Some(drawn);
            }
        }
        if needs_total && scope.total.is_empty() {
            function = count_all_rows();
            frame = None;
        } else if needs_total {
            for expr in &scope.total {
                order.push(SortKey::ascending(expr.clone()));
            }
        }
        let sql_type = match function.function {
            "count" => SqlType::BigInt,
            _ => sql_type,
        };
        let ignores_nulls = self.far(&mut function, &mut frame);
        let window = Window {
            function,
            ignores_nulls,
            partition,
            order,
            frame,
        };
        Value {
            expr: Expr::Window(Box::new(window)),
            sql_type,
            small: false,
        }
    }

    /// Lets a function look further than at the next row, or pass NULLs over, now and then; and whether it does that.
    fn far(&mut self, function: &mut Aggregate, frame: &mut Option<&'static str>) -> bool {
        let looks = matches!(function.function, "lag" | "lead");
        let picks = matches!(function.function, "first_value" | "last_value");
        if frame.is_some_and(|frame| frame.starts_with("ROWS")) && self.rare.percent(40) {
            *frame = Some(*self.rare.pick(&FAR_FRAMES));
        }
        if !looks && !picks {
            return false;
        }
        if picks && self.rare.percent(25) {
            function.function = "nth_value";
        }
        if (looks && self.rare.percent(40)) || function.function == "nth_value" {
            let rows = self.rare.between(if looks { 0 } else { 1 }, 3);
            function.arguments.push(Expr::Constant(rows.to_string()));
        }
        self.rare.percent(35)
    }

    /// A window over groups of which nothing is named: an aggregate of aggregates.
    fn over_all(&mut self, material: &Material) -> Value {
        let inner = self.aggregate(material);
        let function = Aggregate {
            function: "max",
            arguments: vec![inner.expr],
            ..count_all_rows()
        };
        let window = Window {
            function,
            ignores_nulls: false,
            partition: Vec::new(),
            order: Vec::new(),
            frame: None,
        };
        Value {
            expr: Expr::Window(Box::new(window)),
            sql_type: inner.sql_type,
            small: false,
        }
    }

    /// A function for a window, its type, and whether it tells ties apart.
    fn window_function(&mut self, material: &Material) -> (Aggregate, SqlType, bool) {
        let of = |function, arguments: Vec<Expr>| Aggregate {
            function,
            arguments,
            ..count_all_rows()
        };
        let value = self.pick(&material.scope);
        let argument = vec![value.expr.clone()];
        match self.random.between(0, 99) {
            0..12 => (of("row_number", Vec::new()), SqlType::BigInt, true),
            12..20 => (of("rank", Vec::new()), SqlType::BigInt, false),
            20..28 => (of("dense_rank", Vec::new()), SqlType::BigInt, false),
            28..36 => (of("lag", argument), value.sql_type, true),
            36..44 => (of("lead", argument), value.sql_type, true),
            44..50 => (of("first_value", argument), value.sql_type, true),
            50..56 => (of("last_value", argument), value.sql_type, true),
            56..74 => (count_all_rows(), SqlType::BigInt, false),
            74..80 => (of("count", argument), SqlType::BigInt, false),
            80..92 if value.small => {
                let sum = Aggregate {
                    exact: true,
                    ..of("sum", argument)
                };
                (sum, SqlType::BigInt, false)
            }
            80..86 if material.grouped.is_some() => {
                let inner = count_all().expr;
                let sum = Aggregate {
                    exact: true,
                    ..of("sum", vec![inner])
                };
                (sum, SqlType::BigInt, false)
            }
            _ if self.random.percent(50) => (of("min", argument), value.sql_type, false),
            _ => (of("max", argument), value.sql_type, false),
        }
    }
}

/// Frames; RANGE and GROUPS where there is an order.
const FRAMES: [&str; 8] = [
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW",
];

/// Those that reach further, or hold nothing.
const FAR_FRAMES: [&str; 6] = [
    "ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING",
    "ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
    "ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN 1000 PRECEDING AND 1000 FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND CURRENT ROW",
];

pub(super) fn integer(expr: Expr, small: bool) -> Value {
    Value {
        expr,
        sql_type: SqlType::BigInt,
        small,
    }
}

fn count_all_rows() -> Aggregate {
    Aggregate {
        function: "count",
        distinct: false,
        arguments: Vec::new(),
        order: Vec::new(),
        filter: None,
        exact: false,
    }
}

pub(super) fn count_all() -> Value {
    integer(Expr::Aggregate(Box::new(count_all_rows())), false)
}
