//! Cohorts: named groups of clients that may have keys of their own, as the operator declares them (Z-098).
//!
//! Pure: who is in which cohort is a function of what was declared, handed to whoever decides or serves. Invariant: a
//! client is in one cohort at most. A name that is declared as such goes before a pattern, a longer pattern before a
//! shorter one.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::pool::gate::Audience;
use schema::name::ClientId;
use schema::name::CohortId;

/// Cohorts that may be declared.
pub const COHORTS_MAX: usize = 100;
/// Clients and patterns that may be declared, of all cohorts together.
pub const MEMBERS_MAX: usize = 10_000;

/// Who is in which cohort. In settings: name -> clients, where a `*` at the end stands for any rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, Vec<String>>", into = "BTreeMap<String, Vec<String>>")]
pub struct Cohorts {
    named: BTreeMap<ClientId, CohortId>,
    /// What a client's name begins with.
    prefixes: BTreeMap<String, CohortId>,
    /// All that these name.
    ids: BTreeSet<CohortId>,
}

/// For whom a template is made: a client and its cohort, as far as there are any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Addressee<'a> {
    pub client: Option<&'a ClientId>,
    pub cohort: Option<&'a CohortId>,
}

impl Addressee<'_> {
    /// Whether what is meant for an audience is meant for this one.
    pub fn is_among(&self, audience: &Audience) -> bool {
        match audience {
            Audience::Global => true,
            Audience::Cohort(cohort) => self.cohort == Some(cohort),
            Audience::Client(client) => self.client == Some(client),
        }
    }
}

impl Cohorts {
    /// Reads what was declared.
    ///
    /// # Errors
    /// Names the cohort whose name, or one of whose clients, is malformed or declared twice, or that there are too many.
    pub fn declare<'a, N: AsRef<str>, M: AsRef<str> + 'a, L: AsRef<[M]>>(
        declared: impl IntoIterator<Item = (N, L)>,
    ) -> Result<Cohorts, String> {
        let mut cohorts = Cohorts::default();
        for (name, members) in declared {
            for member in members.as_ref() {
                cohorts.add(name.as_ref(), member.as_ref())?;
            }
        }
        Ok(cohorts)
    }

    /// Puts a client, or all whose names begin so, into a cohort.
    ///
    /// # Errors
    /// As [`Cohorts::declare`].
    pub fn add(&mut self, name: &str, member: &str) -> Result<(), String> {
        let fault = |what: &str| Err(format!("cohort {name:?}: {what}"));
        let Some(cohort) = CohortId::parse(name) else {
            return fault(
                "a cohort's name is 1 to 64 lower-case letters, digits, `_` and `-`, and begins with a letter",
            );
        };
        self.ids.insert(cohort.clone());
        let is_pattern =
            |prefix: &str| prefix.len() <= 128 && prefix.bytes().all(|b| b.is_ascii_graphic() && b != b'*');
        let known = match (member.strip_suffix('*'), ClientId::parse(member)) {
            (Some(prefix), _) if is_pattern(prefix) => self.prefixes.insert(prefix.to_owned(), cohort),
            (Some(_), _) => {
                return fault(
                    "a pattern is what clients' names begin with, at most 128 visible ASCII characters, and a `*`",
                );
            }
            (None, Some(client)) => self.named.insert(client, cohort),
            (None, None) => return fault("a client's name is 1 to 128 visible ASCII characters"),
        };
        if known.is_some() {
            return fault("a client or pattern of it is declared already");
        }
        if self.named.len() + self.prefixes.len() > MEMBERS_MAX {
            return fault(&format!("at most {MEMBERS_MAX} clients and patterns may be declared"));
        }
        if self.ids.len() > COHORTS_MAX {
            return fault(&format!("at most {COHORTS_MAX} cohorts may be declared"));
        }
        Ok(())
    }

    /// Whether none is declared.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.prefixes.is_empty()
    }

    /// The cohort that a client is in.
    pub fn of(&self, client: &ClientId) -> Option<&CohortId> {
        self.named.get(client).or_else(|| self.longest(client.as_str()))
    }

    /// The cohort of the longest pattern that a name begins as.
    fn longest(&self, name: &str) -> Option<&CohortId> {
        let mut ends = (0..=name.len()).rev().filter(|_| !self.prefixes.is_empty());
        ends.find_map(|end| self.prefixes.get(name.get(..end)?))
    }

    /// A client with its cohort; an anonymous one has none.
    pub fn addressee<'a>(&'a self, client: Option<&'a ClientId>) -> Addressee<'a> {
        Addressee {
            client,
            cohort: client.and_then(|client| self.of(client)),
        }
    }

    /// Whoever an audience consists of, as far as all of it is served the same.
    pub fn addressed<'a>(&'a self, audience: &'a Audience) -> Addressee<'a> {
        match audience {
            Audience::Global => Addressee::default(),
            Audience::Cohort(cohort) => Addressee {
                client: None,
                cohort: Some(cohort),
            },
            Audience::Client(client) => self.addressee(Some(client)),
        }
    }

    /// Whether a client is among an audience.
    pub fn reaches(&self, audience: &Audience, client: Option<&ClientId>) -> bool {
        self.addressee(client).is_among(audience)
    }
}

