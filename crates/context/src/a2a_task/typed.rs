//! Which published schema a part means by its `type` and `schemaVersion` (P-009, P-011 … P-015, P-038).
//!
//! Each type versions by itself; the same major version is safe to process, whatever the minor. Invariant: a version is never
//! stretched over a major.

use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::template::Version;

/// A schema that is published for what a part names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub schema_id: SchemaId,
    pub scenario: ScenarioKey,
    pub version: Version,
    pub retired: bool,
    /// Whether it is the one that clients are given.
    pub in_force: bool,
    /// Revision of its publication.
    pub published: u64,
    /// Revision of its publication, or of its last retirement or restoration.
    pub changed: u64,
}

impl Known {
    /// Whether it may have taken submissions at a revision: it was published, and not retired for good.
    fn was_open(&self, revision: u64) -> bool {
        self.published <= revision && !(self.retired && self.changed <= revision)
    }
}

/// What a type and version come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// This schema reads it.
    Schema(SchemaId),
    /// It is what the work is about, and no submission.
    Context,
    /// Nothing is published under that name.
    Unknown,
    /// The name is known, but no schema of that major version takes submissions; these majors do.
    OtherMajor(Vec<u32>),
}

/// Which word beside a submission says otherwise than the schema that it names itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// Its type is of another scenario, or a schema of another major version.
    Type,
    /// Its version is of another major than this one.
    Version(u32),
}

/// Whether a type and a version, where they are said, agree with the schema that a submission names itself: the same scenario and the
/// same major version, whatever the minor (P-009, P-013, P-014). `typed` is what the type names.
pub fn contradiction(own: &Known, typed: Option<&[Known]>, wanted: Option<Version>) -> Option<Contradiction> {
    let same_major = |version: Version| version.major == own.version.major;
    let mut kin = typed
        .into_iter()
        .flatten()
        .filter(|known| known.scenario == own.scenario)
        .peekable();
    if typed.is_some() && kin.peek().is_none() {
        return Some(Contradiction::Type);
    }
    if wanted.is_some_and(|wanted| !same_major(wanted)) {
        return Some(Contradiction::Version(own.version.major));
    }
    (typed.is_some() && !kin.any(|known| same_major(known.version))).then_some(Contradiction::Type)
}

/// Reads `MAJOR.MINOR` or `MAJOR.MINOR.PATCH`; a patch that is left out is 0 (P-015).
pub fn version(text: &str) -> Option<Version> {
    match text.split('.').count() {
        2 => Version::parse(&format!("{text}.0")),
        3 => Version::parse(text),
        _ => None,
    }
}

