//! What a cast means, where DataFusion or Arrow means something else: one walk over the casts of a plan.
//!
//! | cast | what stands there |
//! |---|---|
//! | of a text to TIMESTAMP, DECIMAL, INTERVAL | the cast of the text [as Arrow has it](crate::convert::completed) |
//! | of a DECIMAL to an integer | the cast of a whole DECIMAL, to which Arrow rounds, half away from zero; else it cuts |
//! | of what clocks show to an instant | the instant [by the clocks of its zone](crate::convert::clocks) |
//! | of a text to BYTEA | the [bytes that it stands for](crate::convert::bytes) |
//! | of a text, or of members, to LIST, STRUCT, MAP | [what it reads as](crate::convert::nested) |
//!
//! Casts are those that are written and those that type coercion has made, for `b = '\x00ff'` and for a CASE; so the rule
//! runs behind type coercion. It runs before constants are computed, and reads constants there and then, so that key ranges
//! are found for them.

use std::sync::Arc;

use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, LogicalPlan, TryCast};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::convert::bytes::{BytesOfTexts, is_text};
use crate::convert::clocks::OnClocks;
use crate::convert::completed::Completion;
use crate::convert::function::{conversion_of, converted, converted_at_once};
use crate::convert::nested::NestedOfValues;
use crate::function::check_wanted;
use crate::plan::rule::rewriting::rewrite_expressions;

/// What some casts mean.
#[derive(Debug)]
pub(crate) struct CastMeaning {
    /// The mend that it is of, if it is of one.
    pub(crate) mend: Option<&'static str>,
    /// Whether a cast may be of them: what is not is left alone, whatever else stands in its node.
    concerns: fn(&CastOf<'_>) -> bool,
    /// What stands for a cast of a value of a type; `None` where it is not of them, or has been done.
    meant: fn(&CastOf<'_>, &DataType) -> Result<Option<Expr>>,
}

/// Every meaning, in order: the first may leave a cast for those behind it.
pub(crate) static MEANINGS: &[CastMeaning] = &[
    CastMeaning {
        mend: None,
        concerns: is_incomplete,
        meant: of_completed_text,
    },
    ROUNDED_DECIMALS,
    READ_ON_CLOCKS,
    CastMeaning {
        mend: Some("bytes"),
        concerns: |cast| is_bytes(cast.target()),
        meant: |cast, from| {
            let conversion = is_text(from).then(|| BytesOfTexts {
                target: cast.target().clone(),
                is_lenient: cast.is_lenient,
            });
            conversion
                .map(|it| converted_at_once(it, cast.value))
                .transpose()
        },
    },
    CastMeaning {
        mend: Some("nested"),
        concerns: |cast| cast.target().is_nested(),
        meant: |cast, from| {
            let conversion = NestedOfValues::of(from, cast.field, cast.is_lenient);
            conversion
                .map(|it| converted_at_once(it, cast.value))
                .transpose()
        },
    },
];

/// A DECIMAL that is cast to an integer is rounded.
pub(crate) const ROUNDED_DECIMALS: CastMeaning = CastMeaning {
    mend: None,
    concerns: |cast| cast.target().is_integer(),
    meant: of_whole_decimal,
};

/// A time is read on the clocks of the zone that it is cast to.
pub(crate) const READ_ON_CLOCKS: CastMeaning = CastMeaning {
    mend: Some("zones"),
    concerns: |cast| OnClocks::reads(cast.target()),
    meant: of_clocks,
};

/// A cast.
struct CastOf<'a> {
    value: &'a Expr,
    field: &'a FieldRef,
    /// Whether it gives NULL for what it cannot read.
    is_lenient: bool,
}

impl<'a> CastOf<'a> {
    fn of(expr: &'a Expr) -> Option<Self> {
        let (value, field, is_lenient) = match expr {
            Expr::Cast(Cast { expr, field }) => (expr, field, false),
            Expr::TryCast(TryCast { expr, field }) => (expr, field, true),
            _ => return None,
        };
        Some(Self {
            value,
            field,
            is_lenient,
        })
    }

