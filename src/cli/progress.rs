//! Progress on standard error, of what takes long: a bar on a terminal; in a log or a pipe, where nobody waits before it, nothing.

use indicatif::ProgressBar;
use indicatif::ProgressStyle;

/// How far something is; a bar that is hidden by itself where standard error is no terminal.
pub struct Progress(ProgressBar);

impl Progress {
    /// Of what is called so.
    pub fn standard(what: &'static str) -> Progress {
        let bar = ProgressBar::new(0).with_message(what);
        // A template that is wrong leaves the bar in its own style.
        if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {elapsed}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Progress(bar)
    }

    /// So much is done of so much.
    pub fn at(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }

    /// It is done.
    pub fn finish(&self) {
        self.0.finish();
    }
}
