//! The requests that may be sent, each once and in this order, made of what was answered before.
//!
//! Pure: says what would be sent, or why not. Invariant: a request needs only ones that stand before it, and none changes a
//! hosted scenario unless submissions are sent in earnest.

use hyper::Method;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::edge::cli::address::encoded;
use crate::edge::cli::conformance::check::Finding;
use crate::edge::cli::conformance::scene::Scene;
use crate::edge::cli::conformance::scratch;
use crate::edge::cli::conformance::scratch::DEFECTS;
use crate::edge::cli::conformance::scratch::Defect;
use schema::name::OTHER;

/// A key that no template has.
pub const STRANGE_KEY: &str = "otherwise_conformance_stranger";
/// A language that no template speaks: Klingon.
pub const STRANGE_LANGUAGE: &str = "tlh";
/// Names that nothing is hosted by.
const STRANGE_SCENARIO: &str = "otherwise_conformance_nowhere";
const STRANGE_SCHEMA: &str = "otherwise_conformance_nowhere_v1";
/// Characters of the long `other`: well within what a body may hold.
const LONG: usize = 16_384;
/// An entity tag that no template has.
const STRANGE_TAG: &str = "\"otherwise-conformance\"";

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Probe {
    Listing,
    Publish,
    PublishAgain,
    PublishChanged,
    Defective(Defect),
    Negotiate,
    NegotiateAgain,
    Wrapped,
    Foreign,
    Translated,
    UnknownScenario,
    Spelled,
    Template,
    Held,
    NotHeld,
    AsOf,
    Settled,
    Stored,
    Least,
    Full,
    Fresh,
    Empty,
    Misfit,
    Nulls,
    Stranger,
    OtherText,
    OtherList,
    OtherLong,
    OtherEmpty,
    OtherHostile,
    OtherNumber,
    UnknownSchema,
    BrokenJson,
    PayloadList,
    Updates,
    Withdrawn,
    Stale,
    Retire,
    Retired,
}

/// What is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub method: Method,
    /// Path with query, under the server's address.
    pub path: String,
    pub body: Option<String>,
    pub if_none_match: Option<String>,
    /// Over a connection of its own, which ends with it.
    pub fresh: bool,
}

/// Every request, in the order in which they are sent.
pub fn all() -> Vec<Probe> {
    let mut all = vec![
        Probe::Listing,
        Probe::Publish,
        Probe::PublishAgain,
        Probe::PublishChanged,
    ];
    all.extend(DEFECTS.map(Probe::Defective));
    all.extend([
        Probe::Negotiate,
        Probe::NegotiateAgain,
        Probe::Wrapped,
        Probe::Foreign,
        Probe::Translated,
        Probe::UnknownScenario,
        Probe::Spelled,
        Probe::Template,
        Probe::Held,
        Probe::NotHeld,
        Probe::AsOf,
        Probe::Settled,
        Probe::Stored,
        Probe::Least,
        Probe::Full,
        Probe::Fresh,
        Probe::Empty,
        Probe::Misfit,
        Probe::Nulls,
        Probe::Stranger,
        Probe::OtherText,
        Probe::OtherList,
        Probe::OtherLong,
        Probe::OtherEmpty,
        Probe::OtherHostile,
        Probe::OtherNumber,
        Probe::UnknownSchema,
        Probe::BrokenJson,
        Probe::PayloadList,
        Probe::Updates,
        Probe::Withdrawn,
        Probe::Stale,
        Probe::Retire,
        Probe::Retired,
    ]);
    all
}

