//! DECIMAL in Rust: digits, and where their point stands.

use std::fmt;
use std::str::FromStr;

use datafusion::common::ScalarValue;

use super::{FromValue, IntoParameter, Value};
use crate::datum::{Datum, Readable, SqlType};
use crate::error::{Error, Result};

/// The most digits.
const PRECISION: u8 = 38;

/// A DECIMAL: a whole number, of which some digits stand behind the point. For values that are given and read exactly;
/// crates that compute with decimals take its digits as text, or [`Decimal::unscaled`] and [`Decimal::scale`].
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use halite::Decimal;
///
/// # let connection = halite::Database::in_memory()?.connect();
/// let price: Decimal = "12.50".parse()?;
/// let row = connection.query_row("SELECT $1 * 2 AS twice", (price,)).await?.expect("one row");
/// let twice: Decimal = row.get("twice")?;
/// assert_eq!((twice.to_string().as_str(), twice.scale()), ("25.00", 2));
/// # Ok::<(), halite::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    unscaled: i128,
    scale: u8,
}

impl Decimal {
    /// The number `unscaled` divided by 10 to the power of `scale`.
    ///
    /// # Errors
    /// `InvalidInput` for more than 38 digits.
    pub fn new(unscaled: i128, scale: u8) -> Result<Self> {
        if scale <= PRECISION && unscaled.unsigned_abs() < 10_u128.pow(PRECISION.into()) {
            Ok(Self { unscaled, scale })
        } else {
            Err(Error::invalid(format!(
                "a DECIMAL has at most {PRECISION} digits, {unscaled} with {scale} behind the point has more"
            )))
        }
    }

    /// The digits as a whole number.
    pub fn unscaled(self) -> i128 {
        self.unscaled
    }

    /// How many of them stand behind the point.
    pub fn scale(self) -> u8 {
        self.scale
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sql_type = SqlType::Decimal {
            precision: PRECISION,
            scale: self.scale.cast_signed(),
        };
        f.pad(&Readable(&Datum::Decimal(self.unscaled), &sql_type).to_string())
    }
}

impl FromStr for Decimal {
    type Err = Error;

    /// Digits with a sign or without, with a point or without.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::invalid(format!("'{}' is no decimal number", text.escape_debug()));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.strip_prefix(['-', '+']).unwrap_or(whole);
        let has_digits = !(digits.is_empty() && fraction.is_empty());
        let mut all = digits.bytes().chain(fraction.bytes());
        if !has_digits || !all.all(|digit| digit.is_ascii_digit()) {
            return Err(wrong());
        }
        let scale = u8::try_from(fraction.len()).map_err(|_| wrong())?;
        let unscaled = format!("{whole}{fraction}").parse();
        Self::new(unscaled.map_err(|_| wrong())?, scale)
    }
}

impl IntoParameter for Decimal {
    fn into_parameter(self) -> ScalarValue {
        ScalarValue::Decimal128(Some(self.unscaled), PRECISION, self.scale.cast_signed())
    }
}

impl FromValue<'_> for Decimal {
    const NAME: &'static str = "Decimal";

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Decimal { unscaled, scale } => {
                Self::new(unscaled, u8::try_from(scale).ok()?).ok()
            }
            Value::Integer(value) => Self::new(value, 0).ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;
    use crate::session::Database;

    #[test]
    fn digits_are_read_and_written_as_they_are() {
        for (text, unscaled, scale, shown) in [
            ("12.50", 1250, 2, "12.50"),
            ("-0.05", -5, 2, "-0.05"),
            ("+7", 7, 0, "7"),
            (".5", 5, 1, "0.5"),
            ("5.", 5, 0, "5"),
            ("-00.0", 0, 1, "0.0"),
        ] {
            let decimal: Decimal = text.parse().unwrap();
            assert_eq!((decimal.unscaled(), decimal.scale()), (unscaled, scale));
            assert_eq!(decimal.to_string(), shown, "{text}");
        }
        let longest = "9".repeat(38);
        assert_eq!(longest.parse::<Decimal>().unwrap().to_string(), longest);
        for text in ["", ".", "-", "1e5", "1.2.3", "1,5", " 1", "--1", "1.-2"] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
        assert!(format!("{longest}9").parse::<Decimal>().is_err());
        assert!(format!("0.{longest}9").parse::<Decimal>().is_err());
    }

    #[tokio::test]
    async fn a_decimal_goes_through_a_table_exactly() {
        let connection = Database::in_memory().unwrap().connect();
        let script = "CREATE TABLE t (d DECIMAL(10, 2), PRIMARY KEY (d))";
        connection.execute_script(script).await.unwrap();
        let price: Decimal = "0.10".parse().unwrap();
        let insert = "INSERT INTO t VALUES ($1)";
        connection.execute(insert, (price,)).await.unwrap();
        let query = "SELECT d FROM t WHERE d = $1";
        for asked in ["0.1", "0.10", "0.100"] {
            let asked: Decimal = asked.parse().unwrap();
            let row = connection.query_row(query, (asked,)).await.unwrap();
            assert_eq!(row.unwrap().get::<Decimal>("d").unwrap(), price);
        }
        let other: Decimal = "0.101".parse().unwrap();
        assert!(
            connection
                .query_row(query, (other,))
                .await
                .unwrap()
                .is_none()
        );
        // What does not fit is refused.
        assert!(
            connection
                .execute(insert, ("123456789.00".parse::<Decimal>().unwrap(),))
                .await
                .is_err()
        );
    }
}
