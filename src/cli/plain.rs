//! Texts from elsewhere, made fit for a terminal.

/// A text in one line that steers no terminal: control characters and marks that turn the reading direction are spaces.
pub fn plain(text: &str) -> String {
    let fit = |c: char| {
        !c.is_control() && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if fit(c) { c } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn what_is_shown_steers_no_terminal() {
        assert_eq!(plain("win\u{1b}[2Jdow\n\u{202e}x\u{200f}é"), "win [2Jdow  x é");
    }
}