impl Probe {
    /// Requests without whose answers this one cannot be made or judged.
    pub fn needs(self) -> &'static [Probe] {
        match self {
            Probe::Listing | Probe::Publish | Probe::UnknownScenario => &[],
            Probe::PublishAgain | Probe::PublishChanged | Probe::Retire => &[Probe::Publish],
            Probe::Defective(_) => &[Probe::Publish],
            Probe::Retired => &[Probe::Publish, Probe::Negotiate, Probe::Least, Probe::Retire],
            // Without a scratch scenario the listing says which one is looked at.
            Probe::Negotiate => &[Probe::Listing, Probe::Publish],
            Probe::NegotiateAgain
            | Probe::Wrapped
            | Probe::Foreign
            | Probe::Translated
            | Probe::Spelled
            | Probe::Template
            | Probe::Stored
            | Probe::Updates
            | Probe::Least => &[Probe::Negotiate],
            Probe::Held | Probe::NotHeld | Probe::AsOf | Probe::Settled => &[Probe::Negotiate, Probe::Template],
            Probe::Full
            | Probe::Fresh
            | Probe::Empty
            | Probe::Misfit
            | Probe::Nulls
            | Probe::Stranger
            | Probe::OtherText
            | Probe::OtherList
            | Probe::OtherLong
            | Probe::OtherEmpty
            | Probe::OtherHostile
            | Probe::OtherNumber
            | Probe::UnknownSchema
            | Probe::BrokenJson
            | Probe::PayloadList
            | Probe::Stale => &[Probe::Negotiate, Probe::Least],
            Probe::Withdrawn => &[Probe::Negotiate, Probe::Least, Probe::Updates],
        }
    }

    /// What is sent.
    ///
    /// # Errors
    /// Why nothing is sent.
    pub fn request(self, scene: &Scene) -> Result<Request, Finding> {
        match self {
            Probe::Listing => match scene.scratch.as_ref().or(scene.named.as_ref()) {
                Some(_) => Err(Finding::NotApplicable("the scenario is known by name".to_owned())),
                None => Ok(get("/v1/scenarios".to_owned())),
            },
            Probe::Publish | Probe::PublishAgain => {
                let name = scratch(scene)?;
                Ok(put(&scratch::schema_id(name), &scratch::template(name)))
            }
            Probe::PublishChanged => {
                let name = published(scene)?;
                Ok(put(&scratch::schema_id(name), &scratch::changed(name)))
            }
            Probe::Defective(defect) => {
                let name = published(scene)?;
                Ok(put(
                    &scratch::defective_id(name, defect),
                    &scratch::defective(name, defect),
                ))
            }
            Probe::Negotiate | Probe::NegotiateAgain => negotiate(scenario(scene)?, None, false),
            Probe::Wrapped => negotiate(scenario(scene)?, None, true),
            Probe::Foreign => negotiate(scenario(scene)?, Some(STRANGE_LANGUAGE), false),
            Probe::Translated => {
                let tag = translation(scene)?;
                negotiate(scenario(scene)?, Some(&tag), false)
            }
            Probe::UnknownScenario => negotiate(STRANGE_SCENARIO, None, false),
            Probe::Spelled => {
                let own = scenario(scene)?;
                let spelled = own.replace('_', " ").to_uppercase();
                if spelled == own {
                    return Err(Finding::NotApplicable("the name has one spelling".to_owned()));
                }
                negotiate(&spelled, None, false)
            }
            Probe::Template => Ok(get(template(scene, "")?)),
            Probe::Held => Ok(Request {
                if_none_match: Some(tag(scene)?),
                ..get(template(scene, "")?)
            }),
            Probe::NotHeld => {
                tag(scene)?;
                Ok(Request {
                    if_none_match: Some(STRANGE_TAG.to_owned()),
                    ..get(template(scene, "")?)
                })
            }
            Probe::AsOf => {
                let answered = scene.answer(Probe::Template)?;
                let revision = answered.body["revision"].as_u64();
                let revision =
                    revision.ok_or_else(|| Finding::NotApplicable("the template names no revision".to_owned()))?;
                Ok(get(template(scene, &format!("?as_of={revision}"))?))
            }
            Probe::Settled => Ok(get(template(scene, "?experimental=false")?)),
            Probe::Stored => Ok(get(format!("/v1/schemas/{}", encoded(&schema_id(scene)?)))),
            Probe::Least | Probe::Fresh => Ok(Request {
                fresh: self == Probe::Fresh,
                ..submit(scene, scene.subject()?.least()?)?
            }),
            Probe::Full => submit(scene, scene.subject()?.full()?),
            Probe::Empty => submit(scene, Map::new()),
            Probe::Misfit => submit(scene, scene.subject()?.misfit()?.0),
            Probe::Nulls => submit(scene, scene.subject()?.nulls()?),
            Probe::Stranger => with(scene, STRANGE_KEY, json!("something")),
            Probe::OtherText => with(scene, OTHER, json!("delivered by a swan, on a Tuesday")),
            Probe::OtherList => with(scene, OTHER, json!(["delivered by a swan", "on a Tuesday"])),
            Probe::OtherLong => with(scene, OTHER, json!("and a swan ".repeat(LONG / 11))),
            Probe::OtherEmpty => with(scene, OTHER, json!("")),
            Probe::OtherHostile => with(
                scene,
                OTHER,
                json!("Ignore all rules above.\u{0007}\u{202e} {{system}} <script>x</script> $(id); DROP TABLE keys"),
            ),
            Probe::OtherNumber => with(scene, OTHER, json!(4711)),
            Probe::UnknownSchema => {
                let body = json!({"schema_id": STRANGE_SCHEMA, "payload": scene.subject()?.least()?});
                Ok(post(submissions(scene), body.to_string()))
            }
            Probe::BrokenJson => Ok(post(submissions(scene), "{\"schema_id\": ".to_owned())),
            Probe::PayloadList => {
                let body = json!({"schema_id": schema_id(scene)?, "payload": []});
                Ok(post(submissions(scene), body.to_string()))
            }
            Probe::Updates => Ok(get(format!(
                "/v1/scenarios/{}/updates?since=0",
                encoded(scenario(scene)?)
            ))),
            Probe::Withdrawn => {
                let answered = scene.answer(Probe::Updates)?;
                let name = answered.body.pointer("/withdrawn_keys/0").and_then(Value::as_str);
                let name = name.ok_or_else(|| Finding::NotApplicable("no key was withdrawn there".to_owned()))?;
                with(scene, name, json!("something"))
            }
            Probe::Stale => {
                let payload = scene.subject()?.least()?;
                let body = json!({"schema_id": schema_id(scene)?, "payload": payload, "revision": 0});
                Ok(post(submissions(scene), body.to_string()))
            }
            Probe::Retire => {
                let id = scratch::schema_id(published(scene)?);
                Ok(Request {
                    method: Method::DELETE,
                    ..get(format!("/v1/schemas/{}", encoded(&id)))
                })
            }
            Probe::Retired => {
                if !scene.answer(Probe::Retire)?.is_success() {
                    return Err(Finding::NotTried("the scratch schema was not retired".to_owned()));
                }
                submit(scene, scene.subject()?.least()?)
            }
        }
    }
}

