//! Shares of runs: whole ones, pieces of few and of many ranges.

use super::*;
use crate::store::cut::cut;

fn points(count: u32) -> Work {
    let range = |key: u32| KeyRange::prefix(&(2 * key).to_be_bytes());
    Work::Ranges(KeyRangeSet::from_ranges((0..count).map(range)))
}

fn run(work: Work) -> Run {
    Run { bucket: None, work }
}

fn width(partitions: usize) -> Parallelism {
    Parallelism {
        partitions,
        piece_bytes: 100,
    }
}

/// Cuts by these sizes.
fn at(sizes: impl Fn(&KeyRange) -> u64) -> impl Fn(&KeyRangeSet, usize, u64) -> Vec<Vec<u8>> {
    move |ranges, count, least| cut(ranges, count, least, &sizes)
}

/// As if each of the first 256 bytes of a key had a piece's bytes.
fn evenly(range: &KeyRange) -> u64 {
    let byte = |key: &[u8]| u64::from(key.first().copied().unwrap_or_default());
    let stop = range.stop().map_or(256, byte);
    (stop - byte(range.start())) * 100
}

fn sizes(shares: &Shares) -> Vec<usize> {
    shares.partitions().iter().map(Vec::len).collect()
}

/// The ranges of all partitions, one after the other.
fn ranges(shares: &Shares) -> Vec<KeyRange> {
    let pieces = shares.partitions().iter().flatten();
    let ranges = pieces.flat_map(|piece| match &piece.run.work {
        Work::Ranges(ranges) => ranges.ranges().to_vec(),
        Work::Points(_) | Work::Walk(_) => Vec::new(),
    });
    ranges.collect()
}

#[test]
fn there_is_always_a_partition_and_never_an_idle_one() {
    assert_eq!(sizes(&Shares::whole(&[], 4)), [0]);
    assert_eq!(sizes(&Shares::cut(&[], width(4), &at(evenly))), [0]);
    let runs: Vec<Run> = (0..5).map(|_| run(points(1))).collect();
    assert_eq!(sizes(&Shares::whole(&runs, 0)), [5]);
    assert_eq!(sizes(&Shares::whole(&runs, 2)), [2, 3]);
    assert_eq!(sizes(&Shares::cut(&runs, width(9), &at(evenly))), [1; 5]);
}

#[test]
fn a_long_list_of_ranges_is_cut_by_their_number() {
    let unasked = |_: &KeyRange| panic!("the size of one of many ranges");
    let cut = |count| Shares::cut(&[run(points(count))], width(4), &at(unasked));
    assert_eq!(sizes(&cut(127)), [1]);
    let shares = cut(200);
    assert_eq!(sizes(&shares), [1, 1, 1]);
    let starts: Vec<Vec<u8>> = ranges(&shares)
        .iter()
        .map(|range| range.start().to_vec())
        .collect();
    assert_eq!(starts.len(), 200);
    assert!(starts.is_sorted());
    assert_eq!(sizes(&shares.gathered().unwrap()), [1]);
}

fn keys(bucket: u8, count: u16) -> Run {
    let keys = (0..count).map(|key| [&[bucket][..], &key.to_be_bytes()].concat());
    Run {
        bucket: Some(bucket.into()),
        work: Work::Points(keys.collect()),
    }
}

#[test]
fn a_few_keys_are_one_look_up_and_many_are_shared_out() {
    let runs = [keys(0, 500), keys(1, 524)];
    assert_eq!(sizes(&Shares::cut(&runs, width(4), &at(evenly))), [2]);
    let unasked = |_: &KeyRange| panic!("the size of keys");
    let cut = |count| Shares::cut(&[keys(0, count)], width(4), &at(unasked));
    assert_eq!((sizes(&cut(1_024)), sizes(&cut(2_047))), (vec![1], vec![1]));
    let shares = cut(3_100);
    assert_eq!(sizes(&shares), [1, 1, 1]);
    let pieces = shares.partitions().iter().flatten();
    let found: Vec<Vec<u8>> = super::points(pieces.map(|piece| &piece.run))
        .unwrap()
        .flat_map(|keys| keys.iter().cloned())
        .collect();
    assert!(found.is_sorted() && found.len() == 3_100);
    assert_eq!(sizes(&shares.gathered().unwrap()), [1]);
}

