//! The functions that build texts and lists, one declaration each: how many bytes come out at most.

use arrow::datatypes::{DataType, TimeUnit};

use super::Declaration;
use super::size::{Arguments, PerRow};

/// The longest form that a value of a list takes as text, if it is none itself: a decimal, a moment with its zone.
const LONGEST_NUMBER: u64 = 80;
/// What a text takes in a list beside its bytes.
const PLACE: u64 = 16;
/// The fewest days that an interval of a month has.
const DAYS_OF_MONTH: i128 = 28;
const DAY: i128 = 86_400_000_000_000;

/// Every one.
pub(super) const DECLARATIONS: &[Declaration] = &[
    of("repeat", |args| {
        args.sum(&args.lengths(0), &args.numbers(1), u64::saturating_mul)
    }),
    of("lpad", padded),
    of("rpad", padded),
    of("replace", replaced),
    of("regexp_replace", replaced_by_pattern),
    of("translate", |args| args.total(0).saturating_mul(4)),
    of("overlay", all),
    of("concat", all),
    of("concat_ws", |args| {
        let separators = (args.count() as u64).saturating_sub(2);
        args.all()
            .saturating_add(args.total(0).saturating_mul(separators))
    }),
    of("||", all),
    of("upper", |args| args.total(0).saturating_mul(3)),
    of("lower", |args| args.total(0).saturating_mul(3)),
    of("initcap", |args| args.total(0).saturating_mul(3)),
    of("encode", |args| args.total(0).saturating_mul(2)),
    of("string_to_array", |args| {
        // At most one value for each letter.
        args.total(0).saturating_mul(PLACE)
    }),
    of("array_to_string", |args| {
        let values = args.total(0);
        // Numbers are shorter than their texts; of the smallest a list holds one for each byte.
        let texts = if args.is_of(0, holds_texts) {
            values
        } else {
            values.saturating_mul(LONGEST_NUMBER / 4)
        };
        let separators = (values / 4).saturating_mul(args.greatest(1));
        texts.saturating_add(separators)
    }),
    of("range", listed),
    of("generate_series", listed),
    of("array_repeat", |args| {
        let lengths = args.lengths(0);
        args.sum(&lengths, &args.numbers(1), |length, count| {
            length.saturating_add(PLACE).saturating_mul(count)
        })
    }),
    of("array_resize", |args| {
        let filler = args.greatest(2).saturating_add(PLACE);
        let resized = args.sum(&args.numbers(1), &PerRow::Same(filler), u64::saturating_mul);
        resized.saturating_add(args.total(0))
    }),
    of("make_array", |args| {
        let places = (args.count() as u64).saturating_mul(args.rows());
        args.all().saturating_add(places.saturating_mul(PLACE))
    }),
    of("array_append", all),
    of("array_prepend", all),
    of("array_concat", all),
    of("array_union", all),
    of("array_replace_all", |args| {
        let with = args.greatest(2).saturating_add(1);
        args.total(0).saturating_mul(with.max(1))
    }),
    of("array_replace_n", |args| {
        let with = args.greatest(2).saturating_add(1);
        args.total(0).saturating_mul(with.max(1))
    }),
    of("flatten", all),
    of("arrays_zip", |args| args.all().saturating_mul(2)),
    of("map", all),
    // The longest that two letters stand for is `%c`, a moment.
    of("strftime", |args| {
        args.sum(&args.lengths(1), &PerRow::Same(16), u64::saturating_mul)
    }),
    of("to_char", |args| {
        args.sum(&args.lengths(1), &PerRow::Same(16), u64::saturating_mul)
    }),
    of("format", formatted),
    of("printf", formatted),
    of("to_json", written_as_json),
    of("json_array", written_as_json),
    of("json_object", written_as_json),
    of("json_keys", cut_to_pieces),
    of("regexp_extract_all", cut_to_pieces),
    of("regexp_split_to_array", cut_to_pieces),
    of("struct", all),
    of("named_struct", all),
];

const fn of(name: &'static str, bytes: fn(&Arguments<'_>) -> u64) -> Declaration {
    Declaration { name, bytes }
}

fn all(args: &Arguments<'_>) -> u64 {
    args.all()
}

/// The shortest place of a template is `%s`, and holds the longest value, or as much as places are filled up to.
fn formatted(args: &Arguments<'_>) -> u64 {
    const WIDEST: u64 = 1_000;
    let values = (1..args.count()).map(|place| args.greatest(place));
    let longest = values.max().unwrap_or_default().saturating_add(WIDEST);
    args.sum(
        &args.lengths(0),
        &PerRow::Same(longest / 2),
        u64::saturating_mul,
    )
}

