//! The sample data with its layouts and queries, compiled into the program so that `halite demo` runs anywhere.
//!
//! [`FILES`] lists them all. Data that are no file are made by a [`generator`].

pub mod generator;
mod query;

pub use self::query::{Bound, Count, Expectation, Query};
use crate::error::{Error, Result};

/// A file of the repository.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// Its path in the repository.
    pub path: &'static str,
    /// What it holds.
    pub bytes: &'static [u8],
}

impl File {
    /// Its name without the directory and the ending; that of a layout is its table's.
    pub fn name(&self) -> &'static str {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        name.split_once('.').map_or(name, |(stem, _)| stem)
    }

    /// What it holds, as text.
    ///
    /// # Errors
    /// `Internal` for a file that is no text.
    pub fn text(&self) -> Result<&'static str> {
        std::str::from_utf8(self.bytes).map_err(|error| {
            Error::internal(format!("`{}` is no text", self.path)).with_source(error)
        })
    }
}

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(File { path: $path, bytes: include_bytes!(concat!("../../../", $path)) }),*]
    };
}

/// Every layout, query and data file.
pub static FILES: &[File] = files![
    "catalog/barrage/barrage_by_film.sql",
    "catalog/barrage/barrage_by_time.sql",
    "catalog/event/event_by_kind.sql",
    "catalog/flights/flights_by_origin.sql",
    "catalog/flights/flights_by_tailnum.sql",
    "catalog/flights/flights_by_time.sql",
    "catalog/flights/weather.sql",
    "catalog/mailbox/mailbox_by_user.sql",
    "catalog/order_state/order_state_by_order.sql",
    "catalog/phone_call/phone_call_by_digits.sql",
    "catalog/phone_call/phone_call_by_remainder.sql",
    "catalog/series/series_tall.sql",
    "catalog/series/series_wide.sql",
    "catalog/server_log/server_log_by_arrival.sql",
    "catalog/server_log/server_log_by_hash.sql",
    "catalog/server_log/server_log_by_host.sql",
    "catalog/server_log/server_log_by_number.sql",
    "catalog/server_log/server_log_by_time.sql",
    "data/flights.parquet",
    "data/weather.csv",
    "queries/barrage/01-one-comment.sql",
    "queries/barrage/02-newest.sql",
    "queries/barrage/03-newest-of-a-film.sql",
    "queries/barrage/04-next-page.sql",
    "queries/barrage/05-half-an-hour.sql",
    "queries/barrage/06-spoilers.sql",
    "queries/barrage/07-a-film.sql",
    "queries/event/01-one-event.sql",
    "queries/event/02-kind-of-a-day.sql",
    "queries/event/03-three-days.sql",
    "queries/event/04-two-kinds.sql",
    "queries/event/05-kind-of-a-user.sql",
    "queries/event/06-newest.sql",
    "queries/event/07-a-day.sql",
    "queries/event/08-a-user.sql",
    "queries/flights/01-one-flight.sql",
    "queries/flights/02-airport-day.sql",
    "queries/flights/03-newest-flight.sql",
    "queries/flights/04-earlier-flights.sql",
    "queries/flights/05-three-aircraft.sql",
    "queries/flights/06-tailnum-prefix.sql",
    "queries/flights/07-no-tailnum.sql",
    "queries/flights/08-one-hour.sql",
    "queries/flights/09-next-page.sql",
    "queries/flights/10-first-departures.sql",
    "queries/flights/11-late-on-a-day.sql",
    "queries/flights/12-first-long-delays.sql",
    "queries/flights/13-airport-year.sql",
    "queries/flights/14-count.sql",
    "queries/flights/15-two-windows.sql",
    "queries/flights/16-last-day-of-a-fleet.sql",
    "queries/flights/17-carrier-day.sql",
    "queries/flights/18-flights-and-weather.sql",
    "queries/flights/19-rainy-day.sql",
    "queries/flights/20-aircraft-year.sql",
    "queries/flights/21-other-airports.sql",
    "queries/mailbox/01-one-message.sql",
    "queries/mailbox/02-first-page.sql",
    "queries/mailbox/03-page-by-key.sql",
    "queries/mailbox/04-page-by-offset.sql",
    "queries/mailbox/05-a-week.sql",
    "queries/mailbox/06-unread.sql",
    "queries/mailbox/07-a-day.sql",
    "queries/mailbox/08-a-sender.sql",
    "queries/order_state/01-one-state.sql",
    "queries/order_state/02-history.sql",
    "queries/order_state/03-current-state.sql",
    "queries/order_state/04-state-at-a-time.sql",
    "queries/order_state/05-three-orders.sql",
    "queries/order_state/06-last-digits.sql",
    "queries/order_state/07-lost.sql",
    "queries/order_state/08-orders-of-a-day.sql",
    "queries/phone_call/01-one-call.sql",
    "queries/phone_call/02-newest-of-a-phone.sql",
    "queries/phone_call/03-two-days.sql",
    "queries/phone_call/04-three-phones.sql",
    "queries/phone_call/05-long-calls.sql",
    "queries/phone_call/06-last-digits.sql",
    "queries/phone_call/07-a-block.sql",
    "queries/series/01-one-value.sql",
    "queries/series/02-half-an-hour.sql",
    "queries/series/03-newest.sql",
    "queries/series/04-high-values.sql",
    "queries/series/05-four-metrics.sql",
    "queries/series/06-every-metric.sql",
    "queries/series/07-one-metric-of-all.sql",
    "queries/server_log/01-one-line.sql",
    "queries/server_log/02-event-of-a-machine.sql",
    "queries/server_log/03-five-minutes.sql",
    "queries/server_log/04-newest.sql",
    "queries/server_log/05-role.sql",
    "queries/server_log/06-disks.sql",
    "queries/server_log/07-timeouts.sql",
    "queries/server_log/08-a-machine.sql",
    "queries/server_log/09-first-machine.sql",
];

