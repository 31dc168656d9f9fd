//! How a template is asked for: the draft's message, languages, names, entity tags, moments (Z-004, Z-030, Z-166 … Z-182).

use serde_json::Value;

use crate::edge::cli::conformance::check::Check;
use crate::edge::cli::conformance::check::Judged;
use crate::edge::cli::conformance::check::Level;
use crate::edge::cli::conformance::check::check;
use crate::edge::cli::conformance::check::fails;
use crate::edge::cli::conformance::check::holds;
use crate::edge::cli::conformance::check::not_applicable;
use crate::edge::cli::conformance::probe::Probe;
use crate::edge::cli::conformance::probe::STRANGE_LANGUAGE;
use crate::edge::cli::conformance::scene::Exchange;
use crate::edge::cli::conformance::scene::Scene;
use crate::edge::cli::conformance::subject::Subject;

/// The checks of this group, in the order in which they are told.
pub const CHECKS: &[Check] = &[
    check(
        "Z-016",
        &[],
        Level::Should,
        "the template is of the scenario that was asked for",
        &[Probe::Negotiate],
        scenario_is_the_one,
    ),
    check(
        "Z-030",
        &["Z-105"],
        Level::Must,
        "one schema_id stands for one content: asked twice, the keys of the schema are the same",
        &[Probe::Negotiate, Probe::NegotiateAgain],
        |scene| same_keys(scene, Probe::NegotiateAgain),
    ),
    check(
        "Z-173",
        &[],
        Level::Should,
        "the draft's message is taken in a JSON-RPC 2.0 frame as well, and means the same",
        &[Probe::Negotiate, Probe::Wrapped],
        |scene| {
            let answered = scene.answer(Probe::Wrapped)?;
            if !answered.is_success() {
                return fails(format!("answered {}", answered.told()));
            }
            same_keys(scene, Probe::Wrapped)
        },
    ),
    check(
        "Z-002",
        &["Z-121"],
        Level::May,
        "the template at its own address is the one that is negotiated",
        &[Probe::Negotiate, Probe::Template],
        |scene| {
            offered(scene, Probe::Template)?;
            same_keys(scene, Probe::Template)
        },
    ),
    check(
        "Z-174",
        &[],
        Level::Should,
        "where a language is not spoken, the template comes in its own, and says in which",
        &[Probe::Negotiate, Probe::Foreign],
        falls_back,
    ),
    check(
        "Z-056",
        &["Z-041"],
        Level::Should,
        "a language that is offered is served when it is preferred",
        &[Probe::Negotiate, Probe::Translated],
        translates,
    ),
    check(
        "Z-015",
        &["Z-181"],
        Level::Should,
        "an unknown scenario is an error and never an empty template",
        &[Probe::UnknownScenario],
        |scene| {
            let answered = scene.answer(Probe::UnknownScenario)?;
            let said = answered.body.get("error").is_some_and(|error| !error.is_null());
            holds(
                answered.is_refusal() || (said && answered.body.get("keys").is_none()),
                format!("answered {}", answered.told()),
            )
        },
    ),
    check(
        "Z-049",
        &[],
        Level::May,
        "a scenario is found whatever its case, with spaces for underscores",
        &[Probe::Negotiate, Probe::Spelled],
        |scene| {
            if scene.answer(Probe::Spelled)?.is_refusal() {
                return not_applicable("names are taken as they are written");
            }
            same_keys(scene, Probe::Spelled)
        },
    ),
    check(
        "Z-182",
        &[],
        Level::May,
        "a client that holds the template's entity tag is not sent it again",
        &[Probe::Template, Probe::Held],
        |scene| {
            let answered = scene.answer(Probe::Held)?;
            holds(
                answered.status == 304 && answered.text.is_empty(),
                format!("answered {} to its own entity tag", answered.told()),
            )
        },
    ),
    check(
        "Z-182-changed",
        &[],
        Level::May,
        "a client that holds another entity tag is sent the template",
        &[Probe::Template, Probe::NotHeld],
        |scene| {
            let answered = scene.answer(Probe::NotHeld)?;
            holds(
                answered.status == 200 && Subject::of(&answered.body).is_some(),
                format!("answered {} to an entity tag that it never gave", answered.told()),
            )
        },
    ),
    check(
        "Z-182-as-of",
        &[],
        Level::May,
        "the template as of its own revision is the template",
        &[Probe::Template, Probe::AsOf],
        |scene| {
            offered(scene, Probe::AsOf)?;
            same_keys(scene, Probe::AsOf)
        },
    ),
    check(
        "Z-074",
        &["Z-073", "Z-080"],
        Level::Should,
        "a client that wants nothing on trial gets nothing on trial, and the same schema",
        &[Probe::Template, Probe::Settled],
        |scene| {
            offered(scene, Probe::Settled)?;
            let settled = Subject::of(&scene.answer(Probe::Settled)?.body);
            let trial = settled.is_some_and(|settled| settled.keys().iter().any(|key| key["experimental"] == true));
            if trial {
                return fails("a key on trial came all the same");
            }
            same_keys(scene, Probe::Settled)
        },
    ),
    check(
        "Z-172",
        &[],
        Level::May,
        "what is JSON says that it is",
        &[Probe::Negotiate],
        |scene| {
            scene.subject()?;
            let answered = scene.answer(Probe::Negotiate)?;
            let media = answered.media_type.as_deref().unwrap_or_default();
            let media = media.split(';').next().unwrap_or_default().trim();
            holds(
                media == "application/json" || media.ends_with("+json"),
                format!("the media type is {media:?}"),
            )
        },
    ),
    check(
        "Z-166",
        &["Z-168"],
        Level::Must,
        "what is said cannot be read or changed on the way: https",
        &[Probe::Negotiate],
        |scene| {
            if scene.secure {
                Ok(())
            } else if scene.here {
                not_applicable("the server is on this machine, so that nothing is on the way")
            } else {
                fails("templates and payloads go over http to another machine")
            }
        },
    ),
];

