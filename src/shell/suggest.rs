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

/// What is longer is no name with a slip. Two words are compared in steps of the product of their letters.
const LONGEST: usize = 200;

fn within<'n>(wrong: &str, limit: usize, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let length = wrong.chars().count();
    if length > LONGEST {
        return Vec::new();
    }
    let wrong = wrong.to_lowercase();
    let limit = limit.max(1);
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let mut found: Vec<((usize, bool), &str)> = Vec::new();
    for name in names {
        let lower = name.to_lowercase();
        let distance = distance(&wrong, &lower, limit);
        if let Some(distance) = distance.filter(|distance| *distance < length) {
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

/// How many slips make one word of the other, if they are not more than the limit; each may add a letter at most.
fn distance(wrong: &str, name: &str, limit: usize) -> Option<usize> {
    let lengths = wrong.chars().count().abs_diff(name.chars().count());
    if lengths > limit {
        return None;
    }
    let distance = strsim::damerau_levenshtein(wrong, name);
    (distance <= limit).then_some(distance)
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

    /// A comparison of two such words would take an hour.
    #[test]
    fn a_text_without_end_is_close_to_nothing() {
        let long = "flights".repeat(100_000);
        let longer = format!("{long}x");
        assert_eq!(closest(&long, [longer.as_str(), "flights"]), [""; 0]);
        assert_eq!(closest("flights", [long.as_str()]), [long.as_str()]);
        assert_eq!(closest("flihgts", [long.as_str()]), [""; 0]);
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
