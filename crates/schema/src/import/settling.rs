//! A template that was put together, made one that can be published: what publishing would refuse is taken out, with a finding.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::advice::Advice;
use crate::import::ImportFault;
use crate::import::Imported;
use crate::import::finding::Effect;
use crate::import::naming;
use crate::import::payload::Key;
use crate::import::payload::Payload;
use crate::import::source::Source;
use crate::response_schema;
use crate::template::SchemaTemplate;
use crate::unsafe_text;

/// How often a template is read anew: each time all defects are mended, and a mended one seldom shows another.
const READINGS_MAX: usize = 4;

/// Reads the template, mending it until nothing stands against it.
///
/// # Errors
/// [`ImportFault::Unfit`] where something is wrong that the source does not say.
pub fn settle(template: Map<String, Value>, payload: Payload, source: &Source<'_>) -> Result<Imported, ImportFault> {
    let mut document = Value::Object(template);
    let Payload { keys, mut findings, .. } = payload;
    let mut unfit = String::new();
    for _ in 0..READINGS_MAX {
        let mut defects = unsafe_text::defects(&document);
        match SchemaTemplate::parse(&document) {
            Ok((template, advice)) if defects.is_empty() => {
                // What a description closes and the source does not is enforced from now on.
                for told in advice.iter().filter(|told| told.rule == Advice::TakenOver) {
                    if let (Some((_, key)), _) = located(&told.pointer, &keys) {
                        findings.enter(Some(&key.member));
                        findings.note(Effect::Narrowed, &key.pointer, "description", told.message.clone());
                    }
                }
                let key_of = |member: &str| keys.iter().find(|key| key.member == member).map(|key| key.name.clone());
                let findings = findings.conclude(key_of);
                return Ok(Imported {
                    template,
                    advice,
                    findings,
                });
            }
            Ok(_) => {}
            Err(more) => defects.extend(more),
        }
        for defect in defects {
            let (found, member) = located(&defect.pointer, &keys);
            let (effect, at, why) = match (member, &found) {
                // Each keyword alone is right: what they ask together is not.
                ("constraints", Some((_, key))) => (
                    Effect::Unenforced,
                    &key.pointer,
                    "none of its constraints is asked, since",
                ),
                ("title" | "semantic_description" | "default_value", Some((_, key))) => {
                    (Effect::LeftOut, &key.pointer, "it is not taken over:")
                }
                ("description", None) => (Effect::LeftOut, &source.root.1, "it is not taken over:"),
                (response_schema::MEMBER, None) => {
                    let at = source.response.as_ref().map_or(&source.root.1, |(_, at)| at);
                    (Effect::LeftOut, at, "what comes back is not checked, since")
                }
                _ => return Err(ImportFault::Unfit(defect.message)),
            };
            findings.enter(found.map(|(_, key)| key.member.as_str()));
            findings.note(effect, at, member, format!("{why} {}", defect.message));
            let holder = match found {
                Some((place, _)) => &mut document["keys"][place],
                None => &mut document,
            };
            let instead = found.filter(|_| member == "semantic_description");
            holder.as_object_mut().map(|holder| holder.shift_remove(member));
            if let Some((_, key)) = instead {
                holder[member] = json!(format!("{}.", naming::words(&key.member)));
            }
            unfit = defect.message;
        }
    }
    Err(ImportFault::Unfit(unfit))
}

/// The key that a place in a template is within, with its number, and the member of it or of the template.
fn located<'p, 'k>(pointer: &'p str, keys: &'k [Key]) -> (Option<(usize, &'k Key)>, &'p str) {
    let mut steps = pointer.split('/').skip(1);
    let first = steps.next().unwrap_or_default();
    let place = steps.next().and_then(|place| place.parse::<usize>().ok());
    match place
        .and_then(|place| Some((place, keys.get(place)?)))
        .filter(|_| first == "keys")
    {
        Some(key) => (Some(key), steps.next().unwrap_or_default()),
        None => (None, first),
    }
}