impl TryFrom<BTreeMap<String, Vec<String>>> for Cohorts {
    type Error = String;

    fn try_from(declared: BTreeMap<String, Vec<String>>) -> Result<Cohorts, String> {
        Cohorts::declare(&declared)
    }
}

impl From<Cohorts> for BTreeMap<String, Vec<String>> {
    fn from(cohorts: Cohorts) -> Self {
        let mut declared = BTreeMap::<String, Vec<String>>::new();
        let named = cohorts
            .named
            .iter()
            .map(|(client, cohort)| (cohort, client.to_string()));
        let prefixes = cohorts
            .prefixes
            .iter()
            .map(|(prefix, cohort)| (cohort, format!("{prefix}*")));
        for (cohort, member) in named.chain(prefixes) {
            declared.entry(cohort.to_string()).or_default().push(member);
        }
        declared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(name: &str) -> ClientId {
        ClientId::parse(name).expect("a client")
    }

    fn cohort(cohorts: &Cohorts, name: &str) -> Option<String> {
        cohorts.of(&client(name)).map(ToString::to_string)
    }

    #[test]
    fn a_client_is_in_one_cohort_at_most_the_one_that_names_it_most_closely_z098() {
        let declared = [
            ("fleet", vec!["bus-*", "tram-7"]),
            ("night", vec!["bus-n*", "bus-1"]),
            ("rest", vec!["x*"]),
        ];
        let cohorts = Cohorts::declare(declared).expect("cohorts");
        for (name, expected) in [
            ("bus-2", Some("fleet")),
            ("bus-", Some("fleet")),
            ("bus", None),
            ("bus-n4", Some("night")),
            ("bus-1", Some("night")),
            ("bus-11", Some("fleet")),
            ("tram-7", Some("fleet")),
            ("tram-77", None),
            ("x", Some("rest")),
        ] {
            assert_eq!(cohort(&cohorts, name).as_deref(), expected, "{name}");
        }
        let all = Cohorts::declare([("all", vec!["*"])]).expect("cohorts");
        assert_eq!(cohort(&all, "anybody").as_deref(), Some("all"));
        assert!(Cohorts::default().is_empty() && !all.is_empty());
        // An anonymous client is in none.
        assert_eq!(all.addressee(None), Addressee::default());
    }

    #[test]
    fn what_cannot_be_is_named_z098() {
        for (name, member, said) in [
            ("Fleet", "a", "lower-case"),
            ("", "a", "lower-case"),
            ("1st", "a", "begins with a letter"),
            ("fleet", "", "1 to 128"),
            ("fleet", "a b", "1 to 128"),
            ("fleet", "a*b*", "begin with"),
            ("fleet", "a b*", "begin with"),
        ] {
            let error = Cohorts::declare([(name, vec![member])]).expect_err("nothing of the kind");
            assert!(error.contains(said), "{error}");
        }
        for twice in [["a*", "a*"], ["a", "a"]] {
            let declared = [("fleet", vec![twice[0]]), ("night", vec![twice[1]])];
            let error = Cohorts::declare(declared).expect_err("in two cohorts");
            assert!(error.contains("\"night\"") && error.contains("already"), "{error}");
        }
        let many = |count: usize| (0..count).map(|n| (format!("c{n}"), vec![format!("client-{n}")]));
        assert!(Cohorts::declare(many(COHORTS_MAX)).is_ok());
        let error = Cohorts::declare(many(COHORTS_MAX + 1)).expect_err("too many");
        assert!(error.contains("at most 100 cohorts"), "{error}");
    }

    #[test]
    fn what_is_for_a_cohort_reaches_its_members_alone_z098_z104() {
        let cohorts = Cohorts::declare([("fleet", vec!["bus-*"]), ("night", vec!["owl"])]).expect("cohorts");
        let fleet = Audience::Cohort(CohortId::parse("fleet").expect("a cohort"));
        let own = Audience::Client(client("bus-1"));
        for (name, of_fleet, of_client) in [("bus-1", true, true), ("bus-2", true, false), ("owl", false, false)] {
            assert_eq!(cohorts.reaches(&fleet, Some(&client(name))), of_fleet, "{name}");
            assert_eq!(cohorts.reaches(&own, Some(&client(name))), of_client, "{name}");
            assert!(cohorts.reaches(&Audience::Global, Some(&client(name))));
        }
        assert!(!cohorts.reaches(&fleet, None) && cohorts.reaches(&Audience::Global, None));
        // A member is served what its cohort is.
        assert!(cohorts.addressed(&own).is_among(&fleet));
        assert!(!cohorts.addressed(&fleet).is_among(&own));
    }

    #[test]
    fn what_was_declared_reads_back_the_same_z098() {
        let declared = BTreeMap::from([("fleet".to_owned(), vec!["tram-7".to_owned(), "bus-*".to_owned()])]);
        let cohorts = Cohorts::try_from(declared.clone()).expect("cohorts");
        assert_eq!(BTreeMap::from(cohorts.clone()), declared);
        let text = serde_json::to_string(&cohorts).expect("text");
        assert_eq!(serde_json::from_str::<Cohorts>(&text).expect("cohorts"), cohorts);
    }
}
