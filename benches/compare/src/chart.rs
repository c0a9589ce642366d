//! Bars as SVG: a block for each workload, a bar for each side in it.

use std::fmt::Write;

use crate::workload::Name;

/// Where bars begin, and how long the longest is.
const LEFT: f64 = 270.0;
const LENGTH: f64 = 470.0;
const WIDTH: f64 = 860.0;
/// Above the first block: the legend and the axis.
const TOP: f64 = 62.0;
const BAR: f64 = 12.0;
const STEP: f64 = 15.0;
const GAP: f64 = 16.0;

/// What is drawn together.
pub struct Block {
    pub label: String,
    pub bars: Vec<Bar>,
}

pub struct Bar {
    pub side: Name,
    pub value: f64,
    /// What stands behind it.
    pub text: String,
}

/// How long bars are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// A line for each power of ten.
    Log,
    Linear,
}

fn colour(side: Name) -> &'static str {
    match side {
        Name::Halite => "#d1495b",
        Name::Raw => "#8d99ae",
        Name::Sqlite => "#00798c",
        Name::DuckDb => "#edae49",
        Name::Parquet => "#6a4c93",
    }
}

/// The powers of ten around all values.
fn decades(blocks: &[Block]) -> (i32, i32) {
    let values = || {
        blocks
            .iter()
            .flat_map(|block| &block.bars)
            .map(|bar| bar.value)
    };
    let least = values().fold(f64::INFINITY, f64::min);
    let most = values().fold(f64::MIN_POSITIVE, f64::max);
    // The shortest bar is still to be seen.
    let first = (least * 0.8).log10().floor() as i32;
    (first, (most.log10().ceil() as i32).max(first + 1))
}

/// Draws the blocks. `tick` says what stands at a power of ten.
pub fn draw(title: &str, blocks: &[Block], scale: Scale, tick: impl Fn(f64) -> String) -> String {
    let (first, last) = decades(blocks);
    let most = blocks.iter().flat_map(|block| &block.bars);
    let most = most.map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
    let length = |value: f64| match scale {
        Scale::Log => (value.log10() - f64::from(first)) / f64::from(last - first) * LENGTH,
        Scale::Linear => value / most * LENGTH,
    };
    let heights = blocks
        .iter()
        .map(|block| block.bars.len() as f64 * STEP + GAP);
    let height = TOP + heights.sum::<f64>();
    let mut svg = head(title, height);
    legend(&mut svg, blocks);
    if scale == Scale::Log {
        for power in first..=last {
            let value = 10_f64.powi(power);
            axis(&mut svg, LEFT + length(value), height, &tick(value));
        }
    }
    let mut top = TOP;
    for block in blocks {
        draw_block(&mut svg, block, top, &length);
        top += block.bars.len() as f64 * STEP + GAP;
    }
    svg.push_str("</svg>\n");
    svg
}

fn head(title: &str, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        escaped(title)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn write_text(svg: &mut String, x: f64, y: f64, attributes: &str, text: &str) {
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{}</text>",
        escaped(text)
    );
}

fn write_bar(svg: &mut String, x: f64, y: f64, width: f64, side: Name) {
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\" rx=\"2\" fill=\"{}\"/>",
        colour(side)
    );
}

/// The sides that have a bar.
fn legend(svg: &mut String, blocks: &[Block]) {
    let mut x = 12.0;
    for side in Name::ALL {
        let mut bars = blocks.iter().flat_map(|block| &block.bars);
        if bars.any(|bar| bar.side == side) {
            write_bar(svg, x, 12.0, BAR, side);
            write_text(svg, x + 18.0, 22.0, "fill=\"#222222\"", side.shown());
            x += 48.0 + 7.0 * side.shown().len() as f64;
        }
    }
}

fn axis(svg: &mut String, x: f64, height: f64, label: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{height}\" stroke=\"#dddddd\"/>",
        TOP - 10.0
    );
    write_text(
        svg,
        x,
        TOP - 16.0,
        "fill=\"#666666\" text-anchor=\"middle\"",
        label,
    );
}

fn draw_block(svg: &mut String, block: &Block, top: f64, length: &dyn Fn(f64) -> f64) {
    let middle = top + block.bars.len() as f64 * STEP / 2.0 + 2.0;
    let right = "fill=\"#222222\" text-anchor=\"end\"";
    write_text(svg, LEFT - 10.0, middle, right, &block.label);
    for (place, bar) in block.bars.iter().enumerate() {
        let (y, width) = (top + place as f64 * STEP, length(bar.value));
        write_bar(svg, LEFT, y, width, bar.side);
        let text = (LEFT + width + 6.0, y + BAR - 2.0);
        write_text(
            svg,
            text.0,
            text.1,
            "fill=\"#444444\" font-size=\"11\"",
            &bar.text,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(values: &[f64]) -> Block {
        let bars = values.iter().zip(Name::ALL);
        Block {
            label: "a < b".to_owned(),
            bars: bars
                .map(|(value, side)| Bar {
                    side,
                    value: *value,
                    text: value.to_string(),
                })
                .collect(),
        }
    }

    #[test]
    fn bars_lie_between_the_powers_of_ten_around_them() {
        assert_eq!(decades(&[block(&[0.002, 0.5])]), (-3, 0));
        // A bar of no length would not be seen.
        assert_eq!(decades(&[block(&[0.001])]), (-4, -3));
        let svg = draw("t", &[block(&[0.001, 0.1])], Scale::Log, |value| {
            value.to_string()
        });
        // From 0.0001 to 0.1: a third, and all of it.
        assert!(
            svg.contains("width=\"156.7\"") && svg.contains("width=\"470.0\""),
            "{svg}"
        );
        assert!(svg.contains("a &lt; b"));
    }
}
