//! A validator compiled from an effective template (docs/design.md §4, Z-017 … Z-019, Z-023).
//!
//! Reads a payload in one pass and decides what its values mean: what refuses, what is warned about, what is observed, which defaults
//! apply. Compiled once per effective template and shared. Invariant: of a key that is written twice the last one counts, as everywhere
//! where JSON is read into a map; that it was is said.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::effective::EffectiveTemplate;
use crate::effective::Standing;
use crate::exchange::key_check::Found;
use crate::exchange::key_check::KeyCheck;
use crate::exchange::key_check::Wrong;
use crate::exchange::other;
use crate::exchange::other::OtherLimits;
use crate::exchange::repair;
use crate::exchange::repair::Repair;
use crate::exchange::verdict::Observed;
use crate::exchange::verdict::VIOLATIONS_MAX;
use crate::exchange::verdict::Verdict;
use crate::exchange::verdict::Violation;
use crate::exchange::verdict::ViolationCode;
use crate::exchange::verdict::Warning;
use crate::json_text;
use crate::json_text::Oddity;
use crate::key::type_name;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::name::PatchId;
use crate::nearest::is_same_word;
use crate::nearest::nearest;
use crate::place::Place;
use crate::place::Step;

/// Distinct unknown keys of one payload that are looked at; more are counted.
pub const UNKNOWN_MAX: usize = 64;
/// Bytes of an unknown key's name that are said back or pooled.
pub const UNKNOWN_NAME_BYTES_MAX: usize = 128;

const LONG_NUMBER: &str =
    "a whole number must fit into 64 bits; a longer one may be sent as text, where the template takes text";
const TINY_NUMBER: &str = "a number other than zero must not be read as zero, and a double holds none that is as close to it; it may be \
    sent as text, where the template takes text";

/// Compiled once per effective template; shared between threads.
#[derive(Debug)]
pub struct Validator {
    /// Advertised keys in the template's order, then withdrawn ones.
    keys: Vec<KeyCheck>,
    /// Places in `keys`, by name; also by what a document outside of templates calls a key (`wire_name`).
    places: BTreeMap<String, usize>,
    /// Names that keys had in other versions, each with the one that it has here.
    former_names: BTreeMap<String, KeyName>,
    strict: bool,
    /// True where a request may have wrong values of optional keys kept out.
    allows_lenient: bool,
    limits: OtherLimits,
}

/// What the value of a payload does not show of its text.
#[derive(Default)]
struct Oddities {
    /// Names that are written more than once in the payload itself, and keys within whose values one is.
    repeated: BTreeSet<String>,
    repeated_within: Vec<String>,
    /// Pointers of numbers that are read as other ones.
    numbers: Vec<(String, Oddity)>,
}

/// A member that the template does not have.
struct Unknown {
    name: String,
    value: Value,
    /// The key that it is known to be, misspelt.
    renamed: Option<usize>,
}

impl Validator {
    /// Compiles the check. Base keys refuse; keys from a patch refuse only when they are stable and the client has
    /// received the patch (docs/design.md §4).
    pub fn compile(template: &EffectiveTemplate, limits: OtherLimits) -> Validator {
        let definitions = || template.keys.iter().chain(&template.withdrawn);
        let named = definitions().map(|key| Some(key.definition.key_name.as_str()));
        let wired = definitions().map(|key| key.definition.unknown.get("wire_name")?.as_str());
        let mut places = BTreeMap::new();
        for (place, name) in named.enumerate().chain(wired.enumerate()) {
            if let Some(name) = name {
                places.entry(name.to_owned()).or_insert(place);
            }
        }
        Validator {
            keys: definitions().map(KeyCheck::compile).collect(),
            places,
            former_names: BTreeMap::new(),
            strict: template.base.strict(),
            allows_lenient: template.base.lenient(),
            limits,
        }
    }

    /// The check that also knows keys by the names that they had.
    pub fn knowing(mut self, former_names: BTreeMap<String, KeyName>) -> Validator {
        self.former_names = former_names;
        self
    }

