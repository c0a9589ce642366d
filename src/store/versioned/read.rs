//! Reading a versioned store: answers of the row service, of whose rows the version that is seen is handed out.
//!
//! A walk asks its guide about the rows of an answer. Where the next candidate lies in the same answer, the rows before it
//! are passed over; how it is reached where it lies behind, [`Gallop`] says, as it does for rows that are skipped.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use super::gallop::{Gallop, LOOK};
use super::service::{Amount, RowService, RowStream, Rows};
use super::sight::Sight;
use super::values;
use crate::error::{Error, ErrorKind, Result};
use crate::keyrange::{Guide, KeyRange, KeyRangeSet, Step};
use crate::store::{
    Chunk, ChunkLimit, Direction, ReadRequest, Reader, Tally, Work, has_failed_before,
};

pub(super) struct VersionedReader<S> {
    sight: Arc<Sight<S>>,
    table: Arc<str>,
    direction: Direction,
    values: bool,
    form: Form,
    stream: Option<Box<dyn RowStream>>,
    /// Rows of the newest answer that were not handed out.
    rows: VecDeque<(Bytes, Bytes)>,
    /// No row short of this key is wanted.
    target: Option<Vec<u8>>,
    gallop: Gallop,
    /// Whether the answer that is waited for has come.
    has_answered: bool,
    tally: Tally,
    /// Of the streams before this one.
    requests: usize,
    regions: usize,
    failed: Option<(ErrorKind, String)>,
}

enum Form {
    Keys,
    Ranges(KeyRangeSet),
    Walk(Arc<dyn Guide>, Position),
}

/// Where a walk stands.
enum Position {
    /// Nothing is known of the next row that is wanted.
    Open,
    /// All rows up to here are; `None`: to the end of the hull.
    Inside(Option<Vec<u8>>),
    /// No row is any more.
    Done,
}

impl<S: RowService> VersionedReader<S> {
    /// Begins, and does not wait, but for the first keys of a supposed moment.
    pub(super) fn begin(sight: Arc<Sight<S>>, request: ReadRequest) -> Result<Self> {
        let table = Arc::clone(&sight.space(&request.space)?.table);
        let direction = request.direction;
        let (form, rows, ranges) = match request.work {
            Work::Points(keys) => {
                let mut keys = keys.to_vec();
                if direction == Direction::Backward {
                    keys.reverse();
                }
                let count = keys.len();
                (Form::Keys, Rows::Keys(keys), count)
            }
            Work::Ranges(ranges) => {
                let count = ranges.ranges().len();
                let rows = Rows::Ranges(ranges.clone(), direction);
                (Form::Ranges(ranges), rows, count)
            }
            Work::Walk(guide) => {
                let rows = Rows::Ranges(guide.hull().clone().into(), direction);
                (Form::Walk(guide, Position::Open), rows, 1)
            }
        };
        let (first, fetch) = match form {
            Form::Walk(..) => (request.first.min(LOOK), Some(LOOK)),
            Form::Keys | Form::Ranges(_) => (request.first, request.fetch),
        };
        let amount = Amount {
            first,
            fetch,
            values: request.values,
        };
        let mut reader = Self {
            sight,
            table,
            direction,
            values: request.values,
            form,
            stream: None,
            rows: VecDeque::new(),
            target: None,
            gallop: Gallop::new(),
            has_answered: false,
            tally: Tally {
                ranges,
                seeks: ranges,
                ..Tally::default()
            },
            requests: 0,
            regions: 0,
            failed: None,
        };
        reader.open(rows, amount)?;
        Ok(reader)
    }

    fn open(&mut self, rows: Rows, amount: Amount) -> Result<()> {
        self.close();
        self.stream = Some(self.sight.read(&self.table, rows, amount)?);
        Ok(())
    }

