//! The names in the first object of a JSON file, in the order in which they stand there.

use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::files::SourceFile;
use super::objects::Objects;
use super::options::{FileCompression, FileFormat, FileKind};
use crate::write::Progress;

/// The names; none where the file begins with no object of at most so many bytes, which whoever reads its rows says.
pub fn first_names(path: &Path, most: usize) -> Vec<String> {
    first_object(path, most)
        .and_then(|object| serde_json::from_slice::<MemberNames>(&object).ok())
        .map(|names| names.0)
        .unwrap_or_default()
}

fn first_object(path: &Path, most: usize) -> Option<Vec<u8>> {
    let source = SourceFile {
        path: path.to_owned(),
        index: 0,
        kind: FileKind {
            format: FileFormat::JsonLines,
            compression: FileCompression::of_path(path),
        },
    };
    let bytes = source.unpacked(&Progress::default()).ok()?;
    let mut object = Vec::new();
    let line = Objects::new(bytes, most).next(&mut object).ok()?;
    line.map(|_| object)
}

/// The names of an object's members.
struct MemberNames(Vec<String>);

impl<'de> Deserialize<'de> for MemberNames {
    fn deserialize<D: Deserializer<'de>>(object: D) -> Result<Self, D::Error> {
        object.deserialize_map(Names)
    }
}

struct Names;

impl<'de> Visitor<'de> for Names {
    type Value = MemberNames;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<MemberNames, A::Error> {
        let mut names = Vec::new();
        while let Some((name, IgnoredAny)) = members.next_entry()? {
            names.push(name);
        }
        Ok(MemberNames(names))
    }
}