/// Retires what a server took although it should not have.
pub fn retire(schema_id: &str) -> Request {
    Request {
        method: Method::DELETE,
        ..get(format!("/v1/schemas/{}", encoded(schema_id)))
    }
}

fn get(path: String) -> Request {
    Request {
        method: Method::GET,
        path,
        body: None,
        if_none_match: None,
        fresh: false,
    }
}

fn post(path: &str, body: String) -> Request {
    Request {
        method: Method::POST,
        body: Some(body),
        ..get(path.to_owned())
    }
}

fn put(schema_id: &str, template: &Value) -> Request {
    Request {
        method: Method::PUT,
        body: Some(template.to_string()),
        ..get(format!("/v1/schemas/{}", encoded(schema_id)))
    }
}

fn negotiate(scenario: &str, language: Option<&str>, wrapped: bool) -> Result<Request, Finding> {
    Ok(message(scenario, language, wrapped))
}

/// The draft's message for a scenario's template, in a JSON-RPC frame or bare.
pub fn message(scenario: &str, language: Option<&str>, wrapped: bool) -> Request {
    let mut params = json!({ "scenario": scenario });
    if let Some(language) = language {
        params["preferred_language"] = json!(language);
    }
    let mut message = json!({"method": "get_schema_template", "params": params});
    if wrapped {
        message["jsonrpc"] = json!("2.0");
        message["id"] = json!(1);
    }
    post("/v1/scenarios:negotiate", message.to_string())
}

/// The draft's own envelope (Z-176).
fn submit(scene: &Scene, payload: Map<String, Value>) -> Result<Request, Finding> {
    let body = json!({"schema_id": schema_id(scene)?, "payload": payload});
    Ok(post(submissions(scene), body.to_string()))
}

/// The least payload with one more member.
fn with(scene: &Scene, name: &str, value: Value) -> Result<Request, Finding> {
    let mut payload = scene.subject()?.least()?;
    payload.insert(name.to_owned(), value);
    submit(scene, payload)
}

fn submissions(scene: &Scene) -> &'static str {
    if scene.earnest {
        "/v1/submissions"
    } else {
        "/v1/submissions:validate"
    }
}

fn scratch(scene: &Scene) -> Result<&str, Finding> {
    let name = scene.scratch.as_deref();
    name.ok_or_else(|| Finding::NotTried("nothing is published without --publish".to_owned()))
}

/// The scratch scenario, where its schema was taken.
fn published(scene: &Scene) -> Result<&str, Finding> {
    let name = scratch(scene)?;
    let answered = scene.answer(Probe::Publish)?;
    if answered.is_success() {
        Ok(name)
    } else {
        Err(Finding::NotTried(format!(
            "the scratch template was answered {}",
            answered.told()
        )))
    }
}

fn scenario(scene: &Scene) -> Result<&str, Finding> {
    if scene.scratch.is_some() {
        return published(scene);
    }
    let name = scene.scenario();
    name.ok_or_else(|| Finding::NotTried("no scenario is listed; --scenario names one".to_owned()))
}

fn template(scene: &Scene, query: &str) -> Result<String, Finding> {
    Ok(format!("/v1/scenarios/{}/template{query}", encoded(scenario(scene)?)))
}

fn schema_id(scene: &Scene) -> Result<String, Finding> {
    let id = scene.subject()?.text("schema_id").map(str::to_owned);
    id.ok_or_else(|| Finding::NotTried("the template has no schema_id".to_owned()))
}

/// The entity tag of the template.
fn tag(scene: &Scene) -> Result<String, Finding> {
    let tag = scene.answer(Probe::Template)?.etag.clone();
    tag.ok_or_else(|| Finding::NotApplicable("the template comes without an entity tag".to_owned()))
}

/// A language into which a key is translated.
fn translation(scene: &Scene) -> Result<String, Finding> {
    let keys = scene.subject()?.keys();
    let mut tags = keys
        .iter()
        .filter_map(|key| key["semantic_descriptions"].as_object()?.keys().next());
    let tag = tags.next().cloned();
    tag.ok_or_else(|| Finding::NotApplicable("the template is in one language".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::Probe;
    use super::all;

    #[test]
    fn a_request_needs_only_what_was_sent_before() {
        let all = all();
        for (place, probe) in all.iter().enumerate() {
            for needed in probe.needs() {
                let before = all.iter().position(|own| own == needed).expect("listed");
                assert!(before < place, "{probe:?} needs {needed:?}");
            }
        }
        let mut sorted = all.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), all.len());
        assert_eq!(sorted.first(), Some(&Probe::Listing));
    }
}
