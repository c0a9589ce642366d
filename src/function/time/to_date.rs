//! `to_date('31.01.2024', 'DD.MM.YYYY')` and `to_timestamp(text, template)`, with the template patterns of PostgreSQL as
//! formats that DataFusion reads.

/// A pattern, and what it is in a format of `strftime`; of those that begin alike the longer comes first.
const PATTERNS: &[(&str, &str)] = &[
    ("YYYY", "%Y"),
    ("YY", "%y"),
    ("MONTH", "%B"),
    ("MON", "%b"),
    ("MM", "%m"),
    ("DDD", "%j"),
    ("DD", "%d"),
    ("DAY", "%A"),
    ("DY", "%a"),
    ("HH24", "%H"),
    ("HH12", "%I"),
    ("HH", "%I"),
    ("MI", "%M"),
    ("SS", "%S"),
    ("MS", "%3f"),
    ("US", "%6f"),
    ("AM", "%p"),
    ("PM", "%p"),
];

/// The format of a template; `None` of one that is a format already, or has no patterns.
pub fn format_of(template: &str) -> Option<String> {
    if template.contains('%') {
        return None;
    }
    let mut format = String::new();
    let mut rest = template;
    let mut is_template = false;
    while let Some(letter) = rest.chars().next() {
        let is_here = |pattern: &str| {
            let begun = rest.get(..pattern.len());
            begun.is_some_and(|begun| begun.eq_ignore_ascii_case(pattern))
        };
        let known = PATTERNS.iter().find(|(pattern, _)| is_here(pattern));
        let length = match known {
            Some((pattern, specifier)) => {
                is_template = true;
                format.push_str(specifier);
                pattern.len()
            }
            None => {
                format.push(letter);
                letter.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    is_template.then_some(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_formats() {
        for (template, format) in [
            ("DD.MM.YYYY", Some("%d.%m.%Y")),
            ("YYYY-MM-DD HH24:MI:SS", Some("%Y-%m-%d %H:%M:%S")),
            ("dd mon yy, hh12:mi am", Some("%d %b %y, %I:%M %p")),
            ("YYYYMMDD", Some("%Y%m%d")),
            ("%Y", None),
            ("?", None),
        ] {
            assert_eq!(format_of(template).as_deref(), format, "{template}");
        }
    }
}
