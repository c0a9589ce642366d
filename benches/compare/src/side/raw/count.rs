//! Counters: a get and a put under a lock, without which two threads would read the same number.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::super::{Call, Task, in_threads};
use super::store::Store;
use crate::answer::{Answer, Cell, Digest};
use crate::value::Value;
use crate::workload::COUNTERS;

/// The table of the counters.
const TABLE: &str = "counter";

/// Counters that go up.
pub struct Count<'a> {
    store: &'a Store,
    /// `None`: one is put for each, whatever was there.
    threads: Option<usize>,
    turn: Mutex<()>,
}

impl<'a> Count<'a> {
    /// All counters, at zero.
    pub fn new(store: &'a Store, threads: Option<usize>) -> Result<Self> {
        let family = store.family(TABLE)?;
        for counter in 0..COUNTERS {
            store
                .db
                .put_cf(&family, key(counter), 0_i64.to_le_bytes())?;
        }
        Ok(Self {
            store,
            threads,
            turn: Mutex::new(()),
        })
    }

    fn put(&self, calls: &[i64]) -> Result<()> {
        let family = self.store.family(TABLE)?;
        for counter in calls {
            let one = 1_i64.to_le_bytes();
            self.store.db.put_cf(&family, key(*counter), one)?;
        }
        Ok(())
    }

    fn count(&self, calls: &[i64]) -> Result<()> {
        let family = self.store.family(TABLE)?;
        for counter in calls {
            let key = key(*counter);
            let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            let old = self.store.db.get_pinned_cf(&family, key)?;
            let new = number(&old.context("no such counter")?)? + 1;
            self.store.db.put_cf(&family, key, new.to_le_bytes())?;
        }
        Ok(())
    }
}

/// As a BIGINT of a key is stored.
fn key(counter: i64) -> [u8; 8] {
    (counter ^ i64::MIN).to_be_bytes()
}

fn number(bytes: &[u8]) -> Result<i64> {
    Ok(i64::from_le_bytes(bytes.try_into()?))
}

impl Task for Count<'_> {
    fn answer(&mut self, call: &Call) -> Result<Answer> {
        self.time(std::slice::from_ref(call))?;
        let family = self.store.family(TABLE)?;
        let mut digest = Digest::new(false);
        for counter in 0..COUNTERS {
            let value = self.store.db.get_pinned_cf(&family, key(counter))?;
            let value = number(&value.context("no such counter")?)?;
            digest.row(&[Cell::Number(counter), Cell::Number(value)]);
        }
        Ok(digest.finish())
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let counters = calls.iter().map(|call| match call.first() {
            Some(Value::Number(counter)) => Ok(*counter),
            other => bail!("no number: {other:?}"),
        });
        let counters = counters.collect::<Result<Vec<i64>>>()?;
        let side: &Self = self;
        match self.threads {
            Some(threads) => in_threads(counters, threads, |_, calls| side.count(&calls)),
            None => in_threads(counters, 1, |_, calls| side.put(&calls)),
        }
    }
}
