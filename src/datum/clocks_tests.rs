use super::*;

fn utc(zone: &str, text: &str) -> String {
    let instant = Clocks::of(zone).expect("zone").read(text);
    instant.map_or_else(|error| error.to_string(), |time| time.to_string())
}

/// A zone, a time that its clocks show, and the instant.
const SHOWN: &[(&str, &str, &str)] = &[
    (
        "Europe/Berlin",
        "2024-10-27 02:30:00",
        "2024-10-27 01:30:00",
    ),
    (
        "Europe/Berlin",
        "2024-10-27 02:00:00",
        "2024-10-27 01:00:00",
    ),
    (
        "Europe/Berlin",
        "2024-10-27 02:59:59",
        "2024-10-27 01:59:59",
    ),
    (
        "Europe/Berlin",
        "2024-10-27 03:00:00",
        "2024-10-27 02:00:00",
    ),
    (
        "Europe/Berlin",
        "2024-10-27 01:59:59",
        "2024-10-26 23:59:59",
    ),
    (
        "Europe/Berlin",
        "2024-03-31 02:30:00",
        "2024-03-31 01:30:00",
    ),
    (
        "Europe/Berlin",
        "2024-03-31 02:00:00",
        "2024-03-31 01:00:00",
    ),
    (
        "Europe/Berlin",
        "2024-03-31 03:00:00",
        "2024-03-31 01:00:00",
    ),
    (
        "America/New_York",
        "2024-11-03 01:30:00",
        "2024-11-03 06:30:00",
    ),
    (
        "America/New_York",
        "2024-03-10 02:30:00",
        "2024-03-10 07:30:00",
    ),
    // Half an hour.
    (
        "Australia/Lord_Howe",
        "2024-04-07 01:45:00",
        "2024-04-06 15:15:00",
    ),
    (
        "Australia/Lord_Howe",
        "2024-10-06 02:15:00",
        "2024-10-05 15:45:00",
    ),
    // Both are standard time.
    (
        "Europe/Moscow",
        "2014-10-26 01:30:00",
        "2014-10-25 22:30:00",
    ),
    // A whole day is left out.
    ("Pacific/Apia", "2011-12-30 12:00:00", "2011-12-30 22:00:00"),
    // Midnight is left out.
    (
        "America/Sao_Paulo",
        "2018-11-04 00:00:00",
        "2018-11-04 03:00:00",
    ),
];

/// Each line is what `SELECT TIMESTAMP '…' AT TIME ZONE '…'` of PostgreSQL 15 gives.
#[test]
fn times_that_are_shown_twice_or_never_are_read_as_postgresql_reads_them() {
    for (zone, shown, instant) in SHOWN {
        assert_eq!(utc(zone, shown), *instant, "{shown} in {zone}");
    }
}

#[test]
fn a_text_may_name_its_zone() {
    let berlin = |text| utc("Europe/Berlin", text);
    assert_eq!(berlin("2024-10-27 02:30:00+02:00"), "2024-10-27 00:30:00");
    assert_eq!(berlin("2024-10-27T02:30:00Z"), "2024-10-27 02:30:00");
    assert_eq!(
        berlin("2024-11-03 01:30:00 America/New_York"),
        "2024-11-03 06:30:00"
    );
    assert_eq!(berlin("2024-03-31"), "2024-03-30 23:00:00");
    assert!(berlin("2024-03-31 02:30:00 Nowhere").contains("Nowhere"));
    assert!(berlin("2024-02-30 02:30:00").contains("2024-02-30"));
}

#[test]
fn seconds_are_added_where_they_are_missing() {
    for (text, expected) in [
        ("2024-01-01 10:00", Some("2024-01-01 10:00:00")),
        ("2024-01-01T10:00", Some("2024-01-01T10:00:00")),
        ("2024-01-01 10:00Z", Some("2024-01-01 10:00:00Z")),
        ("2024-01-01 10:00+02:00", Some("2024-01-01 10:00:00+02:00")),
        (
            "2024-01-01 10:00 Europe/Berlin",
            Some("2024-01-01 10:00:00 Europe/Berlin"),
        ),
        ("2024-01-01 10:00:30", None),
        ("2024-01-01 10:000", None),
        ("2024-01-01", None),
        ("2024-01-01 10", None),
        ("a text of some length", None),
        ("2024-01-01 1\u{e9}:00", None),
        ("", None),
    ] {
        assert_eq!(with_seconds(text).as_deref(), expected, "{text}");
    }
}
