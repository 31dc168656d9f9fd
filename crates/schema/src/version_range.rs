//! Which versions of a schema a client takes: one, or those that a requirement lets through (Z-182).
//!
//! `1.3.0` is that version alone. Everything else is a requirement as the `semver` crate reads it: `^1`, `~1.2`, `1.*`, `>=1.2, <3`;
//! a shortened version, such as `1.3`, stands for `^1.3`. Knows no schemas.

use std::fmt;

use semver::VersionReq;

use crate::template::Version;

/// What a text must be to be read, for who wrote another one.
pub const FORM: &str = "must be a version such as 1.3.0, or a requirement such as ^1, ~1.2 or >=1.2, <3";

/// The versions that a client takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionRange {
    One(Version),
    Fitting(VersionReq),
}

impl VersionRange {
    /// Reads a version or a requirement; `None` for what is neither.
    pub fn parse(text: &str) -> Option<VersionRange> {
        let one = Version::parse(text).map(VersionRange::One);
        one.or_else(|| VersionReq::parse(text).ok().map(VersionRange::Fitting))
    }

    /// Whether a version is among them.
    pub fn includes(&self, version: Version) -> bool {
        let Version { major, minor, patch } = version;
        match self {
            VersionRange::One(one) => *one == version,
            VersionRange::Fitting(required) => {
                required.matches(&semver::Version::new(major.into(), minor.into(), patch.into()))
            }
        }
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VersionRange::One(version) => version.fmt(f),
            VersionRange::Fitting(required) => required.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::VersionRange;
    use crate::template::Version;

    #[test]
    fn a_version_stands_for_itself_and_a_requirement_for_what_it_lets_through_z182() {
        for (text, fits, others) in [
            ("1.3.0", &["1.3.0"][..], &["1.3.1", "1.4.0", "2.3.0"][..]),
            ("^1", &["1.0.0", "1.9.3"], &["0.9.0", "2.0.0"]),
            ("1.3", &["1.3.0", "1.4.0"], &["1.2.9", "2.0.0"]),
            ("~1.2", &["1.2.0", "1.2.7"], &["1.3.0"]),
            ("=1.2.3", &["1.2.3"], &["1.2.4"]),
            (">=1.2, <3", &["1.2.0", "2.9.9"], &["1.1.9", "3.0.0"]),
            ("1.*", &["1.0.0", "1.7.0"], &["2.0.0"]),
            ("*", &["0.0.1", "4294967295.0.0"], &[]),
            ("^0.2", &["0.2.5"], &["0.3.0", "1.0.0"]),
        ] {
            let range = VersionRange::parse(text).unwrap_or_else(|| panic!("{text}"));
            let includes = |version: &&str| range.includes(Version::parse(version).expect("a version"));
            assert!(fits.iter().all(includes), "{text}");
            assert!(!others.iter().any(includes), "{text}");
        }
        let many = |count: usize| vec![">=1"; count].join(",");
        // The crate takes 32 parts.
        assert!(VersionRange::parse(&many(32)).is_some() && VersionRange::parse(&many(33)).is_none());
        for text in [
            "",
            " ",
            "latest",
            "v1",
            "1.2.3.4",
            "01.0.0",
            "^1 <2",
            "^",
            "1.0.0;",
            "4294967296.0.0.0",
        ] {
            assert_eq!(VersionRange::parse(text), None, "{text:?}");
        }
    }
}
