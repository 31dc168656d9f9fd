//! A validator compiled from an effective template: checks while it parses (docs/design.md §4, Z-017 … Z-019, Z-023).
//!
//! Decides what the facts of a scan mean: what refuses, what is warned about, what is observed, which defaults apply.
//! Compiled once per effective template and shared; a check allocates next to nothing for a payload that is right.

use std::collections::BTreeMap;

use serde::de::DeserializeSeed;
use serde_json::Map;
use serde_json::Value;

use crate::effective::EffectiveTemplate;
use crate::effective::Standing;
use crate::exchange::key_check::Fault;
use crate::exchange::key_check::KeyCheck;
use crate::exchange::key_table::KeyTable;
use crate::exchange::long_number;
use crate::exchange::other::OtherLimits;
use crate::exchange::repair;
use crate::exchange::repeated;
use crate::exchange::scan::PayloadSeed;
use crate::exchange::scan::Presence;
use crate::exchange::scan::Scan;
use crate::exchange::scan::UNKNOWN_MAX;
use crate::exchange::verdict::Observed;
use crate::exchange::verdict::Verdict;
use crate::exchange::violation::VIOLATIONS_MAX;
use crate::exchange::violation::Violation;
use crate::exchange::violation::ViolationCode;
use crate::exchange::violation::Warning;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::name::PatchId;
use crate::nearest::nearest;
use crate::scalar_rule::Misfit;
use crate::tree::Problem;

/// Bytes of an unknown key's name that are said back or pooled.
pub const UNKNOWN_NAME_BYTES_MAX: usize = 128;

/// Compiled once per effective template; shared between threads.
#[derive(Debug)]
pub struct Validator {
    keys: KeyTable,
    /// Names that keys had in other versions, each with the one that it has here.
    former_names: BTreeMap<String, KeyName>,
    strict: bool,
    limits: OtherLimits,
}

/// An unknown key that is one of ours misspelt.
struct Rename {
    /// Position among the unknown ones.
    from: usize,
    /// Position among the keys.
    to: usize,
}

impl Validator {
    /// Compiles the check. Base keys refuse; keys from a patch refuse only when they are stable and the client has
    /// received the patch (docs/design.md §4).
    pub fn compile(template: &EffectiveTemplate, limits: OtherLimits) -> Validator {
        Validator {
            keys: KeyTable::compile(template),
            former_names: BTreeMap::new(),
            strict: template.base.strict(),
            limits,
        }
    }

    /// The check that also knows keys by the names that they had.
    pub fn knowing(mut self, former_names: BTreeMap<String, KeyName>) -> Validator {
        self.former_names = former_names;
        self
    }

    /// Checks one payload given as JSON text.
    ///
    /// `received` says whether this client has received a patch. `normalise` asks for [`Verdict::normalised`].
    ///
    /// # Errors
    /// The parser's message when the text is not JSON (a payload that is no object is a violation, not an error).
    pub fn check(
        &self,
        payload: &str,
        received: &dyn Fn(&PatchId) -> bool,
        normalise: bool,
    ) -> Result<Verdict, String> {
        let mut deserializer = serde_json::Deserializer::from_str(payload);
        let seed = PayloadSeed {
            keys: &self.keys,
            limits: self.limits,
            values: normalise,
        };
        let scan = seed
            .deserialize(&mut deserializer)
            .and_then(|scan| deserializer.end().map(|()| scan))
            .map_err(|error| error.to_string())?;
        let holds_members = scan.not_object.is_none();
        let mut verdict = self.judge(scan, received, normalise);
        if holds_members {
            refuse_long_numbers(payload, &mut verdict.violations);
            warn_of_repeated_names(payload, &mut verdict.warnings);
        }
        Ok(verdict)
    }