/// A letter that is no letter of JSON is six; numbers are longer as texts.
fn written_as_json(args: &Arguments<'_>) -> u64 {
    args.all().saturating_mul(LONGEST_NUMBER / 4)
}

/// At most a piece for each letter.
fn cut_to_pieces(args: &Arguments<'_>) -> u64 {
    args.total(0).saturating_mul(PLACE)
}

fn holds_texts(list: &DataType) -> bool {
    match list {
        DataType::List(field) | DataType::LargeList(field) => matches!(
            field.data_type(),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        ),
        _ => false,
    }
}

/// A text is filled up to so many letters.
fn padded(args: &Arguments<'_>) -> u64 {
    let filler = args.constant_text(2).unwrap_or(" ");
    let is_plain = args.count() < 3 || args.constant_text(2).is_some() && filler.is_ascii();
    // A letter has at most four bytes. What is cut keeps no more than it had.
    let letter = if is_plain { 1 } else { 4 };
    args.sum(&args.lengths(0), &args.numbers(1), |length, letters| {
        length.saturating_add(letters.saturating_mul(letter))
    })
}

/// Each place at which the first text may begin holds the second.
fn replaced(args: &Arguments<'_>) -> u64 {
    let from = args.constant_text(1).map_or(1, |text| text.len() as u64);
    let places = args.total(0) / from.max(1) + args.rows();
    let with = places.saturating_mul(args.greatest(2));
    args.total(0).saturating_add(with)
}

/// A pattern may match at each letter, and what it found may be said again with each match.
fn replaced_by_pattern(args: &Arguments<'_>) -> u64 {
    let with = args.greatest(2);
    let is_global = args.count() > 3
        && args
            .constant_text(3)
            .is_none_or(|flags| flags.contains('g'));
    let places = if is_global {
        args.total(0).saturating_add(args.rows())
    } else {
        args.rows()
    };
    // `\1` and `$1`: two letters that stand for what was found.
    let said_again = args.total(0).saturating_mul(with / 2);
    args.total(0)
        .saturating_add(places.saturating_mul(with))
        .saturating_add(said_again)
}

/// The values from one to another in steps: eight bytes each.
fn listed(args: &Arguments<'_>) -> u64 {
    let rows = usize::try_from(args.rows()).unwrap_or(usize::MAX);
    let (first, last) = match args.count() {
        1 => (None, args.integers(0)),
        _ => (args.integers(0), args.integers(1)),
    };
    let Some(last) = last else {
        return 0;
    };
    let step = steps(args);
    let length = |row: usize| {
        let first = first.as_ref().map_or(0, |first| first.at(row));
        let distance = (i128::from(last.at(row)) - i128::from(first)).unsigned_abs();
        let count = distance / step(row).unsigned_abs().max(1) + 1;
        u64::try_from(count.saturating_mul(8)).unwrap_or(u64::MAX)
    };
    let is_same = last.is_same() && first.as_ref().is_none_or(|first| first.is_same());
    if is_same && rows > 0 && args.integers(2).is_none_or(|step| step.is_same()) {
        length(0).saturating_mul(rows as u64)
    } else {
        (0..rows).map(length).fold(0, u64::saturating_add)
    }
}

/// The step of a list in the unit of its ends, in each row; never longer than it is.
fn steps<'a>(args: &'a Arguments<'_>) -> Box<dyn Fn(usize) -> i128 + 'a> {
    let is_interval = args.is_of(2, |it| matches!(it, DataType::Interval(_)));
    if !is_interval {
        let steps = args.integers(2);
        return Box::new(move |row| steps.as_ref().map_or(1, |steps| steps.at(row).into()));
    }
    let unit = [
        (TimeUnit::Second, 1_000_000_000),
        (TimeUnit::Millisecond, 1_000_000),
        (TimeUnit::Microsecond, 1_000),
        (TimeUnit::Nanosecond, 1),
    ];
    let unit = unit.into_iter().find(|(unit, _)| {
        args.is_of(
            0,
            |it| matches!(it, DataType::Timestamp(found, _) if found == unit),
        )
    });
    // What is no timestamp is a date.
    let unit = unit.map_or(DAY, |(_, nanoseconds)| nanoseconds);
    let intervals = args.intervals(2);
    Box::new(move |row| {
        let (months, days, nanoseconds) = intervals
            .get(row)
            .or(intervals.first())
            .copied()
            .unwrap_or((0, 0, 1));
        let days = i128::from(months) * DAYS_OF_MONTH + i128::from(days);
        (days * DAY + i128::from(nanoseconds)) / unit
    })
}
