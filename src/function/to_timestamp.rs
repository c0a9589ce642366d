//! `to_timestamp(n)` of whole numbers, whatever the time zone of the session.
//!
//! DataFusion makes a time without a zone of the number, and reads that on the clocks of the session: with
//! `SET TIME ZONE 'Europe/Berlin'` the second 0 would be an hour before 1970. Here the number is an instant first.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::Result;
use datafusion::config::ConfigOptions;
use datafusion::functions::datetime;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl};

use super::as_theirs::as_theirs;

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct ToTimestamp(Arc<ScalarUDF>);

impl ToTimestamp {
    /// The function of a session with this configuration.
    pub fn new(config: &ConfigOptions) -> Self {
        let function = datetime::to_timestamp(config);
        let of_zone = function.inner().with_updated_config(config);
        Self(of_zone.map_or(function, Arc::new))
    }
}

impl ScalarUDFImpl for ToTimestamp {
    as_theirs!();

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let updated = self.0.inner().with_updated_config(config)?;
        Some(ScalarUDF::new_from_impl(Self(Arc::new(updated))))
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if let Some(number) = args.args.first_mut()
            && number.data_type().is_integer()
        {
            let utc = DataType::Timestamp(TimeUnit::Second, Some("+00:00".into()));
            *number = number.cast_to(&utc, None)?;
        }
        self.0.invoke_with_args(args)
    }
}
