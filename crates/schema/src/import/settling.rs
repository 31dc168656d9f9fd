//! A template that was put together, made one that can be published: what publishing would refuse is taken out, with a finding.

use serde_json::Value;
use serde_json::json;

use crate::advice::Advice;
use crate::advice::Finding;
use crate::import::ImportFault;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::naming;
use crate::import::payload::Key;
use crate::template::SchemaTemplate;
use crate::unsafe_text;

/// How often a template is read anew: each time all defects are mended, and a mended one seldom shows another.
const READINGS_MAX: usize = 4;

/// Reads the template, mending it until nothing stands against it.
///
/// # Errors
/// [`ImportFault::Unfit`] where something is wrong that the source does not say.
pub fn settle(
    mut document: Value,
    keys: &[Key],
    findings: &mut Findings,
) -> Result<(SchemaTemplate, Vec<Finding>), ImportFault> {
    let mut unfit = String::new();
    for _ in 0..READINGS_MAX {
        let mut defects = unsafe_text::defects(&document);
        match SchemaTemplate::parse(&document) {
            Ok((template, advice)) if defects.is_empty() => {
                // What a description closes and the source does not is enforced from now on.
                for told in advice.iter().filter(|told| told.rule == Advice::TakenOver) {
                    if let (Some(key), _) = located(&told.pointer, keys) {
                        findings.enter(Some(&key.name));
                        findings.note(Effect::Narrowed, &key.pointer, "description", told.message.clone());
                    }
                }
                return Ok((template, advice));
            }
            Ok(_) => {}
            Err(more) => defects.extend(more),
        }
        for defect in defects {
            let (key, member) = located(&defect.pointer, keys);
            let effect = match (member, key) {
                // Each keyword alone is right: what they ask together is not.
                ("constraints", Some(_)) => Effect::Unenforced,
                ("title" | "semantic_description" | "default_value", Some(_))
                | ("description" | "response_schema", None) => Effect::LeftOut,
                _ => return Err(ImportFault::Unfit(defect.message)),
            };
            findings.enter(key.map(|key| key.name.as_str()));
            let at = key.map_or("", |key| &key.pointer);
            let of = key.map_or(String::new(), |key| format!(" of `{}`", key.name));
            let why = format!("`{member}`{of} is not taken over: {}", defect.message);
            findings.note(effect, at, member, why);
            let mut keys = document["keys"].as_array_mut().into_iter().flatten();
            let holder = match key {
                Some(key) => keys.find(|document| document["key_name"] == key.name.as_str()),
                None => Some(&mut document),
            };
            if let Some(holder) = holder.and_then(Value::as_object_mut) {
                holder.shift_remove(member);
                if let (Some(key), "semantic_description") = (key, member) {
                    holder.insert(member.to_owned(), json!(format!("{}.", naming::words(&key.name))));
                }
            }
            unfit = defect.message;
        }
    }
    Err(ImportFault::Unfit(unfit))
}

/// The key that a place in a template is within, and the member of it or of the template.
fn located<'p, 'k>(pointer: &'p str, keys: &'k [Key]) -> (Option<&'k Key>, &'p str) {
    let mut steps = pointer.split('/').skip(1);
    let first = steps.next().unwrap_or_default();
    let place = steps.next().and_then(|place| place.parse::<usize>().ok());
    match place.and_then(|place| keys.get(place)).filter(|_| first == "keys") {
        Some(key) => (Some(key), steps.next().unwrap_or_default()),
        None => (None, first),
    }
}
