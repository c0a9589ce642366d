//! Which partition reads which runs.

use crate::keyrange::KeyRangeSet;
use crate::span::{Run, Work};

/// A table without buckets is split only where each partition gets at least so many ranges: reading a few ranges is
/// quicker than another thread.
const RANGES_PER_PARTITION: usize = 64;

/// Deals runs to at most `target` partitions, never to none. No run's order is lost: a partition has whole runs to
/// merge, or a piece of the only run.
pub(super) fn deal(runs: &[Run], target: usize) -> Vec<Vec<Run>> {
    let target = target.max(1);
    match runs {
        [] => vec![Vec::new()],
        [
            Run {
                bucket,
                work: Work::Ranges(ranges),
            },
        ] => split(*bucket, ranges, target),
        _ => share(runs, target).map(<[Run]>::to_vec).collect(),
    }
}

fn split(bucket: Option<u32>, ranges: &KeyRangeSet, target: usize) -> Vec<Vec<Run>> {
    let pieces = (ranges.ranges().len() / RANGES_PER_PARTITION).clamp(1, target);
    share(ranges.ranges(), pieces)
        .map(|piece| {
            let work = Work::Ranges(KeyRangeSet::from_ranges(piece.iter().cloned()));
            vec![Run { bucket, work }]
        })
        .collect()
}

/// `items` in at most `target` contiguous shares whose sizes differ by one at most.
fn share<T>(items: &[T], target: usize) -> impl Iterator<Item = &[T]> {
    let shares = target.min(items.len());
    (0..shares).filter_map(move |share| {
        items.get(share * items.len() / shares..(share + 1) * items.len() / shares)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyrange::KeyRange;

    fn points(count: u32) -> Work {
        let range = |key: u32| KeyRange::prefix(&(2 * key).to_be_bytes());
        Work::Ranges(KeyRangeSet::from_ranges((0..count).map(range)))
    }

    fn sizes(dealt: &[Vec<Run>]) -> Vec<usize> {
        dealt.iter().map(Vec::len).collect()
    }

    #[test]
    fn there_is_always_a_partition_and_never_an_idle_one() {
        assert_eq!(sizes(&deal(&[], 4)), [0]);
        let runs: Vec<Run> = (0..5)
            .map(|bucket| Run {
                bucket: Some(bucket),
                work: points(1),
            })
            .collect();
        assert_eq!(sizes(&deal(&runs, 0)), [5]);
        assert_eq!(sizes(&deal(&runs, 2)), [2, 3]);
        assert_eq!(sizes(&deal(&runs, 9)), [1; 5]);
    }

    #[test]
    fn a_long_list_of_ranges_is_split_in_order() {
        let run = |count| Run {
            bucket: None,
            work: points(count),
        };
        assert_eq!(deal(&[run(127)], 4).len(), 1);
        let dealt = deal(&[run(200)], 4);
        assert_eq!(sizes(&dealt), [1, 1, 1]);
        let starts: Vec<&[u8]> = dealt
            .iter()
            .flatten()
            .flat_map(|run| match &run.work {
                Work::Ranges(ranges) => ranges.ranges(),
                Work::Walk(_) => &[],
            })
            .map(KeyRange::start)
            .collect();
        assert_eq!(starts.len(), 200);
        assert!(starts.is_sorted());
    }
}