    fn target(&self) -> &DataType {
        self.field.data_type()
    }

    /// The same cast of another value.
    fn over(&self, value: Expr) -> Expr {
        let (expr, field) = (Box::new(value), Arc::clone(self.field));
        if self.is_lenient {
            Expr::TryCast(TryCast { expr, field })
        } else {
            Expr::Cast(Cast { expr, field })
        }
    }
}

fn is_bytes(to: &DataType) -> bool {
    matches!(
        to,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView
    )
}

/// Whether it may be the cast of a text that is not yet as Arrow has it.
fn is_incomplete(cast: &CastOf<'_>) -> bool {
    Completion::of(cast.target()).is_some_and(|completion| match cast.value {
        Expr::Literal(text, _) => {
            let text = text.try_as_str().flatten();
            text.is_some_and(|text| completion.completed(text).is_some())
        }
        value => conversion_of::<Completion>(value).is_none(),
    })
}

fn of_completed_text(cast: &CastOf<'_>, from: &DataType) -> Result<Option<Expr>> {
    let Some(completion) = Completion::of(cast.target()) else {
        return Ok(None);
    };
    if let Expr::Literal(text, _) = cast.value {
        let text = text.try_as_str().flatten();
        let completed = text.and_then(|text| completion.completed(text));
        let literal = completed.map(|text| Expr::Literal(ScalarValue::from(text), None));
        return Ok(literal.map(|literal| cast.over(literal)));
    }
    Ok(is_text(from).then(|| cast.over(converted(completion, cast.value.clone()))))
}

fn of_whole_decimal(cast: &CastOf<'_>, from: &DataType) -> Result<Option<Expr>> {
    let whole = match from {
        DataType::Decimal128(_, 1..) => DataType::Decimal128(38, 0),
        DataType::Decimal256(_, 1..) => DataType::Decimal256(76, 0),
        _ => return Ok(None),
    };
    let whole = Expr::Cast(Cast::new(Box::new(cast.value.clone()), whole));
    Ok(Some(cast.over(whole)))
}

fn of_clocks(cast: &CastOf<'_>, from: &DataType) -> Result<Option<Expr>> {
    let target = cast.target();
    let Some(clocks) = OnClocks::of(from, target, cast.is_lenient) else {
        return Ok(None);
    };
    let is_whole = clocks.is_to(target);
    let read = converted(clocks, cast.value.clone());
    Ok(Some(if is_whole { read } else { cast.over(read) }))
}

/// The rule, of some meanings.
#[derive(Debug)]
pub(crate) struct MeanCasts(pub(crate) Vec<&'static CastMeaning>);

impl MeanCasts {
    fn concerns(&self, expr: &Expr) -> bool {
        CastOf::of(expr).is_some_and(|cast| {
            let mut meanings = self.0.iter();
            meanings.any(|meaning| (meaning.concerns)(&cast))
        })
    }

    fn mean(&self, mut expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
        let mut is_changed = false;
        for meaning in &self.0 {
            let Some(cast) = CastOf::of(&expr) else { break };
            if !(meaning.concerns)(&cast) {
                continue;
            }
            let Ok(from) = cast.value.get_type(schema) else {
                break;
            };
            if let Some(meant) = (meaning.meant)(&cast, &from)? {
                (expr, is_changed) = (meant, true);
            }
        }
        Ok(Transformed::new_transformed(expr, is_changed))
    }
}

impl OptimizerRule for MeanCasts {
    fn name(&self) -> &'static str {
        "halite_mean_casts"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        check_wanted()?;
        rewrite_expressions(
            plan,
            |expr| self.concerns(expr),
            |expr, schema| self.mean(expr, schema),
        )
    }
}
