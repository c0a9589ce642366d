//! A row service in memory, whose answers are lost, whose requests are late, whose tables are split, by a seed.
//!
//! What changes something and is lost was carried out, or is carried out later, before any other request, or never. An
//! answer of a read ends at the border of a region. Several [`Client`]s of one simulation are several processes; a
//! [`Director`] lets one of them go on at a time, which one is drawn.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use fastrand::Rng;
use parking_lot::{Condvar, Mutex};

use super::clock::{Number, Time};
use super::database::VersionedStore;
use super::service::{
    Amount, ClockCells, ClockChange, Nature, Reply, Row, RowService, RowStream, Rows, Versions,
    Window,
};
use super::shared::Times;
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::seed::seed;
use crate::store::{Direction, Durability, Fact, SpaceRegion, Store};

/// A request that was not carried out for so long is not carried out any more.
const DEADLINE: Time = 60_000;

/// How often something goes wrong, in 256 requests.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Odds {
    pub lost: u8,
    pub splits: u8,
}

/// A store over a simulation in which nothing goes wrong, and tables are in the parts in which they are made.
pub(crate) fn calm_store() -> Arc<dyn Store> {
    let odds = Odds { lost: 0, splits: 0 };
    process(&Simulation::new(seed(), odds, None), 0)
}

/// The stores of two processes over one such simulation.
pub(crate) fn calm_processes() -> [Arc<dyn Store>; 2] {
    let simulation = Simulation::new(seed(), Odds::default(), None);
    [0, 1].map(|index| process(&simulation, index))
}

fn process(simulation: &Arc<Simulation>, index: usize) -> Arc<dyn Store> {
    let client = Arc::new(Client::new(simulation, index, usize::MAX));
    Arc::new(VersionedStore::open(client, Times::default()).unwrap())
}

/// A store over a simulation whose answers are lost now and then, and whose tables are split.
pub(crate) fn store() -> Arc<dyn Store> {
    let odds = Odds {
        lost: 10,
        splits: 3,
    };
    process(&Simulation::new(seed(), odds, None), 0)
}

/// The servers.
pub(crate) struct Simulation {
    state: Mutex<State>,
    odds: Odds,
    /// Where there is one, clients take turns, and its time is theirs.
    director: Option<Arc<Director>>,
    began: Instant,
}

struct State {
    random: Rng,
    clock: BTreeMap<Vec<u8>, (Number, Vec<u8>)>,
    tables: BTreeMap<String, Table>,
    late: Vec<(Time, Request)>,
    /// What was carried out, for those who judge it.
    pub log: Log,
}

/// By table and key.
type Puts = BTreeMap<(String, Vec<u8>), Vec<u8>>;

/// What has committed, in its order, and what each number has put.
#[derive(Debug, Default, Clone)]
pub(crate) struct Log {
    pub puts: BTreeMap<Number, Puts>,
    pub commits: Vec<Number>,
    /// A key has got two values under one number.
    pub has_two_values: bool,
}

#[derive(Debug, Default)]
struct Table {
    rows: BTreeMap<Vec<u8>, BTreeMap<Number, Vec<u8>>>,
    /// Where regions begin, but for the first.
    splits: Vec<Vec<u8>>,
}

#[derive(Debug, Clone)]
enum Request {
    Change(ClockChange),
    Put(String, Number, Vec<(Vec<u8>, Vec<u8>)>),
    Remove(String, Vec<(Vec<u8>, Vec<Number>)>),
}

impl State {
    /// Carries a request out. Returns whether its check has held.
    fn carry_out(&mut self, request: &Request) -> bool {
        match request {
            Request::Change(change) => return self.change_clock(change),
            Request::Put(table, number, puts) => {
                for (key, value) in puts {
                    let put = (table.clone(), key.clone());
                    let known = self.log.puts.entry(*number).or_default();
                    let old = known.insert(put, value.clone());
                    if old.is_some_and(|old| old != *value) {
                        self.log.has_two_values = true;
                    }
                    if let Some(table) = self.tables.get_mut(table) {
                        let versions = table.rows.entry(key.clone()).or_default();
                        versions.insert(*number, value.clone());
                    }
                }
            }
            Request::Remove(table, rows) => {
                let Some(table) = self.tables.get_mut(table) else {
                    return true;
                };
                for (key, numbers) in rows {
                    if let Some(versions) = table.rows.get_mut(key) {
                        versions.retain(|number, _| !numbers.contains(number));
                        if versions.is_empty() {
                            table.rows.remove(key);
                        }
                    }
                }
            }
        }
        true
    }