#[test]
fn keys_of_several_buckets_are_joined_in_the_order_of_the_rows() {
    let joined = |cut| {
        let pieces = [keys(0, 3), keys(1, 2)].iter().map(Piece::whole).collect();
        let direction = crate::store::Direction::Forward;
        let joined = super::joined(pieces, Comparison { cut, direction });
        let [piece] = joined.as_slice() else {
            panic!("{joined:?}")
        };
        let Work::Points(keys) = &piece.run.work else {
            panic!("{piece:?}")
        };
        let places: Vec<(u8, u8)> = keys.iter().map(|key| (key[0], key[2])).collect();
        places
    };
    assert_eq!(joined(None), [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]);
    assert_eq!(
        joined(Some((0, 1))),
        [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]
    );
    let range = Run {
        bucket: Some(2),
        work: Work::Ranges(KeyRange::prefix(&[2]).into()),
    };
    let mixed = vec![Piece::whole(&keys(0, 1)), Piece::whole(&range)];
    let order = Comparison {
        cut: None,
        direction: crate::store::Direction::Forward,
    };
    assert_eq!(super::joined(mixed, order).len(), 2);
}

#[test]
fn a_large_range_is_cut_into_pieces_that_make_it_up() {
    let whole = KeyRangeSet::from_ranges([KeyRange::new(vec![10], Some(vec![210])).unwrap()]);
    let shares = Shares::cut(&[run(Work::Ranges(whole.clone()))], width(4), &at(evenly));
    assert_eq!(sizes(&shares), [1, 1, 1, 1]);
    let found = ranges(&shares);
    assert_eq!(KeyRangeSet::from_ranges(found.clone()), whole);
    let size = |range: &KeyRange| evenly(range) / 100;
    assert!(
        found.iter().all(|range| (45..=55).contains(&size(range))),
        "{found:?}"
    );
    let is_rest: Vec<bool> = shares
        .partitions()
        .iter()
        .flatten()
        .map(|piece| piece.is_rest)
        .collect();
    assert_eq!(
        is_rest,
        [false, true, true, true],
        "one range is counted once"
    );
}

#[test]
fn several_ranges_are_cut_where_their_bytes_are() {
    let range = |from: u8, to: u8| KeyRange::new(vec![from], Some(vec![to])).unwrap();
    let set = KeyRangeSet::from_ranges([range(0, 1), range(5, 6), range(100, 250)]);
    let shares = Shares::cut(&[run(Work::Ranges(set.clone()))], width(2), &at(evenly));
    let found = ranges(&shares);
    assert_eq!(KeyRangeSet::from_ranges(found.clone()), set);
    assert_eq!(found.len(), 4);
    let second = shares.partitions()[1][0].run.hull();
    assert!((165..185).contains(&second.start()[0]), "{second}");
}

#[test]
fn small_runs_and_walks_stay_whole() {
    let small = KeyRange::new(vec![10], Some(vec![11])).unwrap();
    let small = run(Work::Ranges(KeyRangeSet::from_ranges([small])));
    let shares = Shares::cut(&[small], width(8), &at(evenly));
    assert_eq!(
        (sizes(&shares), shares.gathered().is_none()),
        (vec![1], true)
    );
}

#[test]
fn the_runs_of_a_few_buckets_are_cut_too() {
    let bucket = |number: u8| {
        let range = KeyRange::prefix(&[number]);
        Run {
            bucket: Some(number.into()),
            work: Work::Ranges(KeyRangeSet::from_ranges([range])),
        }
    };
    let sizes_of = |range: &KeyRange| {
        let second = |key: &[u8]| u64::from(key.get(1).copied().unwrap_or_default());
        let stop = if range.stop().is_some_and(|stop| stop.len() > 1) {
            second(range.stop().unwrap())
        } else {
            256
        };
        (stop - second(range.start())) * 100
    };
    let shares = Shares::cut(&[bucket(0), bucket(1)], width(7), &at(sizes_of));
    assert_eq!(sizes(&shares), [1; 6]);
    let buckets: Vec<u32> = shares
        .partitions()
        .iter()
        .filter_map(|pieces| pieces[0].run.bucket)
        .collect();
    assert_eq!(buckets, [0, 0, 0, 1, 1, 1]);
    assert_eq!(sizes(&shares.gathered().unwrap()), [1, 1]);
}
