//! Many actions on single rows: one request for each server and some thousand of them, or some hundred reads, all on their
//! way together; each action may go wrong by itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{mem, thread};

use super::cellblock;
use super::cluster::{Cluster, Region, Service};
use super::connection::Pending;
use super::failure::{Failure, Reaction};
use super::messages::{
    Action, CellsOfRow, MultiRequest, MultiResponse, RegionAction, RegionActionResult,
};
use crate::error::{Error, Result};
use crate::store::versioned::Versions;

/// The most actions of a request: servers warn of more than 5,000.
const MOST: usize = 2000;
/// The most reads of a request. A server carries out the actions of a request one after the other, and requests at the
/// same time.
const MOST_READS: usize = 250;
/// The most actions that are on their way together.
const TOGETHER: usize = 8 * MOST;

/// An action on a row.
#[derive(Debug, Clone)]
pub(super) struct RowAction {
    /// The whole name.
    pub table: Arc<str>,
    pub row: Vec<u8>,
    pub action: Action,
}

/// What came of the actions: the cells of each, by its index, as qualifier and version; and whether some of them are
/// unanswered, of which nobody knows anything.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    pub found: BTreeMap<usize, Vec<FoundCell>>,
    pub unknown: Option<Error>,
}

/// A cell: qualifier, time stamp, value.
pub(super) type FoundCell = (Vec<u8>, u64, Vec<u8>);

/// The versions of a row that is one cell.
pub(super) fn versions(cells: Vec<FoundCell>) -> Versions {
    let cells = cells.into_iter();
    cells
        .map(|(_, number, value)| (number, value.into()))
        .collect()
}

/// The regions of tables, by name.
type Regions = BTreeMap<Arc<str>, Arc<[Region]>>;

/// Carries the actions out. Those of which it is known that they were not are asked for again.
///
/// # Errors
/// The first failure that asking again does not mend.
pub(super) fn multi(cluster: &Cluster, actions: &[RowAction]) -> Result<Outcomes, Failure> {
    let until = Instant::now() + cluster.patience();
    let mut pause = Duration::from_millis(20);
    let mut outcomes = Outcomes::default();
    let mut left: Vec<usize> = (0..actions.len()).collect();
    while !left.is_empty() {
        let (now, later) = left.split_at(TOGETHER.min(left.len()));
        let later = later.to_vec();
        let (mut again, failure) = round(cluster, actions, now, &mut outcomes)?;
        if let Some(failure) = failure {
            if Instant::now() + pause > until {
                return Err(failure);
            }
            if failure.reaction == Reaction::LookAgain {
                let failed = again.iter().filter_map(|index| actions.get(*index));
                failed.for_each(|action| cluster.forget(&action.table));
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_secs(1));
        }
        again.extend(later);
        left = again;
    }
    Ok(outcomes)
}

/// Sends the actions of these indexes. Returns those to be asked for again, and why.
fn round(
    cluster: &Cluster,
    actions: &[RowAction],
    indexes: &[usize],
    outcomes: &mut Outcomes,
) -> Result<(Vec<usize>, Option<Failure>), Failure> {
    let mut again = Vec::new();
    let mut why = None;
    let regions = match regions_of_all(cluster, actions, indexes) {
        Ok(regions) => regions,
        Err(failure) => return later(failure, indexes.to_vec()),
    };
    let mut sent = Vec::new();
    for (server, parts) in by_server(&regions, actions, indexes) {
        let request = MultiRequest {
            region_action: parts.iter().map(|part| part.message(actions)).collect(),
        };
        let pending = cluster
            .connection(&server, Service::Client)
            .and_then(|connection| connection.send("Multi", &request, cluster.timeout()));
        sent.push((parts, pending));
    }
    for (parts, pending) in sent {
        let answered = pending.and_then(Pending::wait).and_then(|answer| {
            let response: MultiResponse = answer.message()?;
            let mut cells = answer.cells();
            read(&parts, response, &mut cells, outcomes, actions)
        });
        let failures = match answered {
            Ok(failures) => failures,
            Err(failure) => {
                let indexes = parts.into_iter().flat_map(|part| part.indexes);
                vec![(indexes.collect(), failure)]
            }
        };
        for (indexes, failure) in failures {
            match failure.reaction {
                Reaction::Unknown if !are_reads(actions, &indexes) => {
                    outcomes.unknown = Some(failure.error)
                }
                _ => {
                    let (indexes, failure) = later(failure, indexes)?;
                    again.extend(indexes);
                    why = failure;
                }
            }
        }
    }
    Ok((again, why))
}

