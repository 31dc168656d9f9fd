//! How a template is asked for: the draft's message, languages, names, entity tags, moments (Z-004, Z-030, Z-166 … Z-182).

use crate::probe::Probe;
use crate::request::STRANGE_LANGUAGE;
use crate::rules;
use crate::template::Template;
use crate::transcript::Exchange;
use crate::transcript::Transcript;
use crate::verdict::Verdict;
use crate::verdict::fails;
use crate::verdict::holds;
use crate::verdict::not_applicable;

rules! {
    "Z-016" (Negotiate) |t, _| {
        let said = t.template()?.text("scenario").map(bare);
        holds(
            said.is_some() && said == t.scenario().map(bare),
            "the template is of another scenario, or does not say of which",
        )
    };
    "Z-030" (Negotiate NegotiateAgain) same_keys;
    "Z-173" (Negotiate Wrapped) same_keys;
    "Z-002" (Negotiate Template) same_keys_if_offered;
    "Z-174" (Negotiate Foreign) falls_back;
    "Z-056" (Negotiate Translated) translates;
    "Z-015" (UnknownScenario) |t, probe| {
        let answered = t.answer(probe)?;
        let error = answered.body.get("error").is_some_and(|error| !error.is_null());
        holds(
            answered.is_refusal() || (error && answered.body.get("keys").is_none()),
            format!("answered {}", answered.summary()),
        )
    };
    "Z-049" (Negotiate Spelled) |t, probe| {
        if t.answer(probe)?.is_refusal() {
            return not_applicable("names are taken as they are written");
        }
        same_keys(t, probe)
    };
    "Z-182" (Template Held) |t, probe| {
        let answered = t.answer(probe)?;
        holds(
            answered.status == 304 && answered.text.is_empty(),
            format!("answered {} to its own entity tag", answered.summary()),
        )
    };
    "Z-074" (Template Settled) |t, probe| {
        let settled = t.answer(probe)?.template();
        if settled.is_some_and(|settled| settled.keys().iter().any(|key| key["experimental"] == true)) {
            return fails("a key on trial came all the same");
        }
        same_keys_if_offered(t, probe)
    };
    "Z-172" (Negotiate) |t, probe| {
        t.template()?;
        let media = t.answer(probe)?.media_type.as_deref().unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim();
        holds(
            media == "application/json" || media.ends_with("+json"),
            format!("the media type is {media:?}"),
        )
    };
    "Z-166" (Negotiate) |t, _| {
        if t.server.is_local && !t.server.is_secure {
            return not_applicable("the server is on this machine, so that nothing is on the way");
        }
        holds(t.server.is_secure, "templates and payloads go over http to another machine")
    };
}

/// A scenario's name without what does not tell it from another.
fn bare(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

/// Whether the server offers this address at all, and serves the same schema there.
fn same_keys_if_offered(transcript: &Transcript, probe: Probe) -> Verdict {
    let answered = transcript.answer(probe)?;
    if answered.is_absent() || matches!(answered.status, 400 | 406) {
        return not_applicable(format!("not offered: answered {}", answered.summary()));
    }
    same_keys(transcript, probe)
}

/// Whether another response holds the same schema; nothing to compare where it holds another one.
fn same_keys(transcript: &Transcript, probe: Probe) -> Verdict {
    let first = transcript.template()?;
    let answered = transcript.answer(probe)?;
    let Some(second) = answered.template() else {
        return fails(format!("answered {} and with no template", answered.summary()));
    };
    if first.text("schema_id") != second.text("schema_id") {
        return fails("a template with another schema_id came");
    }
    let same = |members: &[&str]| first.contract(members) == second.contract(members);
    let refined = |template: &Template<'_>| template.patches().next().is_some();
    // The wording is the schema's own where no patch refines it.
    let worded = refined(&first) || refined(&second) || same(&["semantic_description"]);
    holds(
        worded && same(&["key_name", "key_type", "required", "default_value"]),
        "the keys differ under one schema_id",
    )
}

/// In which language a response says that it is.
fn language(answered: &Exchange) -> Option<&str> {
    let template = Template::find(&answered.body)?;
    template.text("language").or(answered.content_language.as_deref())
}

fn falls_back(transcript: &Transcript, probe: Probe) -> Verdict {
    let first = transcript.template()?;
    let answered = transcript.answer(probe)?;
    let second = answered.template();
    if second.is_none_or(|second| second.text("schema_id") != first.text("schema_id")) {
        return fails(format!("answered {} and not with the template", answered.summary()));
    }
    match language(answered) {
        None => fails("neither the member language nor Content-Language says in which language it is"),
        Some(said) => holds(
            !said.to_lowercase().starts_with(STRANGE_LANGUAGE),
            "it says that it is in a language that it does not speak",
        ),
    }
}

fn translates(transcript: &Transcript, probe: Probe) -> Verdict {
    let found = transcript.template()?.keys().into_iter().find_map(|key| {
        let (tag, text) = key["semantic_descriptions"].as_object()?.iter().next()?;
        Some((key["key_name"].as_str().unwrap_or_default(), tag, text))
    });
    let Some((name, tag, text)) = found else {
        return not_applicable("the template is in one language");
    };
    let answered = transcript.answer(probe)?;
    let Some(served) = answered.template().and_then(|template| template.key(name)) else {
        return fails(format!("answered {} and without the key {name}", answered.summary()));
    };
    let worded = &served["semantic_description"] == text || &served["semantic_descriptions"][tag.as_str()] == text;
    let said = language(answered).is_some_and(|said| said.eq_ignore_ascii_case(tag));
    holds(
        worded && said,
        format!("asked for {tag}, it came in another language or does not say in which"),
    )
}
