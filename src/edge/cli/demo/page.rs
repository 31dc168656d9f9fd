//! The page that the story is printed on: its width, its colours, and the letters that it may use.
//!
//! Knows nothing of the story. Invariants: without colour no control code is written; in ASCII no other character is; a
//! block of words is never wider than the page, but for a word that is wider itself.

use std::io::IsTerminal;

use console::Term;

/// Columns where nothing says how wide the terminal is.
const WIDTH: usize = 80;
/// A page is never narrower or wider than this.
const WIDTHS: (usize, usize) = (60, 100);

/// Where lines go.
pub type Sink<'a> = &'a dyn Fn(&str);

/// A page.
pub struct Page<'a> {
    pub width: usize,
    colour: bool,
    ascii: bool,
    sink: Sink<'a>,
}

/// How words look on a terminal with colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Strong,
    Faint,
    /// Days and headings.
    Head,
    /// What is born, used or promoted.
    Good,
    /// What is warm, or waits.
    Warm,
    /// What leaves.
    Bad,
    /// What is one client's own.
    Own,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Plain => "",
            Paint::Strong => "1",
            Paint::Faint => "2",
            Paint::Head => "1;36",
            Paint::Good => "32",
            Paint::Warm => "33",
            Paint::Bad => "31",
            Paint::Own => "35",
        }
    }
}

