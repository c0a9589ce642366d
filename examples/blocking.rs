//! Without a runtime: a database in a directory, many rows at once, a backup, and a check.

use halite::blocking::Database;
use halite::{AppenderOptions, Durability, Result};

fn main() -> Result<()> {
    let directory = std::env::temp_dir().join(format!("halite-example-{}", std::process::id()));
    let done = run(&directory);
    std::fs::remove_dir_all(&directory).ok();
    done
}

/// The example, in this directory.
pub fn run(directory: &std::path::Path) -> Result<()> {
    let db = Database::open(directory.join("phone.halite"))?;
    let conn = db.connect();
    conn.execute_script(
        "CREATE TABLE call (phone BIGINT, at TIMESTAMP(0), seconds INT, PRIMARY KEY (phone % 16, phone, at DESC));",
    )?;

    // An appender writes all of its rows at finish, or none. What can be loaded again need not wait for the disk.
    let options = AppenderOptions::new().durability(Durability::Buffered);
    let mut appender = conn.appender_with("call", options)?;
    for number in 0..10_000_i64 {
        let (hour, minute) = (number / 60 % 24, number % 60);
        let at = format!("2024-01-31T{hour:02}:{minute:02}:00");
        appender.append_row((49_170_000_000 + number % 500, at, number % 600))?;
    }
    // 20 rows of each phone; those of one minute would be a conflict.
    match appender.finish() {
        Ok(rows) => println!("{rows} calls"),
        Err(error) => println!("nothing is written: {error}"),
    }

    let of_one = conn
        .prepare("SELECT count(*) AS calls, sum(seconds) AS seconds FROM call WHERE phone = ?")?;
    let row = of_one.query_row((49_170_000_007_i64,))?;
    let counted: Option<(i64, Option<i64>)> = row.map(|row| row.to()).transpose()?;
    println!("{counted:?}");
    assert_eq!(counted, Some((20, Some(5_140))));

    // A backup while others may write, and a database from it.
    let (backup, copy) = (directory.join("backup"), directory.join("copy.halite"));
    db.backup(&backup)?;
    Database::restore(&backup, &copy)?;
    let report = Database::open(&copy)?.check()?;
    assert!(report.is_sound());
    for table in &report.tables {
        println!("{}: {} rows", table.table, table.rows);
    }
    Ok(())
}