    fn judge(&self, mut scan: Scan, received: &dyn Fn(&PatchId) -> bool, normalise: bool) -> Verdict {
        let mut verdict = Verdict::default();
        if let Some(received_type) = scan.not_object {
            verdict.violations.push(not_an_object(received_type));
            return verdict;
        }
        let renames = self.renames(&scan);
        scan.faults.sort_by_key(|(index, _)| *index);
        let mut faults = std::mem::take(&mut scan.faults).into_iter().peekable();
        for (index, (check, presence)) in self.keys.checks().iter().zip(&scan.presence).enumerate() {
            match presence {
                Presence::Absent | Presence::Null => {
                    if check.required {
                        let mut violation = check.missing(*presence == Presence::Null);
                        violation.repair = self.repair_of_missing(check, index, &renames, &scan);
                        push(&mut verdict.violations, violation);
                    } else if check.default.is_some() {
                        verdict.defaults_applied.push(check.name.clone());
                    }
                }
                Presence::Right => observe(check, true, &mut verdict),
                Presence::Wrong => {
                    let mut of_key = Vec::new();
                    while let Some((_, fault)) = faults.next_if(|(at, _)| *at == index) {
                        of_key.push(fault);
                    }
                    observe(check, is_of_type(&of_key), &mut verdict);
                    refuse_or_let_pass(check, of_key, received, &mut verdict);
                }
            }
        }
        if scan.said.truncated {
            verdict.warnings.push(warning(
                OTHER,
                "other_truncated",
                "what was said here is longer than what is looked at; the submission is taken as it is".to_owned(),
            ));
        }
        let known = scan.repeated.iter().filter_map(|index| self.keys.checks().get(*index));
        let known = known.map(|check| check.name.as_str());
        let unknown = scan
            .unknown_repeated
            .iter()
            .filter_map(|place| scan.unknown.get(*place));
        for name in known.chain(unknown.map(|(name, _)| name.as_str())) {
            let message = "it is written more than once; the last one counts";
            verdict.warnings.push(repeated_key(name, message));
        }
        verdict.other = std::mem::take(&mut scan.said.strings);
        if !scan.unknown.is_empty() {
            self.judge_unknown(&scan, &renames, &mut verdict);
        }
        if normalise {
            verdict.normalised = Some(self.normalised(&mut scan, &verdict));
        }
        verdict
    }

    /// What would be executed: what was said but for what is kept out, and defaults, in the template's order.
    fn normalised(&self, scan: &mut Scan, verdict: &Verdict) -> Map<String, Value> {
        let refuses = |name: &KeyName| {
            verdict
                .violations
                .iter()
                .any(|violation| violation.key == name.as_str())
        };
        let mut defaults = verdict.defaults_applied.iter().peekable();
        scan.values.sort_unstable_by_key(|(index, _)| *index);
        let mut values = std::mem::take(&mut scan.values).into_iter().peekable();
        let mut normalised = Map::with_capacity(self.keys.checks().len());
        for (index, (check, presence)) in self.keys.checks().iter().zip(&scan.presence).enumerate() {
            let value = match presence {
                Presence::Absent | Presence::Null => defaults
                    .next_if(|name| **name == check.name)
                    .and_then(|_| check.default.clone()),
                Presence::Right => values.next_if(|(at, _)| *at == index).map(|(_, value)| value),
                Presence::Wrong => values
                    .next_if(|(at, _)| *at == index)
                    .filter(|_| !verdict.kept_out.contains(&check.name) && !refuses(&check.name))
                    .map(|(_, value)| value),
            };
            if let Some(value) = value {
                normalised.insert(check.name.to_string(), value);
            }
        }
        normalised
    }