/// Whether all of the actions of these indexes read.
fn are_reads(actions: &[RowAction], indexes: &[usize]) -> bool {
    let mut wanted = indexes.iter().map(|index| actions.get(*index));
    wanted.all(|action| action.is_some_and(|it| it.action.get.is_some()))
}

/// The regions of the tables that these actions are about.
fn regions_of_all(
    cluster: &Cluster,
    actions: &[RowAction],
    indexes: &[usize],
) -> Result<Regions, Failure> {
    let mut regions = Regions::new();
    for action in indexes.iter().filter_map(|index| actions.get(*index)) {
        if !regions.contains_key(&action.table) {
            let found = cluster.regions(&action.table)?;
            regions.insert(Arc::clone(&action.table), found);
        }
    }
    Ok(regions)
}

/// What is asked for again, unless that is in vain.
fn later(failure: Failure, indexes: Vec<usize>) -> Result<(Vec<usize>, Option<Failure>), Failure> {
    match failure.reaction {
        Reaction::NoTable | Reaction::Exists | Reaction::Refused => Err(failure),
        _ => Ok((indexes, Some(failure))),
    }
}

/// The actions of a region.
struct Part {
    region: Region,
    indexes: Vec<usize>,
}

impl Part {
    fn message(&self, actions: &[RowAction]) -> RegionAction {
        let action = |index: &usize| {
            let action = actions.get(*index)?.action.clone();
            let index = u32::try_from(*index).ok();
            Some(Action { index, ..action })
        };
        RegionAction {
            region: self.region.specifier(),
            action: self.indexes.iter().filter_map(action).collect(),
            ..RegionAction::default()
        }
    }
}

/// The requests: for each a server and what it is asked of each region.
fn by_server(
    regions: &Regions,
    actions: &[RowAction],
    indexes: &[usize],
) -> Vec<(String, Vec<Part>)> {
    let mut by_region: BTreeMap<(&str, usize), (&Region, Vec<usize>)> = BTreeMap::new();
    for index in indexes {
        if let Some(action) = actions.get(*index)
            && let Some(regions) = regions.get(&action.table)
            && let at = region_of(regions, &action.row)
            && let Some(region) = regions.get(at)
        {
            let part = by_region.entry((&action.table, at));
            let (_, indexes) = part.or_insert_with(|| (region, Vec::new()));
            indexes.push(*index);
        }
    }
    let most = if are_reads(actions, indexes) {
        MOST_READS
    } else {
        MOST
    };
    let mut requests: Vec<(usize, String, Vec<Part>)> = Vec::new();
    for (region, indexes) in by_region.into_values() {
        for indexes in indexes.chunks(most) {
            let part = Part {
                region: region.clone(),
                indexes: indexes.to_vec(),
            };
            let has_room = |(count, server, _): &&mut (usize, String, Vec<Part>)| {
                *server == region.server && *count + indexes.len() <= most
            };
            match requests.iter_mut().find(has_room) {
                Some((count, _, parts)) => {
                    *count += indexes.len();
                    parts.push(part);
                }
                None => requests.push((indexes.len(), region.server.clone(), vec![part])),
            }
        }
    }
    let requests = requests.into_iter();
    requests.map(|(_, server, parts)| (server, parts)).collect()
}

/// The index of the region that holds a row.
pub(super) fn region_of(regions: &[Region], row: &[u8]) -> usize {
    let behind = regions.partition_point(|region| region.start.as_slice() <= row);
    behind.saturating_sub(1)
}

/// Takes what an answer says of each action. Returns those that have failed.
fn read(
    parts: &[Part],
    response: MultiResponse,
    cells: &mut &[u8],
    outcomes: &mut Outcomes,
    actions: &[RowAction],
) -> Result<Vec<(Vec<usize>, Failure)>, Failure> {
    let mut failures = Vec::new();
    if response.region_action_result.len() != parts.len() {
        return Err(Error::corrupt("HBase has not answered for every region").into());
    }
    for (part, mut result) in parts.iter().zip(response.region_action_result) {
        if let Some(exception) = &result.exception {
            failures.push((part.indexes.clone(), Failure::of_action(exception)));
            continue;
        }
        read_part(part, &mut result, cells, outcomes, actions, &mut failures)?;
    }
    Ok(failures)
}

