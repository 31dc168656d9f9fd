//! Progress on standard error: a bar on a terminal, now and then a plain line in a pipe.

use std::cell::Cell;
use std::io::IsTerminal;

use indicatif::ProgressBar;
use indicatif::ProgressStyle;

use crate::edge::cli;

/// How far something is.
pub struct Progress {
    what: &'static str,
    form: Form,
}

enum Form {
    Bar(ProgressBar),
    /// Tenths said so far.
    Lines(Cell<u64>),
}

impl Progress {
    /// In the form that suits standard error.
    pub fn standard(what: &'static str) -> Progress {
        Progress::new(what, std::io::stderr().is_terminal())
    }

    fn new(what: &'static str, terminal: bool) -> Progress {
        let form = if terminal {
            let bar = ProgressBar::new(0);
            // A template that is wrong leaves the bar in its own style.
            if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {elapsed}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_message(what);
            Form::Bar(bar)
        } else {
            Form::Lines(Cell::new(0))
        };
        Progress { what, form }
    }

    /// So much is done of so much.
    pub fn at(&self, done: u64, total: u64) {
        match &self.form {
            Form::Bar(bar) => {
                bar.set_length(total);
                bar.set_position(done);
            }
            Form::Lines(said) => {
                if let Some(line) = line(self.what, said, done, total) {
                    cli::tell(&line);
                }
            }
        }
    }

    /// It is done.
    pub fn finish(&self) {
        match &self.form {
            Form::Bar(bar) => bar.finish(),
            Form::Lines(_) => {}
        }
    }
}

/// The line that is due, if one is: one for each tenth.
fn line(what: &str, said: &Cell<u64>, done: u64, total: u64) -> Option<String> {
    let tenths = done.saturating_mul(10).checked_div(total)?;
    if tenths <= said.get() {
        return None;
    }
    said.set(tenths);
    Some(format!("{what}: {done} of {total}"))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::line;

    #[test]
    fn a_pipe_gets_one_line_for_each_tenth() {
        let said = Cell::new(0);
        let lines: Vec<String> = (0..=1000)
            .filter_map(|done| line("replay", &said, done, 1000))
            .collect();
        assert_eq!(lines.len(), 10);
        assert_eq!(lines.first().map(String::as_str), Some("replay: 100 of 1000"));
        assert_eq!(lines.last().map(String::as_str), Some("replay: 1000 of 1000"));
        assert_eq!(line("replay", &Cell::new(0), 0, 0), None);
    }
}