    /// Whether a name is a key of the template.
    pub fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The advertised key that a name was meant to be: it had this name, or is the nearest.
    pub fn meant_by(&self, name: &str) -> Option<&str> {
        let keys = self.keys.iter();
        let advertised = keys.filter(|key| key.standing() != Some(Standing::Withdrawn));
        let mut advertised = advertised.map(|key| key.name.as_str());
        match self.former_names.get(name) {
            Some(renamed) => advertised.find(|key| *key == renamed.as_str()),
            None => nearest(name, advertised),
        }
    }

    /// Checks one payload given as JSON text, without a lenient reading; see [`Validator::read`].
    pub fn check(
        &self,
        payload: &str,
        received: &dyn Fn(&PatchId) -> bool,
        normalise: bool,
    ) -> Result<Verdict, String> {
        self.read(payload, received, normalise, false)
    }

    /// Checks one payload given as JSON text.
    ///
    /// `received` returns true for a patch that this client has received. `normalise` asks for [`Verdict::normalised`], `lenient` to keep
    /// wrong values of optional keys out, where the template allows it.
    ///
    /// # Errors
    /// The parser's message when the text is not JSON (a payload that is no object is a violation, not an error).
    pub fn read(
        &self,
        payload: &str,
        received: &dyn Fn(&PatchId) -> bool,
        normalise: bool,
        lenient: bool,
    ) -> Result<Verdict, String> {
        let mut oddities = Oddities::default();
        let read = json_text::read_closely(payload, &mut |oddity, place| oddities.note(oddity, place));
        let mut verdict = Verdict {
            lenient: lenient && self.allows_lenient,
            ..Verdict::default()
        };
        match read.map_err(|error| error.to_string())? {
            Value::Object(members) => {
                let wrapped = self.wrapped(&members);
                self.judge(members, &oddities, received, normalise, &mut verdict);
                if let Some((wrapper, inner)) = wrapped {
                    verdict.unwrap(&wrapper, &inner);
                }
                verdict.refuse_numbers(oddities.numbers);
                verdict.warn_of_repeated_names(&oddities.repeated_within);
            }
            other => verdict.violations.push(not_an_object(&other)),
        }
        Ok(verdict)
    }

    /// The sole member of a payload that the template does not have, with the names in its value, where that value is a payload.
    fn wrapped(&self, members: &Map<String, Value>) -> Option<(String, BTreeSet<String>)> {
        let (wrapper, value) = members.iter().next().filter(|_| members.len() == 1)?;
        let inner = value.as_object().filter(|inner| !inner.contains_key(wrapper))?;
        if self.has(wrapper) || !inner.keys().any(|name| self.has(name)) {
            return None;
        }
        let mut verdict = Verdict::default();
        self.judge(inner.clone(), &Oddities::default(), &|_| true, false, &mut verdict);
        (verdict.accepted() && inner.len() <= UNKNOWN_MAX).then(|| (wrapper.clone(), inner.keys().cloned().collect()))
    }

