//! Of which columns a query wants numbers alone.
//!
//! What a file states of REAL and DOUBLE leaves NaN out, which is greater than all numbers. A query with `x <= 5` among its
//! conditions has no row whose `x` is NaN, so that for it the bounds of the numbers are those of the rows that it wants.

use std::collections::BTreeSet;

use arrow::datatypes::{DataType, Schema};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::utils::split_conjunction;

use crate::datum::{Datum, SqlType};
use crate::key::KeyColumn;
use crate::predicate::{self, Predicate};

/// The columns of `schema` that are NaN in no row for which all of the filters are TRUE.
pub(super) fn wanted_as_numbers(filters: &[Expr], schema: &Schema) -> BTreeSet<String> {
    let fields = schema.fields().iter();
    let floats = fields.filter_map(|field| {
        let sql_type = match field.data_type() {
            DataType::Float32 => SqlType::Real,
            DataType::Float64 => SqlType::Double,
            _ => return None,
        };
        Some(KeyColumn {
            name: field.name().clone(),
            sql_type,
            nullable: true,
        })
    });
    let floats: Vec<KeyColumn> = floats.collect();
    let conjuncts = filters.iter().flat_map(split_conjunction);
    conjuncts
        .flat_map(|conjunct| numbers_in(&predicate::lower(conjunct, &floats)))
        .collect()
}

/// The columns that are NaN in no row of the predicate.
fn numbers_in(predicate: &Predicate) -> BTreeSet<String> {
    match predicate {
        Predicate::Constant(_) | Predicate::Opaque => BTreeSet::new(),
        Predicate::Member(expression, domain) => {
            let is_wanted = domain.contains(Some(&Datum::double(f64::NAN)));
            let name = expression.as_column().filter(|_| !is_wanted);
            name.map(str::to_owned).into_iter().collect()
        }
        Predicate::All(terms) => terms.iter().flat_map(numbers_in).collect(),
        Predicate::Any(terms) => {
            let of_terms = terms.iter().map(numbers_in);
            let of_all = of_terms.reduce(|all, term| &all & &term);
            of_all.unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::{col, in_list, lit};

    use super::*;

    #[test]
    fn what_is_bounded_from_above_is_no_nan() {
        let schema = Schema::new(vec![
            arrow::datatypes::Field::new("x", DataType::Float64, true),
            arrow::datatypes::Field::new("y", DataType::Float32, true),
            arrow::datatypes::Field::new("n", DataType::Int64, true),
        ]);
        let wanted = |filters: &[Expr]| {
            let names = wanted_as_numbers(filters, &schema);
            names.into_iter().collect::<Vec<_>>().join(" ")
        };
        let (x, y) = (|| col("x"), || col("y"));
        for (filter, expected) in [
            (x().lt_eq(lit(5.0)), "x"),
            (x().lt(lit(5_i64)), "x"),
            (lit(5.0).gt(x()), "x"),
            (x().eq(lit(5.0)), "x"),
            (x().between(lit(1.0), lit(5.0)), "x"),
            (in_list(x(), vec![lit(1.0), lit(2.0)], false), "x"),
            (in_list(x(), vec![lit(1.0), lit(f64::NAN)], false), ""),
            (in_list(x(), vec![lit(1.0), lit(2.0)], true), ""),
            (x().gt(lit(5.0)), ""),
            (x().not_eq(lit(5.0)), ""),
            (x().lt_eq(lit(f64::NAN)), ""),
            (x().is_not_null(), ""),
            (x().is_null(), "x"),
            (!x().gt(lit(5.0)), "x"),
            (!x().lt(lit(5.0)), ""),
            (x().lt(lit(5.0)).and(y().eq(lit(1.0_f32))), "x y"),
            (x().lt(lit(5.0)).or(y().eq(lit(1.0_f32))), ""),
            (x().lt(lit(5.0)).or(x().eq(lit(9.0))), "x"),
            (x().lt(lit(5.0)).or(col("n").eq(lit(1))), ""),
            (col("n").eq(lit(1)), ""),
        ] {
            let told = filter.to_string();
            assert_eq!(wanted(&[filter]), expected, "{told}");
        }
        assert_eq!(wanted(&[x().gt(lit(1.0)), x().lt(lit(5.0))]), "x");
    }
}
