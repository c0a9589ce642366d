//! Asks a table and files, and compares the answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::datasource::MemTable;
use tokio::runtime::Builder;

use super::case::Case;
use super::questions::{Question, questions};
use crate::datum::canonical_array;
use crate::plan::law::random::Random;
use crate::session::testing::texts;
use crate::session::{Connection, Database};

/// Whether all questions about the case have the same answers; what differs, if any.
pub(super) fn check(case: &Case, seed: u64) -> Result<(), String> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let asked = async {
        let asker = Asker::new(case, seed).await?;
        asker.check(case, seed).await
    };
    runtime
        .block_on(asked)
        .map_err(|wrong| format!("{}: {wrong}", case.name))
}

struct Asker {
    connection: Connection,
}

impl Asker {
    async fn new(case: &Case, seed: u64) -> Result<Self, String> {
        let connection = Database::in_memory().expect("a database").connect();
        let partitions = 1 + seed % 3;
        let set = format!("SET datafusion.execution.target_partitions = {partitions}");
        let columns = case.rows.columns().iter().map(canonical_array).collect();
        let rows = RecordBatch::try_new(case.rows.schema(), columns).expect("the same columns");
        let guest = MemTable::try_new(rows.schema(), vec![vec![rows]]).expect("a table");
        connection
            .register_table("guest", Arc::new(guest))
            .expect("a free name");
        let made = "CREATE TABLE kept (PRIMARY KEY (id)) AS SELECT * FROM guest";
        for statement in [set.as_str(), made] {
            let done = connection.execute(statement, ()).await;
            done.map_err(|error| format!("{statement}: {error}"))?;
        }
        Ok(Self { connection })
    }

    async fn check(&self, case: &Case, seed: u64) -> Result<(), String> {
        let mut random = Random::new(seed);
        for question in questions(&mut random, &case.rows) {
            let files = case.files.iter();
            let files = files
                .map(|file| format!("'{}'", file.display()))
                .collect::<Vec<_>>();
            match &question {
                Question::Query(query) => self.compare(query, &files).await?,
                Question::Filter(filter) => {
                    let limit = random.between(1, 20);
                    self.filter(filter, limit, &files).await?;
                }
            }
        }
        Ok(())
    }

    async fn rows(&self, sql: &str) -> Result<Vec<String>, String> {
        let rows = self.connection.query(sql, ()).await;
        rows.map(|rows| texts(&rows))
            .map_err(|error| format!("{sql}\nerror: {error}"))
    }

    async fn compare(&self, query: &str, files: &[String]) -> Result<(), String> {
        let right = self.rows(&query.replace("{}", "kept")).await?;
        for file in files {
            let query = query.replace("{}", file);
            let found = self.rows(&query).await?;
            if found != right {
                return Err(format!(
                    "{query}\nfound {}\nright {}",
                    shown(&found),
                    shown(&right)
                ));
            }
        }
        Ok(())
    }

    /// The rows of a filter, which is a column where the right ones are looked for; and some of them.
    async fn filter(&self, filter: &str, limit: usize, files: &[String]) -> Result<(), String> {
        let truth = self
            .rows(&format!("SELECT id, ({filter}) IS TRUE FROM kept"))
            .await?;
        let ids = truth.iter().filter_map(|row| row.strip_suffix("|true"));
        let right: BTreeSet<String> = ids.map(str::to_owned).collect();
        for file in files {
            let all = format!("SELECT id FROM {file} WHERE {filter}");
            let some = format!("{all} LIMIT {limit}");
            for (query, count) in [(all, right.len()), (some, right.len().min(limit))] {
                let rows = self.rows(&query).await?;
                let found: BTreeSet<String> = rows.iter().cloned().collect();
                let is_right =
                    rows.len() == count && found.len() == count && found.is_subset(&right);
                if !is_right {
                    let right: Vec<String> = right.into_iter().collect();
                    return Err(format!(
                        "{query}\nfound {}\nright {}",
                        shown(&rows),
                        shown(&right)
                    ));
                }
            }
            let counted = format!("SELECT count(*) FROM {file} WHERE {filter}");
            let found = self.rows(&counted).await?;
            if found != [right.len().to_string()] {
                return Err(format!("{counted}\nfound {found:?}, right {}", right.len()));
            }
        }
        Ok(())
    }
}

/// The first of many.
fn shown(rows: &[String]) -> String {
    const MOST: usize = 12;
    let first = rows
        .iter()
        .take(MOST)
        .cloned()
        .collect::<Vec<_>>()
        .join(" / ");
    if rows.len() > MOST {
        format!("{} rows: {first} …", rows.len())
    } else {
        format!("{} rows: {first}", rows.len())
    }
}
