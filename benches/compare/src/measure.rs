//! Rounds. In each, every side does every workload once, the sides one after the other and beginning with another one
//! each time, so that what disturbs the machine disturbs all of them. A sample is the time of one call, over as many
//! calls as take a while.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::data::Size;
use crate::side::{Call, Side, Task};
use crate::spread::Spread;
use crate::workload::{Name, Workload};

/// A sample takes at least about this long.
const LEAST: Duration = Duration::from_millis(20);
/// The most calls of a sample.
const MOST_CALLS: usize = 4_096;
/// Calls by whose answers the sides are held against one another.
const CHECKED_CALLS: usize = 3;

/// A workload with the spread of each side that has it.
#[derive(Debug, Clone)]
pub struct Measured {
    pub workload: Workload,
    pub spreads: Vec<(Name, Spread)>,
}

impl Measured {
    pub fn spread(&self, side: Name) -> Option<Spread> {
        let found = self.spreads.iter().find(|(name, _)| *name == side);
        found.map(|(_, spread)| *spread)
    }

    /// The quickest of the peers.
    pub fn best_peer(&self) -> Option<(Name, Spread)> {
        let peers = self.spreads.iter().copied();
        peers
            .filter(|(name, _)| Name::PEERS.contains(name))
            .min_by(|(_, left), (_, right)| left.median.total_cmp(&right.median))
    }
}

/// One side of a workload.
struct Lane<'a> {
    name: Name,
    task: Box<dyn Task + 'a>,
    calls: usize,
    samples: Vec<f64>,
}

/// All sides of a workload.
struct Contest<'a> {
    workload: &'a Workload,
    size: Size,
    lanes: Vec<Lane<'a>>,
}

impl<'a> Contest<'a> {
    /// Makes the tasks ready and holds their answers against one another.
    fn new(workload: &'a Workload, sides: &'a [Box<dyn Side>], size: Size) -> Result<Self> {
        let mut contest = Self {
            workload,
            size,
            lanes: Vec::new(),
        };
        for side in sides {
            let task = side.task(workload);
            let task = task.with_context(|| contest.place(side.name()))?;
            contest.lanes.extend(task.map(|task| Lane {
                name: side.name(),
                task,
                calls: 1,
                samples: Vec::new(),
            }));
        }
        contest.check()?;
        contest.calibrate()?;
        Ok(contest)
    }

    fn place(&self, side: Name) -> String {
        format!("{} on {}", self.workload.name, side.shown())
    }

    fn calls(&self, first: usize, count: usize) -> Vec<Call> {
        let calls = first..first + count;
        calls
            .map(|call| (self.workload.values)(self.size, call))
            .collect()
    }

    fn check(&mut self) -> Result<()> {
        // A call without values is the same each time.
        let checked = if self.calls(0, 1).iter().all(Vec::is_empty) {
            1
        } else {
            CHECKED_CALLS
        };
        for call in self.calls(0, checked) {
            let mut first = None;
            for lane in &mut self.lanes {
                let name = lane.name.shown();
                let answer = lane.task.answer(&call);
                let answer = answer.with_context(|| format!("{} on {name}", self.workload.name))?;
                let (other, expected) = *first.get_or_insert((name, answer));
                ensure!(
                    answer == expected && answer.rows > 0,
                    "{}: {name} answers {answer:?}, {other} {expected:?}",
                    self.workload.name,
                );
            }
        }
        Ok(())
    }

    /// Finds how many calls take long enough to be timed.
    fn calibrate(&mut self) -> Result<()> {
        for index in 0..self.lanes.len() {
            let mut count = 1;
            while count < MOST_CALLS && self.time(index, 0, count)? < LEAST {
                count *= 2;
            }
            self.lanes[index].calls = count;
        }
        Ok(())
    }

    fn time(&mut self, lane: usize, first: usize, count: usize) -> Result<Duration> {
        let calls = self.calls(first, count);
        let lane = &mut self.lanes[lane];
        let took = lane.task.time(&calls);
        took.with_context(|| format!("{} on {}", self.workload.name, lane.name.shown()))
    }

    fn round(&mut self, round: usize) -> Result<()> {
        for step in 0..self.lanes.len() {
            let index = (step + round) % self.lanes.len();
            let (count, first) = (self.lanes[index].calls, round * MOST_CALLS);
            // What others have done meanwhile may have made a statement be prepared again.
            if count > 1 {
                self.time(index, first, 1)?;
            }
            let took = self.time(index, first, count)?;
            let sample = took.as_secs_f64() / count as f64;
            self.lanes[index].samples.push(sample);
        }
        Ok(())
    }

    fn finish(self) -> Measured {
        let spreads = self.lanes.into_iter();
        Measured {
            workload: self.workload.clone(),
            spreads: spreads
                .map(|lane| (lane.name, Spread::of(lane.samples)))
                .collect(),
        }
    }
}

/// Measures every workload on every side.
pub fn compare(
    workloads: &[Workload],
    sides: &[Box<dyn Side>],
    size: Size,
    rounds: usize,
) -> Result<Vec<Measured>> {
    let mut contests = Vec::with_capacity(workloads.len());
    for workload in workloads {
        eprintln!("checking: {}", workload.name);
        contests.push(Contest::new(workload, sides, size)?);
    }
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        for contest in &mut contests {
            contest.round(round)?;
        }
    }
    Ok(contests.into_iter().map(Contest::finish).collect())
}

/// Something to be done again and again, and what it is called.
pub type Work = (&'static str, Box<dyn FnMut() -> Result<()>>);

/// Measures what has no counterpart, in as many rounds.
pub fn alone(rounds: usize, mut work: Vec<Work>) -> Result<Vec<(&'static str, Spread)>> {
    let mut samples = vec![Vec::new(); work.len()];
    for _ in 0..rounds {
        for ((_, work), samples) in work.iter_mut().zip(&mut samples) {
            let (start, mut count) = (Instant::now(), 0);
            while start.elapsed() < LEAST {
                work()?;
                count += 1;
            }
            samples.push(start.elapsed().as_secs_f64() / f64::from(count));
        }
    }
    let names = work.into_iter().map(|(name, _)| name);
    Ok(names.zip(samples.into_iter().map(Spread::of)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_the_median_between_its_quartiles() {
        let spread = Spread::of(vec![7.0, 1.0, 2.0, 6.0, 3.0, 5.0, 4.0]);
        assert_eq!((spread.low, spread.median, spread.high), (2.5, 4.0, 5.5));
        let single = Spread::of(vec![3.0]);
        assert_eq!((single.low, single.median, single.high), (3.0, 3.0, 3.0));
    }
}
