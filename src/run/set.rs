//! `SET` and `RESET`, which change the connection's session.

use datafusion::config::{ConfigExtension, ExtensionOptions};
use datafusion::logical_expr::{LogicalPlan, SetVariable, Statement as PlannedStatement};

use super::context::Context;
use super::outcome::{Outcome, done};
use super::{memory, temporary};
use crate::datum::Clocks;
use crate::error::{Error, Result};
use crate::settings::{self, HaliteOptions};

impl Context {
    /// `SET`, `RESET`, which change the connection's session.
    pub(super) async fn run_setting(&self, mut planned: PlannedStatement) -> Result<Outcome> {
        let verb = match &planned {
            PlannedStatement::SetVariable(_) => "SET",
            PlannedStatement::ResetVariable(_) => "RESET",
            other => {
                return Err(Error::unsupported(format!(
                    "{} is not implemented",
                    other.name()
                )));
            }
        };
        let access = self.resources.access();
        if let Some((name, value)) = setting_of(&planned) {
            if let Some(notice) = settings::foreign(name, value)? {
                self.warnings().add(notice);
                return Ok(done(verb));
            }
            access.check_setting(name, value)?;
        }
        check_zone(&mut planned)?;
        let changes_memory = memory::take_over(&mut planned);
        let files = temporary::Before::of(&planned, self.session());
        reset_own(&mut planned);
        let setting = match &planned {
            PlannedStatement::SetVariable(set) => Some((set.variable.clone(), set.value.clone())),
            _ => None,
        };
        let plan = LogicalPlan::Statement(planned);
        let set = self.session().execute_logical_plan(plan).await;
        set.map_err(|error| setting_problem(error.into(), setting))?;
        if let Some(files) = files {
            files.settle(self.session(), self.resources.temporary())?;
        }
        let options = HaliteOptions::of(self.session().copied_config().options());
        access.follow(&options);
        if changes_memory {
            self.resources.limit_memory(options.memory_limit.0);
        }
        Ok(done(verb))
    }
}

/// The setting that a statement sets, and its value; `None` for the default.
fn setting_of(planned: &PlannedStatement) -> Option<(&str, Option<&str>)> {
    match planned {
        PlannedStatement::SetVariable(set) => Some((&set.variable, Some(&set.value))),
        PlannedStatement::ResetVariable(reset) => Some((&reset.variable, None)),
        _ => None,
    }
}

/// `RESET` of a setting of Halite's, as SET to its default, and of the time zone, whose default is Halite's: DataFusion
/// resets its own alone, to its own.
fn reset_own(planned: &mut PlannedStatement) {
    let PlannedStatement::ResetVariable(reset) = planned else {
        return;
    };
    let name = reset.variable.to_lowercase();
    if is_time_zone(&name) {
        *planned = PlannedStatement::SetVariable(SetVariable {
            variable: "datafusion.execution.time_zone".to_owned(),
            value: UTC.to_owned(),
        });
        return;
    }
    let Some((HaliteOptions::PREFIX, setting)) = name.split_once('.') else {
        return;
    };
    let defaults = HaliteOptions::default().entries();
    let default = defaults.into_iter().find(|entry| entry.key == setting);
    if let Some(value) = default.and_then(|entry| entry.value) {
        *planned = PlannedStatement::SetVariable(SetVariable {
            variable: name,
            value,
        });
    }
}

/// Refuses a time zone that there is none of; `DEFAULT` and `LOCAL` are UTC.
///
/// # Errors
/// `InvalidInput` that names it.
fn check_zone(planned: &mut PlannedStatement) -> Result<()> {
    let PlannedStatement::SetVariable(set) = planned else {
        return Ok(());
    };
    if !is_time_zone(&set.variable) {
        return Ok(());
    }
    match set.value.to_lowercase().as_str() {
        "default" | "local" => set.value = UTC.to_owned(),
        "utc" => set.value = "UTC".to_owned(),
        _ => {}
    }
    match Clocks::of(&set.value) {
        Some(_) => Ok(()),
        None => Err(Error::invalid(format!(
            "there is no time zone '{}'; zones are written as 'Europe/Berlin', 'UTC' or '+02:00'",
            set.value
        ))),
    }
}

/// The zone of a session that sets none.
const UTC: &str = "+00:00";

fn is_time_zone(variable: &str) -> bool {
    let variable = variable.to_lowercase();
    ["datafusion.execution.time_zone", "timezone", "time.zone"].contains(&variable.as_str())
}

/// The error of a SET, with the setting and its value where it names neither.
fn setting_problem(error: Error, setting: Option<(String, String)>) -> Error {
    match setting {
        Some((name, value))
            if !error.message().contains(&name)
                && !error.message().contains(&format!("'{value}'")) =>
        {
            let message = format!("{name} cannot be '{value}': {}", error.message());
            Error::new(error.kind(), message).with_source(error)
        }
        _ => error,
    }
}
