//! A file of random rows, as a program may have written it, and on which line each row begins.

use super::cells::Cell;
use crate::plan::law::random::Random;

/// How a file is written.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) is_json: bool,
    pub(super) delimiter: char,
    pub(super) has_header: bool,
    pub(super) end: &'static str,
    pub(super) has_mark: bool,
    /// Of JSON: objects in one array, and over several lines each.
    pub(super) is_array: bool,
    pub(super) is_spread: bool,
    /// Of a CSV file the row with a field that goes on behind its closing quote.
    pub(super) broken: Option<usize>,
}

impl Style {
    pub(super) fn drawn(random: &mut Random, rows: usize) -> Self {
        let is_json = random.percent(50);
        let is_broken = !is_json && rows > 0 && random.percent(8);
        Self {
            is_json,
            delimiter: *random.pick(&[',', ';', '\t', '|']),
            has_header: random.percent(60),
            end: *random.pick(&["\n", "\r\n"]),
            has_mark: random.percent(20),
            is_array: random.percent(40),
            is_spread: random.percent(30),
            broken: is_broken.then(|| random.between(0, rows - 1)),
        }
    }

    pub(super) fn extension(&self) -> &'static str {
        if self.is_json { "json" } else { "csv" }
    }
}

/// The text of a file with these rows, and the line of each.
pub(super) fn written(
    style: &Style,
    names: &[String],
    rows: &[Vec<Cell>],
    random: &mut Random,
) -> (String, Vec<usize>) {
    let mut text = String::new();
    if style.has_mark {
        text.push('\u{feff}');
    }
    if style.is_json {
        json(style, names, rows, random, text)
    } else {
        csv(style, names, rows, random, text)
    }
}

fn line_of(text: &str) -> usize {
    text.matches('\n').count() + 1
}

fn csv(
    style: &Style,
    names: &[String],
    rows: &[Vec<Cell>],
    random: &mut Random,
    mut text: String,
) -> (String, Vec<usize>) {
    let mut lines = Vec::new();
    let between = style.delimiter.to_string();
    if style.has_header {
        text += &(names.join(&between) + style.end);
    }
    for (number, row) in rows.iter().enumerate() {
        lines.push(line_of(&text));
        let mut fields: Vec<String> = row.iter().map(|cell| field(cell, style, random)).collect();
        if style.broken == Some(number) {
            let last = fields.last_mut().unwrap();
            *last = "\"a\"b\"".to_owned();
        }
        text += &(fields.join(&between) + style.end);
    }
    (text, lines)
}

fn field(cell: &Cell, style: &Style, random: &mut Random) -> String {
    let Some(text) = cell.text() else {
        return String::new();
    };
    let is_special = text.contains(['"', '\n', '\r', style.delimiter]) || text.is_empty();
    if is_special || random.percent(20) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn json(
    style: &Style,
    names: &[String],
    rows: &[Vec<Cell>],
    random: &mut Random,
    mut text: String,
) -> (String, Vec<usize>) {
    let mut lines = Vec::new();
    let (within, colon) = if style.is_spread {
        (format!("{}  ", style.end), ": ")
    } else {
        (String::new(), ":")
    };
    if style.is_array {
        text.push('[');
    }
    for (number, row) in rows.iter().enumerate() {
        if style.is_array && number > 0 {
            text.push(',');
        }
        if style.is_array || random.percent(10) {
            text.push_str(style.end);
        }
        lines.push(line_of(&text));
        let mut members: Vec<String> = Vec::new();
        for (name, cell) in names.iter().zip(row) {
            let value = match cell {
                // Left out, or said. The first object names all, so that columns are in their order.
                Cell::Null if number > 0 && random.percent(50) => continue,
                Cell::Null => "null".to_owned(),
                Cell::Bare(text) => text.clone(),
                Cell::Text(text) => serde_json::to_string(text).unwrap(),
            };
            members.push(format!("{within}\"{name}\"{colon}{value}"));
        }
        if number > 0 && random.percent(30) {
            random.shuffle(&mut members);
        }
        text += &format!("{{{}}}", members.join(","));
        if !style.is_array && !random.percent(10) {
            text.push_str(style.end);
        }
    }
    if style.is_array {
        text += &format!("{}]{}", style.end, style.end);
    }
    (text, lines)
}
