//! Drawing a table of text: which columns fit, how wide they are, and the lines around them.

use std::io::{self, Write};

use super::super::style::{Colors, Role};
use super::super::text::{fit, width};
use super::ends::Row;

/// What a column of text keeps at least when it is cut, if it has as much.
const NARROWEST: usize = 8;
/// The widest value that is never cut, although a part of it would mislead: of a number, of a date.
const WIDEST_WHOLE: usize = 30;
/// What a column takes beside its text: a line and two spaces.
const MARGIN: usize = 3;

/// One column's heading.
pub struct Heading {
    /// Its name.
    pub name: String,
    /// Its type, shown under the name.
    pub type_name: String,
    /// Whether its values stand on the right.
    pub right: bool,
    /// Whether a value says something else when a part of it is missing: a number, a date.
    pub whole: bool,
}

/// How wide a column would like to be, and how narrow it can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    /// That of its widest line.
    pub natural: usize,
    /// That of what must not be cut.
    pub least: usize,
}

/// A column as it is drawn, or the place of those that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Which column; `None` stands for all that are left out.
    pub column: Option<usize>,
    /// The columns of the terminal that its text gets.
    pub width: usize,
}

const GAP: Slot = Slot {
    column: None,
    width: 1,
};

/// Fits columns into `room`: the widest are cut first, none below what it can do with; then columns in the middle are
/// left out, the first never.
pub fn layout(widths: &[Width], room: usize) -> Vec<Slot> {
    let slots = |cut: usize, kept: &[usize]| {
        let slot = |&column: &usize| Slot {
            column: Some(column),
            width: widths.get(column).map_or(0, |width| width.at(cut)),
        };
        kept.iter().map(slot).collect::<Vec<_>>()
    };
    let all: Vec<usize> = (0..widths.len()).collect();
    let narrow = slots(0, &all);
    let (front, back) = kept_ends(&narrow, room);
    let kept: Vec<usize> = all
        .iter()
        .copied()
        .filter(|&column| column < front || column >= widths.len() - back)
        .collect();
    let left_out = kept.len() < widths.len();
    let room = room.saturating_sub(if left_out { GAP.width + MARGIN } else { 0 });
    let kept_widths: Vec<Width> = kept
        .iter()
        .filter_map(|&column| widths.get(column).copied())
        .collect();
    let mut best = slots(widest_cut(&kept_widths, room), &kept);
    if let [only] = best.as_mut_slice() {
        // The first column is there even if its values do not fit.
        only.width = only.width.min(room.saturating_sub(MARGIN + 1).max(1));
    }
    if left_out {
        best.insert(front, GAP);
    }
    best
}

impl Width {
    /// The width where columns are cut to `cut`.
    fn at(self, cut: usize) -> usize {
        self.natural.min(cut.max(self.least))
    }
}

/// How many columns of the front and of the back fit when each is as narrow as can be.
fn kept_ends(narrow: &[Slot], room: usize) -> (usize, usize) {
    if total(narrow) <= room {
        return (narrow.len(), 0);
    }
    let (mut front, mut back) = (0, 0);
    let mut used = total(&[GAP]);
    loop {
        // The front goes first, then they take turns.
        let next = if front <= back {
            front
        } else {
            narrow.len() - 1 - back
        };
        let Some(slot) = narrow.get(next).filter(|_| front + back < narrow.len()) else {
            return (front, back);
        };
        used += slot.width + MARGIN;
        if used > room && front > 0 {
            return (front, back);
        }
        if front <= back {
            front += 1;
        } else {
            back += 1;
        }
    }
}

