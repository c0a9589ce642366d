//! One rule of zones: an instant without a zone of its own goes by the zone of the session, whether it is a constant or
//! comes from a column.
//!
//! A column of type TIMESTAMP WITH TIME ZONE has the type of instants in UTC, `+00:00`, and a constant, or a cast, that of
//! instants in the zone of the session. DataFusion goes by these types: under `SET TIME ZONE 'Europe/Berlin'` a constant
//! is compared with a TIMESTAMP on the clocks of Berlin, and a column on those of UTC; and a cast to TIMESTAMP takes the
//! zone off any of them, so that 12:00 in Berlin comes back as 10:00. So where it counts what clocks show (a cast to
//! TIMESTAMP, DATE, TIME or TEXT, a time that meets one without a zone, a part of it), what is in UTC is given the zone of
//! the session here; and a cast to TIMESTAMP is the time that the clocks of its zone show. An instant that
//! `ts AT TIME ZONE 'Asia/Tokyo'` made has that zone, and keeps it.
//!
//! It runs first of all, for the rules behind it look at types; in a session in UTC it has little to do.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::functions::datetime;
use datafusion::logical_expr::expr::{Between, InList, ScalarFunction};
use datafusion::logical_expr::{
    BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan, Operator, TryCast, cast,
};
use datafusion::optimizer::AnalyzerRule;

use crate::datum::Clocks;
use crate::plan::rule::compare::comparison::is_comparison;
use crate::plan::rule::compare::numbers::{recomputed, refer_again};
use crate::plan::rule::{has_any, input_schema, map_named};

/// The zone of a column's type.
const UNNAMED: &str = "+00:00";

/// The rule. See the [module](self).
#[derive(Debug)]
pub(crate) struct GoBySession;

impl AnalyzerRule for GoBySession {
    fn name(&self) -> &str {
        "halite_go_by_session"
    }

    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        let session = Session::of(config);
        let mut changed = false;
        let plan = plan.transform_up_with_subqueries(|node| {
            let node = session.node(node)?;
            changed |= node.transformed;
            if changed {
                node.map_data(recomputed)
            } else {
                Ok(node)
            }
        })?;
        if !changed {
            return Ok(plan.data);
        }
        let referred = plan.data.transform_up_with_subqueries(refer_again);
        referred.map(|plan| plan.data)
    }
}

/// The clocks of a session.
struct Session {
    zone: Arc<str>,
    is_utc: bool,
}

impl Session {
    fn of(config: &ConfigOptions) -> Self {
        let zone = config.execution.time_zone.as_deref().unwrap_or(UNNAMED);
        Self {
            zone: Arc::from(zone),
            is_utc: Clocks::always_ahead(zone) == Some(0),
        }
    }

    fn node(&self, plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        let has_keys = matches!(&plan, LogicalPlan::Join(join) if !join.on.is_empty());
        if (self.is_utc || !has_keys) && !has_any(&plan, |expr| self.concerns(expr))? {
            return Ok(Transformed::no(plan));
        }
        let schema = input_schema(&plan)?;
        self.keys(plan, &schema).transform_data(|plan| {
            map_named(plan, |expr| {
                expr.transform_up(|expr| self.rewrite(expr, &schema))
            })
        })
    }

    /// The keys of a join, which are compared.
    fn keys(&self, plan: LogicalPlan, schema: &DFSchema) -> Transformed<LogicalPlan> {
        let LogicalPlan::Join(mut join) = plan else {
            return Transformed::no(plan);
        };
        let mut changed = false;
        for (left, right) in &mut join.on {
            changed |= self.meet(vec![left, right], schema);
        }
        Transformed::new_transformed(LogicalPlan::Join(join), changed)
    }

