//! DuckDB: its Python wheel, in a process of its own, driven by `duckdb.py`. Tables are sorted by the keys that they
//! have elsewhere and declare none: with one a table is three times as large and takes twice as long to load, and a
//! point read takes four fifths of its time.

use std::cell::{Cell, RefCell};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value as Json, json};

use super::{Call, Side, Task, bytes_of};
use crate::answer::Answer;
use crate::data::Files;
use crate::machine::threads;
use crate::value::{Dialect, Value, written_out};
use crate::workload::{Name, Way, Workload};

const SIDE: Name = Name::DuckDb;
/// What is installed.
const PACKAGES: [&str; 2] = ["duckdb==2.0.0", "pyarrow==26.0.1"];
const SCRIPT: &str = include_str!("duckdb.py");
/// The columns of the large tables.
const COLUMNS: &str =
    "host VARCHAR, ts TIMESTAMP, kind VARCHAR, user_id BIGINT, usage DOUBLE, note VARCHAR";

pub struct DuckDb {
    server: RefCell<Server>,
    version: String,
    path: PathBuf,
    files: Files,
    /// How many statements have been prepared.
    prepared: Cell<usize>,
}

/// The process, which ends with its standard input.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(python: &Path, directory: &Path) -> Result<Self> {
        let script = directory.join("duckdb_server.py");
        fs::write(&script, SCRIPT)?;
        let mut child = Command::new(python)
            .arg(&script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().context("no output")?;
        Ok(Self {
            input: child.stdin.take(),
            output: BufReader::new(output),
            child,
        })
    }

    fn ask(&mut self, request: &Json) -> Result<Json> {
        let input = self.input.as_mut().context("DuckDB has ended")?;
        writeln!(input, "{request}")?;
        input.flush()?;
        let mut line = String::new();
        ensure!(self.output.read_line(&mut line)? > 0, "DuckDB has ended");
        let mut reply: Json = serde_json::from_str(&line)?;
        if let Some(error) = reply.get("error") {
            bail!("DuckDB: {error}, for {request:.200}");
        }
        Ok(reply["done"].take())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        // It ends by itself now; whether it could be waited for changes nothing.
        let _ = self.child.wait();
    }
}

/// The interpreter of a virtual environment that has DuckDB; made if it is not there.
fn environment(directory: &Path) -> Result<PathBuf> {
    let python = directory.join("bin/python");
    let marker = directory.join("installed");
    let wanted = PACKAGES.join(" ");
    if fs::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    eprintln!("installing {wanted} into a virtual environment");
    let mut create = Command::new("python3");
    create.args(["-m", "venv", "--clear"]).arg(directory);
    done(&mut create).context("python3 -m venv")?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet"]);
    done(install.args(PACKAGES)).with_context(|| format!("pip install {wanted}"))?;
    fs::write(marker, wanted)?;
    Ok(python)
}

fn done(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    ensure!(status.success(), "{status}");
    Ok(())
}

impl DuckDb {
    /// Installs DuckDB where it is not, makes the database in a directory and loads it.
    pub fn load(directory: &Path, files: &Files, environment_directory: &Path) -> Result<Self> {
        let python = environment(environment_directory)?;
        let path = directory.join("duckdb.db");
        let mut server = Server::start(&python, directory)?;
        let version = server.ask(&json!({ "do": "open", "path": path }))?;
        let side = Self {
            server: RefCell::new(server),
            version: version.as_str().unwrap_or_default().to_owned(),
            path,
            files: files.clone(),
            prepared: Cell::new(0),
        };
        side.threads(threads())?;
        for (table, key) in [("cpu", "host, ts"), ("by_time", "ts, host")] {
            side.create(table)?;
            side.execute(&insert(table, &parquet(&files.all), key))?;
        }
        side.execute(&format!(
            "CREATE TABLE wanted AS SELECT id, host, ts::TIMESTAMP AS ts FROM {}",
            parquet(&files.wanted)
        ))?;
        side.execute("CHECKPOINT")?;
        side.ask(&json!({ "do": "register", "name": "part", "file": files.part }))?;
        Ok(side)
    }

    fn ask(&self, request: &Json) -> Result<Json> {
        self.server.try_borrow_mut()?.ask(request)
    }

    fn execute(&self, sql: &str) -> Result<()> {
        self.ask(&json!({ "do": "execute", "sql": sql }))?;
        Ok(())
    }

    fn threads(&self, threads: usize) -> Result<()> {
        self.execute(&format!("SET threads = {threads}"))
    }

    fn create(&self, table: &str) -> Result<()> {
        self.execute(&format!("CREATE TABLE {table} ({COLUMNS})"))
    }

    fn answer(&self, sql: &str, parameters: &Json, ordered: bool) -> Result<Answer> {
        let answer = self.ask(
            &json!({ "do": "answer", "sql": sql, "parameters": parameters, "ordered": ordered }),
        )?;
        let number = |name: &str| answer[name].as_u64().context("no answer");
        Ok(Answer {
            rows: number("rows")?,
            checksum: number("checksum")?,
        })
    }

    fn time(&self, calls: &[Json], fetch: &str) -> Result<Duration> {
        let took = self.ask(&json!({ "do": "time", "calls": calls, "fetch": fetch }))?;
        Ok(Duration::from_nanos(took.as_u64().context("no time")?))
    }
}

fn parquet(file: &Path) -> String {
    format!("read_parquet('{}')", file.display())
}

fn insert(table: &str, from: &str, key: &str) -> String {
    format!("INSERT INTO {table} SELECT * FROM {from} ORDER BY {key}")
}

