//! What is left to read of pieces, behind rows that have come.

use std::sync::Arc;

use super::piece::Piece;
use crate::keyrange::KeyRange;
use crate::span::Work;
use crate::store::Direction;

/// What is left of pieces that are read one after the other: so many are not read to their end, and of the first of these
/// `last` is the key of the row that came last; `None` where none has.
pub(super) fn rest(
    mut pieces: Vec<Piece>,
    unread: usize,
    last: Option<&[u8]>,
    direction: Direction,
) -> Vec<Piece> {
    let read = pieces.len().saturating_sub(unread);
    let mut pieces = pieces.split_off(read);
    if let (Some(first), Some(last)) = (pieces.first_mut(), last) {
        match beyond(last, direction) {
            Some(beyond) => {
                first.run.work = clipped(&first.run.work, &beyond);
                first.is_rest = true;
            }
            None => drop(pieces.remove(0)),
        }
    }
    pieces
}

/// What of some work lies in a range.
pub(super) fn clipped(work: &Work, range: &KeyRange) -> Work {
    match work {
        Work::Points(keys) => kept(keys, |key| range.contains(key)),
        Work::Ranges(set) => Work::Ranges(set.intersect(&range.clone().into())),
        Work::Walk(walk) => match walk.within(range) {
            Some(walk) => Work::Walk(Arc::new(walk)),
            None => Work::Points(Arc::default()),
        },
    }
}

/// Those of some keys that a condition leaves.
pub(super) fn kept(keys: &Arc<[Vec<u8>]>, is_kept: impl Fn(&Vec<u8>) -> bool) -> Work {
    Work::Points(keys.iter().filter(|key| is_kept(key)).cloned().collect())
}

/// The keys that come after one, in a direction; `None` where there are none.
fn beyond(key: &[u8], direction: Direction) -> Option<KeyRange> {
    match direction {
        Direction::Forward => {
            // The least key that is greater.
            let mut next = key.to_vec();
            next.push(0);
            KeyRange::new(next, None)
        }
        Direction::Backward => KeyRange::new(Vec::new(), Some(key.to_vec())),
    }
}
