//! "Did you mean": the known name that is closest to a wrong one.

/// The names closest to `wrong`, the best first, at most three; none where nothing is close.
///
/// Close is what a slip of the fingers makes: a third of the letters at most, two letters exchanged counting as one.
/// A name that `wrong` is the beginning of is close, too, if something of length is there.
pub fn closest<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    within(wrong, wrong.chars().count() / 3, names)
}

/// As [`closest`], of keywords: a quarter of the letters, since any other word may stand where a keyword is not.
pub fn closest_keywords(wrong: &str, keywords: &[&'static str]) -> Vec<&'static str> {
    within(wrong, wrong.chars().count() / 4, keywords.iter().copied())
}

fn within<'n>(wrong: &str, limit: usize, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wrong = wrong.to_lowercase();
    let length = wrong.chars().count();
    let limit = limit.max(1);
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let mut found: Vec<((usize, bool), &str)> = Vec::new();
    for name in names {
        let lower = name.to_lowercase();
        let distance = strsim::damerau_levenshtein(&wrong, &lower);
        if distance <= limit && distance < length {
            let other_letters = sorted(&lower) != sorted(&wrong);
            found.push(((distance, other_letters), name));
        } else if length >= 3 && lower.starts_with(&wrong) {
            found.push(((limit + 1, true), name));
        }
    }
    // Letters that are exchanged are likelier than others: FORM is FROM and not FOR. The order of the names stays among
    // those equally close.
    found.sort_by_key(|(distance, _)| *distance);
    let best = found.first().map(|(distance, _)| *distance);
    found.retain(|(distance, _)| Some(*distance) == best);
    found.dedup();
    found.into_iter().map(|(_, name)| name).take(3).collect()
}

/// `did you mean a, b or c?`; nothing where there are no names.
pub fn question(names: &[&str]) -> Option<String> {
    let (last, rest) = names.split_last()?;
    let list = if rest.is_empty() {
        (*last).to_owned()
    } else {
        format!("{} or {last}", rest.join(", "))
    };
    Some(format!("did you mean {list}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_fingers_is_close() {
        let tables = ["flights", "flights_by_time", "weather"];
        let cases: [(&str, &[&str]); 8] = [
            ("flihgts", &["flights"]),
            ("FLIGHT", &["flights"]),
            ("wether", &["weather"]),
            ("wea", &["weather"]),
            ("flights_bytime", &["flights_by_time"]),
            ("planes", &[]),
            ("w", &[]),
            ("", &[]),
        ];
        for (wrong, expected) in cases {
            assert_eq!(closest(wrong, tables), expected, "{wrong}");
        }
        assert_eq!(closest("ab", ["ac", "ad", "xy"]), ["ac", "ad"]);
        assert_eq!(closest("SELCT", ["SELECT", "SET"]), ["SELECT"]);
        assert_eq!(closest("FORM", ["FOR", "FORMAT", "FROM"]), ["FROM"]);
        assert_eq!(closest("flight", ["RIGHT"]), ["RIGHT"]);
        assert_eq!(closest_keywords("flight", &["RIGHT"]), [""; 0]);
    }

    #[test]
    fn names_are_asked_for() {
        assert_eq!(question(&[]), None);
        assert_eq!(question(&["a"]).unwrap(), "did you mean a?");
        assert_eq!(
            question(&["a", "b", "c"]).unwrap(),
            "did you mean a, b or c?"
        );
    }
}
