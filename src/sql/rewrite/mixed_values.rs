//! DOUBLEs and DECIMALs in one column of `VALUES`.
//!
//! DataFusion finds the type of such a column while it reads the statement, and makes it a DECIMAL(30,15), which is 0 for
//! 1e-20. So a number with a point, or one cast to DECIMAL, is written as DOUBLE where a DOUBLE stands above or below it. What an INSERT stores
//! has the type of the table's column and stays exact.

use sqlparser::ast::{
    CastKind, DataType, ExactNumberInfo, Expr, UnaryOperator, Value, ValueWithSpan, Values,
};

/// Makes the columns that hold a DOUBLE all DOUBLE.
pub(crate) fn doubles(values: &mut Values) {
    let width = values.rows.first().map_or(0, |row| row.content.len());
    for column in 0..width {
        let mut cells: Vec<&mut Expr> = values
            .rows
            .iter_mut()
            .filter_map(|row| row.content.get_mut(column))
            .collect();
        if !cells.iter().any(|cell| is_double(cell)) {
            continue;
        }
        for cell in cells.iter_mut().filter(|cell| is_decimal(cell)) {
            **cell = Expr::Cast {
                kind: CastKind::Cast,
                expr: Box::new(cell.clone()),
                data_type: DataType::Double(ExactNumberInfo::None),
                array: false,
                format: None,
            };
        }
    }
}

fn is_double(cell: &Expr) -> bool {
    match unsigned(cell) {
        Expr::Cast { data_type, .. } => matches!(
            data_type,
            DataType::Double(_)
                | DataType::DoublePrecision
                | DataType::Float(_)
                | DataType::Float8
                | DataType::Real
        ),
        _ => false,
    }
}

fn is_decimal(cell: &Expr) -> bool {
    match unsigned(cell) {
        Expr::Value(ValueWithSpan { value, .. }) => {
            matches!(value, Value::Number(digits, _) if digits.parse::<i64>().is_err())
        }
        Expr::Cast { data_type, .. } => matches!(
            data_type,
            DataType::Decimal(_) | DataType::Numeric(_) | DataType::Dec(_)
        ),
        _ => false,
    }
}

/// The number without its sign and brackets.
fn unsigned(cell: &Expr) -> &Expr {
    match cell {
        Expr::Nested(inner)
        | Expr::UnaryOp {
            op: UnaryOperator::Minus | UnaryOperator::Plus,
            expr: inner,
        } => unsigned(inner),
        cell => cell,
    }
}
