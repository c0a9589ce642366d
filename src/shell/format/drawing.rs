//! Drawing a table of text: which columns fit, how wide they are, and the lines around them.

use std::io::{self, Write};

use super::super::text::{fit, width};

/// What a cut column keeps at least, if it has as much.
const NARROWEST: usize = 8;
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
}

/// The cells of a row, one per column.
pub type Row = Vec<String>;

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

/// Fits columns that would like to be so wide into `room`: the widest are cut first, none below [`NARROWEST`]; then
/// columns in the middle are left out, the first never.
pub fn layout(natural: &[usize], room: usize) -> Vec<Slot> {
    let slots = |cut: usize, kept: &[usize]| {
        let slot = |&column: &usize| Slot {
            column: Some(column),
            width: natural.get(column).map_or(0, |&wish| wish.min(cut)),
        };
        kept.iter().map(slot).collect::<Vec<_>>()
    };
    let all: Vec<usize> = (0..natural.len()).collect();
    let narrow = slots(NARROWEST, &all);
    let (front, back) = kept_ends(&narrow, room);
    let kept: Vec<usize> = all
        .iter()
        .copied()
        .filter(|&column| column < front || column >= natural.len() - back)
        .collect();
    let left_out = kept.len() < natural.len();
    let room = room.saturating_sub(if left_out { GAP.width + MARGIN } else { 0 });
    let mut best = slots(widest_cut(natural, &kept, room), &kept);
    if left_out {
        best.insert(front, GAP);
    }
    best
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

/// The greatest width to cut the kept columns to so that they fit; at least [`NARROWEST`].
fn widest_cut(natural: &[usize], kept: &[usize], room: usize) -> usize {
    let wishes = kept.iter().filter_map(|&column| natural.get(column));
    let fits = |cut: usize| {
        let widths = wishes.clone().map(|&wish| wish.min(cut) + MARGIN);
        widths.sum::<usize>() < room
    };
    let (mut low, mut high) = (NARROWEST, wishes.clone().copied().max().unwrap_or(0));
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

/// The table's widths and its writer.
pub struct Drawing<'a> {
    /// What is drawn.
    pub slots: Vec<Slot>,
    /// The headings of all columns.
    pub headings: &'a [Heading],
    /// Where to.
    pub out: &'a mut dyn Write,
}

impl Drawing<'_> {
    /// Draws the top line and the headings.
    pub fn head(&mut self) -> io::Result<()> {
        let headings = self.headings;
        self.rule(["┌", "┬", "┐"])?;
        self.line(|column| headings.get(column).map_or("", |heading| &heading.name))?;
        self.line(|column| {
            headings
                .get(column)
                .map_or("", |heading| &heading.type_name)
        })?;
        self.rule(["├", "┼", "┤"])
    }

    /// Draws a row, on as many lines as its cells have.
    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        let lines: Vec<Vec<&str>> = row.iter().map(|cell| cell.split('\n').collect()).collect();
        let shown = self.slots.iter().filter_map(|slot| lines.get(slot.column?));
        let height = shown.map(Vec::len).max().unwrap_or(1);
        for number in 0..height {
            let part = |column: usize| lines.get(column)?.get(number).copied();
            self.line(|column| part(column).unwrap_or(""))?;
        }
        Ok(())
    }

    /// Draws the row that stands for rows that are not shown.
    pub fn gap(&mut self) -> io::Result<()> {
        self.line(|_| "·")
    }

    /// Draws the last line.
    pub fn end(&mut self) -> io::Result<()> {
        self.rule(["└", "┴", "┘"])
    }

    fn line<'t>(&mut self, text_of: impl Fn(usize) -> &'t str) -> io::Result<()> {
        let mut line = "│".to_owned();
        for slot in &self.slots {
            let text = slot.column.map_or("…", &text_of);
            let heading = slot.column.and_then(|column| self.headings.get(column));
            let right = heading.is_some_and(|heading| heading.right);
            line.push(' ');
            line.push_str(&fit(text, slot.width, right));
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

/// The width that each column would like to have: that of its widest line.
pub fn natural_widths<'a>(headings: &[Heading], rows: impl Iterator<Item = &'a Row>) -> Vec<usize> {
    let of_heading = |heading: &Heading| width(&heading.name).max(width(&heading.type_name));
    let mut widths: Vec<usize> = headings.iter().map(of_heading).collect();
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            let cell = cell.split('\n').map(width).max().unwrap_or(0);
            *widest = cell.max(*widest);
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(natural: &[usize], room: usize) -> Vec<(Option<usize>, usize)> {
        let slots = layout(natural, room);
        slots.iter().map(|slot| (slot.column, slot.width)).collect()
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
                    let slots = layout(&vec![wish; columns], room);
                    assert!(
                        total(&slots) <= room,
                        "{columns} × {wish} in {room}: {slots:?}"
                    );
                    assert_eq!(slots.first().map(|slot| slot.column), Some(Some(0)));
                }
            }
        }
    }
}
