//! A webhook: who is told of what, and how long is waited after a call that failed.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::scenario::change_feed::Topic;
use schema::name::ScenarioKey;
use schema::time::At;
use text::name::hexadecimal;

text::plain_name! {
    /// A webhook's id: `wh_` and 32 hexadecimal digits.
    WebhookId
}

impl WebhookId {
    /// The id made of sixteen random bytes.
    pub fn of(random: [u8; 16]) -> WebhookId {
        WebhookId(format!("wh_{}", hexadecimal(&random)))
    }
}

/// Who is told of what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webhook {
    pub url: String,
    /// Empty for every scenario, those to come included.
    #[serde(default)]
    pub scenarios: BTreeSet<ScenarioKey>,
    /// Empty for every topic.
    #[serde(default)]
    pub topics: BTreeSet<Topic>,
    /// When it was registered: what happened earlier is not told.
    pub since: At,
}

/// Why a webhook went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Removal {
    /// Somebody deleted it.
    Asked,
    /// It answered 410 Gone.
    Gone,
}

impl Webhook {
    /// Whether it is told anything of a scenario.
    pub fn hears_of(&self, scenario: &ScenarioKey) -> bool {
        self.scenarios.is_empty() || self.scenarios.contains(scenario)
    }

    /// Whether it is told of this topic, when it happened then.
    pub fn wants(&self, topic: Topic, at: At) -> bool {
        at >= self.since && (self.topics.is_empty() || self.topics.contains(&topic))
    }
}

/// Milliseconds until the next call after so many in a row that failed: the first pause doubled with each further one, up
/// to the longest; of that at least half, and of the other half `share_ppm` millionths, so that those who failed together
/// do not come back together.
pub fn pause_ms(failures: u32, first_ms: u64, longest_ms: u64, share_ppm: u32) -> u64 {
    let doubled = failures.saturating_sub(1).min(63);
    let whole = u128::from(first_ms) << doubled;
    let whole = u64::try_from(whole).unwrap_or(u64::MAX).min(longest_ms.max(first_ms));
    let half = whole / 2;
    let spread = u128::from(whole - half) * u128::from(share_ppm.min(1_000_000)) / 1_000_000;
    half.saturating_add(u64::try_from(spread).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_are_spread_over_their_second_half() {
        let whole = |failures| pause_ms(failures, 1_000, 60_000, 1_000_000);
        assert_eq!(
            [1, 2, 3, 6, 7, 64, u32::MAX].map(whole),
            [1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]
        );
        assert_eq!(pause_ms(0, 1_000, 60_000, 1_000_000), 1_000);
        assert_eq!(pause_ms(3, 1_000, 60_000, 0), 2_000);
        assert_eq!(pause_ms(3, 1_000, 60_000, 500_000), 3_000);
        assert_eq!(pause_ms(3, 1_000, 60_000, u32::MAX), 4_000);
        assert_eq!(pause_ms(9, 5_000, 1_000, 1_000_000), 5_000, "never less than the first");
        assert_eq!(pause_ms(64, u64::MAX, u64::MAX, 1_000_000), u64::MAX);
    }

    #[test]
    fn a_webhook_hears_what_it_asked_for_from_its_registration_on() {
        let scenario = |name| ScenarioKey::parse(name).expect("a scenario");
        let all = Webhook {
            url: "https://example.com".to_owned(),
            scenarios: [].into(),
            topics: [].into(),
            since: At(10),
        };
        assert!(all.hears_of(&scenario("a")));
        assert!(all.wants(Topic::PatchStaged, At(10)) && !all.wants(Topic::PatchStaged, At(9)));
        let some = Webhook {
            scenarios: [scenario("a")].into(),
            topics: [Topic::SchemaRetired].into(),
            ..all
        };
        assert!(some.hears_of(&scenario("A")) && !some.hears_of(&scenario("b")));
        assert!(some.wants(Topic::SchemaRetired, At(11)) && !some.wants(Topic::PatchStaged, At(11)));
    }

    #[test]
    fn an_id_is_plain_ascii() {
        assert_eq!(WebhookId::of([0xab; 16]).as_str(), format!("wh_{}", "ab".repeat(16)));
    }
}
