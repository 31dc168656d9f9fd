//! Small plots out of letters: one row or several, and bars.
//!
//! Knows numbers alone. Invariant: nothing is drawn for zero, and something for whatever is more.

/// Eighths of a letter, from the lowest to a whole one.
const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One letter for each value, as high as its share of `max`.
pub fn spark(values: &[f64], max: f64) -> String {
    values
        .iter()
        .map(|value| letter(eighths(*value, max, 8)).unwrap_or(' '))
        .collect()
}

/// Rows from the top down, one column for each value.
pub fn area(values: &[f64], max: f64, rows: usize) -> Vec<String> {
    let height = |value: &f64| eighths(*value, max, rows * 8);
    let row = |row: usize| {
        let cell = |value: &f64| letter(height(value).saturating_sub(row * 8).min(8)).unwrap_or(' ');
        values.iter().map(cell).collect()
    };
    (0..rows).rev().map(row).collect()
}

/// A bar of so many letters, filled by a share between 0 and 1.
pub fn bar(share: f64, letters: usize) -> String {
    let filled = eighths(share, 1.0, letters * 8).div_ceil(8);
    format!("{}{}", "█".repeat(filled), "░".repeat(letters.saturating_sub(filled)))
}

/// As many values as there are columns at most: neighbours share one, and the highest of them is shown.
pub fn fitted(values: &[f64], columns: usize) -> Vec<f64> {
    let each = values.len().div_ceil(columns.max(1)).max(1);
    let highest = |few: &[f64]| few.iter().copied().fold(0.0, f64::max);
    values.chunks(each).map(highest).collect()
}

/// How many eighths of all so many a value fills: none for zero, at least one for more.
fn eighths(value: f64, max: f64, all: usize) -> usize {
    if value.is_nan() || value <= 0.0 || max <= 0.0 {
        return 0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a few letters, between 0 and all of them"
    )]
    let filled = ((value / max).min(1.0) * all as f64).round() as usize;
    filled.max(1)
}

fn letter(eighths: usize) -> Option<char> {
    EIGHTHS.get(eighths.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::area;
    use super::bar;
    use super::fitted;
    use super::spark;

    #[test]
    fn a_spark_shows_zero_as_nothing_and_the_least_as_something() {
        assert_eq!(spark(&[0.0, 0.01, 4.0, 8.0, 9.0], 8.0), " ▁▄██");
        assert_eq!(spark(&[1.0, f64::NAN], 0.0), "  ");
    }

    #[test]
    fn an_area_fills_from_below() {
        assert_eq!(area(&[0.0, 4.0, 12.0, 16.0], 16.0, 2), ["  ▄█", " ▄██"]);
    }

    #[test]
    fn a_bar_is_full_at_one_and_neighbours_share_a_column() {
        assert_eq!(
            (bar(0.0, 4), bar(0.5, 4), bar(1.2, 4)),
            ("░░░░".to_owned(), "██░░".to_owned(), "████".to_owned())
        );
        assert_eq!(fitted(&[1.0, 3.0, 2.0], 2), [3.0, 2.0]);
        assert_eq!(fitted(&[1.0, 3.0], 2), [1.0, 3.0]);
    }
}