    fn change_clock(&mut self, change: &ClockChange) -> bool {
        let (column, expected) = &change.check;
        let found = self.clock.get(column).map(|(_, value)| value.as_slice());
        let found = found.filter(|found| !found.is_empty());
        if found != expected.as_deref().filter(|expected| !expected.is_empty()) {
            return false;
        }
        for (column, value) in &change.cells {
            let newest = self.clock.get(column).map(|(number, _)| *number);
            match value {
                None if newest == Some(change.number) => drop(self.clock.remove(column)),
                None => {}
                Some(value) if newest <= Some(change.number) => {
                    let cell = (change.number, value.clone());
                    self.clock.insert(column.clone(), cell);
                }
                Some(_) => {}
            }
        }
        let empties = |(column, value): &(Vec<u8>, Option<Vec<u8>>)| {
            column.first() == Some(&b'p') && value.as_ref().is_some_and(Vec::is_empty)
        };
        let lists = |(column, value): &(Vec<u8>, Option<Vec<u8>>)| {
            column.first() == Some(&b'a') && value.is_some()
        };
        if change.cells.iter().any(empties) && !change.cells.iter().any(lists) {
            self.log.commits.push(change.number);
        }
        true
    }

    /// What is late may arrive before whatever comes now.
    fn let_late_arrive(&mut self, now: Time) {
        self.late.retain(|(sent, _)| sent + DEADLINE > now);
        while !self.late.is_empty() && self.random.u8(..4) == 0 {
            let at = self.random.usize(..self.late.len());
            let (_, request) = self.late.swap_remove(at);
            self.carry_out(&request);
        }
    }

    fn split(&mut self, odds: Odds) {
        for table in self.tables.values_mut() {
            if !table.rows.is_empty() && self.random.u8(..) < odds.splits {
                let at = self.random.usize(..table.rows.len());
                let key = table.rows.keys().nth(at).cloned().unwrap();
                table.splits.push(key);
                table.splits.sort();
                table.splits.dedup();
            }
        }
    }
}

impl Simulation {
    pub(crate) fn new(seed: u64, odds: Odds, director: Option<Arc<Director>>) -> Arc<Self> {
        let state = State {
            random: Rng::with_seed(seed),
            clock: BTreeMap::new(),
            tables: BTreeMap::new(),
            late: Vec::new(),
            log: Log::default(),
        };
        Arc::new(Self {
            state: Mutex::new(state),
            odds,
            director,
            began: Instant::now(),
        })
    }

    pub(crate) fn log(&self) -> Log {
        self.state.lock().log.clone()
    }

    /// How many statements have committed.
    pub(crate) fn commits(&self) -> usize {
        self.state.lock().log.commits.len()
    }

    /// All versions of all rows.
    pub(crate) fn versions(&self) -> usize {
        let state = self.state.lock();
        let rows = state.tables.values().flat_map(|table| table.rows.values());
        rows.map(BTreeMap::len).sum()
    }

    fn now(&self) -> Time {
        match &self.director {
            Some(director) => director.time.load(Ordering::Relaxed),
            None => self.began.elapsed().as_millis() as Time,
        }
    }
}

/// A process: its connection to the servers.
pub(crate) struct Client {
    simulation: Arc<Simulation>,
    /// Among those of the director.
    index: usize,
    /// How many requests it sends before it dies.
    left: AtomicUsize,
}

impl Client {
    pub(crate) fn new(simulation: &Arc<Simulation>, index: usize, left: usize) -> Self {
        Self {
            simulation: Arc::clone(simulation),
            index,
            left: AtomicUsize::new(left),
        }
    }

    /// How many requests it has sent.
    pub(crate) fn sent(&self) -> usize {
        usize::MAX - self.left.load(Ordering::Relaxed)
    }

    /// Waits for its turn, and sends a request. Returns when it was sent.
    fn send(&self) -> Result<Time> {
        let left = &self.left;
        let dies = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
        if dies.is_err() {
            return Err(Error::unavailable("this process is dead"));
        }
        let sent = self.simulation.now();
        if let Some(director) = &self.simulation.director {
            director.turn(self.index);
        }
        Ok(sent)
    }

