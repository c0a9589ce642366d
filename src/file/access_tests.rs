use std::fs;
use std::path::Path;

use crate::error::ErrorKind;
use crate::session::{Connection, Database};

async fn refused(connection: &Connection, sql: &str) -> String {
    match connection.execute(sql, ()).await {
        Ok(_) => panic!("{sql} is not refused"),
        Err(error) => {
            assert!(
                matches!(
                    error.kind(),
                    ErrorKind::NotSupported | ErrorKind::InvalidInput
                ),
                "{sql}: {error}"
            );
            error.to_string()
        }
    }
}

async fn done(connection: &Connection, sql: &str) {
    if let Err(error) = connection.execute(sql, ()).await {
        panic!("{sql}: {error}");
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[tokio::test]
async fn what_is_shut_is_shut_for_all_connections_and_for_good() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("x.csv");
    fs::write(&file, "a\n1\n").unwrap();
    let file = text(&file);
    let database = Database::in_memory().unwrap();
    let (first, second) = (database.connect(), database.connect());
    done(&first, "CREATE TABLE t (a INT, PRIMARY KEY (a))").await;
    let copies = [
        format!("COPY t FROM '{file}' (HEADER)"),
        format!("COPY t TO '{file}'"),
        format!("SELECT * FROM '{file}'"),
        format!("INSERT INTO t SELECT a FROM '{file}'"),
        format!("SELECT count(*) FROM '{}/*.csv'", text(directory.path())),
    ];
    done(&second, &copies[0]).await;
    done(&first, "SET halite.external_access = false").await;
    for connection in [&first, &second, &database.connect()] {
        for sql in &copies {
            let error = refused(connection, sql).await;
            assert!(error.contains("external_access"), "{sql}: {error}");
        }
        for sql in [
            "SET halite.external_access = true",
            "SET HALITE.EXTERNAL_ACCESS = true",
            "RESET halite.external_access",
            "SET datafusion.runtime.memory_limit = '100G'",
            "SET datafusion.runtime.temp_directory = '/'",
            "RESET datafusion.runtime.memory_limit",
            "SET datafusion.execution.target_partitions = 100",
        ] {
            let error = refused(connection, sql).await;
            assert!(error.contains("external_access"), "{sql}: {error}");
        }
        let shown = connection.query("SHOW halite.external_access", ()).await;
        let shown = arrow::util::pretty::pretty_format_batches(&shown.unwrap()).unwrap();
        assert!(shown.to_string().contains("false"), "{shown}");
        done(connection, "SET datafusion.execution.batch_size = 100").await;
        done(connection, "SELECT a FROM t").await;
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "a\n1\n");
}

#[tokio::test]
async fn a_locked_configuration_stays_as_it_is() {
    let database = Database::in_memory().unwrap();
    let (first, second) = (database.connect(), database.connect());
    done(&first, "SET halite.pushdown = false").await;
    done(&first, "SET halite.lock_configuration = true").await;
    for connection in [&first, &second, &database.connect()] {
        for sql in [
            "SET halite.lock_configuration = false",
            "SET halite.pushdown = true",
            "RESET halite.pushdown",
            "SET datafusion.execution.batch_size = 100",
        ] {
            let error = refused(connection, sql).await;
            assert!(error.contains("lock_configuration"), "{sql}: {error}");
        }
    }
    done(&second, "PREPARE p AS SELECT 1").await;
    done(&second, "EXECUTE p").await;
}

#[tokio::test]
async fn files_of_databases_are_neither_read_nor_written() {
    let directory = tempfile::tempdir().unwrap();
    let (own, other) = (directory.path().join("d"), directory.path().join("e"));
    let database = Database::open(&own).await.unwrap();
    drop(Database::open(&other).await.unwrap());
    let connection = database.connect();
    done(&connection, "CREATE TABLE t (a INT, PRIMARY KEY (a))").await;
    done(&connection, "INSERT INTO t VALUES (1)").await;
    let current = fs::read(own.join("CURRENT")).unwrap();
    std::os::unix::fs::symlink(own.join("new.csv"), directory.path().join("link.csv")).unwrap();
    fs::write(other.join("x.csv"), "a\n1\n").unwrap();
    let at = |name: &str| text(&directory.path().join(name));
    for sql in [
        format!("COPY (SELECT 1 AS a) TO '{}' (FORMAT csv)", at("d/CURRENT")),
        format!("COPY t TO '{}'", at("d/x.csv")),
        format!("COPY t TO '{}'", at("link.csv")),
        format!("COPY t TO '{}'", at("e/y.csv")),
        format!("COPY t FROM '{}' (FORMAT csv)", at("d/CURRENT")),
        format!("COPY t FROM '{}'", at("e/x.csv")),
        format!("SELECT * FROM '{}'", at("e/x.csv")),
        format!("SELECT * FROM '{}'", at("*/x.csv")),
        format!("SELECT * FROM '{}'", at("e/*.csv")),
    ] {
        let error = refused(&connection, &sql).await;
        assert!(error.contains("inside the database"), "{sql}: {error}");
    }
    assert_eq!(fs::read(own.join("CURRENT")).unwrap(), current);
    assert!(!own.join("new.csv").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn files_keep_their_permissions_and_a_database_is_its_owners() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = directory.path().join("x.csv");
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let database = Database::open(directory.path().join("d")).await.unwrap();
    let copy = format!("COPY (SELECT 1 AS a) TO '{}'", text(&file));
    done(&database.connect(), &copy).await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "1\n");
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&directory.path().join("d")), 0o700);
    let (backup, restored) = (directory.path().join("b"), directory.path().join("r"));
    database.backup(&backup).await.unwrap();
    Database::restore(&backup, &restored).await.unwrap();
    assert_eq!((mode(&backup), mode(&restored)), (0o700, 0o700));
}
