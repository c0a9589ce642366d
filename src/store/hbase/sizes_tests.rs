use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::messages::{ClusterStatusResponse, LiveServer, RegionSpecifier, ServerLoad};
use super::*;

fn load(name: &str, plain: u32, files: u32, memory: u32) -> RegionLoad {
    RegionLoad {
        region_specifier: RegionSpecifier {
            kind: 1,
            value: name.as_bytes().to_vec(),
        },
        store_uncompressed_size: Some(plain),
        storefile_size: Some(files),
        mem_store_size: Some(memory),
    }
}

/// Two servers have the regions of `n:t`, and others.
fn status() -> ClusterStatus {
    let server = |region_loads| LiveServer {
        server_load: ServerLoad { region_loads },
    };
    let one = vec![
        load("n:t,m,7.abc.", 0, 8, 0),
        load("hbase:meta,,1", 1, 1, 1),
    ];
    let other = vec![load("n:t,,7.def.", 16, 4, 5), load("n:u,a,b,7.a.", 3, 3, 0)];
    ClusterStatus {
        live_servers: vec![server(one), server(other)],
        ..ClusterStatus::default()
    }
}

const ALL: u64 = (24 << 20) + (5 << 20) / 5 * 4;

fn range(start: &str, stop: Option<&str>) -> KeyRange {
    KeyRange::new(start.into(), stop.map(Into::into)).unwrap()
}

#[test]
fn regions_are_those_of_their_tables_in_order() {
    let parts = parts(&status());
    let part = |start: &[u8], bytes| Part {
        start: start.to_vec(),
        bytes,
    };
    // Files as they are without compression, where that is known, and four fifths of memory.
    let expected = [
        part(b"", (16 << 20) + (5 << 20) / 5 * 4),
        part(b"m", 8 << 20),
    ];
    assert_eq!(parts[&b"n:t"[..]], expected);
    assert_eq!(parts[&b"n:u"[..]], [part(b"a,b", 3 << 20)]);
}

#[test]
fn a_name_that_is_none_has_no_place() {
    assert_eq!(place(b"n:t,,7.a."), Some((&b"n:t"[..], &b""[..])));
    for name in ["", "n:t", "n:t,"] {
        assert_eq!(place(name.as_bytes()), None, "{name}");
    }
}

#[test]
fn a_range_has_its_share_of_the_regions_that_it_cuts() {
    let parts = &parts(&status())[&b"n:t"[..]];
    let mebibytes = |range: &KeyRange| inside(parts, range) as f64 / f64::from(1 << 20);
    assert_eq!(mebibytes(&KeyRange::all()), 28.0);
    assert_eq!(mebibytes(&range("", Some("m"))), 20.0);
    assert_eq!(mebibytes(&range("m", None)), 8.0);
    // `6` is half of `m`, and 0x6d of 0xb6 is as near to it.
    let half = mebibytes(&range("6", Some("m")));
    assert!((10.0..10.2).contains(&half), "{half}");
    // The little that a few keys are taken to be.
    let little = 20.0 / 256.0;
    assert!((mebibytes(&range("a", Some("a\0"))) - little).abs() < 0.001);
    // 0x6c7e to 0x6d00 of 0x6d00, and the little behind `m`.
    let both = mebibytes(&range("l~", Some("m!")));
    let expected = 20.0 * 130.0 / 27_904.0 + 8.0 / 256.0;
    assert!((both - expected).abs() < 0.001, "{both}");
}

#[test]
fn what_borders_have_in_common_says_nothing() {
    let whole = range("2024-03-01", Some("2024-03-05"));
    let share = share(&whole, &range("2024-03-02", Some("2024-03-03")));
    assert_eq!(share, 0.25);
}

#[test]
fn an_answer_is_for_many_statements() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let sizes = Sizes::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
        Some(status())
    });
    for _ in 0..100 {
        assert_eq!(sizes.of("n:t", &KeyRange::all()), Some(ALL));
        assert_eq!(sizes.of("n:none", &KeyRange::all()), None);
    }
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    // A table that was made in between is not waited for as long as the others.
    thread::sleep(GOOD_WITHOUT);
    assert_eq!(sizes.of("n:t", &KeyRange::all()), Some(ALL));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    assert_eq!(sizes.of("n:none", &KeyRange::all()), None);
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[test]
fn nobody_waits_long_for_a_master_that_is_not_there() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let sizes = Sizes::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
        thread::sleep(WAIT * 2);
        None
    });
    let began = Instant::now();
    for _ in 0..10 {
        assert_eq!(sizes.of("n:t", &KeyRange::all()), None);
    }
    // The first has waited for all, and it did not wait for the answer.
    let took = began.elapsed();
    assert!((WAIT..WAIT * 2).contains(&took), "{took:?}");
    thread::sleep(WAIT * 2);
    assert_eq!(sizes.of("n:t", &KeyRange::all()), None);
    assert_eq!(asked.load(Ordering::Relaxed), 1, "not asked again at once");
}

/// What the Java client's classes write of two regions, one of whose keys have a comma.
#[test]
fn loads_of_the_java_client_are_read() {
    const LOADS: &str = "0a97011294010a080a016810947d1805128701080118032a3e0a300801122c73686f703a74312c2c312e303132333435363738\
        39616263646566303132333435363738396162636465662e1001180220092804300140072a410a330801122f73686f703a74312c6d2c6e2c312e30\
        313233343536373839616263646566303132333435363738396162636465662e100118022000280030034007";
    let answer: ClusterStatusResponse = super::super::golden_tests::read(LOADS);
    let parts = parts(&answer.cluster_status);
    let found = &parts[&b"shop:t1"[..]];
    let starts: Vec<&[u8]> = found.iter().map(|part| part.start.as_slice()).collect();
    assert_eq!(starts, [&b""[..], b"m,n"]);
    let memory = |count: u64| (count << 20) / 5 * 4;
    let bytes: Vec<u64> = found.iter().map(|part| part.bytes).collect();
    assert_eq!(bytes, [(9 << 20) + memory(1), memory(3)]);
}
