//! Values of JSON as values of SQL types, from the very text that stands there.
//!
//! A number, a truth value and a text in quotes are read as the field of a CSV file with that text is. A list, an object and a
//! map of names are read value by value. A TEXT takes anything: of what is no text its JSON.

use std::sync::Arc;

use arrow::array::{ArrayRef, ListArray, MapArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, FieldRef, Fields};
use arrow::error::ArrowError;

use super::complaint;
use super::reader::FieldReader;
use crate::convert::shown::quoted;
use crate::datum::{Json, JsonKind, SqlType};

/// What a number is called that JSON has no number for.
pub const NO_NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// Gathers the values of one column.
pub trait JsonReader: Send {
    /// Adds a value; else says what is wrong with it.
    fn push(&mut self, json: Json<'_>) -> Result<(), String>;

    /// Adds NULL.
    fn push_null(&mut self);

    /// The values since the last call.
    fn finish(&mut self) -> Result<ArrayRef, ArrowError>;
}

/// The reader of a type's values. `of_text` gives the readers of texts. `is_guessed` says that the type is what the first
/// objects show: then nothing is taken for what it is not, a text in quotes for no number.
pub fn json_reader(
    sql_type: &SqlType,
    of_text: &dyn Fn(&SqlType) -> Box<dyn FieldReader>,
    is_guessed: bool,
) -> Box<dyn JsonReader> {
    let of = |sql_type: &SqlType| json_reader(sql_type, of_text, is_guessed);
    match (sql_type, sql_type.arrow()) {
        (SqlType::List(item), DataType::List(field)) => Box::new(Lists {
            field,
            items: of(item),
            lengths: Vec::new(),
            valid: Vec::new(),
        }),
        (SqlType::Struct(members), DataType::Struct(fields)) => Box::new(Structs {
            fields,
            members: members.iter().map(|(_, sql_type)| of(sql_type)).collect(),
            valid: Vec::new(),
        }),
        (SqlType::Map(entry), DataType::Map(field, _)) => Box::new(Maps {
            field,
            keys: of_text(&entry.0),
            values: of(&entry.1),
            lengths: Vec::new(),
            valid: Vec::new(),
        }),
        _ => Box::new(Scalars {
            reader: of_text(sql_type),
            sql_type: sql_type.clone(),
            is_guessed,
        }),
    }
}

/// Values of a type that holds no others.
struct Scalars {
    sql_type: SqlType,
    reader: Box<dyn FieldReader>,
    is_guessed: bool,
}

impl Scalars {
    fn check(&self, json: Json<'_>) -> Result<(), String> {
        let is_no_number = || NO_NUMBERS.contains(&json.text.trim_matches('"'));
        let problem = match json.kind {
            JsonKind::Text if json.has_half_a_letter() => "names half of a letter",
            _ if self.sql_type.is_text() => return Ok(()),
            JsonKind::List => "is a list",
            JsonKind::Object => "is an object",
            JsonKind::Text if self.is_guessed && !is_no_number() => "is a text",
            JsonKind::Boolean if self.is_guessed && self.sql_type != SqlType::Boolean => {
                "is true or false"
            }
            _ => return Ok(()),
        };
        let problem = if self.sql_type.is_text() {
            problem.to_owned()
        } else {
            format!("{problem}, and no {}", self.sql_type)
        };
        // A text without its quotes; one that has no letters as it is written.
        let text = json.as_text().filter(|_| !json.has_half_a_letter());
        Err(complaint(text.as_deref().unwrap_or(json.text), &problem))
    }
}

impl JsonReader for Scalars {
    fn push(&mut self, json: Json<'_>) -> Result<(), String> {
        self.check(json)?;
        match json.as_text() {
            None => self.reader.push_null(),
            Some(text) => {
                let pushed = self.reader.push(&text);
                pushed.map_err(|problem| complaint(&text, &problem))?;
            }
        }
        Ok(())
    }

    fn push_null(&mut self) {
        self.reader.push_null();
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(self.reader.finish())
    }
}

struct Lists {
    field: FieldRef,
    items: Box<dyn JsonReader>,
    lengths: Vec<usize>,
    valid: Vec<bool>,
}

impl JsonReader for Lists {
    fn push(&mut self, json: Json<'_>) -> Result<(), String> {
        if json.kind == JsonKind::Null {
            self.push_null();
            return Ok(());
        }
        let items = json.items();
        let items = items.ok_or_else(|| complaint(json.text, "is no list"))?;
        self.lengths.push(items.len());
        self.valid.push(true);
        items.into_iter().try_for_each(|item| self.items.push(item))
    }

