//! What the columns of JSON files are: the names in the first objects, in the order in which they come, and what their values are.
//!
//! JSON says what a value is: whole numbers are BIGINT, or longer ones, others DOUBLE, texts in quotes are TEXT, whatever they
//! spell. Lists are LIST, objects are STRUCT, of all names that they have. What is one thing here and another one there is TEXT.

use std::collections::HashMap;

use super::files::SourceFile;
use super::guess::{LOOKED_AT_BYTES, LOOKED_AT_FILES, unknown};
use super::json::JsonObjects;
use super::plain::PlainReader;
use super::shape::{ColumnTypes, Shape, ShapeColumn};
use super::{CopyOptions, Progress};
use crate::convert::text::FieldReader;
use crate::convert::text::NO_NUMBERS;
use crate::datum::{Json, JsonKind, SqlType};
use crate::error::Result;

/// The most digits of a DECIMAL.
const DECIMAL_DIGITS: u8 = 38;

/// The columns of files.
///
/// # Errors
/// `InvalidInput` where one is no JSON, and for a type of a column that there is not.
pub(super) fn shape_of(
    files: &[SourceFile],
    options: &CopyOptions,
    types: &ColumnTypes,
) -> Result<Shape> {
    let owner = String::new();
    if let Some(columns) = &types.columns {
        let columns = columns.iter();
        let columns = columns.map(|(name, sql_type)| ShapeColumn::given(name, sql_type));
        return Ok(Shape {
            owner,
            columns: columns.collect(),
        });
    }
    let rows = look_at(files, options, types.looked_at)?;
    let mut columns: Vec<ShapeColumn> = rows
        .members
        .iter()
        .map(|(name, kinds)| ShapeColumn {
            name: name.clone(),
            sql_type: kinds.sql_type(),
            is_guessed: true,
        })
        .collect();
    if let (Err(name), Some(first)) = (types.apply(&mut columns), files.first()) {
        return Err(unknown(&name, &columns, first));
    }
    Ok(Shape { owner, columns })
}

/// Looks at so many objects at the beginnings of files.
fn look_at(files: &[SourceFile], options: &CopyOptions, most: usize) -> Result<Members> {
    let mut bytes = match most {
        usize::MAX => usize::MAX,
        _ => LOOKED_AT_BYTES,
    };
    let (mut rows, mut left, mut text) = (Members::default(), most, Vec::new());
    for source in files.iter().take(LOOKED_AT_FILES) {
        let mut objects = JsonObjects::open(source, options, &Progress::default())?;
        while left > 0 && bytes > 0 {
            let Some(object) = objects.next(&mut text)? else {
                break;
            };
            for (name, json) in object.members(source)? {
                rows.look_at(&name, json);
            }
            left -= 1;
            bytes = bytes.saturating_sub(object.text.len());
        }
    }
    Ok(rows)
}

/// The names in objects, in the order in which they come, with what is under them.
#[derive(Default)]
struct Members {
    members: Vec<(String, Kinds)>,
    places: HashMap<String, usize>,
}

impl Members {
    /// Looks at a value under a name.
    fn look_at(&mut self, name: &str, json: Json<'_>) {
        let known = self.places.get(name);
        if let Some((_, kinds)) = known.and_then(|place| self.members.get_mut(*place)) {
            kinds.look_at(json);
            return;
        }
        let mut kinds = Kinds::default();
        kinds.look_at(json);
        self.places.insert(name.to_owned(), self.members.len());
        self.members.push((name.to_owned(), kinds));
    }
}

/// What the values of a column are.
#[derive(Default)]
struct Kinds {
    has_boolean: bool,
    has_text: bool,
    /// A text that stands for a number that is none: `"NaN"`.
    has_no_number: bool,
    numbers: Numbers,
    items: Option<Box<Kinds>>,
    members: Option<Members>,
}

impl Kinds {
    fn look_at(&mut self, json: Json<'_>) {
        match json.kind {
            JsonKind::Null => {}
            JsonKind::Boolean => self.has_boolean = true,
            JsonKind::Number => self.numbers.look_at(json.text),
            JsonKind::Text if NO_NUMBERS.contains(&json.text.trim_matches('"')) => {
                self.has_no_number = true;
            }
            JsonKind::Text => self.has_text = true,
            JsonKind::List => {
                let items = self.items.get_or_insert_default();
                let values = json.items().unwrap_or_default();
                values.into_iter().for_each(|value| items.look_at(value));
            }
            JsonKind::Object => {
                let members = self.members.get_or_insert_default();
                for (name, value) in json.members().unwrap_or_default() {
                    members.look_at(&name, value);
                }
            }
        }
    }

    /// The type that all of these values are of; TEXT where they are of none, or of several.
    fn sql_type(&self) -> SqlType {
        let has_numbers = self.numbers.are_there();
        let kinds = [
            self.has_boolean,
            has_numbers,
            self.has_text || self.has_no_number && !has_numbers,
            self.items.is_some(),
            self.members.is_some(),
        ];
        if kinds.iter().filter(|is_there| **is_there).count() != 1 {
            return SqlType::Text;
        }
        match (&self.items, &self.members) {
            (Some(items), _) => SqlType::List(Box::new(items.sql_type())),
            (_, Some(members)) if !members.members.is_empty() => {
                let members = members.members.iter();
                let members = members.map(|(name, kinds)| (name.clone(), kinds.sql_type()));
                SqlType::Struct(members.collect())
            }
            _ if self.has_boolean => SqlType::Boolean,
            _ if has_numbers => self.numbers.sql_type(self.has_no_number),
            _ => SqlType::Text,
        }
    }
}

/// Which types numbers can be read as.
#[derive(Default)]
struct Numbers {
    possible: Option<Vec<(SqlType, PlainReader)>>,
}

impl Numbers {
    fn look_at(&mut self, text: &str) {
        let possible = self.possible.get_or_insert_with(|| {
            let whole = SqlType::Decimal {
                precision: DECIMAL_DIGITS,
                scale: 0,
            };
            let types = [SqlType::BigInt, whole, SqlType::Double];
            let readers = types.map(|sql_type| {
                let reader = PlainReader::new(&sql_type, &Default::default());
                (sql_type, reader)
            });
            readers.into()
        });
        possible.retain_mut(|(_, reader)| {
            let is_possible = reader.push(text).is_ok();
            reader.finish();
            is_possible
        });
    }

    fn are_there(&self) -> bool {
        self.possible.is_some()
    }

    /// The first type that all numbers can be read as; a DOUBLE where some of the values are no numbers.
    fn sql_type(&self, has_no_number: bool) -> SqlType {
        let mut possible = self.possible.iter().flatten().map(|(sql_type, _)| sql_type);
        let found = possible.find(|sql_type| !has_no_number || **sql_type == SqlType::Double);
        found.cloned().unwrap_or(SqlType::Text)
    }
}