    /// Unknown keys: demand, a warning each, and under `strict` a violation each (Z-023).
    fn judge_unknown(&self, scan: &Scan, renames: &[Rename], verdict: &mut Verdict) {
        for (place, (name, value)) in scan.unknown.iter().enumerate() {
            let near = self.meant_by(name);
            let shown = cut(name, UNKNOWN_NAME_BYTES_MAX).to_owned();
            let message = match near {
                Some(near) if self.former_names.contains_key(name) => {
                    format!("the template has no such key any more; it is called `{near}` now")
                }
                Some(near) => format!("the template has no such key; the nearest is `{near}`"),
                None => "the template has no such key".to_owned(),
            };
            if self.strict {
                let rename = renames.iter().find(|rename| rename.from == place);
                let repair = rename.and_then(|rename| {
                    let to = self.keys.checks().get(rename.to)?;
                    Some(if to.required {
                        repair::rename_in_halves(&pointer(name), &to.pointer).1
                    } else {
                        repair::rename(&pointer(name), &to.pointer)
                    })
                });
                let violation = Violation {
                    key: shown.clone(),
                    pointer: pointer(&shown),
                    code: ViolationCode::UnknownKey,
                    message,
                    expected: Map::new(),
                    received_type: None,
                    nearest_key: near.map(str::to_owned),
                    repair,
                };
                push(&mut verdict.violations, violation);
            } else {
                verdict.warnings.push(warning(&shown, "unknown_key", message));
            }
            let text = match value {
                Value::String(text) => cut(text, self.limits.bytes_max).to_owned(),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    let mut text = value.to_string();
                    text.truncate(text.floor_char_boundary(self.limits.bytes_max));
                    text
                }
            };
            verdict.unknown.push((shown, text));
        }
        if scan.unknown_beyond > 0 && !self.strict {
            let message = format!("{} more keys that the template does not have", scan.unknown_beyond);
            verdict.warnings.push(warning("", "unknown_key", message));
        }
    }

    /// Whether a name is a key of the template.
    pub fn has(&self, name: &str) -> bool {
        self.keys.find(name, 0).is_some()
    }

    /// The advertised key that a name was meant to be: it had this name, or is the nearest.
    pub fn meant_by(&self, name: &str) -> Option<&str> {
        let advertised = || {
            self.keys
                .checks()
                .iter()
                .filter(|key| key.standing() != Some(Standing::Withdrawn))
                .map(|key| key.name.as_str())
        };
        match self.former_names.get(name) {
            Some(renamed) => advertised().find(|key| *key == renamed.as_str()),
            None => nearest(name, advertised()),
        }
    }

    /// The renames that are known: the unique nearest key is missing, nothing else would become it, and the value
    /// conforms to it.
    fn renames(&self, scan: &Scan) -> Vec<Rename> {
        let meant: Vec<Rename> = scan
            .unknown
            .iter()
            .enumerate()
            .filter_map(|(from, (name, _))| {
                let to = self.keys.find(self.meant_by(name)?, 0)?;
                Some(Rename { from, to })
            })
            .collect();
        meant
            .iter()
            .filter(|rename| meant.iter().filter(|other| other.to == rename.to).count() == 1)
            .filter(|rename| matches!(scan.presence.get(rename.to), Some(Presence::Absent | Presence::Null)))
            .filter(|rename| {
                let value = scan.unknown.get(rename.from).map(|(_, value)| value);
                let check = self.keys.checks().get(rename.to);
                check.zip(value).is_some_and(|(check, value)| check.accepts(value))
            })
            .map(|Rename { from, to }| Rename { from: *from, to: *to })
            .collect()
    }

    fn repair_of_missing(
        &self,
        check: &KeyCheck,
        index: usize,
        renames: &[Rename],
        scan: &Scan,
    ) -> Option<Vec<crate::exchange::violation::RepairOperation>> {
        let rename = renames.iter().find(|rename| rename.to == index)?;
        let (name, _) = scan.unknown.get(rename.from)?;
        Some(if self.strict {
            repair::rename_in_halves(&pointer(name), &check.pointer).0
        } else {
            repair::rename(&pointer(name), &check.pointer)
        })
    }
}

/// Counts a patch key that is present, and says so where it is on its way out.
fn observe(check: &KeyCheck, type_ok: bool, verdict: &mut Verdict) {
    let mut note = |patch_id: &PatchId| {
        verdict.observed.push(Observed {
            patch_id: patch_id.clone(),
            key: check.name.clone(),
            type_ok,
        });
    };
    if let Some((patch_id, _)) = &check.patch {
        note(patch_id);
    }
    check.refined_by.iter().for_each(&mut note);
    let said = match check.standing() {
        Some(Standing::Deprecated) => Some(("deprecated_key", "this key is deprecated and will be withdrawn")),
        Some(Standing::Withdrawn) => Some(("withdrawn_key", "this key is withdrawn and will no longer be accepted")),
        Some(Standing::Experimental | Standing::Stable) | None => None,
    };
    if let Some((code, message)) = said {
        verdict
            .warnings
            .push(warning(check.name.as_str(), code, message.to_owned()));
    }
}