impl Side for DuckDb {
    fn name(&self) -> Name {
        SIDE
    }

    fn version(&self) -> String {
        format!("DuckDB {}", self.version)
    }

    fn task<'a>(&'a self, workload: &'a Workload) -> Result<Option<Box<dyn Task + 'a>>> {
        if matches!(workload.way, Way::Copy | Way::Append) {
            return Ok(Some(Box::new(Load {
                side: self,
                workload,
            })));
        }
        // Driven from Python, it would be asked by one thread, through an interpreter.
        if matches!(workload.way, Way::Count { .. } | Way::Put) {
            return Ok(None);
        }
        let sql = workload.sql_of(SIDE);
        let mut prepared = None;
        // Without parameters a text is as good, and its rows can be fetched in one way more.
        if workload.way == Way::Prepared && sql.contains('$') {
            let name = format!("prepared_{}", self.prepared.get());
            self.prepared.set(self.prepared.get() + 1);
            self.execute(&format!("PREPARE {name} AS {sql}"))?;
            prepared = Some(name);
        }
        Ok(Some(Box::new(Query {
            side: self,
            workload,
            prepared,
            fetch: None,
        })))
    }

    fn bytes(&self) -> Result<u64> {
        bytes_of(&self.path)
    }
}

/// A query.
struct Query<'a> {
    side: &'a DuckDb,
    workload: &'a Workload,
    /// The name of the prepared statement.
    prepared: Option<String>,
    /// The quickest way to its rows, once known.
    fetch: Option<&'static str>,
}

impl Query<'_> {
    /// A call, ready to be run.
    fn ready(&self, call: &Call) -> Json {
        let sql = self.workload.sql_of(SIDE);
        let text = match (&self.prepared, self.workload.way) {
            (Some(name), _) => {
                let places: Vec<String> =
                    (1..=call.len()).map(|place| format!("${place}")).collect();
                let execute = format!("EXECUTE {name}({})", places.join(", "));
                written_out(&execute, call, Dialect::Standard)
            }
            (None, Way::Parameters) => {
                let parameters: Vec<Json> = call.iter().map(parameter).collect();
                return json!({ "sql": sql, "parameters": parameters });
            }
            (None, _) => written_out(sql, call, Dialect::Standard),
        };
        json!({ "sql": text, "parameters": [] })
    }

    /// Tries each way to fetch the rows of a call.
    fn quickest(&self, call: &Json) -> Result<&'static str> {
        let ways: &[&str] = match (&self.prepared, self.workload.way) {
            (_, Way::Plan) => return Ok("rows"),
            (Some(_), _) | (_, Way::Parameters) => &["rows", "arrow"],
            (None, _) => &["rows", "arrow", "reader"],
        };
        let mut best = ("rows", Duration::MAX);
        for way in ways {
            let calls = [call.clone(), call.clone(), call.clone()];
            let took = self.side.time(&calls, way)?;
            if took < best.1 {
                best = (way, took);
            }
        }
        Ok(best.0)
    }
}

fn parameter(value: &Value) -> Json {
    match value {
        Value::Text(text) => json!(text),
        Value::Number(number) => json!(number),
        Value::Stamp(stamp) => json!({ "stamp": stamp }),
        // Lists are written out.
        Value::Stamps(_) | Value::Numbers(_) => Json::Null,
    }
}

impl Task for Query<'_> {
    fn answer(&mut self, call: &Call) -> Result<Answer> {
        let call = self.ready(call);
        let sql = call["sql"].as_str().context("no text")?;
        self.side
            .answer(sql, &call["parameters"], self.workload.is_ordered)
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let mut calls: Vec<Json> = calls.iter().map(|call| self.ready(call)).collect();
        if self.workload.way == Way::Plan {
            for call in &mut calls {
                let sql = call["sql"].as_str().context("no text")?;
                call["sql"] = json!(format!("EXPLAIN {sql}"));
            }
        }
        if self.workload.one_thread {
            self.side.threads(1)?;
        }
        let fetch = match (self.fetch, calls.first()) {
            (None, Some(call)) => self.quickest(call)?,
            (known, _) => known.unwrap_or("rows"),
        };
        self.fetch = Some(fetch);
        let took = self.side.time(&calls, fetch)?;
        if self.workload.one_thread {
            self.side.threads(threads())?;
        }
        Ok(took)
    }
}

/// A load into a table that is new each time.
struct Load<'a> {
    side: &'a DuckDb,
    workload: &'a Workload,
}

impl Load<'_> {
    fn run(&self) -> Result<Duration> {
        let from = match self.workload.way {
            Way::Copy => parquet(&self.side.files.part),
            _ => "part".to_owned(),
        };
        self.side.create("target")?;
        let call = json!({ "sql": insert("target", &from, "host, ts"), "parameters": [] });
        self.side.time(&[call], "rows")
    }

    fn remove(&self) -> Result<()> {
        self.side.execute("DROP TABLE target")?;
        self.side.execute("CHECKPOINT")
    }
}

impl Task for Load<'_> {
    fn answer(&mut self, _: &Call) -> Result<Answer> {
        self.run()?;
        let answer = self.side.answer(self.workload.sql, &json!([]), false)?;
        self.remove()?;
        Ok(answer)
    }

    fn time(&mut self, calls: &[Call]) -> Result<Duration> {
        let mut took = Duration::ZERO;
        for _ in calls {
            took += self.run()?;
            self.remove()?;
        }
        Ok(took)
    }
}
