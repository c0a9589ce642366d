//! Golden files: what is shown stands in a file, so that a reviewer reads a diff. `HALITE_REWRITE=1` writes the files anew.

use std::fs;
use std::path::Path;

use similar::TextDiff;

/// How a text differs from a golden file, as lines; `None` where it does not. `HALITE_REWRITE=1` makes it the file.
pub(crate) fn difference(path: &Path, shown: &str) -> Option<String> {
    let golden = fs::read_to_string(path).unwrap_or_default();
    if golden == shown {
        return None;
    }
    if std::env::var_os("HALITE_REWRITE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, shown).unwrap();
        return None;
    }
    let differing = TextDiff::from_lines(golden.as_str(), shown);
    let lines = differing.unified_diff().context_radius(2).to_string();
    Some(format!(
        "{}; HALITE_REWRITE=1 accepts\n{lines}",
        path.display()
    ))
}

/// Fails where a text differs from a golden file.
pub(crate) fn assert_golden(path: &Path, shown: &str) {
    if let Some(difference) = difference(path, shown) {
        panic!("{difference}");
    }
}