    fn push_null(&mut self) {
        self.lengths.push(0);
        self.valid.push(false);
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let offsets = OffsetBuffer::from_lengths(std::mem::take(&mut self.lengths));
        let nulls = NullBuffer::from(std::mem::take(&mut self.valid));
        let items = self.items.finish()?;
        let lists = ListArray::try_new(Arc::clone(&self.field), offsets, items, Some(nulls));
        Ok(Arc::new(lists?))
    }
}

struct Structs {
    fields: Fields,
    members: Vec<Box<dyn JsonReader>>,
    valid: Vec<bool>,
}

impl JsonReader for Structs {
    fn push(&mut self, json: Json<'_>) -> Result<(), String> {
        if json.kind == JsonKind::Null {
            self.push_null();
            return Ok(());
        }
        let given = json.members();
        let given = given.ok_or_else(|| complaint(json.text, "is no object"))?;
        let mut values: Vec<Option<Json<'_>>> = vec![None; self.members.len()];
        for (name, value) in given {
            let place = self.fields.iter().position(|field| *field.name() == name);
            let Some(value_of) = place.and_then(|place| values.get_mut(place)) else {
                let names = self.fields.iter().map(|field| field.name().as_str());
                return Err(format!(
                    "the object in it names `{}`; its names are {}",
                    name.escape_debug(),
                    quoted(names)
                ));
            };
            if value_of.replace(value).is_some() {
                return Err(twice(&name));
            }
        }
        self.valid.push(true);
        for (member, value) in self.members.iter_mut().zip(values) {
            match value {
                Some(value) => member.push(value)?,
                None => member.push_null(),
            }
        }
        Ok(())
    }

    fn push_null(&mut self) {
        self.valid.push(false);
        self.members
            .iter_mut()
            .for_each(|member| member.push_null());
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let members = self.members.iter_mut().map(|member| member.finish());
        let members = members.collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
        let nulls = NullBuffer::from(std::mem::take(&mut self.valid));
        let structs = StructArray::try_new(self.fields.clone(), members, Some(nulls))?;
        Ok(Arc::new(structs))
    }
}

struct Maps {
    /// The entries.
    field: FieldRef,
    keys: Box<dyn FieldReader>,
    values: Box<dyn JsonReader>,
    lengths: Vec<usize>,
    valid: Vec<bool>,
}

impl JsonReader for Maps {
    fn push(&mut self, json: Json<'_>) -> Result<(), String> {
        if json.kind == JsonKind::Null {
            self.push_null();
            return Ok(());
        }
        let members = json.members();
        let members = members.ok_or_else(|| complaint(json.text, "is no object"))?;
        self.lengths.push(members.len());
        self.valid.push(true);
        let mut names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        if let Some([name, _]) = names.windows(2).find(|pair| pair.first() == pair.last()) {
            return Err(twice(name));
        }
        for (name, value) in &members {
            let pushed = self.keys.push(name);
            pushed.map_err(|problem| complaint(name, &problem))?;
            self.values.push(*value)?;
        }
        Ok(())
    }

    fn push_null(&mut self) {
        self.lengths.push(0);
        self.valid.push(false);
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let (keys, values) = (self.keys.finish(), self.values.finish()?);
        let DataType::Struct(entry) = self.field.data_type() else {
            let problem = "a map without entries".to_owned();
            return Err(ArrowError::InvalidArgumentError(problem));
        };
        let entries = StructArray::try_new(entry.clone(), vec![keys, values], None)?;
        let offsets = OffsetBuffer::from_lengths(std::mem::take(&mut self.lengths));
        let nulls = NullBuffer::from(std::mem::take(&mut self.valid));
        let field = Arc::clone(&self.field);
        let maps = MapArray::try_new(field, offsets, entries, Some(nulls), false)?;
        Ok(Arc::new(maps))
    }
}

fn twice(name: &str) -> String {
    format!("the object in it names `{}` twice", name.escape_debug())
}
