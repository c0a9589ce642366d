//! What the store tells of itself.

use super::clear::Cleared;
use super::clock::{Clock, Number, Slot, Time};
use super::database::VersionedStore;
use super::service::RowService;
use crate::error::Result;
use crate::store::{Fact, Sharing};

impl<S: RowService> VersionedStore<S> {
    /// See [`Store::describe`](crate::store::Store::describe).
    pub(super) fn facts(&self) -> Result<Vec<Fact>> {
        let mut facts = self.shared.service.describe()?;
        let clock = self.shared.read_clock()?;
        let (now, minutes) = (self.shared.service.now(), self.minutes());
        facts.push(Fact::new(
            "a statement",
            "is whole or has not been, whatever its size, in all tables at once",
        ));
        facts.push(Fact::new(
            "what a statement reads",
            format!("is one moment; after {minutes} minutes it may fail, when VACUUM has run"),
        ));
        facts.push(Fact::new(
            "a key that is there",
            "is refused by INSERT, whatever process has put it",
        ));
        facts.push(Fact::new(
            "room of overwritten and deleted rows",
            format!("is given back by VACUUM, {minutes} minutes later, and a major compaction"),
        ));
        facts.push(Fact::new(
            "statements under way",
            clock.slots.len().to_string(),
        ));
        let slots = clock.slots.values();
        facts.extend(slots.map(|slot| Fact::new("  begun", under_way(slot, now))));
        let given_up = format!("{}, which VACUUM clears away", clock.given_up.len());
        facts.push(Fact::new("statements given up", given_up));
        facts.push(Fact::new("newest statement", ago(clock.counter, now)));
        facts.push(Fact::new("vacuumed", vacuumed(&clock, now)));
        Ok(facts)
    }

    /// What a vacuum has done.
    pub(super) fn told(&self, cleared: Cleared) -> Vec<Fact> {
        let now = self.shared.service.now();
        let until = match cleared.horizon {
            0 => format!("nothing yet: all is kept for {} minutes", self.minutes()),
            horizon => format!(
                "what was overwritten or deleted {}, or earlier",
                ago(horizon, now)
            ),
        };
        vec![
            Fact::new("cleared", until),
            Fact::new("versions removed", cleared.versions.to_string()),
            Fact::new("statements cleared away", cleared.statements.to_string()),
            Fact::new("dropped tables removed", cleared.tables.to_string()),
        ]
    }

    fn minutes(&self) -> Time {
        self.shared.times.retention / 60_000
    }
}

fn under_way(slot: &Slot, now: Time) -> String {
    let claims = slot.claims.iter().map(|claim| match claim.sharing {
        Sharing::Exclusive => format!("{} alone", claim.space),
        Sharing::Shared => format!("{} with others", claim.space),
    });
    let claims: Vec<String> = claims.collect();
    match claims.as_slice() {
        [] => ago(slot.number, now),
        _ => format!("{}, has {}", ago(slot.number, now), claims.join(", ")),
    }
}

fn vacuumed(clock: &Clock, now: Time) -> String {
    match clock.horizon {
        0 => "never".to_owned(),
        horizon => format!("what was covered {}", ago(horizon, now)),
    }
}

/// When the statement of a number began: numbers are times, or a little greater.
fn ago(number: Number, now: Time) -> String {
    let seconds = now.saturating_sub(number) / 1000;
    match seconds {
        0..120 => format!("{seconds} s ago"),
        120..7200 => format!("{} min ago", seconds / 60),
        _ => format!("{} h ago", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_few_digits() {
        for (age, told) in [
            (0, "0 s ago"),
            (119_999, "119 s ago"),
            (120_000, "2 min ago"),
            (7_199_999, "119 min ago"),
            (7_200_000, "2 h ago"),
        ] {
            assert_eq!(ago(10_000_000, 10_000_000 + age), told);
        }
        assert_eq!(ago(11, 10), "0 s ago", "a clock that is behind");
    }
}