    /// Sends what changes something.
    fn ask(&self, request: Request) -> Result<Reply<bool>> {
        let sent = self.send()?;
        let simulation = &self.simulation;
        let now = simulation.now();
        let mut state = simulation.state.lock();
        state.let_late_arrive(now);
        state.split(simulation.odds);
        if sent + DEADLINE <= now {
            return Ok(Reply::Lost);
        }
        if state.random.u8(..) >= simulation.odds.lost {
            return Ok(Reply::Answered(state.carry_out(&request)));
        }
        if state.random.bool() {
            state.carry_out(&request);
        } else {
            state.late.push((now, request));
        }
        Ok(Reply::Lost)
    }

    /// Sends what reads something.
    fn look<T>(&self, read: impl FnOnce(&mut State) -> T) -> Result<T> {
        self.send()?;
        let mut state = self.simulation.state.lock();
        let now = self.simulation.now();
        state.let_late_arrive(now);
        state.split(self.simulation.odds);
        Ok(read(&mut state))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({})", self.index)
    }
}

fn of_window(versions: &BTreeMap<Number, Vec<u8>>, window: Window) -> Versions {
    let inside = versions.range(window.oldest..=window.newest).rev();
    let inside = inside.take(window.versions);
    inside
        .map(|(number, value)| (*number, value.clone().into()))
        .collect()
}

impl RowService for Arc<Client> {
    fn nature(&self) -> Nature {
        Nature {
            refuses_empty_key: false,
            instead_of_copy: "what is simulated is not kept",
            instead_of_check: "what is simulated has no files",
        }
    }

    fn describe(&self) -> Result<Vec<Fact>> {
        Ok(vec![Fact::new("store", "simulated servers")])
    }

    fn read_clock(&self) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        self.look(|state| {
            let cells = state.clock.iter();
            let cells = cells.map(|(column, (_, value))| (column.clone(), value.clone()));
            cells.collect()
        })
    }

    fn change_clock(&self, change: &ClockChange) -> Result<Reply<bool>> {
        self.ask(Request::Change(change.clone()))
    }

    fn put(
        &self,
        table: &str,
        number: Number,
        puts: &[(Vec<u8>, Vec<u8>)],
        _durability: Durability,
    ) -> Result<Reply<()>> {
        let asked = self.ask(Request::Put(table.to_owned(), number, puts.to_vec()))?;
        Ok(done(asked))
    }

    fn read(
        &self,
        table: &str,
        rows: Rows,
        window: Window,
        amount: Amount,
    ) -> Result<Box<dyn RowStream>> {
        Ok(Box::new(Stream {
            client: Arc::clone(self),
            table: table.to_owned(),
            rows: Some(rows),
            window,
            size: amount.first.max(1),
            values: amount.values,
            requests: 1,
        }))
    }

    fn read_beside_clock(
        &self,
        table: &str,
        keys: Vec<Vec<u8>>,
        window: Window,
    ) -> Result<(ClockCells, Box<dyn RowStream>)> {
        let amount = Amount::all(keys.len());
        let mut rows = self.read(table, Rows::Keys(keys), window, amount)?;
        if self.simulation.state.lock().random.bool() {
            return Ok((self.read_clock()?, rows));
        }
        let first = rows.next()?;
        Ok((self.read_clock()?, Box::new(Answered { first, rows })))
    }

    fn remove(&self, table: &str, rows: &[(Vec<u8>, Vec<Number>)]) -> Result<Reply<()>> {
        let asked = self.ask(Request::Remove(table.to_owned(), rows.to_vec()))?;
        Ok(done(asked))
    }

    fn create_table(&self, table: &str, borders: &[Vec<u8>]) -> Result<()> {
        self.look(|state| {
            let made = state.tables.entry(table.to_owned());
            made.or_insert_with(|| Table {
                splits: borders.to_vec(),
                ..Table::default()
            });
        })
    }

    fn drop_table(&self, table: &str) -> Result<()> {
        self.look(|state| drop(state.tables.remove(table)))
    }

    fn approximate_size(&self, table: &str, range: &KeyRange) -> Option<u64> {
        let state = self.simulation.state.lock();
        let rows = state.tables.get(table).map(|table| {
            let rows = table.rows.range(range.start().to_vec()..);
            let inside = rows.take_while(|(key, _)| range.contains(key));
            inside.map(|(key, versions)| {
                versions
                    .values()
                    .map(|value| key.len() + value.len())
                    .sum::<usize>() as u64
            })
        });
        Some(rows.map_or(0, Iterator::sum))
    }

    fn borders(&self, table: &str) -> Vec<Vec<u8>> {
        let state = self.simulation.state.lock();
        let table = state.tables.get(table);
        table.map_or_else(Vec::new, |table| table.splits.clone())
    }

    fn regions(&self, table: &str, range: &KeyRange) -> Result<Vec<SpaceRegion>> {
        let starts = self.borders(table);
        let stops = starts.iter().cloned().map(Some).chain([None]);
        let starts = [Vec::new()].into_iter().chain(starts.clone());
        let regions = starts
            .zip(stops)
            .zip(1..)
            .map(|((start, stop), number)| SpaceRegion {
                range: KeyRange::new(start, stop).unwrap(),
                server: format!("server{number}:16020"),
            });
        Ok(regions
            .filter(|region| region.range.intersect(range).is_some())
            .collect())
    }

    fn now(&self) -> Time {
        self.simulation.now()
    }

    fn wait(&self, duration: Duration) {
        match &self.simulation.director {
            Some(director) => {
                let millis = duration.as_millis().max(1) as Time;
                director.time.fetch_add(millis, Ordering::Relaxed);
                director.turn(self.index);
            }
            None => thread::sleep(duration),
        }
    }
}

