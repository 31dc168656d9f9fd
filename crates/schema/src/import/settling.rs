//! A template that was put together, made one that can be published: what publishing would refuse is taken out, with a finding.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::advice;
use crate::advice::Advice;
use crate::defect::Defect;
use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::Imported;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::naming;
use crate::import::payload::Key;
use crate::import::payload::Payload;
use crate::import::source::Source;
use crate::response_schema;
use crate::template::SchemaTemplate;
use crate::unsafe_text;

/// How often a template is read anew: each time all defects are mended, and a mended one seldom shows another.
const READINGS_MAX: usize = 8;

/// Reads the template, mending it until nothing stands against it.
///
/// # Errors
/// [`ImportFault::Unfit`] where something is wrong that the source does not say.
pub fn settle(template: Map<String, Value>, payload: Payload, source: &Source<'_>) -> Result<Imported, ImportFault> {
    let mut document = Value::Object(template);
    let mut findings = payload.findings;
    let keys = payload.keys;
    let mut first = None;
    for _ in 0..READINGS_MAX {
        let read = SchemaTemplate::parse(&document);
        let mut defects = unsafe_text::defects(&document);
        match read {
            Ok((template, advice)) if defects.is_empty() => {
                tell_taken_over(&advice, &keys, &mut findings);
                let key_of = |member: &str| keys.iter().find(|key| key.member == member).map(|key| key.name.clone());
                return Ok(Imported {
                    template,
                    advice,
                    findings: findings.conclude(key_of),
                });
            }
            Ok(_) => {}
            Err(more) => defects.extend(more),
        }
        for defect in &defects {
            mend(&mut document, defect, &keys, source, &mut findings)?;
        }
        first = defects.into_iter().next().or(first);
    }
    Err(ImportFault::Unfit(
        first.map(|defect| defect.message).unwrap_or_default(),
    ))
}

/// What a description closes and the source does not is enforced from now on.
fn tell_taken_over(advice: &[advice::Finding], keys: &[Key], findings: &mut Findings) {
    for told in advice.iter().filter(|told| told.rule == Advice::TakenOver) {
        let place = told
            .pointer
            .split('/')
            .nth(2)
            .and_then(|place| place.parse::<usize>().ok());
        if let Some(key) = place.and_then(|place| keys.get(place)) {
            findings.enter(Some(&key.member));
            findings.note(Effect::Narrowed, &key.pointer, "description", told.message.clone());
        }
    }
}

/// Takes out what one defect is about.
fn mend(
    document: &mut Value,
    defect: &Defect,
    keys: &[Key],
    source: &Source<'_>,
    findings: &mut Findings,
) -> Result<(), ImportFault> {
    let unfit = || ImportFault::Unfit(defect.message.clone());
    let steps = defect.pointer.split('/').skip(1);
    let steps: Vec<String> = steps.map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let why = &defect.message;
    findings.enter(None);
    match steps.as_slice() {
        [member, ..] if *member == response_schema::MEMBER => {
            let at = source.response.as_ref().map_or("", |(_, at)| at);
            remove(document, member);
            let why = format!("what comes back is not checked, since {why}");
            findings.note(Effect::LeftOut, at, member, why);
        }
        ["description"] => {
            let at = source.payload.as_ref().map_or("", |(_, at)| at);
            mend_text(document, "description", None, at, why, findings);
        }
        ["keys", place, rest @ ..] => {
            let place: usize = place.parse().map_err(|_| unfit())?;
            let key = keys.get(place).ok_or_else(unfit)?;
            let written = document.pointer_mut(&format!("/keys/{place}")).ok_or_else(unfit)?;
            findings.enter(Some(&key.member));
            match rest {
                ["constraints", path @ ..] => {
                    let constraints = written.get_mut("constraints").and_then(Value::as_object_mut);
                    if let Some(constraints) = constraints {
                        let (at, what) = strip(constraints, path, String::new());
                        let at = key.origins.get(&at).unwrap_or(&key.pointer);
                        let why = format!("it is not asked, since {why}");
                        findings.note(Effect::Unenforced, &pointer_to(at, &what), &what, why);
                    }
                }
                ["default_value"] => {
                    remove(written, "default_value");
                    let at = pointer_to(&key.pointer, "default");
                    findings.note(Effect::LeftOut, &at, "default", why.clone());
                }
                ["semantic_description"] => {
                    let instead = format!("{}.", naming::words(&key.member));
                    mend_text(written, rest[0], Some(instead), &key.pointer, why, findings);
                }
                ["title"] => mend_text(written, "title", None, &key.pointer, why, findings),
                _ => return Err(unfit()),
            }
        }
        _ => return Err(unfit()),
    }
    Ok(())
}

/// Writes a text without what is hidden in it, or another one in its place.
fn mend_text(holder: &mut Value, member: &str, instead: Option<String>, at: &str, why: &str, findings: &mut Findings) {
    let text = holder.get(member).and_then(Value::as_str).unwrap_or_default();
    let shown = Some(unsafe_text::shown(text)).filter(|shown| unsafe_text::hides(text) && !shown.trim().is_empty());
    let why = format!("its text is not taken over as it stands: {why}");
    findings.note(Effect::LeftOut, at, "description", why);
    match shown.or(instead) {
        Some(better) => holder[member] = json!(better),
        None => remove(holder, member),
    }
}

fn remove(holder: &mut Value, member: &str) {
    if let Some(members) = holder.as_object_mut() {
        members.shift_remove(member);
    }
}

/// Takes out of constraints the keyword at which a path ends, or the first one whose value is no schema; gives the place of the schema
/// that it stood in, and the keyword.
fn strip(schema: &mut Map<String, Value>, path: &[&str], at: String) -> (String, String) {
    let (step, rest) = match path {
        [] => {
            schema.clear();
            return (at, "constraints".to_owned());
        }
        [step @ ("items" | "additionalProperties"), rest @ ..] => (vec![*step], rest),
        [step @ "properties", name, rest @ ..] => (vec![*step, *name], rest),
        [step, ..] => (vec![*step], [].as_slice()),
    };
    let pointer = step
        .iter()
        .fold(String::new(), |pointer, step| pointer_to(&pointer, step));
    let below = schema.get_mut(step[0]).and_then(|below| match step.get(1) {
        Some(name) => below.get_mut(*name),
        None => Some(below),
    });
    match below.and_then(Value::as_object_mut).filter(|_| !rest.is_empty()) {
        Some(below) => strip(below, rest, format!("{at}{pointer}")),
        None => {
            let keyword = step[0];
            schema.shift_remove(keyword);
            // Members that are no longer declared would be refused.
            if keyword == "properties" {
                schema.shift_remove("additionalProperties");
            }
            (at, keyword.to_owned())
        }
    }
}
