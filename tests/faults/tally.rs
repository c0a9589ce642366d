//! What became of statements of each kind, as a table.

use std::collections::BTreeMap;
use std::fmt;

use super::workload::Step;

/// What became of the statements of one kind.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    acknowledged: usize,
    /// Broken off, and nothing of it is there.
    absent: usize,
    /// Broken off, and all of it is there.
    whole: usize,
    /// Acknowledged, and not there.
    lost: usize,
}

/// Counts by kind of statement. Nothing else can become of one: halves fail the tests.
#[derive(Debug, Default)]
pub struct Tally(BTreeMap<String, Counts>);

impl Tally {
    /// Of these statements so many were acknowledged, and the database stands after so many.
    pub fn add(&mut self, steps: &[Step], acknowledged: usize, reached: usize) {
        for (number, step) in (1..).zip(steps.iter().take(acknowledged.max(reached) + 1)) {
            let counts = self.0.entry(step.kind()).or_default();
            let count = match (number <= acknowledged, number <= reached) {
                (true, true) => &mut counts.acknowledged,
                (true, false) => &mut counts.lost,
                (false, true) => &mut counts.whole,
                (false, false) => &mut counts.absent,
            };
            *count += 1;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |name: &str, cells: [String; 4]| {
            let [acknowledged, absent, whole, lost] = cells;
            format!("{name:28} {acknowledged:>12} {absent:>14} {whole:>13} {lost:>6}")
        };
        let head = ["acknowledged", "cut off: none", "cut off: all", "lost"];
        writeln!(f, "{}", of("statement", head.map(str::to_owned)))?;
        let mut total = Counts::default();
        for (name, counts) in &self.0 {
            total.acknowledged += counts.acknowledged;
            total.absent += counts.absent;
            total.whole += counts.whole;
            total.lost += counts.lost;
            writeln!(f, "{}", of(name, cells(counts)))?;
        }
        write!(f, "{}", of("all", cells(&total)))
    }
}

fn cells(counts: &Counts) -> [String; 4] {
    let counts = [
        counts.acknowledged,
        counts.absent,
        counts.whole,
        counts.lost,
    ];
    counts.map(|count| count.to_string())
}