/// Whether the server answers at this address at all.
fn offered(scene: &Scene, probe: Probe) -> Judged {
    let answered = scene.answer(probe)?;
    match answered.status {
        400 | 404 | 405 | 406 | 501 => not_applicable(format!("not offered: answered {}", answered.told())),
        status if !(200..300).contains(&status) => fails(format!("answered {}", answered.told())),
        _ => Ok(()),
    }
}

/// A scenario's name without what does not tell it from another.
fn bare(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn scenario_is_the_one(scene: &Scene) -> Judged {
    let said = scene.subject()?.text("scenario").map(bare);
    holds(
        said.is_some() && said == scene.scenario().map(bare),
        "the template is of another scenario, or does not say of which",
    )
}

/// What the schema says of a key, wording left out: it may come in another language, and be refined by a patch.
fn content(subject: &Subject<'_>) -> Vec<Value> {
    let contract = |key: &&Value| {
        Value::from(vec![
            key["key_name"].clone(),
            key["key_type"].clone(),
            key["required"].clone(),
            key["default_value"].clone(),
        ])
    };
    subject.own_keys().iter().map(contract).collect()
}

/// Whether another answer holds the same schema; nothing to compare where it holds another one.
fn same_keys(scene: &Scene, probe: Probe) -> Judged {
    let first = scene.subject()?;
    let answered = scene.answer(probe)?;
    let Some(second) = Subject::of(&answered.body).filter(|_| answered.is_success()) else {
        return fails(format!("answered {} and with no template", answered.told()));
    };
    if first.text("schema_id") != second.text("schema_id") {
        return fails("a template with another schema_id came");
    }
    let own = |subject: &Subject<'_>| -> Vec<Value> {
        let keys = subject.own_keys();
        keys.iter().map(|key| key["semantic_description"].clone()).collect()
    };
    let refined = |subject: &Subject<'_>| {
        subject
            .template
            .get("patches")
            .and_then(Value::as_array)
            .is_some_and(|p| !p.is_empty())
    };
    // The wording is the schema's own where no patch refines it.
    let worded = refined(&first) || refined(&second) || own(&first) == own(&second);
    holds(
        content(&first) == content(&second) && worded,
        "the keys differ under one schema_id",
    )
}

/// In which language an answer says that it is.
fn language(answered: &Exchange) -> Option<&str> {
    let subject = Subject::of(&answered.body)?;
    subject.text("language").or(answered.content_language.as_deref())
}

fn falls_back(scene: &Scene) -> Judged {
    let first = scene.subject()?;
    let answered = scene.answer(Probe::Foreign)?;
    let second = Subject::of(&answered.body).filter(|_| answered.is_success());
    if second.is_none_or(|second| second.text("schema_id") != first.text("schema_id")) {
        return fails(format!("answered {} and not with the template", answered.told()));
    }
    match language(answered) {
        None => fails("neither the member language nor Content-Language says in which language it is"),
        Some(said) => holds(
            !said.to_lowercase().starts_with(STRANGE_LANGUAGE),
            "it says that it is in a language that it does not speak",
        ),
    }
}

fn translates(scene: &Scene) -> Judged {
    let keys = scene.subject()?.keys();
    let offered = |key: &&&Value| {
        key["semantic_descriptions"]
            .as_object()
            .is_some_and(|own| !own.is_empty())
    };
    let Some(key) = keys.iter().find(offered) else {
        return not_applicable("the template is in one language");
    };
    let answered = scene.answer(Probe::Translated)?;
    let tag = key["semantic_descriptions"]
        .as_object()
        .and_then(|own| own.iter().next());
    let Some((tag, text)) = tag else {
        return not_applicable("the template is in one language");
    };
    let name = key["key_name"].as_str().unwrap_or_default();
    let served = Subject::of(&answered.body).and_then(|subject| subject.key(name));
    let Some(served) = served.filter(|_| answered.is_success()) else {
        return fails(format!("answered {} and without the key {name}", answered.told()));
    };
    let worded = &served["semantic_description"] == text || &served["semantic_descriptions"][tag.as_str()] == text;
    let said = language(answered).is_some_and(|said| said.eq_ignore_ascii_case(tag));
    holds(
        worded && said,
        format!("asked for {tag}, it came in another language or does not say in which"),
    )
}