/// The schema that reads a part of this version among those that its type names: of the same major the newest that is not
/// retired, or the one in force where no version is said. `pinned` is the revision that the part is to be judged by: then those
/// of that revision count, also one that was retired since, and what was published later does not.
pub fn fit(wanted: Option<Version>, pinned: Option<u64>, known: &[Known]) -> Fit {
    if known.is_empty() {
        return Fit::Unknown;
    }
    let then = pinned.and_then(|revision| {
        known
            .iter()
            .filter(|known| known.was_open(revision))
            .filter(|known| wanted.is_none_or(|wanted| known.version.major == wanted.major))
            .max_by_key(|known| known.version)
    });
    if let Some(then) = then {
        return Fit::Schema(then.schema_id.clone());
    }
    let open = || known.iter().filter(|known| !known.retired);
    let found = match wanted {
        None => open()
            .find(|known| known.in_force)
            .or_else(|| open().max_by_key(|known| known.version)),
        Some(wanted) => open()
            .filter(|known| known.version.major == wanted.major)
            .max_by_key(|known| known.version),
    };
    match found {
        Some(known) => Fit::Schema(known.schema_id.clone()),
        None => {
            let mut majors: Vec<u32> = open().map(|known| known.version.major).collect();
            majors.sort_unstable();
            majors.dedup();
            Fit::OtherMajor(majors)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Contradiction;
    use super::Fit;
    use super::Known;
    use super::ScenarioKey;
    use super::SchemaId;
    use super::Version;
    use super::contradiction;
    use super::fit;
    use super::version;

    fn known(id: &str, text: &str, retired: bool, in_force: bool) -> Known {
        Known {
            schema_id: SchemaId::parse(id).expect("an id"),
            scenario: ScenarioKey::parse(id.split('_').next().unwrap_or(id)).expect("a name"),
            version: Version::parse(text).expect("a version"),
            retired,
            in_force,
            published: 0,
            changed: 0,
        }
    }

    fn id(fit: &Fit) -> &str {
        match fit {
            Fit::Schema(id) => id.as_str(),
            Fit::Context => "context",
            Fit::Unknown => "unknown",
            Fit::OtherMajor(_) => "other",
        }
    }

    #[test]
    fn two_components_are_enough_p015() {
        assert_eq!(version("1.0"), Version::parse("1.0.0"));
        assert_eq!(version("2.3.4"), Version::parse("2.3.4"));
        for wrong in ["1", "1.0.0.0", "v1.0", "1.x", "", "01.0", "-1.0"] {
            assert_eq!(version(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_same_major_is_read_and_another_is_not_p012_p013_p014() {
        let line = [
            known("a_v1", "1.0.0", false, false),
            known("a_v1_2", "1.2.0", false, true),
            known("a_v1_3", "1.3.0", true, false),
            known("a_v3", "3.0.0", false, false),
        ];
        assert_eq!(id(&fit(version("1.0"), None, &line)), "a_v1_2");
        assert_eq!(
            id(&fit(version("1.9"), None, &line)),
            "a_v1_2",
            "a newer minor is read, what is unknown is ignored"
        );
        assert_eq!(id(&fit(version("3.1"), None, &line)), "a_v3");
        assert_eq!(fit(version("2.0"), None, &line), Fit::OtherMajor(vec![1, 3]));
        assert_eq!(fit(version("4.0"), None, &line), Fit::OtherMajor(vec![1, 3]));
        assert_eq!(fit(version("0.9"), None, &line), Fit::OtherMajor(vec![1, 3]));
    }

    #[test]
    fn type_and_version_agree_with_the_schema_that_a_submission_names_p009_p013_p014() {
        let line = [
            known("a_v1", "1.0.0", true, false),
            known("a_v1_2", "1.2.0", false, false),
            known("a_v2", "2.0.0", false, true),
        ];
        let other = [known("b_v1", "1.0.0", false, true)];
        let [older, own, next] = &line;
        for (typed, wanted, expected) in [
            (None, None, None),
            (None, version("1.9"), None),
            (None, version("2.0"), Some(Contradiction::Version(1))),
            (None, version("0.9"), Some(Contradiction::Version(1))),
            (Some(&line[..]), None, None),
            (Some(&line[..]), version("1.0"), None),
            (Some(&line[..]), version("2.0"), Some(Contradiction::Version(1))),
            (Some(std::slice::from_ref(older)), None, None),
            (Some(std::slice::from_ref(next)), None, Some(Contradiction::Type)),
            (
                Some(std::slice::from_ref(next)),
                version("1.2"),
                Some(Contradiction::Type),
            ),
            (Some(&other[..]), None, Some(Contradiction::Type)),
            (Some(&other[..]), version("2.0"), Some(Contradiction::Type)),
            (Some(&[]), None, Some(Contradiction::Type)),
        ] {
            assert_eq!(contradiction(own, typed, wanted), expected, "{typed:?} {wanted:?}");
        }
    }

    #[test]
    fn without_a_version_the_one_in_force_reads_it_p011() {
        let line = [
            known("a_v1", "1.0.0", false, true),
            known("a_v2", "2.0.0", false, false),
        ];
        assert_eq!(id(&fit(None, None, &line)), "a_v1");
        assert_eq!(id(&fit(None, None, &line[1..])), "a_v2");
        assert_eq!(fit(None, None, &[]), Fit::Unknown);
        assert_eq!(
            fit(None, None, &[known("a_v1", "1.0.0", true, false)]),
            Fit::OtherMajor(Vec::new())
        );
    }

    #[test]
    fn a_pinned_part_is_read_by_what_was_there_at_its_revision_p012() {
        let at = |id: &str, text: &str, retired: bool, published: u64, changed: u64| Known {
            published,
            changed,
            ..known(id, text, retired, false)
        };
        let line = [
            at("a_v1", "1.0.0", false, 1, 1),
            at("a_v1_1", "1.1.0", true, 5, 20),
            at("a_v1_2", "1.2.0", false, 9, 9),
            at("a_v2", "2.0.0", false, 12, 12),
        ];
        for (wanted, pinned, expected) in [
            (version("1.0"), 1, "a_v1"),
            (version("1.0"), 4, "a_v1"),
            (version("1.0"), 5, "a_v1_1"),
            (version("1.0"), 9, "a_v1_2"),
            (version("1.0"), 12, "a_v1_2"),
            (None, 1, "a_v1"),
            (None, 9, "a_v1_2"),
            (None, 12, "a_v2"),
            (version("2.0"), 11, "a_v2"),
        ] {
            assert_eq!(
                id(&fit(wanted, Some(pinned), &line)),
                expected,
                "{wanted:?} at {pinned}"
            );
        }
        let gone = [at("a_v1", "1.0.0", false, 1, 1), at("a_v1_1", "1.1.0", true, 5, 7)];
        assert_eq!(id(&fit(None, Some(6), &gone)), "a_v1_1", "retired since");
        assert_eq!(id(&fit(None, Some(7), &gone)), "a_v1", "retired by then");
        assert_eq!(fit(version("3.0"), Some(12), &line), Fit::OtherMajor(vec![1, 2]));
    }
}
