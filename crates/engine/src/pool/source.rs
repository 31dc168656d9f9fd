//! Who sent something, where the anonymous clients count together as one.

use serde::Deserialize;
use serde::Serialize;

use schema::name::ClientId;

/// Who sent something: a client, or the anonymous ones together. No name of a client is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Source(String);

impl Source {
    /// The source of what a client sent.
    pub fn of(client: Option<&ClientId>) -> Source {
        Source(client.map(|client| client.as_str().to_owned()).unwrap_or_default())
    }

    /// The client; `None` for the anonymous ones.
    pub fn client(&self) -> Option<ClientId> {
        ClientId::parse(&self.0)
    }

    /// Whether it is the anonymous ones.
    pub fn is_anonymous(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_anonymous_ones_are_one_source() {
        let ana = ClientId::parse("ana");
        assert!(Source::of(None).is_anonymous() && !Source::of(ana.as_ref()).is_anonymous());
        assert_eq!(Source::of(ana.as_ref()).client(), ana);
        assert_eq!(Source::of(None).client(), None);
    }
}
