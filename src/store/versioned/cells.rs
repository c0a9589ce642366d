//! The cells of the clock row as bytes, both ways.

use std::sync::Arc;

use super::clock::{Clock, ClockCell, GivenUp, Mark, Number, Slot, SpaceClaim};
use crate::error::{Error, Result};
use crate::keyrange::hex;
use crate::store::Sharing;

/// The version of the clock row and of all that is under it. One that is greater is refused.
pub(super) const FORMAT: u8 = 1;

/// The column that holds [`FORMAT`].
pub(super) const FORMAT_COLUMN: &[u8] = b"f";

/// The column of a cell.
pub(super) fn column(cell: &ClockCell) -> Vec<u8> {
    match cell {
        ClockCell::Counter(_) => b"c".to_vec(),
        ClockCell::Slot(index, _) => vec![b'p', *index],
        ClockCell::GivenUp(number, _) => [&b"a"[..], &number.to_be_bytes()].concat(),
        ClockCell::Stamp(space, _) => vec![b'v', *space],
        ClockCell::Marks(_) => b"m".to_vec(),
        ClockCell::Horizon(_) => b"h".to_vec(),
    }
}

/// The value of a cell; `None`: the cell is removed.
pub(super) fn value(cell: &ClockCell) -> Option<Vec<u8>> {
    Some(match cell {
        ClockCell::Counter(number) | ClockCell::Stamp(_, number) | ClockCell::Horizon(number) => {
            number.to_be_bytes().to_vec()
        }
        ClockCell::Slot(_, None) => Vec::new(),
        ClockCell::Slot(_, Some(slot)) => slot_bytes(slot),
        ClockCell::GivenUp(_, up) => {
            let up = up.as_ref()?;
            [&up.time.to_be_bytes()[..], &slot_bytes(&up.slot)].concat()
        }
        ClockCell::Marks(marks) => {
            let bytes = marks
                .iter()
                .flat_map(|mark| [mark.floor.to_be_bytes(), mark.time.to_be_bytes()]);
            bytes.flatten().collect()
        }
    })
}

fn slot_bytes(slot: &Slot) -> Vec<u8> {
    let mut bytes = slot.number.to_be_bytes().to_vec();
    bytes.extend(slot.owner.to_be_bytes());
    bytes.extend(slot.beat.to_be_bytes());
    for claim in slot.claims.iter() {
        bytes.push(match claim.sharing {
            Sharing::Shared => 0,
            Sharing::Exclusive => 1,
        });
        // Names are far shorter, see `check_space_name`.
        let name = claim.space.as_bytes();
        let name = name.get(..usize::from(u8::MAX)).unwrap_or(name);
        bytes.push(name.len() as u8);
        bytes.extend(name);
    }
    bytes
}

/// What the columns of the row and their values say.
///
/// # Errors
/// `Corrupt` for what is no clock row, or one of a newer version.
pub(super) fn clock<'a>(cells: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Result<Clock> {
    let mut clock = Clock::default();
    let mut format = None;
    for (column, value) in cells {
        if column == FORMAT_COLUMN {
            format = value.first().copied();
            continue;
        }
        // Of a newer version there may be columns that are not known here.
        if format.is_none_or(|format| format == FORMAT) {
            let cell = cell(column, value).ok_or_else(|| unreadable(column, value))?;
            clock.put(cell);
        }
    }
    match format {
        Some(FORMAT) => Ok(clock),
        Some(format) if format > FORMAT => Err(Error::corrupt(format!(
            "the database is of format {format}, and this Halite reads format {FORMAT}: upgrade it"
        ))),
        _ => Err(Error::corrupt("the clock row has no format")),
    }
}

fn unreadable(column: &[u8], value: &[u8]) -> Error {
    let (column, value) = (hex(column), hex(value.get(..64).unwrap_or(value)));
    Error::corrupt(format!(
        "the cell {column} of the clock row cannot be read: {value}"
    ))
}

fn cell(column: &[u8], value: &[u8]) -> Option<ClockCell> {
    let number = || Some(Number::from_be_bytes(value.try_into().ok()?));
    Some(match column {
        b"c" => ClockCell::Counter(number()?),
        b"h" => ClockCell::Horizon(number()?),
        b"m" => ClockCell::Marks(marks(value)?),
        [b'v', space] => ClockCell::Stamp(*space, number()?),
        [b'p', index] if value.is_empty() => ClockCell::Slot(*index, None),
        [b'p', index] => ClockCell::Slot(*index, Some(slot(value)?)),
        [b'a', given_up @ ..] => {
            let (time, rest) = value.split_first_chunk()?;
            let up = GivenUp {
                time: u64::from_be_bytes(*time),
                slot: slot(rest)?,
            };
            let given_up = Number::from_be_bytes(given_up.try_into().ok()?);
            ClockCell::GivenUp(given_up, Some(up))
        }
        _ => return None,
    })
}

fn marks(value: &[u8]) -> Option<Arc<[Mark]>> {
    let (marks, rest) = value.as_chunks::<16>();
    let mark = |bytes: &[u8; 16]| {
        let (floor, time) = bytes.split_first_chunk()?;
        Some(Mark {
            floor: u64::from_be_bytes(*floor),
            time: u64::from_be_bytes(time.try_into().ok()?),
        })
    };
    let marks: Option<Arc<[Mark]>> = marks.iter().map(mark).collect();
    marks.filter(|_| rest.is_empty())
}

