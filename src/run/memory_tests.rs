use super::*;
use crate::error::ErrorKind;
use crate::session::{Connection, Database};

fn limited(limit: &str) -> Arc<Memory> {
    let memory = Arc::new(Memory::default());
    memory.set_limit(limit.parse().unwrap());
    memory
}

#[test]
fn those_that_can_spill_share_what_the_others_leave() {
    let memory = limited("100M");
    let pool = Arc::clone(&memory) as Arc<dyn MemoryPool>;
    let spilling = |name: &str| {
        MemoryConsumer::new(name)
            .with_can_spill(true)
            .register(&pool)
    };
    let (one, two) = (spilling("one"), spilling("two"));
    // An eighth is left for what they do with files.
    one.try_grow(43 << 20).unwrap();
    one.try_grow(1 << 20).unwrap_err();
    let held: Vec<_> = (0..4)
        .map(|_| memory.take("held", 10 << 20).unwrap())
        .collect();
    two.try_grow(27 << 20).unwrap_err();
    two.try_grow(17 << 20).unwrap();
    assert_eq!(pool.reserved(), 100 << 20);
    memory.take("more", 1).unwrap_err();
    drop((held, one));
    two.try_grow(70 << 20).unwrap();
    drop(two);
    assert_eq!(pool.reserved(), 0);
}

#[test]
fn what_is_refused_is_told_with_the_setting() {
    let memory = limited("64M");
    let held = memory.take("a test", 0).unwrap();
    (0..60).for_each(|_| held.try_grow(1 << 20).unwrap());
    let error = memory.take("HashJoinInput[1]", 5 << 20).unwrap_err();
    assert!(
        matches!(error, DataFusionError::ResourcesExhausted(_)),
        "{error}"
    );
    let text = error.to_string();
    for part in [
        "HashJoinInput has 0.0 MiB, needs 5.0 MiB more",
        "4.0 MiB are left of halite.memory_limit = '64M'",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

async fn set(connection: &Connection, sql: &str) {
    connection.execute(sql, ()).await.unwrap();
}

async fn shown(connection: &Connection) -> String {
    let row = connection.query_row("SHOW halite.memory_limit", ()).await;
    row.unwrap().unwrap().get("value").unwrap()
}

#[tokio::test]
async fn the_limit_is_that_of_all_connections() {
    let database = Database::in_memory().unwrap();
    let (one, two) = (database.connect(), database.connect());
    assert_eq!(shown(&one).await, ByteSize::half_of_memory().to_string());
    set(&one, "SET halite.memory_limit = '64M'").await;
    assert_eq!(shown(&two).await, "64M");
    set(&two, "SET datafusion.runtime.memory_limit = '32M'").await;
    assert_eq!(shown(&one).await, "32M");
    let sorted = "SELECT value, value + 1 AS b, value + 2 AS c FROM generate_series(1, 3000000) ORDER BY value DESC LIMIT 2500000";
    let error = one.query(sorted, ()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(
        error.message().contains("halite.memory_limit = '32M'"),
        "{error}"
    );
    // What is sorted goes through files; what is gathered cannot.
    let count = format!("SELECT count(*) AS count FROM ({sorted})");
    let row = one.query_row(&count, ()).await.unwrap().unwrap();
    assert_eq!(row.get::<i64>("count").unwrap(), 2_500_000);
    set(&one, "RESET halite.memory_limit").await;
    assert_eq!(shown(&two).await, ByteSize::half_of_memory().to_string());
    let error = one.execute("SET halite.memory_limit = 'much'", ()).await;
    let error = error.unwrap_err();
    assert!(error.message().contains("'much'"), "{error}");
    assert_eq!(database.memory().reserved(), 0);
}

#[tokio::test]
async fn a_limit_that_nothing_fits_into_is_raised() {
    let connection = Database::in_memory().unwrap().connect();
    set(&connection, "SET halite.memory_limit = 0").await;
    assert_eq!(shown(&connection).await, "16M");
}

#[test]
fn groups_that_are_written_to_files_take_half_of_their_part() {
    let memory = limited("64M");
    let pool = Arc::clone(&memory) as Arc<dyn MemoryPool>;
    let grown = |name: &str| {
        let consumer = MemoryConsumer::new(name).with_can_spill(true);
        let held = consumer.register(&pool);
        (0..64)
            .take_while(|_| held.try_grow(1 << 20).is_ok())
            .count()
    };
    assert_eq!(grown("FinalHashAggregateStream[3]"), 28);
    assert_eq!(grown("ExternalSorter[3]"), 56);
}

#[test]
fn what_is_copied_when_it_is_whole_takes_half_of_what_there_is() {
    let memory = limited("64M");
    let held = memory.take("HashJoinInput", 0).unwrap();
    let grown = (0..64).take_while(|_| held.try_grow(1 << 20).is_ok());
    assert_eq!(grown.count(), 32);
}

#[test]
fn rows_of_a_recursion_take_half_of_what_there_is() {
    let memory = limited("64M");
    let (found, other) = (
        memory.take("RecursiveQuery", 0).unwrap(),
        memory.take("another", 0).unwrap(),
    );
    let mut grown = (0..64).take_while(|_| found.try_grow(1 << 20).is_ok());
    assert_eq!(grown.by_ref().count(), 32);
    let error = found.try_grow(1 << 20).unwrap_err().to_string();
    assert!(error.contains("0.0 MiB are left"), "{error}");
    other.try_grow(15 << 20).unwrap();
}
