//! Rounds. In each, every side does every work once, the sides one after the other and beginning with another one each
//! time, so that what disturbs the machine disturbs all of them. A sample is the time of one call, over as many calls as
//! take a while. Before them every side does the work unmeasured, until Java has compiled what it runs.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::data::Rows;
use crate::side::{Side, Task};
use crate::spread::Spread;
use crate::workload::{Kind, Name, Workload};

/// A sample takes about this long.
const SAMPLE: f64 = 0.2;
/// The most calls of a sample.
const MOST_CALLS: usize = 4_096;
/// Calls whose answers are checked.
const CHECKED_CALLS: usize = 3;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    pub rounds: usize,
    /// Seconds that a side does a work before it is measured.
    pub warm: f64,
}

/// A side in a work.
#[derive(Debug, Clone)]
pub struct Figure {
    pub side: Name,
    /// How it does it, where it has several ways.
    pub way: &'static str,
    pub spread: Spread,
    /// Calls before the first sample.
    pub unmeasured: usize,
}

/// A work with what was measured.
#[derive(Debug, Clone)]
pub struct Measured {
    pub workload: Workload,
    pub figures: Vec<Figure>,
}

impl Measured {
    /// A side, by its quickest way.
    pub fn best(&self, side: Name) -> Option<&Figure> {
        let own = self.figures.iter().filter(|figure| figure.side == side);
        own.min_by(|left, right| left.spread.median.total_cmp(&right.spread.median))
    }

    pub fn median(&self, side: Name) -> Option<f64> {
        self.best(side).map(|figure| figure.spread.median)
    }
}

/// One side of a work.
struct Lane<'a> {
    side: Name,
    task: Box<dyn Task + 'a>,
    calls: usize,
    unmeasured: usize,
    samples: Vec<f64>,
}

impl<'a> Lane<'a> {
    fn new(side: Name, task: Box<dyn Task + 'a>) -> Self {
        Self {
            side,
            task,
            calls: 1,
            unmeasured: 0,
            samples: Vec::new(),
        }
    }

    fn check(&mut self, workload: &Workload, rows: &Rows) -> Result<()> {
        for call in 0..CHECKED_CALLS.min(workload.calls) {
            let expected = match self.side {
                Name::Raw => workload.answer_of_keys(rows, call),
                _ => workload.answer(rows.size, call),
            };
            let mut answer = self.task.answer(call)?;
            if expected.checksum == 0 {
                answer.checksum = 0;
            }
            ensure!(
                answer == expected,
                "{answer:?} is the answer, not {expected:?}"
            );
            self.unmeasured += 1;
        }
        Ok(())
    }

    /// Does it for so many seconds, and finds how many calls take long enough to be timed.
    fn warm(&mut self, seconds: f64) -> Result<()> {
        let (mut spent, mut count) = (0.0, 1);
        while spent < seconds {
            let took = self.task.time(self.unmeasured, count)?.as_secs_f64();
            spent += took;
            self.unmeasured += count;
            self.calls = calls(took / count as f64);
            count = (2 * count).min(self.calls);
        }
        Ok(())
    }

    fn measure(&mut self, round: usize) -> Result<()> {
        let count = self.calls;
        let took: Duration = self.task.time(round * MOST_CALLS, count)?;
        self.samples.push(took.as_secs_f64() / count as f64);
        Ok(())
    }
}

/// How many calls are a sample, where one takes so many seconds.
fn calls(took: f64) -> usize {
    // A float that is too large becomes the largest integer.
    ((SAMPLE / took) as usize).clamp(1, MOST_CALLS)
}

/// All sides of a work.
struct Contest<'a> {
    workload: &'a Workload,
    lanes: Vec<Lane<'a>>,
}

impl<'a> Contest<'a> {
    /// Makes the tasks ready, checks their answers and warms them.
    fn new(workload: &'a Workload, sides: &[&'a dyn Side], rows: &Rows, way: Way) -> Result<Self> {
        let mut lanes = Vec::new();
        for side in sides {
            let tasks = side.tasks(workload, rows);
            let tasks = tasks.with_context(|| place(workload, side.name()))?;
            lanes.extend(tasks.into_iter().map(|task| Lane::new(side.name(), task)));
        }
        for lane in &mut lanes {
            let ready = lane.check(workload, rows).and_then(|()| {
                // The check of a load has been one; it takes long, and once more is enough.
                let seconds = match workload.kind {
                    Kind::Load => f64::MIN_POSITIVE,
                    _ => way.warm,
                };
                lane.warm(seconds)
            });
            ready.with_context(|| place(workload, lane.side))?;
        }
        Ok(Self { workload, lanes })
    }

    fn round(&mut self, round: usize) -> Result<()> {
        for step in 0..self.lanes.len() {
            let index = (step + round) % self.lanes.len();
            let lane = &mut self.lanes[index];
            let measured = lane.measure(round);
            measured.with_context(|| place(self.workload, lane.side))?;
        }
        Ok(())
    }

    fn finish(self) -> Measured {
        let figures = self.lanes.into_iter().map(|lane| Figure {
            side: lane.side,
            way: lane.task.way(),
            unmeasured: lane.unmeasured,
            spread: Spread::of(lane.samples),
        });
        Measured {
            workload: self.workload.clone(),
            figures: figures.collect(),
        }
    }
}

fn place(workload: &Workload, side: Name) -> String {
    format!("{} on {}", workload.name, side.shown())
}

/// Measures every work on every side.
pub fn compare(
    workloads: &[Workload],
    sides: &[&dyn Side],
    rows: &Rows,
    way: Way,
) -> Result<Vec<Measured>> {
    let mut contests = Vec::with_capacity(workloads.len());
    for workload in workloads {
        eprintln!("checking: {}", workload.name);
        contests.push(Contest::new(workload, sides, rows, way)?);
    }
    for round in 0..way.rounds {
        eprintln!("round {} of {}", round + 1, way.rounds);
        for contest in &mut contests {
            contest.round(round)?;
        }
    }
    Ok(contests.into_iter().map(Contest::finish).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_a_middle() {
        let spread = Spread::of(vec![3.0, 1.0, 2.0]);
        assert_eq!((spread.low, spread.median, spread.high), (1.5, 2.0, 2.5));
        assert_eq!((calls(0.05), calls(1.0), calls(0.0)), (4, 1, MOST_CALLS));
    }
}
