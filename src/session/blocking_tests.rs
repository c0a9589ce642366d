use tokio::runtime::Builder;

use super::*;
use crate::error::ErrorKind;

fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let script = "CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (a)); INSERT INTO t VALUES (1, 'a'), (2, 'b'); SELECT 1";
    connection.execute_script(script).unwrap();
    connection
}

#[test]
fn everything_works_without_a_runtime() {
    let connection = connection();
    assert_eq!(
        connection
            .execute("INSERT INTO t VALUES (?, ?)", (3, "c"))
            .unwrap(),
        1
    );
    let rows = connection
        .rows("SELECT a, b FROM t ORDER BY a", ())
        .unwrap();
    let rows: Vec<(i32, String)> = rows.to_vec().unwrap();
    assert_eq!(rows.iter().map(|(a, _)| *a).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(connection.query("SELECT a FROM t", ()).unwrap().len(), 1);
    let statement = connection.prepare("SELECT b FROM t WHERE a = $1").unwrap();
    let row = statement.query_row((2,)).unwrap().unwrap();
    assert_eq!(row.get::<&str>("b").unwrap(), "b");
    assert!(statement.query_row((9,)).unwrap().is_none());
    assert_eq!(statement.rows((1,)).unwrap().len(), 1);
    let batches = statement.query((1,)).unwrap();
    assert_eq!(batches.schema().field(0).name(), "b");
    let batches: Vec<_> = batches.collect::<Result<_>>().unwrap();
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);
    let mut appender = connection.appender("t").unwrap();
    appender.append_row((4, "d")).unwrap();
    assert_eq!(appender.flush().unwrap(), 1);
    appender.append_row((5, "e")).unwrap();
    assert_eq!((appender.pending(), appender.finish().unwrap()), (1, 2));
    let changed = connection
        .prepare("DELETE FROM t WHERE a > ?")
        .unwrap()
        .execute((3,))
        .unwrap();
    assert_eq!(changed, 2);
}

#[test]
fn where_a_thread_of_a_runtime_may_wait_it_works() {
    let connection = connection();
    let all = move || {
        let counted = connection.query_row("SELECT count(*) FROM t", ());
        let point = connection.prepare("SELECT b FROM t WHERE a = $1").unwrap();
        let point = point.rows((1,)).unwrap().len();
        let mut batches = connection.stream("SELECT a FROM t", ()).unwrap();
        assert!(batches.all(|batch| batch.is_ok()));
        (counted.unwrap().unwrap().get::<i64>(0).unwrap(), point)
    };
    let runtime = Builder::new_multi_thread().build().unwrap();
    let (inside, apart) = (all.clone(), all.clone());
    runtime.block_on(async {
        let task = tokio::spawn(async move { tokio::task::block_in_place(inside) });
        assert_eq!(task.await.unwrap(), (2, 1));
        let there = tokio::task::spawn_blocking(apart).await.unwrap();
        assert_eq!(there, (2, 1));
    });
    let _entered = runtime.enter();
    assert_eq!(all(), (2, 1));
}

#[test]
fn inside_of_a_task_it_is_refused_and_can_be_dropped() {
    let connection = connection();
    let mut batches = connection.stream("SELECT a FROM t", ()).unwrap();
    let statement = connection.prepare("SELECT b FROM t WHERE a = $1").unwrap();
    for builder in [
        &mut Builder::new_current_thread(),
        &mut Builder::new_multi_thread(),
    ] {
        let runtime = builder.build().unwrap();
        runtime.block_on(async {
            let refused = [
                connection.query("SELECT 1", ()).map(drop),
                connection.execute("DELETE FROM t", ()).map(drop),
                Database::open("/no/such/place").map(drop),
                batches.next().unwrap().map(drop),
            ];
            for error in refused.map(Result::unwrap_err) {
                assert_eq!(error.kind(), ErrorKind::InvalidInput);
                assert!(
                    error.to_string().contains("use halite::Database"),
                    "{error}"
                );
            }
            // A point read waits on the calling thread by intent.
            let row = statement.query_row((1,)).unwrap().unwrap();
            assert_eq!(row.get::<&str>(0).unwrap(), "a");
        });
    }
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(async move { drop((batches, statement, connection)) });
}

#[test]
fn what_fails_says_so() {
    let connection = connection();
    assert_eq!(
        connection.execute("SELEC 1", ()).unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
    let script = connection.execute_script("INSERT INTO t VALUES (7, ''), (1, ''); DELETE FROM t");
    assert_eq!(script.unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(
        connection.query("SELECT * FROM t", ()).unwrap()[0].num_rows(),
        2
    );
}
