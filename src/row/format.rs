//! The header of a value, and where it says that the columns lie.

use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::schema::COLUMN_ID_LIMIT;

/// The newest format of values, and the one that is written.
pub(super) const FORMAT: u8 = 1;

/// Bytes before the codes.
pub(super) const FIXED_HEADER: usize = 4;

/// The code of a column that the value does not hold.
const ABSENT: u8 = 0;
/// The code of NULL.
pub(super) const NULL: u8 = 1;
/// The code of a field of variable length.
const VARIABLE: u8 = 7;

/// The most digits of a DECIMAL that is stored in 8 bytes.
pub(super) const SHORT_DECIMAL_DIGITS: u8 = 18;

/// How much room a column of some type takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    /// So many bytes: 1, 2, 4, 8 or 16.
    Fixed(usize),
    /// As many as each value has.
    Variable,
}

impl Storage {
    pub(super) fn of(sql_type: &SqlType) -> Self {
        match sql_type {
            SqlType::Boolean | SqlType::TinyInt | SqlType::UnsignedTinyInt => Self::Fixed(1),
            SqlType::SmallInt | SqlType::UnsignedSmallInt => Self::Fixed(2),
            SqlType::Integer | SqlType::UnsignedInteger | SqlType::Date | SqlType::Real => {
                Self::Fixed(4)
            }
            SqlType::BigInt
            | SqlType::UnsignedBigInt
            | SqlType::Timestamp { .. }
            | SqlType::Time
            | SqlType::Double => Self::Fixed(8),
            SqlType::Interval | SqlType::Uuid => Self::Fixed(16),
            SqlType::Decimal { precision, .. } if *precision <= SHORT_DECIMAL_DIGITS => {
                Self::Fixed(8)
            }
            SqlType::Decimal { .. } => Self::Fixed(16),
            SqlType::Text
            | SqlType::Varchar(_)
            | SqlType::Char(_)
            | SqlType::Bytea
            | SqlType::Json
            | SqlType::List(_)
            | SqlType::Struct(_)
            | SqlType::Map(_) => Self::Variable,
        }
    }

    /// The code of a value that is not NULL.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Fixed(1) => 2,
            Self::Fixed(2) => 3,
            Self::Fixed(4) => 4,
            Self::Fixed(8) => 5,
            Self::Fixed(_) => 6,
            Self::Variable => VARIABLE,
        }
    }

    fn of_code(code: u8) -> Option<Self> {
        Some(match code {
            2 => Self::Fixed(1),
            3 => Self::Fixed(2),
            4 => Self::Fixed(4),
            5 => Self::Fixed(8),
            6 => Self::Fixed(16),
            VARIABLE => Self::Variable,
            _ => return None,
        })
    }
}

/// How many bytes an end has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndWidth {
    One,
    Two,
    Four,
}

impl EndWidth {
    /// The narrowest in which `length` can be written; `None` beyond 4 GiB.
    pub(super) fn for_length(length: usize) -> Option<Self> {
        if length <= usize::from(u8::MAX) {
            Some(Self::One)
        } else if length <= usize::from(u16::MAX) {
            Some(Self::Two)
        } else {
            u32::try_from(length).is_ok().then_some(Self::Four)
        }
    }

    /// The second byte of a value.
    pub(super) fn flags(self) -> u8 {
        match self {
            Self::One => 0,
            Self::Two => 1,
            Self::Four => 2,
        }
    }

    fn of_flags(flags: u8) -> Option<Self> {
        match flags {
            0 => Some(Self::One),
            1 => Some(Self::Two),
            2 => Some(Self::Four),
            _ => None,
        }
    }

    pub(super) fn bytes(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
        }
    }

    /// Reads the end that stands at `offset`.
    fn read(self, value: &[u8], offset: usize) -> Option<usize> {
        let mut number = [0; 4];
        let bytes = value.get(offset..offset.checked_add(self.bytes())?)?;
        number.get_mut(..bytes.len())?.copy_from_slice(bytes);
        usize::try_from(u32::from_le_bytes(number)).ok()
    }
}

/// Where a column lies in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// Nowhere.
    Absent,
    /// Nowhere, for it is NULL.
    Null,
    /// So many bytes at this offset.
    Fixed { offset: usize, width: usize },
    /// The field of variable length with this number.
    Variable(usize),
}

