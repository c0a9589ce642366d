//! A scan on one line of EXPLAIN.

use std::fmt;

use datafusion::physical_plan::DisplayFormatType;

use super::ScanRequest;
use super::request::FirstOfGroups;
use crate::store::Direction;

/// How many bytes of dynamic filters are shown.
const MOST_SHOWN: usize = 500;

/// `ScanExec: table=cpu, ranges=3, buckets=2, pieces=4, order=forward, limit=5, first of=(host), residual=[…], projection=[…]`, what does not
/// apply left out; as a tree, one `name=value` to a line.
pub(super) fn fmt(
    request: &ScanRequest,
    pieces: Option<usize>,
    format: DisplayFormatType,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let fields = fields(request, pieces);
    match format {
        DisplayFormatType::Default | DisplayFormatType::Verbose => {
            write!(f, "ScanExec: {}", fields.join(", "))
        }
        DisplayFormatType::TreeRender => fields.iter().try_for_each(|field| writeln!(f, "{field}")),
    }
}

/// Which families are read, of a table that has some.
fn families(request: &ScanRequest) -> Option<String> {
    let declared = &request.table.table().families;
    if declared.is_empty() {
        return None;
    }
    let read = request.families();
    // The first one has no name.
    let first = read.has(0).then_some("rest");
    let others = declared.iter().zip(1..);
    let others = others.filter(|(_, number)| read.has(*number));
    let names = others.map(|(family, _)| family.name.as_str());
    let names: Vec<&str> = first.into_iter().chain(names).collect();
    Some(format!("families=[{}]", names.join(", ")))
}

fn fields(request: &ScanRequest, pieces: Option<usize>) -> Vec<String> {
    let runs = request.spans.runs();
    let ranges = request.listed_ranges();
    let ranges = ranges.map_or_else(|| "walk".to_owned(), |ranges| ranges.to_string());
    let mut fields = vec![
        format!("table={}", request.table.name()),
        format!("ranges={ranges}"),
    ];
    let has_buckets = request.table.row_key().bucket_part().is_some();
    if has_buckets && runs.iter().all(|run| run.bucket.is_some()) {
        fields.push(format!("buckets={}", runs.len()));
    }
    fields.extend(pieces.map(|pieces| format!("pieces={pieces}")));
    fields.push(format!("order={}", order(request)));
    fields.extend(request.fetch.map(|limit| format!("limit={limit}")));
    fields.extend(request.first_of.map(|first| first_of(request, first)));
    if !request.residual.is_empty() {
        let conjuncts = request.residual.iter().map(|residual| &residual.expression);
        fields.push(format!("residual=[{}]", joined(conjuncts)));
    }
    fields.extend(families(request));
    let columns = request.table.all_columns();
    let shown = request
        .projection
        .iter()
        .filter_map(|position| columns.get(*position));
    let names: Vec<&str> = shown.map(|column| column.name.as_str()).collect();
    fields.push(format!("projection=[{}]", names.join(", ")));
    if !request.dynamic.is_empty() {
        let mut filters = joined(request.dynamic.iter());
        shorten(&mut filters, MOST_SHOWN);
        fields.push(format!("dynamic=[{filters}]"));
    }
    fields
}

/// Leaves out what is behind so many bytes: a join may name thousands of keys.
fn shorten(text: &mut String, most: usize) {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
}

fn order(request: &ScanRequest) -> &'static str {
    match (request.in_order, request.direction) {
        (_, Direction::Backward) => "backward",
        (true, Direction::Forward) => "forward",
        (false, Direction::Forward) => "none",
    }
}

/// `first of=(host, hour(ts))`: the parts of the key that rows are grouped by; `first 3 of=…` where three are needed.
fn first_of(request: &ScanRequest, first: FirstOfGroups) -> String {
    let parts = request.table.row_key().parts().iter().take(first.parts);
    let parts: Vec<String> = parts.map(|part| part.expression().to_string()).collect();
    let rows = match first.rows {
        1 => String::new(),
        rows => format!("{rows} "),
    };
    format!("first {rows}of=({})", parts.join(", "))
}

fn joined(filters: impl Iterator<Item = impl ToString>) -> String {
    let filters: Vec<String> = filters.map(|filter| filter.to_string()).collect();
    filters.join(" AND ")
}