/// The files that declare a table and load it.
pub fn layouts() -> impl Iterator<Item = &'static File> {
    under("catalog/")
}

/// The files that are loaded, other than those that are generated.
pub fn data() -> impl Iterator<Item = &'static File> {
    under("data/")
}

/// The queries, in order.
///
/// # Errors
/// `Internal` that names the file whose head is not understood.
pub fn queries() -> Result<Vec<Query>> {
    under("queries/").map(Query::read).collect()
}

fn under(directory: &'static str) -> impl Iterator<Item = &'static File> {
    FILES
        .iter()
        .filter(move |file| file.path.starts_with(directory))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The paths of all files in a directory and below, other than what explains them.
    fn files_in(directory: &str) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut found = Vec::new();
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{directory}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                found.extend(files_in(&path));
            } else if !path.ends_with("/README.md") && !is_generated(&path) {
                found.push(path);
            }
        }
        found.sort();
        found
    }

    /// Whether a file is one that `halite generate` makes.
    fn is_generated(path: &str) -> bool {
        let name = path
            .strip_prefix("data/")
            .and_then(|name| name.strip_suffix(".parquet"));
        name.is_some_and(|name| generator::generator(name).is_some())
    }

    #[test]
    fn the_list_holds_every_file() {
        let listed: Vec<&str> = FILES.iter().map(|file| file.path).collect();
        let there: Vec<String> = ["catalog", "data", "queries"]
            .into_iter()
            .flat_map(files_in)
            .collect();
        assert_eq!(listed, there);
    }

    #[test]
    fn every_query_is_understood_and_names_layouts_that_exist() {
        let queries = queries().unwrap();
        assert_eq!(queries.len(), under("queries/").count());
        for query in &queries {
            let named = query
                .expectations
                .iter()
                .map(|expected| expected.layout)
                .chain(query.worst);
            for layout in named {
                let path = format!("catalog/{}/{}.sql", query.table, query.table_of(layout));
                assert!(
                    FILES.iter().any(|file| file.path == path),
                    "{}: {path}",
                    query.title
                );
            }
        }
    }

    /// A query says how many keys it must read in the size that the demo makes, and in that of the tests.
    #[test]
    fn every_query_is_counted_in_both_sizes() {
        for query in queries().unwrap() {
            let size = generator::default_size(query.table);
            for expected in &query.expectations {
                let place = format!("{} {}", query.title, expected.layout);
                let sizes: Vec<Option<usize>> =
                    expected.keys_read.iter().map(|it| it.size).collect();
                match size {
                    Some(size) if sizes.len() > 1 => {
                        assert_eq!(sizes, [Some(10_000), Some(size)], "{place}");
                    }
                    _ => assert_eq!(sizes, [None], "{place}"),
                }
            }
        }
    }
}