    /// Whether an expression may count on clocks.
    fn concerns(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Cast(Cast { expr, field }) | Expr::TryCast(TryCast { expr, field }) => {
                let target = field.data_type();
                let is_stamp = matches!(target, DataType::Timestamp(_, None));
                let is_shown = is_stamp || (!self.is_utc && is_of_clocks(target));
                is_shown && !matches!(expr.as_ref(), Expr::Literal(..))
            }
            _ if self.is_utc => false,
            Expr::BinaryExpr(BinaryExpr { op, .. }) => {
                is_comparison(*op) || *op == Operator::StringConcat
            }
            Expr::Between(_) | Expr::InList(_) | Expr::Case(_) => true,
            Expr::ScalarFunction(call) => {
                let name = call.name();
                name == ASSIGN || SHOWING.contains(&name) || meeting_from(name).is_some()
            }
            _ => false,
        }
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
        if !self.concerns(&expr) {
            return Ok(Transformed::no(expr));
        }
        let mut expr = expr;
        let changed = match &mut expr {
            Expr::Cast(Cast {
                expr: source,
                field,
            })
            | Expr::TryCast(TryCast {
                expr: source,
                field,
            }) => self.show(source, field.data_type(), schema),
            Expr::BinaryExpr(BinaryExpr {
                left,
                op: Operator::StringConcat,
                right,
            }) => self.name_all(vec![left, right], schema),
            Expr::BinaryExpr(BinaryExpr { left, right, .. }) => {
                self.meet(vec![left, right], schema)
            }
            Expr::Between(Between {
                expr, low, high, ..
            }) => self.meet(vec![expr, low, high], schema),
            Expr::InList(InList { expr, list, .. }) => {
                let mut all = vec![expr.as_mut()];
                all.extend(list);
                self.meet(all, schema)
            }
            Expr::Case(case) => {
                let results = case
                    .when_then_expr
                    .iter_mut()
                    .map(|(_, then)| then.as_mut());
                self.meet(
                    results.chain(case.else_expr.as_deref_mut()).collect(),
                    schema,
                )
            }
            Expr::ScalarFunction(call) => self.call(call, schema),
            _ => false,
        };
        Ok(Transformed::new_transformed(expr, changed))
    }

    fn call(&self, call: &mut ScalarFunction, schema: &DFSchema) -> bool {
        let name = call.name();
        if name == ASSIGN {
            return self.assign(call, schema);
        }
        if SHOWING.contains(&name) {
            return self.name_all(call.args.iter_mut().collect(), schema);
        }
        let first = meeting_from(name).unwrap_or_default();
        let meeting = call.args.iter_mut().skip(first).collect();
        self.meet(meeting, schema)
    }

    /// What a column of instants is given without an offset.
    fn assign(&self, call: &mut ScalarFunction, schema: &DFSchema) -> bool {
        let given = call.args.first().map(|given| given.get_type(schema));
        let Some(Ok(given)) = given else {
            return false;
        };
        let column = call.func.return_type(std::slice::from_ref(&given));
        let Ok(DataType::Timestamp(precision, Some(_))) = column else {
            return false;
        };
        let unit = match given {
            DataType::Timestamp(unit, None) => unit,
            DataType::Date32 | DataType::Date64 => TimeUnit::Second,
            // With more digits than the column has, of which assigning knows.
            text if text.is_string() => precision.max(TimeUnit::Microsecond),
            _ => return false,
        };
        for given in &mut call.args {
            *given = cast(std::mem::take(given), self.instant(unit));
        }
        true
    }

    /// What is cast to a type of what clocks show: an instant as its clocks show it.
    fn show(&self, source: &mut Expr, target: &DataType, schema: &DFSchema) -> bool {
        let Ok(DataType::Timestamp(_, Some(_))) = source.get_type(schema) else {
            return false;
        };
        let named = self.name_one(source, schema);
        let zone = match source.get_type(schema) {
            Ok(DataType::Timestamp(_, Some(zone))) => zone,
            _ => return named,
        };
        if !matches!(target, DataType::Timestamp(_, None)) || Clocks::always_ahead(&zone) == Some(0)
        {
            return named;
        }
        let instant = std::mem::take(source);
        *source = datetime::to_local_time().call(vec![instant]);
        true
    }

    fn name_all(&self, values: Vec<&mut Expr>, schema: &DFSchema) -> bool {
        let mut changed = false;
        for value in values {
            changed |= self.name_one(value, schema);
        }
        changed
    }

    /// Gives an instant in UTC the zone of the session.
    fn name_one(&self, value: &mut Expr, schema: &DFSchema) -> bool {
        if self.is_utc {
            return false;
        }
        match value.get_type(schema) {
            Ok(DataType::Timestamp(unit, Some(zone))) if zone.as_ref() == UNNAMED => {
                *value = cast(std::mem::take(value), self.instant(unit));
                true
            }
            _ => false,
        }
    }

    fn instant(&self, unit: TimeUnit) -> DataType {
        DataType::Timestamp(unit, Some(Arc::clone(&self.zone)))
    }

    /// Reads times without a zone on the clocks of the session, where they meet instants in UTC.
    fn meet(&self, values: Vec<&mut Expr>, schema: &DFSchema) -> bool {
        let types = values.iter().map(|value| value.get_type(schema));
        let types: Vec<DataType> = types.map(|found| found.unwrap_or(DataType::Null)).collect();
        let units = types.iter().filter_map(|found| match found {
            DataType::Timestamp(unit, Some(zone)) => Some((*unit, zone.as_ref() == UNNAMED)),
            _ => None,
        });
        let units: Vec<(TimeUnit, bool)> = units.collect();
        let Some(finest) = units.iter().map(|(unit, _)| *unit).max() else {
            return false;
        };
        if self.is_utc || !units.iter().any(|(_, is_unnamed)| *is_unnamed) {
            return false;
        }
        let mut changed = false;
        for (value, found) in values.into_iter().zip(&types) {
            let unit = match found {
                DataType::Timestamp(unit, None) => *unit,
                DataType::Date32 | DataType::Date64 => TimeUnit::Second,
                // By value: a constant may have more digits than the column.
                text if text.is_string() && matches!(value, Expr::Literal(..)) => {
                    TimeUnit::Nanosecond
                }
                text if text.is_string() => finest,
                _ => continue,
            };
            *value = cast(std::mem::take(value), self.instant(unit));
            changed = true;
        }
        changed
    }
}

/// Whether values of a type are what clocks show.
fn is_of_clocks(target: &DataType) -> bool {
    target.is_string()
        || matches!(
            target,
            DataType::Timestamp(_, None)
                | DataType::Date32
                | DataType::Date64
                | DataType::Time32(_)
                | DataType::Time64(_)
        )
}

/// The function around what is assigned to a column (`session::assign`).
const ASSIGN: &str = "assign";

/// Functions of what clocks show.
const SHOWING: &[&str] = &[
    "age",
    "concat",
    "concat_ws",
    "date_diff",
    "date_part",
    "date_sub",
    "date_trunc",
    "strftime",
    "to_char",
    "to_local_time",
];

/// The first of the arguments that a function brings to one type.
fn meeting_from(function: &str) -> Option<usize> {
    match function {
        "coalesce" | "nullif" | "greatest" | "least" | "make_array" | "interval_between" => Some(0),
        "nvl2" | "date_bin" => Some(1),
        _ => None,
    }
}

#[cfg(test)]
#[path = "session_zone_tests.rs"]
mod tests;
