//! Regular expressions that are part of the program.

use regex::Regex;

/// Compiles a constant, ignoring case.
pub fn fixed(pattern: &str) -> Regex {
    exact(&format!("(?i){pattern}"))
}

/// Compiles a constant as it stands.
#[expect(
    clippy::expect_used,
    reason = "every caller passes a constant that the tests compile"
)]
pub fn exact(pattern: &str) -> Regex {
    regex::RegexBuilder::new(pattern)
        .size_limit(64 << 20)
        .build()
        .expect("a constant pattern compiles")
}
