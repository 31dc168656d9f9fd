//! What was sent so far and what came back; what rules look at, and what further requests are made of.
//!
//! Knows no connection. Invariant: nothing here holds a key or a header that was sent with one.

use std::collections::BTreeMap;

use otherwise_client::address::Address;
use serde_json::Value;

use crate::probe::Probe;
use crate::template::Template;
use crate::template::items;
use crate::verdict::Finding;
use crate::verdict::not_tried;

/// One request and its response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchange {
    /// Method and path with query.
    pub request: String,
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

    /// Whether the server has nothing at this address.
    pub fn is_absent(&self) -> bool {
        matches!(self.status, 404 | 405 | 501)
    }

    /// The response in two or three words.
    pub fn summary(&self) -> String {
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

    /// The template in it, where it was taken.
    pub fn template(&self) -> Option<Template<'_>> {
        Template::find(&self.body).filter(|_| self.is_success())
    }

    /// An object in it, where it was taken.
    pub fn object(&self, member: &str) -> Option<&serde_json::Map<String, Value>> {
        self.body[member].as_object().filter(|_| self.is_success())
    }
}

/// What became of a request: what came back, or why nothing did.
pub type Outcome = Result<Exchange, Finding>;

/// Everything so far.
#[derive(Clone, Debug)]
pub struct Transcript {
    pub server: Address,
    /// The scenario that was named.
    pub named: Option<String>,
    /// The name of the scratch scenario, where one is published.
    pub scratch: Option<String>,
    /// Whether submissions are real ones.
    pub submits: bool,
    pub outcomes: BTreeMap<Probe, Outcome>,
    /// Why the server gave no answer that can be read, where it gave none.
    pub silence: Option<String>,
}

impl Transcript {
    /// What came back for a request, whatever it says.
    pub fn exchange(&self, probe: Probe) -> Option<&Exchange> {
        self.outcomes.get(&probe)?.as_ref().ok()
    }

    /// The response to a request.
    ///
    /// # Errors
    /// Why there is none to judge by; of a submission also that the server knows no dry run and nothing is submitted for real.
    pub fn answer(&self, probe: Probe) -> Result<&Exchange, Finding> {
        if probe.is_submission() && probe != Probe::Least {
            self.answer(Probe::Least)?;
        }
        let answered = match self.outcomes.get(&probe) {
            Some(outcome) => outcome.as_ref().map_err(Finding::clone)?,
            None => return not_tried("nothing was sent"),
        };
        match answered.status {
            401 | 403 => not_tried(format!(
                "answered {}: it wants a key, or one with another role",
                answered.summary()
            )),
            429 | 503 => not_tried(format!("answered {}", answered.summary())),
            _ if probe == Probe::Least && !self.submits && answered.is_absent() => {
                not_tried("there is no dry run (submissions:validate); --publish or --submit sends real submissions")
            }
            _ => Ok(answered),
        }
    }

    /// Whether a request was answered with success.
    pub fn took(&self, probe: Probe) -> bool {
        self.answer(probe).is_ok_and(Exchange::is_success)
    }

    /// The scenario that is looked at: the scratch one, the named one, or the first that is listed.
    pub fn scenario(&self) -> Option<&str> {
        let own = self.scratch.as_deref().or(self.named.as_deref());
        own.or_else(|| self.listed().first().copied())
    }

    /// The scenarios that are listed.
    pub fn listed(&self) -> Vec<&str> {
        let listed = self.answer(Probe::Listing).into_iter();
        let rows = listed.flat_map(|listed| items(&listed.body, "scenarios"));
        rows.filter_map(|row| row["scenario"].as_str()).collect()
    }

    /// The template as it was negotiated.
    ///
    /// # Errors
    /// Why there is none.
    pub fn template(&self) -> Result<Template<'_>, Finding> {
        let answered = self.answer(Probe::Negotiate)?;
        match answered.template() {
            Some(template) => Ok(template),
            None if answered.is_success() => not_tried("the negotiation was not answered with a template"),
            None => not_tried(format!("the negotiation was answered {}", answered.summary())),
        }
    }
}