/// What all values with the same header have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// By column id; ids beyond are absent.
    slots: Vec<Slot>,
    ends: usize,
    end_width: EndWidth,
    variables: usize,
}

/// The length of a value's header.
///
/// # Errors
/// `Corrupt` where the value has no header that this version can read.
pub(super) fn header_length(value: &[u8]) -> Result<usize> {
    let Some([format, _, low, high]) = value.first_chunk::<FIXED_HEADER>() else {
        return Err(Error::corrupt(format!("a value of {} bytes", value.len())));
    };
    if *format > FORMAT {
        return Err(Error::corrupt(format!(
            "a value of format {format}, this Halite reads up to {FORMAT}: upgrade Halite"
        )));
    }
    if *format != FORMAT {
        return Err(Error::corrupt(format!(
            "a value of format {format}, which does not exist"
        )));
    }
    let codes = u16::from_le_bytes([*low, *high]);
    if u32::from(codes) > COLUMN_ID_LIMIT {
        return Err(Error::corrupt(format!("a value of {codes} columns")));
    }
    Ok(FIXED_HEADER + usize::from(codes).div_ceil(2))
}

impl Shape {
    /// The shape of the values that begin with `header`, which is as long as [`header_length`] says.
    ///
    /// # Errors
    /// `Corrupt` where the header means nothing.
    pub(super) fn parse(header: &[u8]) -> Result<Self> {
        let (Some([_, flags, low, high]), Some(codes)) = (
            header.first_chunk::<FIXED_HEADER>(),
            header.get(FIXED_HEADER..),
        ) else {
            return Err(Error::corrupt("a value without a header"));
        };
        let end_width = EndWidth::of_flags(*flags)
            .ok_or_else(|| Error::corrupt(format!("a value with the flags {flags:02x}")))?;
        let count = usize::from(u16::from_le_bytes([*low, *high]));
        let mut halves = codes.iter().flat_map(|byte| [byte & 0x0f, byte >> 4]);
        let (mut slots, mut fixed, mut variables) = (Vec::with_capacity(count), header.len(), 0);
        for code in halves.by_ref().take(count) {
            slots.push(slot(code, &mut fixed, &mut variables)?);
        }
        if slots.len() != count || halves.any(|rest| rest != 0) {
            return Err(Error::corrupt("a value with a code too few or too many"));
        }
        Ok(Self {
            slots,
            ends: fixed,
            end_width,
            variables,
        })
    }

    /// Where the column with this id lies.
    pub(super) fn slot(&self, id: usize) -> Slot {
        self.slots.get(id).copied().unwrap_or(Slot::Absent)
    }

    /// Whether `value`, which has this shape's header, is as long as it must be.
    pub(super) fn fits(&self, value: &[u8]) -> bool {
        let data = self.ends + self.variables * self.end_width.bytes();
        let last = match self.variables {
            0 => Some(0),
            count => self.end(value, count - 1),
        };
        last.and_then(|last| last.checked_add(data)) == Some(value.len())
    }

    /// The field of variable length with this number; `None` where its ends are no ends.
    pub(super) fn variable<'a>(&self, value: &'a [u8], number: usize) -> Option<&'a [u8]> {
        let data = self.ends + self.variables * self.end_width.bytes();
        let start = match number {
            0 => 0,
            _ => self.end(value, number - 1)?,
        };
        let end = self.end(value, number)?;
        value.get(data.checked_add(start)?..data.checked_add(end)?)
    }

    fn end(&self, value: &[u8], number: usize) -> Option<usize> {
        let width = self.end_width;
        width.read(value, self.ends + number * width.bytes())
    }
}

/// The place of the column with this code, behind `fixed` bytes and `variables` fields of variable length.
fn slot(code: u8, fixed: &mut usize, variables: &mut usize) -> Result<Slot> {
    if code == ABSENT {
        return Ok(Slot::Absent);
    }
    if code == NULL {
        return Ok(Slot::Null);
    }
    match Storage::of_code(code) {
        Some(Storage::Fixed(width)) => {
            let offset = *fixed;
            *fixed += width;
            Ok(Slot::Fixed { offset, width })
        }
        Some(Storage::Variable) => {
            *variables += 1;
            Ok(Slot::Variable(*variables - 1))
        }
        None => Err(Error::corrupt(format!(
            "a value with the code {code}, which does not exist"
        ))),
    }
}
