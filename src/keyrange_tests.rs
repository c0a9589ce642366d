use super::*;

fn range(start: &[u8], stop: &[u8]) -> Option<KeyRange> {
    KeyRange::new(start.to_vec(), Some(stop.to_vec()))
}

#[test]
fn an_empty_range_cannot_be_made() {
    assert_eq!(range(b"b", b"b"), None);
    assert_eq!(range(b"b", b"a"), None);
    assert!(range(b"b", b"b\0").is_some());
}

#[test]
fn the_successor_of_a_prefix_skips_trailing_ff() {
    assert_eq!(prefix_successor(b""), None);
    assert_eq!(prefix_successor(&[0xff, 0xff]), None);
    assert_eq!(prefix_successor(&[0x01, 0xff]), Some(vec![0x02]));
    assert_eq!(prefix_successor(b"ab"), Some(b"ac".to_vec()));
}

#[test]
fn a_prefix_range_holds_exactly_the_keys_with_the_prefix() {
    let range = KeyRange::prefix(&[0x01, 0xff]);
    assert!(range.contains(&[0x01, 0xff]) && range.contains(&[0x01, 0xff, 0xff, 0xff]));
    assert!(!range.contains(&[0x02]) && !range.contains(&[0x01, 0xfe, 0xff]));
    assert_eq!(KeyRange::prefix(b""), KeyRange::all());
}

/// Every set over keys of one byte `0..=5` against a plain bit set.
#[test]
fn sets_agree_with_membership_on_every_key() {
    let sets: Vec<(u8, KeyRangeSet)> = (0..64u8)
        .map(|bits| {
            let singles = (0..6u8)
                .filter(|bit| bits >> bit & 1 == 1)
                .filter_map(|bit| KeyRange::new(vec![bit], Some(vec![bit + 1])));
            (bits, KeyRangeSet::from_ranges(singles))
        })
        .collect();
    for (left_bits, left) in &sets {
        for (right_bits, right) in &sets {
            let all = left.ranges().iter().chain(right.ranges()).cloned();
            let (union, both) = (KeyRangeSet::from_ranges(all), left.intersect(right));
            for bit in 0..6u8 {
                let (a, b) = (left_bits >> bit & 1 == 1, right_bits >> bit & 1 == 1);
                assert_eq!(union.contains(&[bit]), a || b);
                assert_eq!(both.contains(&[bit, 7]), a && b);
            }
        }
    }
}

#[test]
fn adjacent_ranges_become_one() {
    let set =
        KeyRangeSet::from_ranges([range(b"b", b"c"), range(b"a", b"b")].into_iter().flatten());
    assert_eq!(set.ranges(), [range(b"a", b"c").unwrap()]);
}

#[test]
fn what_comes_next_is_found_by_key() {
    let set =
        KeyRangeSet::from_ranges([range(b"b", b"c"), range(b"e", b"f")].into_iter().flatten());
    assert_eq!(set.at_or_after(b"a"), range(b"b", b"c").as_ref());
    assert_eq!(set.at_or_after(b"bz"), range(b"b", b"c").as_ref());
    assert_eq!(set.at_or_after(b"c"), range(b"e", b"f").as_ref());
    assert_eq!(set.at_or_after(b"f"), None);
}

#[test]
fn what_came_before_is_found_by_key() {
    let (low, high) = (range(b"b", b"c"), range(b"e", b"f"));
    let set = KeyRangeSet::from_ranges([&low, &high].into_iter().flatten().cloned());
    for (key, before, holding) in [
        (&b""[..], None, None),
        (b"b", None, low.as_ref()),
        (b"b\0", low.as_ref(), low.as_ref()),
        (b"c", low.as_ref(), None),
        (b"e", low.as_ref(), high.as_ref()),
        (b"e\0", high.as_ref(), high.as_ref()),
        (b"f", high.as_ref(), None),
    ] {
        assert_eq!(set.before(key), before, "{key:?}");
        assert_eq!(set.range_of(key), holding, "{key:?}");
    }
}

#[test]
fn ranges_meet_where_no_key_lies_between() {
    let of_length = |length: usize| {
        let ranges = [range(b"\x80", b"\x81"), range(b"\x81\0\0", b"\x81\0\x05")];
        let set = KeyRangeSet::of_layout(ranges.into_iter().flatten(), |key| key.len() == length);
        set.ranges().len()
    };
    // A key `81` or `8100` would lie between.
    assert_eq!([1, 2, 3, 4].map(of_length), [2, 2, 1, 1]);
    let ranges = [range(b"\x80", b"\x81"), range(b"\x81\0\x01", b"\x82")];
    let set = KeyRangeSet::of_layout(ranges.into_iter().flatten(), |_| false);
    assert_eq!(set.ranges().len(), 2, "81 00 00 may lie between");
}