    fn judge(
        &self,
        members: Map<String, Value>,
        oddities: &Oddities,
        received: &dyn Fn(&PatchId) -> bool,
        normalise: bool,
        verdict: &mut Verdict,
    ) {
        let mut found: Vec<Found> = Vec::new();
        found.resize_with(self.keys.len(), || Found::Absent);
        let mut repeated: BTreeSet<usize> = BTreeSet::new();
        let mut unknown: Vec<Unknown> = Vec::new();
        let mut unknown_beyond = 0;
        for (name, value) in members {
            if let Some(place) = self.places.get(&name)
                && let (Some(check), Some(found)) = (self.keys.get(*place), found.get_mut(*place))
            {
                if !matches!(found, Found::Absent) || oddities.repeated.contains(&name) {
                    repeated.insert(*place);
                }
                *found = check.look(value);
            } else if unknown.len() < UNKNOWN_MAX {
                let renamed = None;
                unknown.push(Unknown { name, value, renamed });
            } else {
                unknown_beyond += 1;
            }
        }
        self.find_renames(&found, &mut unknown);
        let mut values: Vec<(&KeyCheck, Value)> = Vec::new();
        let mut is_cut = false;
        for (place, (check, found)) in self.keys.iter().zip(found).enumerate() {
            if !matches!(found, Found::Absent | Found::Null) {
                verdict.filled.insert(check.name.clone());
            }
            let value = match found {
                Found::Absent | Found::Null if check.required => {
                    let mut violation = check.missing(matches!(found, Found::Null));
                    let renamed = unknown.iter().find(|unknown| unknown.renamed == Some(place));
                    violation.repair = renamed.map(|unknown| self.rename(unknown, check).0);
                    verdict.refuse(violation);
                    None
                }
                Found::Absent | Found::Null => {
                    let applied = check.default.is_some().then(|| check.name.clone());
                    verdict.defaults_applied.extend(applied);
                    check.default.clone()
                }
                Found::Right(value) => {
                    verdict.observe(check, true);
                    if check.name.as_str() == OTHER {
                        let said = other::texts(&value).unwrap_or_default();
                        (verdict.other, is_cut) = other::taken(&said, self.limits);
                        Some(other::shown(value))
                    } else {
                        Some(value)
                    }
                }
                Found::Wrong(wrong) => {
                    verdict.observe(check, wrong.of_type);
                    verdict.refuse_or_let_pass(check, wrong, received)
                }
            };
            values.extend(value.map(|value| (check, value)));
        }
        if is_cut {
            let message = "what was said here is longer than what is looked at; the submission is taken as it is";
            verdict.warn(OTHER, "other_truncated", message);
        }
        let known = repeated.iter().filter_map(|place| self.keys.get(*place));
        let names = unknown.iter().map(|unknown| unknown.name.as_str());
        let unknown_repeated = names.filter(|name| oddities.repeated.contains(*name));
        for name in known.map(|check| check.name.as_str()).chain(unknown_repeated) {
            let message = "it is written more than once; the last one counts";
            verdict.warn(shortened(name), "repeated_key", message);
        }
        self.judge_unknown(&unknown, unknown_beyond, verdict);
        if normalise {
            let executed = values.into_iter();
            verdict.normalised = Some(executed.map(|(check, value)| (check.name.to_string(), value)).collect());
        }
    }

    /// Unknown keys: demand, a warning each, and under `strict` a violation each (Z-023).
    fn judge_unknown(&self, unknown: &[Unknown], beyond: usize, verdict: &mut Verdict) {
        for unknown in unknown {
            let name = &unknown.name;
            let near = self.meant_by(name);
            let shown = shortened(name);
            let message = match near {
                Some(near) if self.former_names.contains_key(name) => {
                    format!("the template has no such key any more; it is called `{near}` now")
                }
                Some(near) => format!("the template has no such key; the nearest is `{near}`"),
                None => "the template has no such key".to_owned(),
            };
            let renamed = unknown.renamed.and_then(|place| self.keys.get(place));
            let repair = renamed.map(|check| self.rename(unknown, check).1);
            if self.strict {
                verdict.refuse(Violation {
                    nearest_key: near.map(str::to_owned),
                    repair,
                    ..Violation::new(shown, pointer(shown), ViolationCode::UnknownKey, message)
                });
            } else {
                verdict.warnings.push(Warning {
                    repair,
                    ..Warning::new(shown, "unknown_key", message)
                });
            }
            let value = &unknown.value;
            let mut text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            text.truncate(text.floor_char_boundary(self.limits.bytes_max));
            verdict.unknown.push((shown.to_owned(), text));
        }
        if beyond > 0 && !self.strict {
            let message = format!("{beyond} more keys that the template does not have");
            verdict.warn("", "unknown_key", message);
        }
    }

