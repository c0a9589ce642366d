//! TIMESTAMPs of nanoseconds beside DATEs, which reach farther: as values of one column, and compared.
//!
//! 64 bits of nanoseconds end in 1677 and 2262, and 9999-12-31 is what people write for "for ever". So where the two become
//! one value it is a TIMESTAMP(6), and a stamp that has more digits is an error: none is cut. Where they are compared,
//! both are seconds, a stamp within the first second of a day being the next one: whole days are before it, on it or behind
//! it as they are before, on or behind the stamp.

use std::sync::Arc;

use arrow::array::temporal_conversions::as_datetime;
use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::datatypes::{
    ArrowTimestampType, DataType, TimeUnit, TimestampMicrosecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use datafusion::common::{DataFusionError, Result, exec_err, plan_err};

use crate::datum::Precision;
use crate::error::Error;
use crate::function::declared::{Declaration, arguments};

const NANOSECONDS_OF_MICROSECOND: i64 = 1_000;
const SECONDS_OF_DAY: i64 = 86_400;

/// A TIMESTAMP of nanoseconds as one of microseconds.
pub(super) static IN_MICROSECONDS: Declaration = Declaration {
    name: "in_microseconds",
    aliases: &[],
    coerce: only_stamp,
    result: |types| of_unit(types, TimeUnit::Microsecond),
    compute: in_microseconds,
};

/// A TIMESTAMP as one of seconds, which compares with a DATE as it does.
pub(super) static BESIDE_DAYS: Declaration = Declaration {
    name: "beside_days",
    aliases: &[],
    coerce: only_stamp,
    result: |types| of_unit(types, TimeUnit::Second),
    compute: |given| {
        let [stamps] = arguments(given)?;
        match stamps.data_type() {
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                Ok(beside_days::<TimestampNanosecondType>(stamps))
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                Ok(beside_days::<TimestampMicrosecondType>(stamps))
            }
            other => exec_err!("a TIMESTAMP is wanted, not a value of type {other}"),
        }
    },
};

fn only_stamp(types: &[DataType]) -> Result<Vec<DataType>> {
    match types {
        [DataType::Timestamp(TimeUnit::Nanosecond | TimeUnit::Microsecond, _)] => {
            Ok(types.to_vec())
        }
        _ => plan_err!("a TIMESTAMP is wanted"),
    }
}

fn of_unit(types: &[DataType], unit: TimeUnit) -> Result<DataType> {
    match types {
        [DataType::Timestamp(_, zone)] => Ok(DataType::Timestamp(unit, zone.clone())),
        _ => plan_err!("a TIMESTAMP is wanted"),
    }
}

fn in_microseconds(given: &[ArrayRef]) -> Result<ArrayRef> {
    let [stamps] = arguments(given)?;
    let Some(stamps) = stamps.as_primitive_opt::<TimestampNanosecondType>() else {
        return Ok(Arc::clone(stamps));
    };
    let counts = stamps.iter().map(|stamp| {
        let Some(stamp) = stamp else {
            return Ok(None);
        };
        match stamp % NANOSECONDS_OF_MICROSECOND {
            0 => Ok(Some(stamp / NANOSECONDS_OF_MICROSECOND)),
            _ => Err(finer(stamp)),
        }
    });
    let counts = counts.collect::<Result<PrimitiveArray<TimestampMicrosecondType>>>()?;
    Ok(Arc::new(counts.with_timezone_opt(stamps.timezone())))
}

fn finer(stamp: i64) -> DataFusionError {
    let written = as_datetime::<TimestampNanosecondType>(stamp);
    let written = written.map_or_else(|| stamp.to_string(), |stamp| stamp.to_string());
    Error::invalid(format!(
        "'{written}' has nanoseconds, and beside a DATE a TIMESTAMP has microseconds: write the DATE as CAST(… AS TIMESTAMP(9)), \
         which ends in 2262, or the other as CAST(… AS TIMESTAMP(6)), which cuts it"
    ))
    .into()
}

fn beside_days<T>(stamps: &ArrayRef) -> ArrayRef
where
    T: ArrowTimestampType + ArrowPrimitiveType<Native = i64>,
{
    let stamps = stamps.as_primitive::<T>();
    let per_second = 1_000_000_000 / Precision::from(T::UNIT).nanoseconds();
    let seconds: PrimitiveArray<TimestampSecondType> = stamps.unary(|stamp| {
        let second = stamp.div_euclid(per_second);
        let is_within_first = second.rem_euclid(SECONDS_OF_DAY) == 0;
        second + i64::from(is_within_first && stamp.rem_euclid(per_second) != 0)
    });
    Arc::new(seconds.with_timezone_opt(stamps.timezone()))
}

#[cfg(test)]
mod tests {
    use arrow::array::TimestampNanosecondArray;

    use super::*;

    #[test]
    fn a_stamp_compares_with_a_day_as_its_seconds_do() {
        const DAY: i64 = 86_400_000_000_000;
        let stamps = [
            i64::MIN,
            i64::MAX,
            -DAY - 1,
            -DAY,
            -DAY + 1,
            -1,
            0,
            1,
            999_999_999,
            1_000_000_000,
            1_000_000_001,
            DAY - 1,
            DAY,
            DAY + 1,
        ];
        let array: ArrayRef = Arc::new(TimestampNanosecondArray::from(stamps.to_vec()));
        let seconds = (BESIDE_DAYS.compute)(&[array]).unwrap();
        let seconds = seconds.as_primitive::<TimestampSecondType>();
        for (stamp, second) in stamps.iter().zip(seconds.values()) {
            for day in [-106_752, -2, -1, 0, 1, 2, 106_751, 2_932_896, -719_162] {
                let exact = (day * i128::from(DAY)).cmp(&i128::from(*stamp));
                assert_eq!(
                    (day as i64 * SECONDS_OF_DAY).cmp(second),
                    exact,
                    "{day} {stamp}"
                );
            }
        }
    }

    #[test]
    fn no_digit_is_cut() {
        let whole: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![Some(-1_000), None]));
        let found = (IN_MICROSECONDS.compute)(&[whole]).unwrap();
        assert_eq!(
            found.as_primitive::<TimestampMicrosecondType>().value(0),
            -1
        );
        let finer: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![1]));
        let error = (IN_MICROSECONDS.compute)(&[finer]).unwrap_err().to_string();
        assert!(error.contains("1970-01-01 00:00:00.000000001"), "{error}");
    }
}
