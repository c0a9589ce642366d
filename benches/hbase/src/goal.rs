//! What is to be reached, and whether it is.

use crate::text::digits;
use crate::workload::Name;

/// What Halite is to reach in a work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// At most so many times the time of another side.
    Time(Name, f64),
    /// At least so many times its rows a second.
    Rate(Name, f64),
    /// At most so many seconds.
    Seconds(f64),
    /// At most so many requests.
    Requests(u64),
}

/// What is known of a work.
pub struct Figures {
    pub halite: Option<f64>,
    pub raw: Option<f64>,
    pub phoenix: Option<f64>,
    /// Requests of a call.
    pub requests: Option<u64>,
}

/// What came of a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub goal: String,
    /// Empty where it was not measured.
    pub reached: String,
    pub met: Option<bool>,
}

impl Figures {
    fn of(&self, name: Name) -> Option<f64> {
        match name {
            Name::Halite => self.halite,
            Name::Raw => self.raw,
            Name::Phoenix => self.phoenix,
        }
    }

    /// Halite's time by that of another.
    pub fn ratio(&self, name: Name) -> Option<f64> {
        Some(self.halite? / self.of(name)?)
    }
}

impl Goal {
    pub fn judge(self, figures: &Figures) -> Verdict {
        let (goal, reached) = match self {
            Self::Time(name, most) => {
                let ratio = figures.ratio(name);
                let reached = ratio.map(|ratio| (digits(ratio), ratio <= most));
                (format!("≤ {} × {}", most, name.shown()), reached)
            }
            Self::Rate(name, least) => {
                let rate = figures.ratio(name).map(f64::recip);
                let reached = rate.map(|rate| (digits(rate), rate >= least));
                let goal = format!("≥ {} × {}, in rows a second", least, name.shown());
                (goal, reached)
            }
            Self::Seconds(most) => {
                let seconds = figures.halite;
                let reached = seconds.map(|took| (crate::text::seconds(took), took <= most));
                (format!("≤ {}", crate::text::seconds(most)), reached)
            }
            Self::Requests(most) => {
                let reached = figures
                    .requests
                    .map(|sent| (sent.to_string(), sent <= most));
                (format!("≤ {most} requests"), reached)
            }
        };
        let met = reached.as_ref().map(|(_, met)| *met);
        let reached = reached.map(|(text, _)| text).unwrap_or_default();
        Verdict { goal, reached, met }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_met_or_missed_or_unknown() {
        let figures = Figures {
            halite: Some(0.03),
            raw: Some(0.024),
            phoenix: None,
            requests: Some(6),
        };
        let cases = [
            (Goal::Time(Name::Raw, 1.25), "1.25", Some(true)),
            (Goal::Time(Name::Raw, 1.24), "1.25", Some(false)),
            (Goal::Rate(Name::Raw, 0.8), "0.80", Some(true)),
            (Goal::Rate(Name::Raw, 0.9), "0.80", Some(false)),
            (Goal::Time(Name::Phoenix, 0.4), "", None),
            (Goal::Seconds(0.02), "30 ms", Some(false)),
            (Goal::Requests(6), "6", Some(true)),
            (Goal::Requests(5), "6", Some(false)),
        ];
        for (goal, reached, met) in cases {
            let verdict = goal.judge(&figures);
            assert_eq!(
                (verdict.reached.as_str(), verdict.met),
                (reached, met),
                "{goal:?}"
            );
        }
        let shown = Goal::Rate(Name::Phoenix, 3.0).judge(&figures).goal;
        assert_eq!(shown, "≥ 3 × Phoenix, in rows a second");
    }
}