fn done(reply: Reply<bool>) -> Reply<()> {
    match reply {
        Reply::Answered(_) => Reply::Answered(()),
        Reply::Lost => Reply::Lost,
    }
}

/// Answers of a read, each of rows of one region.
struct Stream {
    client: Arc<Client>,
    table: String,
    /// What is left.
    rows: Option<Rows>,
    window: Window,
    size: usize,
    values: bool,
    requests: usize,
}

impl RowStream for Stream {
    fn next(&mut self) -> Result<Option<Vec<Row>>> {
        let Some(rows) = self.rows.take() else {
            return Ok(None);
        };
        let (window, size) = (self.window, self.size);
        self.size = size.saturating_mul(2);
        self.requests += 1;
        let (answer, left) = self.client.look(|state| {
            let none = Table::default();
            let table = state.tables.get(&self.table).unwrap_or(&none);
            table.answer(rows, window, size)
        })?;
        self.rows = left;
        let lengths = |(key, versions): Row| {
            let length = |value: Bytes| value.iter().take(1).map(|_| 9).collect();
            let versions = versions
                .into_iter()
                .map(|(number, value)| (number, length(value)));
            (key, versions.collect())
        };
        Ok(Some(if self.values {
            answer
        } else {
            answer.into_iter().map(lengths).collect()
        }))
    }

    fn requests(&self) -> usize {
        self.requests
    }

    fn regions(&self) -> usize {
        self.requests
    }
}

/// Rows of which the first answer has come.
struct Answered {
    first: Option<Vec<Row>>,
    rows: Box<dyn RowStream>,
}

impl RowStream for Answered {
    fn next(&mut self) -> Result<Option<Vec<Row>>> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.rows.next(),
        }
    }

    fn requests(&self) -> usize {
        self.rows.requests()
    }

    fn regions(&self) -> usize {
        self.rows.regions()
    }
}