    /// Finds the renames that are known: the unique nearest key is missing, nothing else would become it, and the value
    /// conforms to it.
    fn find_renames(&self, found: &[Found], unknown: &mut [Unknown]) {
        let meant: Vec<Option<usize>> = unknown
            .iter()
            .map(|unknown| self.places.get(self.meant_by(&unknown.name)?).copied())
            .collect();
        for (unknown, place) in unknown.iter_mut().zip(&meant) {
            let Some(place) = place else { continue };
            let is_free = matches!(found.get(*place), Some(Found::Absent | Found::Null));
            let is_only = meant.iter().filter(|other| **other == Some(*place)).count() == 1;
            let conforms = self.keys.get(*place).is_some_and(|check| check.accepts(&unknown.value));
            unknown.renamed = (is_free && is_only && conforms).then_some(*place);
        }
    }

    /// Returns the repairs that rename an unknown member: for the violation of the missing key, and for that of the unknown one. Where both are
    /// violations the first one copies.
    fn rename(&self, unknown: &Unknown, check: &KeyCheck) -> (Repair, Repair) {
        let from = pointer(&unknown.name);
        let is_certain =
            self.former_names.contains_key(&unknown.name) || is_same_word(&unknown.name, check.name.as_str());
        let whole = repair::rename(&from, &check.pointer, is_certain);
        match self.strict && check.required {
            true => (repair::copy(&from, &check.pointer, is_certain), whole),
            false => (whole.clone(), whole),
        }
    }
}

impl Oddities {
    fn note(&mut self, oddity: Oddity, place: &Place<'_>) {
        let steps = place.steps();
        let Some(Step::Member(key)) = steps.first() else { return };
        match oddity {
            Oddity::LongNumber | Oddity::TinyNumber => {
                let at = place.pointer().0;
                if self.numbers.len() < VIOLATIONS_MAX && self.numbers.iter().all(|(known, _)| *known != at) {
                    self.numbers.push((at, oddity));
                }
            }
            Oddity::Repeated if steps.len() == 1 => drop(self.repeated.insert((*key).to_owned())),
            Oddity::Repeated => {
                if self.repeated_within.len() < UNKNOWN_MAX && self.repeated_within.iter().all(|known| known != key) {
                    self.repeated_within.push((*key).to_owned());
                }
            }
        }
    }
}

impl Verdict {
    /// Counts a patch key that is present, and says so where it is on its way out.
    fn observe(&mut self, check: &KeyCheck, type_ok: bool) {
        let added_by = check.patch.iter().map(|(patch_id, _)| patch_id);
        let observed = added_by.chain(&check.refined_by).map(|patch_id| Observed {
            patch_id: patch_id.clone(),
            key: check.name.clone(),
            type_ok,
        });
        self.observed.extend(observed);
        let (code, message) = match check.standing() {
            Some(Standing::Deprecated) => ("deprecated_key", "this key is deprecated and will be withdrawn"),
            Some(Standing::Withdrawn) => ("withdrawn_key", "this key is withdrawn and will no longer be accepted"),
            Some(Standing::Experimental | Standing::Stable) | None => return,
        };
        self.warn(check.name.as_str(), code, message);
    }

    /// A value that does not conform: a base key refuses, and so does a stable key that the client has received. On any other learned
    /// key a value of the right type is executed whatever else it misses, and one of another type is kept out. Every fault of it is
    /// told where it refuses, and the first where it passes.
    fn refuse_or_let_pass(
        &mut self,
        check: &KeyCheck,
        wrong: Wrong,
        received: &dyn Fn(&PatchId) -> bool,
    ) -> Option<Value> {
        let refuses = match &check.patch {
            None => true,
            Some((patch_id, Standing::Stable)) => received(patch_id),
            Some((_, Standing::Experimental | Standing::Deprecated | Standing::Withdrawn)) => false,
        };
        if refuses && self.lenient && check.may_be_kept_out {
            self.kept_out.push(check.name.clone());
            for violation in wrong.violations {
                self.warnings.push(Warning {
                    repair: violation.repair,
                    ..Warning::new(check.name.as_str(), "value_kept_out", violation.message)
                });
            }
            self.defaults_applied
                .extend(check.default.is_some().then(|| check.name.clone()));
            return check.default.clone();
        }
        if refuses {
            wrong
                .violations
                .into_iter()
                .for_each(|violation| self.refuse(violation));
            return None;
        }
        let becomes = if wrong.of_type {
            "the value is passed on as it is"
        } else {
            self.kept_out.push(check.name.clone());
            "the value is kept out"
        };
        if let Some(violation) = wrong.violations.first() {
            let message = format!("{becomes}: {}", violation.message);
            self.warn(check.name.as_str(), "patch_value", message);
        }
        wrong.of_type.then_some(wrong.value)
    }