    fn close(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.requests += stream.requests();
            self.regions += stream.regions();
        }
        self.rows.clear();
        self.has_answered = false;
    }

    /// Opens what lies at `key` and behind it, of `ranges`.
    fn open_from(&mut self, ranges: &KeyRangeSet, key: &[u8]) -> Result<()> {
        let beyond = match self.direction {
            Direction::Forward => KeyRange::new(key.to_vec(), None),
            Direction::Backward => KeyRange::new(Vec::new(), Some(key.to_vec())),
        };
        match beyond.map(|beyond| ranges.intersect(&beyond.into())) {
            Some(rest) if !rest.is_empty() => {
                self.tally.seeks += 1;
                let size = self.gallop.jump();
                let amount = Amount {
                    first: size,
                    fetch: Some(size),
                    values: self.values,
                };
                self.open(Rows::Ranges(rest, self.direction), amount)
            }
            _ => {
                self.close();
                Ok(())
            }
        }
    }

    /// Takes the next answer. Returns whether there was one.
    fn receive(&mut self) -> Result<bool> {
        let Some(stream) = &mut self.stream else {
            return Ok(false);
        };
        let Some(rows) = stream.next()? else {
            self.close();
            return Ok(false);
        };
        self.has_answered = true;
        self.sight.check_kept()?;
        for (key, versions) in rows {
            let seen = self.sight.choose(versions);
            if let Some(mut value) = seen.and_then(values::read) {
                if !self.values {
                    value.clear();
                }
                self.tally.entries += 1;
                self.tally.bytes += key.len() + value.len();
                self.rows.push_back((key, value));
            }
        }
        Ok(true)
    }

    /// Passes over the rows that are short of the target, and asks for it at once where it is not read on to. Does not wait.
    fn set_out(&mut self) -> Result<()> {
        let Some(target) = &self.target else {
            return Ok(());
        };
        while let Some((key, _)) = self.rows.front()
            && self.direction.is_short_of(key, target)
        {
            self.rows.pop_front();
        }
        if !self.rows.is_empty() {
            self.gallop.reached();
            self.target = None;
            return Ok(());
        }
        if self.stream.is_none() || !self.has_answered {
            return Ok(());
        }
        if self.gallop.reads_on() {
            self.has_answered = false;
            return Ok(());
        }
        let ranges = match &self.form {
            Form::Ranges(ranges) => ranges.clone(),
            Form::Walk(guide, _) => guide.hull().clone().into(),
            Form::Keys => return Ok(()),
        };
        match self.target.take() {
            Some(target) => self.open_from(&ranges, &target),
            None => Ok(()),
        }
    }

    /// Passes over the rows that a walk does not want. Returns whether the first row that is left is wanted.
    fn walk(&mut self) -> Result<bool> {
        let Form::Walk(guide, position) = &mut self.form else {
            return Ok(true);
        };
        let direction = self.direction;
        while let Some((key, _)) = self.rows.front() {
            match position {
                Position::Inside(None) => return Ok(true),
                Position::Inside(Some(until)) if direction.is_short_of(key, until) => {
                    return Ok(true);
                }
                Position::Done => break,
                Position::Open | Position::Inside(_) => {}
            }
            let step = match direction {
                Direction::Forward => guide.next(key)?,
                Direction::Backward => guide.previous(key)?,
            };
            *position = match step {
                Step::In { until } => Position::Inside(until),
                Step::Seek(candidate) => {
                    self.rows.pop_front();
                    *position = Position::Open;
                    self.target = Some(candidate);
                    return Ok(false);
                }
                Step::Done => Position::Done,
            };
        }
        if matches!(position, Position::Done) {
            self.close();
        }
        Ok(false)
    }

    /// Goes on by one row or one answer. Returns whether there may be more.
    fn step(&mut self, chunk: &mut Chunk) -> Result<bool> {
        if self.target.is_some() {
            self.set_out()?;
            return match self.target {
                None => Ok(true),
                Some(_) => self.receive(),
            };
        }
        if self.rows.is_empty() {
            return self.receive();
        }
        if self.walk()?
            && let Some((key, value)) = self.rows.pop_front()
        {
            chunk.push(&key, &value);
        }
        Ok(true)
    }

    fn failing<T>(&mut self, result: Result<T>) -> Result<T> {
        result.inspect_err(|error: &Error| {
            self.failed = Some((error.kind(), error.message().to_owned()));
        })
    }

    fn refuse_if_failed(&self) -> Result<()> {
        match &self.failed {
            Some((kind, message)) => Err(has_failed_before(*kind, message)),
            None => Ok(()),
        }
    }
}

impl<S: RowService> Reader for VersionedReader<S> {
    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        self.refuse_if_failed()?;
        while !limit.is_reached(chunk) {
            let step = self.step(chunk);
            if !self.failing(step)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn skip(&mut self, key: &[u8]) -> Result<()> {
        self.refuse_if_failed()?;
        let is_farther = |target: &Vec<u8>| !self.direction.is_short_of(target, key);
        if !matches!(self.form, Form::Keys) && !self.target.as_ref().is_some_and(is_farther) {
            self.target = Some(key.to_vec());
        }
        // Of runs that are merged each is sent to its next rows before the first is waited for.
        let set_out = self.set_out();
        self.failing(set_out)
    }

    fn is_wide(&self) -> bool {
        false
    }

    fn tally(&self) -> Tally {
        let stream = self.stream.as_ref();
        Tally {
            requests: self.requests + stream.map_or(0, |stream| stream.requests()),
            regions: self.regions + stream.map_or(0, |stream| stream.regions()),
            ..self.tally
        }
    }
}
