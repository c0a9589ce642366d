//! Windows computed row by row, as SQL says what they are.

use std::cmp::Ordering;
use std::ops::Range;

use super::Row;
use super::draw::{Bound, Call, Frame, Function, Order, Unit};

/// The value of a call in each row.
pub(super) fn computed(rows: &[Row], call: &Call) -> Vec<Option<i64>> {
    let values = rows.iter().map(|row| {
        let beside = rows
            .iter()
            .filter(|other| !call.partitioned || other.part == row.part);
        let mut partition: Vec<Row> = beside.copied().collect();
        partition.sort_by(|left, right| compared(left, right, call.order));
        let place = partition.iter().position(|other| other.id == row.id);
        value(&partition, place.expect("a row of its partition"), call)
    });
    values.collect()
}

/// How two rows are sorted; equal ones are peers.
fn compared(left: &Row, right: &Row, order: Option<Order>) -> Ordering {
    let Some(order) = order else {
        return Ordering::Equal;
    };
    let nulls = |is_first: bool| {
        if is_first {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    };
    let by_key = match (left.key, right.key) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => nulls(order.nulls_first),
        (Some(_), None) => nulls(!order.nulls_first),
        (Some(left), Some(right)) if order.descending => right.cmp(&left),
        (Some(left), Some(right)) => left.cmp(&right),
    };
    if order.total {
        by_key.then(left.id.cmp(&right.id))
    } else {
        by_key
    }
}

fn value(partition: &[Row], place: usize, call: &Call) -> Option<i64> {
    let is_peer = |row: &Row| compared(row, &partition[place], call.order) == Ordering::Equal;
    let before = partition
        .iter()
        .filter(|row| compared(row, &partition[place], call.order) == Ordering::Less);
    match call.function {
        Function::RowNumber => return Some(place as i64 + 1),
        Function::Rank => return Some(before.count() as i64 + 1),
        Function::DenseRank => {
            let mut groups: Vec<Row> = before.copied().collect();
            groups.dedup_by(|one, other| compared(one, other, call.order) == Ordering::Equal);
            return Some(groups.len() as i64 + 1);
        }
        Function::Lag(far, default) => return shifted(partition, place, far, default, call),
        Function::Lead(far, default) => return shifted(partition, place, -far, default, call),
        _ => {}
    }
    let frame = match (call.frame, call.order) {
        (Some(frame), _) => framed(partition, place, frame, call.order),
        (None, None) => 0..partition.len(),
        (None, Some(_)) => {
            0..partition
                .iter()
                .rposition(is_peer)
                .map_or(0, |last| last + 1)
        }
    };
    let inside = partition.get(frame).unwrap_or_default();
    let known = || inside.iter().filter_map(|row| row.value);
    let seen = inside.iter().map(|row| row.value);
    let seen: Vec<Option<i64>> = seen
        .filter(|it| it.is_some() || !call.ignores_nulls)
        .collect();
    match call.function {
        Function::Count => Some(known().count() as i64),
        Function::Sum => known().next().map(|_| known().sum()),
        Function::Min => known().min(),
        Function::Max => known().max(),
        Function::First => seen.first().copied().flatten(),
        Function::Last => seen.last().copied().flatten(),
        Function::Nth(n) => seen.get(n as usize - 1).copied().flatten(),
        other => panic!("{other:?} has no frame"),
    }
}

/// The value so many rows before, or behind for a negative number.
fn shifted(
    partition: &[Row],
    place: usize,
    far: i64,
    default: Option<i64>,
    call: &Call,
) -> Option<i64> {
    if far == 0 {
        return partition[place].value;
    }
    let others: Vec<&Row> = if far > 0 {
        partition[..place].iter().rev().collect()
    } else {
        partition[place + 1..].iter().collect()
    };
    let mut seen = others
        .into_iter()
        .filter(|row| row.value.is_some() || !call.ignores_nulls);
    match seen.nth(far.unsigned_abs() as usize - 1) {
        Some(row) => row.value,
        None => default,
    }
}

/// The rows of a frame.
fn framed(partition: &[Row], place: usize, frame: Frame, order: Option<Order>) -> Range<usize> {
    let inside = (0..partition.len()).filter(|other| {
        let is_behind_start = is_behind(partition, place, *other, frame.unit, frame.start, order);
        let is_before_end = is_before(partition, place, *other, frame.unit, frame.end, order);
        is_behind_start && is_before_end
    });
    let inside: Vec<usize> = inside.collect();
    match (inside.first(), inside.last()) {
        (Some(first), Some(last)) => *first..last + 1,
        _ => 0..0,
    }
}

/// How far a row is behind the row of the frame: in rows, in groups of peers, or by its key; `None` where keys are not to
/// be subtracted, as one of them is NULL.
fn distance(
    partition: &[Row],
    place: usize,
    other: usize,
    unit: Unit,
    order: Option<Order>,
) -> Option<i128> {
    let group = |place: usize| {
        let steps = partition[..=place].windows(2);
        steps
            .filter(|pair| compared(&pair[0], &pair[1], order) != Ordering::Equal)
            .count() as i128
    };
    match unit {
        Unit::Rows => Some(other as i128 - place as i128),
        Unit::Groups => Some(group(other) - group(place)),
        Unit::Range => {
            let behind = i128::from(partition[other].key?) - i128::from(partition[place].key?);
            Some(if order.is_some_and(|order| order.descending) {
                -behind
            } else {
                behind
            })
        }
    }
}

fn is_behind(
    partition: &[Row],
    place: usize,
    other: usize,
    unit: Unit,
    start: Bound,
    order: Option<Order>,
) -> bool {
    let far = match start {
        Bound::First => return true,
        Bound::Last => return false,
        Bound::Before(far) => -i128::from(far),
        Bound::After(far) => i128::from(far),
        Bound::Current => 0,
    };
    sides(
        partition,
        place,
        other,
        unit,
        order,
        start == Bound::Current,
    )
    .map_or_else(
        |ordering| ordering != Ordering::Less,
        |distance| distance >= far,
    )
}

fn is_before(
    partition: &[Row],
    place: usize,
    other: usize,
    unit: Unit,
    end: Bound,
    order: Option<Order>,
) -> bool {
    let far = match end {
        Bound::First => return false,
        Bound::Last => return true,
        Bound::Before(far) => -i128::from(far),
        Bound::After(far) => i128::from(far),
        Bound::Current => 0,
    };
    sides(partition, place, other, unit, order, end == Bound::Current).map_or_else(
        |ordering| ordering != Ordering::Greater,
        |distance| distance <= far,
    )
}

/// The distance of a row, or else on which side of the row of the frame it stands: NULLs are peers of each other, and all
/// others before or behind them, however far.
fn sides(
    partition: &[Row],
    place: usize,
    other: usize,
    unit: Unit,
    order: Option<Order>,
    is_current: bool,
) -> Result<i128, Ordering> {
    let side = compared(&partition[other], &partition[place], order);
    match distance(partition, place, other, unit, order) {
        // Equal rows alone are at CURRENT ROW, also where rows are sorted by more than the key.
        Some(_) if unit == Unit::Range && is_current => Err(side),
        Some(distance) => Ok(distance),
        None => Err(side),
    }
}
