//! What was sent so far and what came back; what rules look at, and what further requests are made of.
//!
//! Knows no connection. Invariant: nothing here holds a key or a header that was sent with one.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::edge::cli::conformance::check::Finding;
use crate::edge::cli::conformance::probe::Probe;
use crate::edge::cli::conformance::subject::Subject;

/// One request and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// Method and path with query.
    pub asked: String,
    pub sent: Option<String>,
    pub status: u16,
    pub media_type: Option<String>,
    pub etag: Option<String>,
    pub content_language: Option<String>,
    /// The body as text.
    pub text: String,
    /// `null` when the text is no JSON.
    pub body: Value,
}

impl Exchange {
    /// Whether it was taken.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the caller was told that it is the caller's mistake.
    pub fn is_refusal(&self) -> bool {
        (400..500).contains(&self.status)
    }

    /// What was answered, in two or three words.
    pub fn told(&self) -> String {
        match self.code() {
            Some(code) => format!("{} {code}", self.status),
            None => self.status.to_string(),
        }
    }

    /// The symbolic code of a refusal: of a problem document, or of an error object in it.
    pub fn code(&self) -> Option<&str> {
        let places = ["/code", "/error/code", "/error/data/code"];
        places
            .iter()
            .find_map(|place| self.body.pointer(place).and_then(Value::as_str))
    }
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Answered(Box<Exchange>),
    /// It was not sent, and why.
    Skipped(Finding),
    /// It was sent, and nothing that can be read came back.
    Silent(String),
}

/// Everything so far.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The address under which the server's paths lie.
    pub base: String,
    /// Whether it is https.
    pub secure: bool,
    /// Whether it lies on this machine.
    pub here: bool,
    /// The scenario that was named.
    pub named: Option<String>,
    /// Of several listed scenarios, the one that shows most.
    pub richest: Option<String>,
    /// The name of the scratch scenario, where one is published.
    pub scratch: Option<String>,
    /// Whether submissions are sent in earnest.
    pub earnest: bool,
    pub outcomes: BTreeMap<Probe, Outcome>,
}

impl Scene {
    /// The answer to a request.
    ///
    /// # Errors
    /// Why there is none to judge by.
    pub fn answer(&self, probe: Probe) -> Result<&Exchange, Finding> {
        match self.outcomes.get(&probe) {
            Some(Outcome::Answered(exchange)) => match exchange.status {
                401 | 403 => Err(Finding::NotTried(format!(
                    "answered {}: it wants a key, or one with another role",
                    exchange.told()
                ))),
                429 | 503 => Err(Finding::NotTried(format!("answered {}", exchange.told()))),
                _ => Ok(exchange),
            },
            Some(Outcome::Skipped(finding)) => Err(finding.clone()),
            Some(Outcome::Silent(why)) => Err(Finding::NotTried(format!("no answer: {why}"))),
            None => Err(Finding::NotTried("nothing was sent".to_owned())),
        }
    }

    /// The scenario that is looked at: the scratch one, the named one, the one that shows most, or the first that is listed.
    pub fn scenario(&self) -> Option<&str> {
        let own = self.scratch.as_deref().or(self.named.as_deref());
        own.or(self.richest.as_deref())
            .or_else(|| self.listed().first().copied())
    }

    /// The scenarios that are listed.
    pub fn listed(&self) -> Vec<&str> {
        let listed = self.answer(Probe::Listing).ok();
        let rows = listed.and_then(|listed| listed.body["scenarios"].as_array());
        rows.into_iter()
            .flatten()
            .filter_map(|row| row["scenario"].as_str())
            .collect()
    }

    /// The template as it was negotiated.
    ///
    /// # Errors
    /// Why there is none.
    pub fn subject(&self) -> Result<Subject<'_>, Finding> {
        let answered = self.answer(Probe::Negotiate)?;
        if !answered.is_success() {
            return Err(Finding::NotTried(format!(
                "the negotiation was answered {}",
                answered.told()
            )));
        }
        Subject::of(&answered.body)
            .ok_or_else(|| Finding::NotTried("the negotiation was not answered with a template".to_owned()))
    }

    /// The answer to a submission.
    ///
    /// # Errors
    /// Why there is none to judge by; where submissions are not sent in earnest and the server knows no dry run as well.
    pub fn submission(&self, probe: Probe) -> Result<&Exchange, Finding> {
        let least = self.answer(Probe::Least)?;
        if !self.earnest && matches!(least.status, 404 | 405 | 501) {
            return Err(Finding::NotTried(
                "there is no dry run (submissions:validate); --publish or --submit sends real submissions".to_owned(),
            ));
        }
        self.answer(probe)
    }
}
