//! Where in a JSON document: `'name'`, `2`, `'$.a.b[1]'`, `'{a,b,1}'`.

use std::borrow::Cow;

use datafusion::common::{Result, exec_err};

use crate::datum::Json;

/// A step into a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// To the member of an object.
    Name(String),
    /// To a place of a list, from 0, or from its end if it is negative.
    Place(i64),
    /// To the member of that name, or the place of that number.
    Either(String),
}

/// The steps of a name, or of a path that begins with `$`.
pub(super) fn steps(path: &str) -> Result<Vec<Step>> {
    let Some(rest) = path.strip_prefix('$') else {
        return Ok(vec![Step::Name(path.to_owned())]);
    };
    // A name that begins with a dollar is a name, as in PostgreSQL.
    if !rest.is_empty() && !rest.starts_with(['.', '[']) {
        return Ok(vec![Step::Name(path.to_owned())]);
    }
    let mut rest = rest;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let Some((step, behind)) = first_step(rest) else {
            return exec_err!("'{path}' is no path into JSON such as '$.name.list[0]' at `{rest}`");
        };
        steps.push(step);
        rest = behind;
    }
    Ok(steps)
}

/// The first step of a path, and what stands behind it.
fn first_step(path: &str) -> Option<(Step, &str)> {
    if let Some(rest) = path.strip_prefix('.') {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (name, behind) = quoted.split_once('"')?;
            return Some((Step::Name(name.to_owned()), behind));
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at_checked(end)?;
        let is_name = !name.is_empty() && name != "*";
        return is_name.then(|| (Step::Name(name.to_owned()), behind));
    }
    let (place, behind) = path.strip_prefix('[')?.split_once(']')?;
    let quoted = |mark: char| place.strip_prefix(mark)?.strip_suffix(mark);
    if let Some(name) = quoted('\'').or_else(|| quoted('"')) {
        return Some((Step::Name(name.to_owned()), behind));
    }
    // `[#-1]` is the last one, as in SQLite and DuckDB.
    let place = place.strip_prefix('#').unwrap_or(place);
    Some((Step::Place(place.trim().parse().ok()?), behind))
}

/// The steps of `{a,b,1}`, as PostgreSQL writes them.
pub(super) fn braced(path: &str) -> Result<Vec<Step>> {
    let inner = path.trim().strip_prefix('{');
    let Some(inner) = inner.and_then(|inner| inner.strip_suffix('}')) else {
        return exec_err!("'{path}' is no path into JSON such as '{{name,list,0}}'");
    };
    let parts = inner.split(',').map(str::trim);
    let parts = parts.filter(|part| !part.is_empty());
    Ok(parts
        .map(|part| Step::Either(part.trim_matches('"').to_owned()))
        .collect())
}

/// What a path leads to.
pub(super) fn follow<'a>(json: Json<'a>, steps: &[Step]) -> Option<Json<'a>> {
    steps.iter().try_fold(json, |json, step| match step {
        Step::Name(name) => member(json, name),
        Step::Place(place) => item(json, *place),
        Step::Either(text) => match text.parse() {
            Ok(place) => item(json, place).or_else(|| member(json, text)),
            Err(_) => member(json, text),
        },
    })
}

fn member<'a>(json: Json<'a>, name: &str) -> Option<Json<'a>> {
    let mut members = json.members()?.into_iter().rev();
    let is_named = |(known, _): &(Cow<'a, str>, Json<'a>)| known == name;
    members.find(is_named).map(|(_, value)| value)
}

fn item(json: Json<'_>, place: i64) -> Option<Json<'_>> {
    let items = json.items()?;
    let length = i64::try_from(items.len()).ok()?;
    let place = if place < 0 { place + length } else { place };
    items.get(usize::try_from(place).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_values() {
        let json =
            Json::of(r#"{"a": {"b": [10, {"c d": 1}], "a": 0}, "$x": 2, "a": {"b": [7, 8]}}"#);
        let json = json.unwrap();
        for (path, expected) in [
            ("$", Some(json.text)),
            ("$.a.b[0]", Some("7")),
            ("$.a.b[-1]", Some("8")),
            ("$.a.b[#-1]", Some("8")),
            ("$['a'].\"b\"", Some("[7, 8]")),
            ("$.a.b[2]", None),
            ("$.a.b.c", None),
            ("$x", Some("2")),
            ("b", None),
        ] {
            let found = follow(json, &steps(path).unwrap()).map(|json| json.text);
            assert_eq!(found, expected, "{path}");
        }
        for (path, expected) in [
            ("{a,b,1}", Some("8")),
            ("{}", Some(json.text)),
            ("{a,1}", None),
        ] {
            let found = follow(json, &braced(path).unwrap()).map(|json| json.text);
            assert_eq!(found, expected, "{path}");
        }
        for path in ["$.", "$.a[", "$.a[x]", "$..a", "$.a[*]", "$.*"] {
            assert!(steps(path).is_err(), "{path}");
        }
        assert!(braced("a,b").is_err());
    }
}