impl Table {
    /// An answer of at most so many rows, and what is left.
    fn answer(&self, rows: Rows, window: Window, size: usize) -> (Vec<Row>, Option<Rows>) {
        let (ranges, direction) = match rows {
            Rows::Keys(mut keys) => {
                let rest = keys.split_off(size.min(keys.len()));
                let row = |key: Vec<u8>| {
                    let versions = of_window(self.rows.get(&key)?, window);
                    (!versions.is_empty()).then_some((key.into(), versions))
                };
                let rest = (!rest.is_empty()).then_some(Rows::Keys(rest));
                return (keys.into_iter().filter_map(row).collect(), rest);
            }
            Rows::Ranges(ranges, direction) => (ranges, direction),
        };
        let mut left: Vec<KeyRange> = ranges.ranges().to_vec();
        let range = match direction {
            Direction::Forward if !left.is_empty() => left.remove(0),
            _ => match left.pop() {
                Some(range) => range,
                None => return (Vec::new(), None),
            },
        };
        let (part, rest) = self.cut(&range, direction);
        left.extend(rest);
        let mut answer = Vec::new();
        let behind = (Bound::Included(part.start()), Bound::Unbounded);
        let inside = self.rows.range::<[u8], _>(behind);
        let mut inside = inside.take_while(|(key, _)| part.contains(key));
        let before = part.stop().map_or(Bound::Unbounded, Bound::Excluded);
        let reversed = self.rows.range::<[u8], _>((Bound::Unbounded, before)).rev();
        let mut reversed = reversed.take_while(|(key, _)| part.contains(key));
        while let Some((key, versions)) = match direction {
            Direction::Forward => inside.next(),
            Direction::Backward => reversed.next(),
        } {
            if answer.len() == size {
                let from = match direction {
                    Direction::Forward => KeyRange::new(key.clone(), None),
                    Direction::Backward => {
                        KeyRange::new(Vec::new(), Some([key.as_slice(), &[0]].concat()))
                    }
                };
                left.extend(from.and_then(|from| from.intersect(&part)));
                break;
            }
            let versions = of_window(versions, window);
            if !versions.is_empty() {
                answer.push((key.clone().into(), versions));
            }
        }
        let rest = crate::keyrange::KeyRangeSet::from_ranges(left);
        let rest = (!rest.is_empty()).then_some(Rows::Ranges(rest, direction));
        (answer, rest)
    }

    /// The part of a range in the first region of it, and the rest.
    fn cut(&self, range: &KeyRange, direction: Direction) -> (KeyRange, Option<KeyRange>) {
        let mut inside = self
            .splits
            .iter()
            .filter(|split| range.contains(split) && split.as_slice() > range.start());
        let border = match direction {
            Direction::Forward => inside.next(),
            Direction::Backward => inside.next_back(),
        };
        let Some(border) = border else {
            return (range.clone(), None);
        };
        let before = KeyRange::new(range.start().to_vec(), Some(border.clone())).unwrap();
        let behind = KeyRange::new(border.clone(), range.stop().map(<[u8]>::to_vec)).unwrap();
        match direction {
            Direction::Forward => (before, Some(behind)),
            Direction::Backward => (behind, Some(before)),
        }
    }
}

/// Lets one of several threads go on at a time: the one that is drawn among those that want to, when all want to.
pub(crate) struct Director {
    state: Mutex<Turns>,
    is_drawn: Condvar,
    pub time: AtomicU64,
}

struct Turns {
    random: Rng,
    /// How many go on now.
    running: usize,
    /// How many there are. Where it is one, no time passes by itself.
    count: usize,
    waiting: Vec<usize>,
    drawn: Option<usize>,
    /// How often time passes, in 4096 turns.
    jumps: u16,
    jump: Time,
}

impl Director {
    /// For one thread.
    pub(crate) fn new(seed: u64, jumps: u16, jump: Time) -> Arc<Self> {
        let turns = Turns {
            random: Rng::with_seed(seed),
            running: 1,
            count: 1,
            waiting: Vec::new(),
            drawn: None,
            jumps,
            jump,
        };
        Arc::new(Self {
            state: Mutex::new(turns),
            is_drawn: Condvar::new(),
            time: AtomicU64::new(1_000_000),
        })
    }

    fn draw(&self, turns: &mut Turns) {
        if turns.running > 0 || turns.waiting.is_empty() {
            return;
        }
        if turns.count > 1 && turns.random.u16(..4096) < turns.jumps {
            self.time.fetch_add(turns.jump, Ordering::Relaxed);
        }
        turns.waiting.sort_unstable();
        let at = turns.random.usize(..turns.waiting.len());
        turns.drawn = Some(turns.waiting.swap_remove(at));
        turns.running = 1;
        self.is_drawn.notify_all();
    }

    fn turn(&self, index: usize) {
        let mut turns = self.state.lock();
        turns.waiting.push(index);
        turns.running -= 1;
        self.draw(&mut turns);
        while turns.drawn != Some(index) {
            self.is_drawn.wait(&mut turns);
        }
        turns.drawn = None;
    }

    /// So many threads begin, and whoever has called before leaves.
    pub(crate) fn begin(&self, count: usize) {
        let mut turns = self.state.lock();
        turns.running = count;
        turns.count = count;
    }

    /// A thread ends.
    pub(crate) fn leave(&self) {
        let mut turns = self.state.lock();
        turns.running -= 1;
        self.draw(&mut turns);
    }
}