/// Whether a value is of its key's type throughout, and misses only what else is asked of it (Z-138). A number that reading has
/// changed is not the one that was meant.
fn is_of_type(faults: &[Fault]) -> bool {
    let other_type = |fault: &Fault| matches!(fault.problem, Problem::Misfit(Misfit::Type | Misfit::Inexact));
    !faults.iter().any(other_type)
}

/// A value that does not conform: a base key refuses, and so does a stable key that the client has received. On any other learned
/// key a value of the right type is executed whatever else it misses, and one of another type is kept out. Every fault of it is
/// told where it refuses, and the first where it passes.
fn refuse_or_let_pass(
    check: &KeyCheck,
    faults: Vec<Fault>,
    received: &dyn Fn(&PatchId) -> bool,
    verdict: &mut Verdict,
) {
    let refuses = match &check.patch {
        None => true,
        Some((patch_id, Standing::Stable)) => received(patch_id),
        Some((_, Standing::Experimental | Standing::Deprecated | Standing::Withdrawn)) => false,
    };
    let of_type = is_of_type(&faults);
    let mut violations = faults.into_iter().map(|fault| check.violation(fault));
    if refuses {
        violations.for_each(|violation| push(&mut verdict.violations, violation));
    } else if let Some(violation) = violations.next() {
        let becomes = if of_type {
            "the value is passed on as it is"
        } else {
            verdict.kept_out.push(check.name.clone());
            "the value is kept out"
        };
        let message = format!("{becomes}: {}", violation.message);
        verdict
            .warnings
            .push(warning(check.name.as_str(), "patch_value", message));
    }
}

fn push(violations: &mut Vec<Violation>, violation: Violation) {
    if violations.len() < VIOLATIONS_MAX {
        violations.push(violation);
    }
}

/// Whole numbers that reading has changed already, whatever key they stand under; where something is said of one, that is enough.
fn refuse_long_numbers(payload: &str, violations: &mut Vec<Violation>) {
    for place in long_number::places(payload, VIOLATIONS_MAX) {
        let pointer = format!("/payload{place}");
        if violations.iter().all(|violation| violation.pointer != pointer) {
            push(violations, too_long(pointer));
        }
    }
}

/// Names that are written twice within a value, whatever key it stands under; what the payload itself repeats is said already.
fn warn_of_repeated_names(payload: &str, warnings: &mut Vec<Warning>) {
    for key in repeated::keys(payload, UNKNOWN_MAX) {
        let message = "a name within it is written more than once; the last one counts";
        let warning = repeated_key(&key, message);
        let is_said = |said: &Warning| said.code == warning.code && said.key == warning.key;
        if !warnings.iter().any(is_said) {
            warnings.push(warning);
        }
    }
}

fn repeated_key(key: &str, message: &str) -> Warning {
    warning(cut(key, UNKNOWN_NAME_BYTES_MAX), "repeated_key", message.to_owned())
}

fn too_long(pointer: String) -> Violation {
    let key = pointer.split('/').nth(2).unwrap_or_default();
    let key = key.replace("~1", "/").replace("~0", "~");
    Violation {
        key: cut(&key, UNKNOWN_NAME_BYTES_MAX).to_owned(),
        pointer,
        code: ViolationCode::OutOfRange,
        message:
            "whole numbers are kept up to 64 bits; a longer one may be sent as text, where the template takes text"
                .to_owned(),
        expected: Map::from_iter([
            ("minimum".to_owned(), Value::from(i64::MIN)),
            ("maximum".to_owned(), Value::from(u64::MAX)),
        ]),
        received_type: Some("integer"),
        nearest_key: None,
        repair: None,
    }
}

fn not_an_object(received_type: &'static str) -> Violation {
    Violation {
        key: String::new(),
        pointer: "/payload".to_owned(),
        code: ViolationCode::WrongType,
        message: "the payload is a JSON object".to_owned(),
        expected: Map::from_iter([("type".to_owned(), Value::String("object".to_owned()))]),
        received_type: Some(received_type),
        nearest_key: None,
        repair: None,
    }
}

fn warning(key: &str, code: &'static str, message: String) -> Warning {
    Warning {
        key: key.to_owned(),
        code,
        message,
    }
}

/// The pointer to a payload's member (RFC 6901).
fn pointer(name: &str) -> String {
    format!("/payload/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod properties;