/// The greatest width to cut columns to so that they fit.
fn widest_cut(widths: &[Width], room: usize) -> usize {
    let fits = |cut: usize| {
        let widths = widths.iter().map(|width| width.at(cut) + MARGIN);
        widths.sum::<usize>() < room
    };
    let (mut low, mut high) = (
        0,
        widths.iter().map(|width| width.natural).max().unwrap_or(0),
    );
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// The width of a drawn line: every column with its margin, and the last line.
fn total(slots: &[Slot]) -> usize {
    slots.iter().map(|slot| slot.width + MARGIN).sum::<usize>() + 1
}

/// The width of a drawing in which nothing is cut.
pub fn whole_width(widths: &[Width]) -> usize {
    let columns = widths.iter().map(|width| width.natural + MARGIN);
    columns.sum::<usize>() + 1
}

/// The table's widths and its writer.
pub struct Drawing<'a> {
    /// What is drawn.
    pub slots: Vec<Slot>,
    /// The headings of all columns.
    pub headings: &'a [Heading],
    /// Colours of the output.
    pub colors: Colors,
    /// Whether what is wider than its column is cut; else it moves the others.
    pub cuts: bool,
    /// Where to.
    pub out: &'a mut dyn Write,
}

impl Drawing<'_> {
    /// Draws the top line and the headings.
    pub fn head(&mut self) -> io::Result<()> {
        let headings = self.headings;
        self.rule(["┌", "┬", "┐"])?;
        self.line(|column| {
            let name = headings.get(column).map_or("", |heading| &heading.name);
            (name, Some(Role::Heading))
        })?;
        self.line(|column| {
            let name = headings
                .get(column)
                .map_or("", |heading| &heading.type_name);
            (name, Some(Role::Quiet))
        })?;
        self.rule(["├", "┼", "┤"])
    }

    /// Draws a row, on as many lines as its cells have.
    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        let lines: Vec<Vec<&str>> = row
            .iter()
            .map(|cell| cell.text.split('\n').collect())
            .collect();
        let shown = self.slots.iter().filter_map(|slot| lines.get(slot.column?));
        let height = shown.map(Vec::len).max().unwrap_or(1);
        for number in 0..height {
            self.line(|column| {
                let text = lines
                    .get(column)
                    .and_then(|lines| lines.get(number).copied());
                let absent = row.get(column).is_some_and(|cell| cell.absent);
                (text.unwrap_or(""), absent.then_some(Role::Absent))
            })?;
        }
        Ok(())
    }

    /// Draws the row that stands for rows that are not shown.
    pub fn gap(&mut self) -> io::Result<()> {
        self.line(|_| ("·", Some(Role::Quiet)))
    }

    /// Draws the last line.
    pub fn end(&mut self) -> io::Result<()> {
        self.rule(["└", "┴", "┘"])
    }

    fn line<'t>(&mut self, cell: impl Fn(usize) -> (&'t str, Option<Role>)) -> io::Result<()> {
        let mut line = "│".to_owned();
        for slot in &self.slots {
            let (text, role) = slot.column.map_or(("…", Some(Role::Quiet)), &cell);
            let heading = slot.column.and_then(|column| self.headings.get(column));
            let right = heading.is_some_and(|heading| heading.right);
            let text = if self.cuts || width(text) <= slot.width {
                fit(text, slot.width, right)
            } else {
                text.to_owned()
            };
            line.push(' ');
            match role {
                Some(role) => line.push_str(&self.colors.paint(role, &text)),
                None => line.push_str(&text),
            }
            line.push_str(" │");
        }
        writeln!(self.out, "{line}")
    }

    fn rule(&mut self, [left, between, right]: [&str; 3]) -> io::Result<()> {
        let parts: Vec<String> = self
            .slots
            .iter()
            .map(|slot| "─".repeat(slot.width + 2))
            .collect();
        writeln!(self.out, "{left}{}{right}", parts.join(between))
    }
}

