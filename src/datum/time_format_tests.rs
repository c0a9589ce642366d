use super::*;

fn read(format: &str, text: &str) -> Option<String> {
    let read = TimeFormat::new(format).unwrap().read(text)?;
    let offset = read.offset.map(|offset| format!(" {offset:+}"));
    Some(format!("{}{}", read.local, offset.unwrap_or_default()))
}

#[test]
fn a_fraction_is_what_stands_behind_the_point() {
    for (format, text, expected) in [
        ("%S.%f", "00.5", Some("5")),
        ("%S.%f", "00.000005", Some("000005")),
        ("%S.%f", "00.123456789", Some("123456789")),
        ("%S.%f", "00.1234567890", Some("123456789")),
        ("%S.%f", "00.1234567891", None),
        ("%S.%f", "00.", None),
        ("%S.%f", "00", None),
        ("%S,%f", "00,25", Some("25")),
        ("%S%f", "00250000", Some("25")),
        ("%S.%g", "00.025", Some("025")),
        ("%S.%g", "00.0251", None),
        ("%S.%n", "00.000000001", Some("000000001")),
        ("%S%.f", "00.75", Some("75")),
        ("%S%.f", "00", Some("")),
        ("%S%.f", "00.1234567891", None),
        ("%S%.3f", "00.125", Some("125")),
        ("%S.%fZ", "00.5Z", Some("5")),
    ] {
        let found = read(
            &format!("%Y-%m-%d %H:%M:{format}"),
            &format!("2024-01-31 10:00:{text}"),
        );
        let expected = expected.map(|digits| {
            let nanoseconds = format!("{digits:0<9}").parse().unwrap();
            let date = chrono::NaiveDate::from_ymd_opt(2024, 1, 31).unwrap();
            date.and_hms_nano_opt(10, 0, 0, nanoseconds)
                .unwrap()
                .to_string()
        });
        assert_eq!(found, expected, "{format} {text}");
    }
}

#[test]
fn a_time_is_read_whole_or_not_at_all() {
    for (format, text, expected) in [
        ("%d.%m.%Y", "31.01.2024", Some("2024-01-31 00:00:00")),
        ("%d.%m.%Y", "31.01.2024 ", None),
        ("%d.%m.%Y", "31.02.2024", None),
        // An hour without minutes is no midnight.
        ("%d.%m.%Y %H", "31.01.2024 15", Some("2024-01-31 15:00:00")),
        ("%d.%m.%Y %I", "31.01.2024 03", None),
        (
            "%d.%m.%Y %I %p",
            "31.01.2024 03 PM",
            Some("2024-01-31 15:00:00"),
        ),
        ("%c", "2024-01-31 10:11:12", Some("2024-01-31 10:11:12")),
        ("%x", "2024-01-31", Some("2024-01-31 00:00:00")),
        (
            "%F %T%z",
            "2024-01-31 10:11:12+01",
            Some("2024-01-31 10:11:12 +3600"),
        ),
        (
            "%F %T%z",
            "2024-01-31 10:11:12-0530",
            Some("2024-01-31 10:11:12 -19800"),
        ),
        (
            "%F %T%:z",
            "2024-01-31 10:11:12+02:00",
            Some("2024-01-31 10:11:12 +7200"),
        ),
        ("%s", "86400", Some("1970-01-02 00:00:00")),
        ("%-d.%-m.%Y", "1.2.2024", Some("2024-02-01 00:00:00")),
        ("%d%%%m%%%Y", "01%02%2024", Some("2024-02-01 00:00:00")),
        ("%H:%M", "10:00", None),
    ] {
        assert_eq!(read(format, text).as_deref(), expected, "{format} {text}");
    }
}

#[test]
fn a_format_is_one_or_none() {
    for text in ["%Y", "%f", "a%%b", "%-d", "%.3f", "%d. %B %Y"] {
        assert!(TimeFormat::new(text).is_some(), "{text}");
    }
    for text in ["", "Y-m-d", "%", "%-f", "%Q", "%J", "10%"] {
        assert!(TimeFormat::new(text).is_none(), "{text}");
    }
}
