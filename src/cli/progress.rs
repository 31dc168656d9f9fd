//! Progress on standard error, of what takes long: a bar on a terminal; in a log or a pipe, where nobody waits before it, nothing.

use std::io::IsTerminal;

use indicatif::ProgressBar;
use indicatif::ProgressStyle;

/// How far something is.
pub struct Progress {
    /// None where standard error is no terminal.
    bar: Option<ProgressBar>,
}

impl Progress {
    /// In the form that suits standard error.
    pub fn standard(what: &'static str) -> Progress {
        Progress {
            bar: std::io::stderr().is_terminal().then(|| bar(what)),
        }
    }

    /// So much is done of so much.
    pub fn at(&self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// It is done.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish();
        }
    }
}

fn bar(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    // A template that is wrong leaves the bar in its own style.
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {elapsed}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(what);
    bar
}
