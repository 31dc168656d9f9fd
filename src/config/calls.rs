//! What this service calls: the language model, and the server agents' executors.
//!
//! What each setting means stands in [`crate::config::catalogue::calls`].

use serde::Deserialize;
use serde::Serialize;

use schema::question::Use;

/// The language model that helps the rules; off while `url` is empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    pub url: String,
    pub name: String,
    /// Where the key is, never the key.
    pub key_env: String,
    pub key_file: String,
    pub uses: Vec<Use>,
    pub timeout_s: u64,
    pub concurrency_max: usize,
    pub queue_max: usize,
    pub calls_per_day: u64,
    pub tokens_per_day: u64,
    pub judge_budget_share: f64,
    pub answer_tokens_max: u64,
    pub answer_bytes_max: usize,
    pub pause_after_faults: u32,
    pub pause_s: u64,
}

impl Default for Model {
    fn default() -> Self {
        Model {
            url: String::new(),
            name: String::new(),
            key_env: String::new(),
            key_file: String::new(),
            uses: Use::OF_KEYS.to_vec(),
            timeout_s: 20,
            concurrency_max: 2,
            queue_max: 32,
            calls_per_day: 500,
            tokens_per_day: 1_000_000,
            judge_budget_share: 0.5,
            answer_tokens_max: 1_024,
            answer_bytes_max: 64 * 1024,
            pause_after_faults: 5,
            pause_s: 60,
        }
    }
}

/// The server agents' executors, whatever templates name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Executors {
    pub hosts: Vec<String>,
    pub inner_hosts: Vec<String>,
    /// Where the tokens are, never the tokens.
    pub tokens: Vec<String>,
    pub timeout_ms_max: u64,
    pub attempts_max: u64,
    pub answer_bytes_max: usize,
    pub calls_each_max: usize,
    pub calls_max: usize,
    pub pause_after_faults: u32,
    pub pause_s: u64,
}

impl Default for Executors {
    fn default() -> Self {
        Executors {
            hosts: Vec::new(),
            inner_hosts: Vec::new(),
            tokens: Vec::new(),
            timeout_ms_max: 30_000,
            attempts_max: 5,
            answer_bytes_max: 256 * 1024,
            calls_each_max: 32,
            calls_max: 256,
            pause_after_faults: 5,
            pause_s: 30,
        }
    }
}