fn slot(value: &[u8]) -> Option<Slot> {
    let (number, rest) = value.split_first_chunk()?;
    let (owner, rest) = rest.split_first_chunk()?;
    let (beat, mut rest) = rest.split_first_chunk()?;
    let mut claims = Vec::new();
    while let [sharing, length, tail @ ..] = rest {
        let (space, tail) = tail.split_at_checked(usize::from(*length))?;
        claims.push(SpaceClaim {
            space: std::str::from_utf8(space).ok()?.into(),
            sharing: match sharing {
                0 => Sharing::Shared,
                1 => Sharing::Exclusive,
                _ => return None,
            },
        });
        rest = tail;
    }
    rest.is_empty().then(|| Slot {
        number: u64::from_be_bytes(*number),
        owner: u128::from_be_bytes(*owner),
        beat: u64::from_be_bytes(*beat),
        claims: claims.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn example() -> Slot {
        let claim = |space: &str, sharing| SpaceClaim {
            space: space.into(),
            sharing,
        };
        Slot {
            number: 7,
            owner: 1,
            beat: 2,
            claims: [claim("t1", Sharing::Exclusive), claim("ü", Sharing::Shared)].into(),
        }
    }

    fn cells() -> Vec<ClockCell> {
        let (time, slot) = (300, example());
        let mark = |floor, time| Mark { floor, time };
        vec![
            ClockCell::Counter(258),
            ClockCell::Slot(3, Some(example())),
            ClockCell::Slot(63, None),
            ClockCell::GivenUp(7, Some(GivenUp { time, slot })),
            ClockCell::Stamp(1, 6),
            ClockCell::Marks([mark(1, 2), mark(3, 4)].into()),
            ClockCell::Horizon(5),
        ]
    }

    fn row(cells: &[ClockCell]) -> Vec<(Vec<u8>, Vec<u8>)> {
        let format = (FORMAT_COLUMN.to_vec(), vec![FORMAT]);
        let cells = cells
            .iter()
            .map(|cell| (column(cell), value(cell).unwrap()));
        [format].into_iter().chain(cells).collect()
    }

    fn read(row: &[(Vec<u8>, Vec<u8>)]) -> Result<Clock> {
        clock(row.iter().map(|(column, value)| (&column[..], &value[..])))
    }

    #[test]
    fn cells_are_these_bytes() {
        let slot = "0000000000000007000000000000000000000000000000010000000000000002\
                    01027431\
                    0002c3bc";
        let expected = [
            ("63", "0000000000000102".to_owned()),
            ("7003", slot.to_owned()),
            ("703f", String::new()),
            ("610000000000000007", format!("000000000000012c{slot}")),
            ("7601", "0000000000000006".to_owned()),
            (
                "6d",
                "0000000000000001000000000000000200000000000000030000000000000004".to_owned(),
            ),
            ("68", "0000000000000005".to_owned()),
        ];
        for (cell, (in_column, bytes)) in cells().iter().zip(expected) {
            assert_eq!(hex(&column(cell)), in_column, "{cell:?}");
            assert_eq!(hex(&value(cell).unwrap()), bytes, "{cell:?}");
        }
        assert_eq!(value(&ClockCell::GivenUp(7, None)), None);
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let mut expected = Clock::default();
        cells().into_iter().for_each(|cell| expected.put(cell));
        assert_eq!(read(&row(&cells())).unwrap(), expected);
        assert!(cells().iter().all(|cell| expected.has(cell)));
        for cell in [
            ClockCell::Counter(1),
            ClockCell::Slot(3, None),
            ClockCell::GivenUp(7, None),
            ClockCell::Stamp(2, 6),
            ClockCell::Horizon(6),
        ] {
            assert!(!expected.has(&cell), "{cell:?}");
        }
    }

    #[test]
    fn what_is_no_clock_row_is_refused() {
        let refused = |row: &[(Vec<u8>, Vec<u8>)]| {
            let error = read(row).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{row:?}");
            error.message().to_owned()
        };
        let whole = row(&cells());
        assert!(refused(&whole[1..]).contains("no format"));
        let newer = [(b"f".to_vec(), vec![2]), (b"z".to_vec(), vec![])];
        assert!(refused(&newer).contains("upgrade"));
        for (at, (_, value)) in whole.iter().enumerate().skip(1) {
            // A slot ends where a claim may end.
            let whole_claims = [0, 32, 36, 40, 44, value.len()];
            for length in (0..value.len()).filter(|length| !whole_claims.contains(length)) {
                let mut cut = whole.clone();
                cut[at].1.truncate(length);
                if whole[at].0 == b"m" && length == 16 {
                    continue;
                }
                refused(&cut);
            }
            let mut unknown = whole.clone();
            unknown[at].0.insert(0, b'z');
            refused(&unknown);
        }
        let mut wrong_sharing = whole.clone();
        wrong_sharing[2].1[32] = 2;
        refused(&wrong_sharing);
    }

    #[test]
    fn any_bytes_are_read_or_refused() {
        let mut random = fastrand::Rng::with_seed(crate::seed::seed());
        let whole = row(&cells());
        for _ in 0..3_000 {
            let mut damaged = whole.clone();
            let (column, value) = &mut damaged[random.usize(..whole.len())];
            for _ in 0..random.usize(1..4) {
                let bytes = if random.bool() {
                    &mut *column
                } else {
                    &mut *value
                };
                match bytes.len() {
                    0 => bytes.push(random.u8(..)),
                    length => bytes[random.usize(..length)] = random.u8(..),
                }
            }
            // No panic, and what is read can be written.
            let _ = read(&damaged).map(|clock| format!("{clock:?}"));
        }
    }
}