fn read_part(
    part: &Part,
    result: &mut RegionActionResult,
    cells: &mut &[u8],
    outcomes: &mut Outcomes,
    actions: &[RowAction],
    failures: &mut Vec<(Vec<usize>, Failure)>,
) -> Result<(), Failure> {
    let mut unanswered = part.indexes.clone();
    for one in mem::take(&mut result.result_or_exception) {
        let index = one.index.unwrap_or_default() as usize;
        unanswered.retain(|left| *left != index);
        if let Some(exception) = &one.exception {
            failures.push((vec![index], Failure::of_action(exception)));
        } else if actions.get(index).is_some() {
            let found = found(one.result.unwrap_or_default(), cells)?;
            outcomes.found.insert(index, found);
        }
    }
    if !unanswered.is_empty() {
        let error = Error::unavailable("HBase has left actions unanswered");
        failures.push((unanswered, Failure::new(Reaction::Unknown, error)));
    }
    Ok(())
}

/// The cells of a result: in it, or beside the message.
pub(super) fn found(result: CellsOfRow, block: &mut &[u8]) -> Result<Vec<FoundCell>> {
    let mut found = Vec::new();
    for cell in result.cell {
        found.push((
            cell.qualifier.unwrap_or_default(),
            cell.timestamp.unwrap_or_default(),
            cell.value.unwrap_or_default(),
        ));
    }
    for _ in 0..result.associated_cell_count.unwrap_or_default() {
        let cell = cellblock::next(block)?;
        let cell = cell.ok_or_else(|| Error::corrupt("HBase has sent fewer cells than it says"))?;
        let (qualifier, value) = (cell.qualifier.to_vec(), cell.value.to_vec());
        found.push((qualifier, cell.timestamp, value));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::messages::Get;
    use super::*;

    /// Each action goes to the server of its region, once, whatever its table, and no request has too many.
    #[test]
    fn requests_are_as_few_as_they_can_be() {
        check_requests(&Action::default(), MOST);
    }

    #[test]
    fn reads_are_shared_out() {
        let read = Action {
            get: Some(Get::default()),
            ..Action::default()
        };
        check_requests(&read, MOST_READS);
    }

    fn check_requests(action: &Action, most: usize) {
        let region = |start: &[u8], server: &str| Region {
            name: start.to_vec(),
            start: start.to_vec(),
            end: Vec::new(),
            server: server.to_owned(),
        };
        let (one, other): (Arc<str>, Arc<str>) = ("n:one".into(), "n:other".into());
        let parted = [region(b"", "a:1"), region(b"h", "b:1"), region(b"p", "a:1")];
        let regions = Regions::from([
            (Arc::clone(&one), parted.into()),
            (Arc::clone(&other), [region(b"", "b:1")].into()),
        ]);
        let mut random = fastrand::Rng::with_seed(crate::seed::seed());
        let actions: Vec<RowAction> = (0..9_000)
            .map(|_| RowAction {
                table: Arc::clone(if random.bool() { &one } else { &other }),
                row: vec![random.u8(b'a'..=b'z')],
                action: action.clone(),
            })
            .collect();
        let indexes: Vec<usize> = (0..actions.len()).filter(|_| random.u8(..4) > 0).collect();
        let requests = by_server(&regions, &actions, &indexes);
        let mut asked = Vec::new();
        for (server, parts) in &requests {
            let mut count = 0;
            for part in parts {
                count += part.indexes.len();
                asked.extend_from_slice(&part.indexes);
                for index in &part.indexes {
                    let action = &actions[*index];
                    let regions = &regions[&action.table];
                    let region = &regions[region_of(regions, &action.row)];
                    assert_eq!((&region.server, region), (server, &part.region));
                }
            }
            assert!((1..=most).contains(&count), "{count}");
        }
        asked.sort_unstable();
        assert_eq!(asked, indexes);
        // About half of what there is goes to each server; the last request of each region may be small.
        assert!(
            requests.len() <= indexes.len() / most + 4,
            "{}",
            requests.len()
        );
    }
}