/// The widths of columns with these rows.
pub fn widths<'a>(headings: &[Heading], rows: impl Iterator<Item = &'a Row>) -> Vec<Width> {
    let mut of_values = vec![0; headings.len()];
    for row in rows {
        for (widest, cell) in of_values.iter_mut().zip(row) {
            let cell = cell.text.split('\n').map(width).max().unwrap_or(0);
            *widest = cell.max(*widest);
        }
    }
    let of_column = |(heading, values): (&Heading, usize)| {
        let natural = width(&heading.name)
            .max(width(&heading.type_name))
            .max(values);
        let whole = if heading.whole {
            values.min(WIDEST_WHOLE)
        } else {
            0
        };
        Width {
            natural,
            least: natural.min(NARROWEST.max(whole)),
        }
    };
    headings.iter().zip(of_values).map(of_column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(natural: usize) -> Width {
        let least = natural.min(NARROWEST);
        Width { natural, least }
    }

    fn whole(natural: usize) -> Width {
        let least = natural;
        Width { natural, least }
    }

    fn shown(widths: &[Width], room: usize) -> Vec<(Option<usize>, usize)> {
        let slots = layout(widths, room);
        slots.iter().map(|slot| (slot.column, slot.width)).collect()
    }

    fn widths(natural: &[usize], room: usize) -> Vec<(Option<usize>, usize)> {
        let widths: Vec<Width> = natural.iter().copied().map(text).collect();
        shown(&widths, room)
    }

    #[test]
    fn numbers_are_not_cut() {
        // Beside the texts stand 3 for each and the last line: 7.
        let columns = [text(20), whole(12)];
        assert_eq!(shown(&columns, 30), [(Some(0), 11), (Some(1), 12)]);
        assert_eq!(shown(&columns, 27), [(Some(0), 8), (Some(1), 12)]);
        // Rather is a column left out.
        assert_eq!(shown(&columns, 26), [(Some(0), 18), (None, 1)]);
        // The first is there, whatever it is.
        let columns = [whole(20), text(8)];
        assert_eq!(shown(&columns, 20), [(Some(0), 12), (None, 1)]);
        assert_eq!(shown(&[whole(20)], 10), [(Some(0), 6)]);
    }

    #[test]
    fn what_fits_is_left_alone() {
        // 4 + 6 of text, 3 beside each, 1 for the last line.
        assert_eq!(widths(&[4, 6], 17), [(Some(0), 4), (Some(1), 6)]);
        assert_eq!(widths(&[], 10), []);
        assert_eq!(
            widths(&[500, 3], usize::MAX),
            [(Some(0), 500), (Some(1), 3)]
        );
    }

    #[test]
    fn the_widest_column_is_cut_first() {
        assert_eq!(
            widths(&[4, 60, 30], 80),
            [(Some(0), 4), (Some(1), 36), (Some(2), 30)]
        );
        assert_eq!(
            widths(&[4, 600, 300], 80),
            [(Some(0), 4), (Some(1), 33), (Some(2), 33)]
        );
    }

    #[test]
    fn columns_in_the_middle_are_left_out_when_cutting_is_not_enough() {
        // Each takes 11 at its narrowest, the gap 4 and the last line 1: four fit.
        let expected = [
            (Some(0), 8),
            (Some(1), 8),
            (None, 1),
            (Some(8), 8),
            (Some(9), 8),
        ];
        assert_eq!(widths(&[20; 10], 50), expected);
        // The room that whole columns leave is given to those that stay.
        let widened = widths(&[20; 10], 59);
        assert_eq!(widened.first(), Some(&(Some(0), 10)));
        assert_eq!(widened.len(), 5);
    }

    #[test]
    fn a_drawing_is_never_wider_than_its_room() {
        for columns in 1..12 {
            for wish in [1, 7, 8, 9, 30, 1000] {
                for room in 20..120 {
                    for width in [text(wish), whole(wish)] {
                        let slots = layout(&vec![width; columns], room);
                        assert!(
                            total(&slots) <= room,
                            "{columns} × {width:?} in {room}: {slots:?}"
                        );
                        assert_eq!(slots.first().map(|slot| slot.column), Some(Some(0)));
                    }
                }
            }
        }
    }
}