impl<'a> Page<'a> {
    /// A page of a width.
    pub fn new(width: usize, colour: bool, ascii: bool, sink: Sink<'a>) -> Page<'a> {
        Page {
            width: width.clamp(WIDTHS.0, WIDTHS.1),
            colour,
            ascii,
            sink,
        }
    }

    /// The page that suits standard output.
    pub fn standard(no_color: bool, ascii: bool, sink: Sink<'a>) -> Page<'a> {
        let said = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let terminal = std::io::stdout().is_terminal();
        let dumb = said("TERM").is_some_and(|term| term == "dumb");
        let width = Term::stdout()
            .size_checked()
            .filter(|_| terminal)
            .map_or(WIDTH, |(_, columns)| usize::from(columns));
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(said);
        let locale = locale.map(|locale| locale.to_string_lossy().into_owned());
        Page::new(
            width,
            terminal && !dumb && !no_color && said("NO_COLOR").is_none(),
            ascii || !speaks_utf8(locale.as_deref()),
            sink,
        )
    }

    /// Words in their colour; names between backticks stand out.
    pub fn paint(&self, paint: Paint, words: &str) -> String {
        let words = self.letters(words);
        if !self.colour || words.is_empty() {
            return words;
        }
        let code = paint.code();
        let mut painted = String::new();
        for (place, part) in words.split('`').enumerate() {
            let code = if place % 2 == 1 { "1" } else { code };
            if part.is_empty() {
                continue;
            }
            if code.is_empty() {
                painted.push_str(part);
            } else {
                painted.push_str(&format!("\u{1b}[{code}m{part}\u{1b}[0m"));
            }
        }
        painted
    }

    /// One line, as it is.
    pub fn line(&self, line: &str) {
        (self.sink)(self.letters(line).trim_end());
    }

    /// An empty line.
    pub fn gap(&self) {
        (self.sink)("");
    }

    /// Words from a column on, as many lines as they need; `lead` stands before the first and is `column` wide.
    pub fn block(&self, lead: &str, column: usize, paint: Paint, words: &str) {
        let words = self.letters(words);
        for (place, line) in wrapped(&words, self.width.saturating_sub(column)).iter().enumerate() {
            let before = if place == 0 {
                lead.to_owned()
            } else {
                " ".repeat(column)
            };
            self.line(&format!("{before}{}", self.paint(paint, line)));
        }
    }

    /// Words beside a bar from a column on: what they say stands apart from what happened.
    pub fn aside(&self, column: usize, words: &str) {
        let bar = self.paint(Paint::Head, "│");
        let words = self.letters(words);
        for line in wrapped(&words, self.width.saturating_sub(column + 2)) {
            self.line(&format!(
                "{}{bar} {}",
                " ".repeat(column),
                self.paint(Paint::Faint, &line)
            ));
        }
    }

    /// A heading in a rule over the whole width, with something at its right end.
    pub fn rule(&self, left: &str, right: &str) {
        let (left, right) = (self.letters(left), self.letters(right));
        let behind = if right.is_empty() { 0 } else { right.chars().count() + 1 };
        let taken = " ── ".chars().count() + left.chars().count() + 1 + behind + 1;
        let line = self.letters(&"─".repeat(self.width.saturating_sub(taken).max(1)));
        let dash = self.letters("──");
        let head = self.paint(Paint::Head, &left);
        let (dash, line) = (self.paint(Paint::Faint, &dash), self.paint(Paint::Faint, &line));
        let right = self.paint(Paint::Faint, &right);
        self.line(&format!(" {dash} {head} {line} {right}"));
    }

    /// The letters that the page may use.
    fn letters(&self, words: &str) -> String {
        if !self.ascii || words.is_ascii() {
            return words.to_owned();
        }
        let mut plain = String::with_capacity(words.len());
        for letter in words.chars() {
            match letter {
                _ if letter.is_ascii() => plain.push(letter),
                '─' | '–' | '·' | '═' => plain.push('-'),
                '→' => plain.push_str("->"),
                '“' | '”' => plain.push('"'),
                '’' => plain.push('\''),
                '≥' => plain.push_str(">="),
                '│' => plain.push('|'),
                '░' | '▁' => plain.push('.'),
                '▂' => plain.push(':'),
                '▃' => plain.push('-'),
                '▄' => plain.push('='),
                '▅' => plain.push('+'),
                '▆' => plain.push('*'),
                '▇' => plain.push('%'),
                '█' => plain.push('#'),
                _ => plain.push('?'),
            }
        }
        plain
    }
}

/// Whether a locale's letters are those of Unicode.
fn speaks_utf8(locale: Option<&str>) -> bool {
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Words in lines of at most so many letters; a longer word has a line of its own.
fn wrapped(words: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in words.split_whitespace() {
        let long = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && long > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::Page;
    use super::Paint;
    use super::speaks_utf8;
    use super::wrapped;

    #[test]
    fn words_are_wrapped_at_the_edge_and_never_lost() {
        assert_eq!(wrapped("ab cd ef", 5), ["ab cd", "ef"]);
        assert_eq!(wrapped("ab cd ef", 4), ["ab", "cd", "ef"]);
        assert_eq!(wrapped("a abcdefgh b", 4), ["a", "abcdefgh", "b"]);
        assert_eq!(wrapped("", 4), [""]);
    }

    #[test]
    fn colour_is_written_only_where_there_is_some_and_ascii_holds_nothing_else() {
        let lines = RefCell::new(Vec::new());
        let sink = |line: &str| lines.borrow_mut().push(line.to_owned());
        let page = Page::new(80, false, true, &sink);
        page.rule("Day 1", "3 payloads");
        page.block("  heat ", 7, Paint::Warm, "▁▄█ → “hot” ≥ 50 ü");
        page.line(&page.paint(Paint::Good, "`key`"));
        assert_eq!(lines.borrow()[1..3], ["  heat .=# -> \"hot\" >= 50 ?", "`key`"]);
        assert!(
            lines
                .borrow()
                .iter()
                .all(|line| line.is_ascii() && !line.contains('\u{1b}'))
        );
        page.rule("The end", "");
        for rule in [0, 3] {
            assert_eq!(lines.borrow()[rule].chars().count(), 79, "{:?}", lines.borrow());
        }
        let page = Page::new(80, true, false, &sink);
        assert_eq!(
            page.paint(Paint::Good, "a `key`"),
            "\u{1b}[32ma \u{1b}[0m\u{1b}[1mkey\u{1b}[0m"
        );
    }

    #[test]
    fn a_page_is_neither_too_narrow_nor_too_wide() {
        let sink = |_: &str| {};
        for (asked, width) in [(10, 60), (60, 60), (61, 61), (100, 100), (101, 100)] {
            assert_eq!(Page::new(asked, false, false, &sink).width, width);
        }
    }

    #[test]
    fn the_locale_says_which_letters_there_are() {
        for (locale, utf8) in [
            (Some("C.UTF-8"), true),
            (Some("de_DE.utf8"), true),
            (Some("C"), false),
            (None, false),
        ] {
            assert_eq!(speaks_utf8(locale), utf8, "{locale:?}");
        }
    }
}