    /// Offers to take the members of a payload that stands under one member, `wrapper`, for the payload itself: each violation of a
    /// missing key has its own moved, the last one, or the warning of the wrapper where nothing refuses, the rest.
    fn unwrap(&mut self, wrapper: &str, names: &BTreeSet<String>) {
        let from = pointer(wrapper);
        let moved = |name: &str| repair::rename(&pointer_to(&from, name), &pointer(name), false);
        let mut left: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        for violation in &mut self.violations {
            if left.remove(violation.key.as_str()) {
                violation.repair = Some(moved(&violation.key));
            }
        }
        let rest = left.into_iter().flat_map(moved).chain([repair::removal(&from)]);
        let last = match self.violations.last_mut() {
            Some(violation) => Some(&mut violation.repair),
            None => self.warnings.first_mut().map(|warning| &mut warning.repair),
        };
        if let Some(repair) = last {
            repair.get_or_insert_default().extend(rest);
        }
    }

    /// Refuses numbers that reading has changed already, whatever key they stand under; where something is said of one, that is enough.
    fn refuse_numbers(&mut self, places: Vec<(String, Oddity)>) {
        for (place, oddity) in places {
            let pointer = format!("/payload{place}");
            let is_kept_out = |key: &KeyName| place.split('/').nth(1) == Some(key.as_str());
            if self.lenient && self.kept_out.iter().any(is_kept_out) {
                continue;
            }
            if self.violations.iter().any(|violation| violation.pointer == pointer) {
                continue;
            }
            let key = place.split('/').nth(1).unwrap_or_default();
            let key = key.replace("~1", "/").replace("~0", "~");
            let (kind, message, expected) = match oddity {
                Oddity::TinyNumber => ("number", TINY_NUMBER, Map::new()),
                Oddity::LongNumber | Oddity::Repeated => {
                    let bounds = [("minimum", json!(i64::MIN)), ("maximum", json!(u64::MAX))];
                    ("integer", LONG_NUMBER, expected(bounds))
                }
            };
            let code = ViolationCode::OutOfRange;
            self.refuse(Violation {
                expected,
                received_type: Some(kind),
                ..Violation::new(shortened(&key), pointer, code, message.to_owned())
            });
        }
    }

    /// Names that are written twice within a value, whatever key it stands under; what the payload itself repeats is said already.
    fn warn_of_repeated_names(&mut self, keys: &[String]) {
        for key in keys.iter().map(|key| shortened(key)) {
            let mut said = self.warnings.iter();
            if !said.any(|said| said.code == "repeated_key" && said.key == key) {
                let message = "a name within it is written more than once; the last one counts";
                self.warn(key, "repeated_key", message);
            }
        }
    }
}

fn expected<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

fn not_an_object(payload: &Value) -> Violation {
    let message = "the payload must be a JSON object".to_owned();
    Violation {
        expected: expected([("type", json!("object"))]),
        received_type: Some(type_name(payload)),
        ..Violation::new("", "/payload".to_owned(), ViolationCode::WrongType, message)
    }
}

/// The pointer to a payload's member (RFC 6901).
fn pointer(name: &str) -> String {
    pointer_to("/payload", name)
}

/// As much of a name as is said back.
fn shortened(name: &str) -> &str {
    &name[..name.floor_char_boundary(UNKNOWN_NAME_BYTES_MAX)]
}

#[cfg(test)]
mod tests;
