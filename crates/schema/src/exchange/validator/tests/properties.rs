//! The validator against two independent judges: the `jsonschema` crate, and RFC 6902 applied to its own repairs.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use jsonschema::error::ValidationErrorKind;
use jsonschema::json::SerdeJson;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::effective::EffectiveKey;
use crate::effective::EffectiveTemplate;
use crate::effective::Standing;
use crate::exchange::other::OtherLimits;
use crate::exchange::other::visible;
use crate::exchange::validator::Validator;
use crate::exchange::verdict::Verdict;
use crate::exchange::verdict::Violation;
use crate::json_schema;
use crate::json_schema::key_schema;
use crate::key::KeyType;
use crate::name::OTHER;
use crate::tests::drawn::Drawn;
use crate::tests::drawn::NAMES;
use crate::tests::drawn::drawn;
use crate::tests::drawn::template;
use crate::tests::drawn::value;

const LIMITS: OtherLimits = OtherLimits {
    strings_max: 4,
    bytes_max: 16,
};

const MISSPELT: [&str; 6] = ["alhpa", "Bravo-Count", "charliie", "deltaflag", "echo_lizt", "golf/~x"];

/// JSON text of a value, in all the ways in which one may be written.
fn text() -> impl Strategy<Value = String> {
    let plain = concat!(
        r#"null|true|false|0|-0|-0.0|1|7|7.0|9|10|14|-7|1.5|0.3|1e2|0.1e1|12.34|19.99|1070468.14|9007199254740992|"#,
        r#"9007199254740993|9223372036854775807|-9223372036854775808|18446744073709551615|18446744073709551616.0|"#,
        r#"1e300|-1e300|5e-324|""|"red"|"Red"|"GREEN"|"grean"|"deep-blue"|"windo"|"aisel"|"7"|"7.0"|"2.50"|"true"|"#,
        r#""False"|" 7"|"null"|"None"|"two"|"2026-5-4"|"24.12.2026"|"2026-05-04T00:00:00Z"|"ab"|"abc"|"abcd"|"äöü"|"\u00e4\ud83d\ude00"|"\ud83d\ude00x"|"12"|"2026-05-04"|"2026-02-29"|"#,
        r#""2024-02-29"|"2026-05-04T09:00:00+08:00"|"09:00:00Z"|"23:59:60Z"|"P1DT2H"|"P1W"|"a@example.org"|"a@"|"#,
        r#""http://example.org/a?b#c"|"urn:x"|"//x"|"550e8400-e29b-41d4-a716-446655440000"|"127.0.0.1"|"256.0.0.1"|"#,
        r#""::1"|"example.org"|"-x.org"|[]|[1]|[1,2]|[1.0,1]|["a"]|[""]|["a","b","c"]|["a",1]|[["a"]]|{}|{"a":1}|"#,
        r#"{"a":0}|{"a":1,"b":"x"}|{"a":null}|{"a":null,"b":null}|{"a":1,"b":{"c":null}}|{"a":1,"b":{"c":"x"}}|"#,
        r#"{"a":1,"b":{"c":"z"}}|{"a":1,"b":2}|{"a":1,"a":"x"}|"a quite long text for the escape valve""#,
    );
    let plain = select(plain.split('|').collect::<Vec<_>>());
    prop_oneof![
        8 => plain.prop_map(str::to_owned),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => any::<u64>().prop_map(|n| n.to_string()),
        1 => (-100_000_i32..100_000).prop_map(|n| json!(f64::from(n) / 100.0).to_string()),
        1 => any::<f64>().prop_filter("JSON has no such number", |x| x.is_finite()).prop_map(|x| json!(x).to_string()),
        1 => "[0-9]{4}-(0[0-9]|1[0-3])-(0[0-9]|2[89]|3[0-2])".prop_map(|text| json!(text).to_string()),
        1 => ".{0,6}".prop_map(|text| json!(text).to_string()),
    ]
}

/// A member of a payload: which of the keys, or `other`; misspelt or not; and its value, as a text or one of the key's.
type Member = (usize, bool, Option<String>, usize);

/// Members in any order, some twice, some unknown, some absent.
fn members() -> impl Strategy<Value = Vec<Member>> {
    let value = prop_oneof![text().prop_map(Some), Just(None)];
    let member = (0..=NAMES.len(), proptest::bool::weighted(0.2), value, any::<usize>());
    proptest::collection::vec(member, 0..9)
}

/// The payload of these members.
fn payload(keys: &[Drawn], members: &[Member]) -> String {
    let written = members.iter().map(|(place, misspelt, text, choice)| {
        let name = match NAMES.get(*place) {
            Some(_) if *misspelt => MISSPELT[*place],
            Some(name) => name,
            None => "other",
        };
        let own = || {
            keys.get(*place)
                .map_or_else(|| json!("and more"), |key| value(key, *choice))
        };
        let text = text.clone().unwrap_or_else(|| own().to_string());
        format!("{}:{text}", json!(name))
    });
    format!("{{{}}}", written.collect::<Vec<_>>().join(","))
}

/// A value as it may be sent by mistake: as the text of its JSON, its first element alone, or with a member misspelt.
fn near(value: Value, dice: u8) -> Value {
    match (dice, value) {
        (0, value) => json!(value.to_string()),
        (1, Value::Array(elements)) if !elements.is_empty() => elements[0].clone(),
        (2, Value::Object(members)) => {
            let misspelt = |(name, value): (String, Value)| (format!("{name}x"), value);
            members.into_iter().map(misspelt).collect()
        }
        (3, Value::Array(elements)) => elements.iter().map(|element| json!(element.to_string())).collect(),
        (_, value) => value,
    }
}

/// What a verdict says, and what it says of the payload with its repairs applied.
fn repaired(template: &EffectiveTemplate, payload: &str) -> (Verdict, Verdict, Value) {
    let verdict = check(template, payload);
    each_lossless_repair_keeps_the_rest(template, payload, &verdict);
    let mut submission = json!({"payload": serde_json::from_str::<Value>(payload).expect("JSON")});
    let repairs = verdict
        .violations
        .iter()
        .filter_map(|violation| violation.repair.clone());
    let repairs = json!(repairs.flatten().collect::<Vec<_>>());
    let patch: json_patch::Patch = serde_json::from_value(repairs.clone()).expect("RFC 6902");
    json_patch::patch(&mut submission, &patch).expect("every repair applies");
    let left = check(template, &submission["payload"].to_string());
    (verdict, left, repairs)
}

/// Holds that each violation with lossless repairs is gone once these are applied, alone, and that no value of another place changed.
fn each_lossless_repair_keeps_the_rest(template: &EffectiveTemplate, payload: &str, verdict: &Verdict) {
    let submission = json!({"payload": serde_json::from_str::<Value>(payload).expect("JSON")});
    let lossless = |violation: &&Violation| violation.repair.iter().flatten().all(|operation| operation.lossless);
    let repaired = verdict.violations.iter().filter(|violation| violation.repair.is_some());
    for violation in repaired.filter(lossless) {
        let operations = violation.repair.clone().expect("a repair");
        let mut mended = submission.clone();
        let patch: json_patch::Patch = serde_json::from_value(json!(operations)).expect("RFC 6902");
        json_patch::patch(&mut mended, &patch).expect("it applies alone");
        let told = |violation: &Violation| (violation.pointer.clone(), violation.code);
        let left = check(template, &mended["payload"].to_string());
        assert!(
            left.violations.iter().all(|left| told(left) != told(violation)),
            "{payload} {operations:?}"
        );
        let touched: Vec<&str> = operations
            .iter()
            .flat_map(|operation| [Some(operation.path.as_str()), operation.from.as_deref()])
            .flatten()
            .collect();
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        leaves("", &submission, &mut before);
        leaves("", &mended, &mut after);
        for places in [&mut before, &mut after] {
            places.retain(|place: &String, _| !touched.iter().any(|touched| place.starts_with(touched)));
        }
        assert_eq!(before, after, "{operations:?}");
    }
}

/// Every value that holds no other, by its place.
fn leaves(place: &str, value: &Value, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                leaves(&pointer_to(place, name), member, found);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            for (index, element) in elements.iter().enumerate() {
                leaves(&format!("{place}/{index}"), element, found);
            }
        }
        _ => {
            found.insert(place.to_owned(), value.clone());
        }
    }
}

/// Key, pointer and code of the violations, of all or of those without a repair.
fn shown(verdict: &Verdict, all: bool) -> Vec<String> {
    let kept = verdict
        .violations
        .iter()
        .filter(|violation| all || violation.repair.is_none());
    let mut shown: Vec<String> = kept
        .map(|violation| json!([violation.key, violation.pointer, violation.code]).to_string())
        .collect();
    shown.sort_unstable();
    shown
}

fn check(template: &EffectiveTemplate, payload: &str) -> Verdict {
    let validator = Validator::compile(template, LIMITS);
    let quick = validator.check(payload, &|_| true, false).expect("JSON");
    let full = validator.check(payload, &|_| true, true).expect("JSON");
    let unasked = Verdict {
        normalised: None,
        ..full.clone()
    };
    assert_eq!(unasked, quick, "asking for the values changes nothing else");
    full
}

/// What a payload must be for a client that has received every patch: base keys and stable keys refuse, keys of the
/// patch layer that are not stable never do, `null` for an optional key or member means omitted (docs/design.md §4), and `other` is a
/// string or an array of strings whatever it was declared (Z-061).
fn payload_schema(template: &EffectiveTemplate) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in template.keys.iter().chain(&template.withdrawn) {
        let definition = &key.definition;
        let name = definition.key_name.as_str();
        let own = || key_schema(definition.key_type, &with_omissions(&definition.constraints));
        let schema = if name == OTHER {
            json!({"anyOf": [{"type": ["string", "null"]}, {"type": "array", "items": {"type": "string"}}]})
        } else if key.standing() != Standing::Stable {
            json!({})
        } else if definition.required {
            required.push(name);
            own()
        } else {
            json!({"anyOf": [{"type": "null"}, own()]})
        };
        properties.insert(name.to_owned(), schema);
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": !template.base.strict()})
}

/// A schema in which every optional member may be null.
fn with_omissions(schema: &Map<String, Value>) -> Map<String, Value> {
    let below = |schema: &Value| {
        schema
            .as_object()
            .map_or_else(|| schema.clone(), |schema| json!(with_omissions(schema)))
    };
    let mut read = schema.clone();
    for name in ["items", "additionalProperties"] {
        if let Some(nested) = read.get_mut(name) {
            *nested = below(nested);
        }
    }
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for (name, member) in read
        .get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
    {
        let own = below(member);
        let is_asked = required.iter().any(|asked| asked == name);
        *member = if is_asked {
            own
        } else {
            json!({"anyOf": [own, {"type": "null"}]})
        };
    }
    read
}

/// Whether an integer key that refuses has a number that is read as another one than it was written as, which no schema says.
fn is_inexact(key: &EffectiveKey, payload: &Value) -> bool {
    let held = payload
        .get(key.definition.key_name.as_str())
        .filter(|held| held.is_f64());
    let double = held.and_then(Value::as_f64);
    key.standing() == Standing::Stable
        && key.definition.key_type == KeyType::Integer
        && double.is_some_and(|double| double.fract() == 0.0 && double.abs() >= 9_007_199_254_740_992.0)
}

/// The keys that the `jsonschema` crate objects to, and those whose number is inexact.
fn offending(template: &EffectiveTemplate, payload: &str) -> BTreeSet<String> {
    let validator = json_schema::compile::<SerdeJson>(&payload_schema(template)).expect("a schema");
    let value: Value = serde_json::from_str(payload).expect("JSON");
    let inexact = template.keys.iter().filter(|key| is_inexact(key, &value));
    let mut keys: BTreeSet<String> = inexact.map(|key| key.definition.key_name.to_string()).collect();
    for error in validator.iter_errors(&value) {
        let path = error.instance_path().to_string();
        if let Some(key) = path.split('/').nth(1) {
            keys.insert(key.to_owned());
            continue;
        }
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                keys.insert(property.as_str().expect("a name").to_owned());
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => keys.extend(unexpected.iter().cloned()),
            other => panic!("{other:?}"),
        }
    }
    keys
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn verdicts_agree_with_json_schema_key_by_key_z017_z018_z019_z023_z037_z048(
        keys in proptest::collection::vec(drawn(), 1..6),
        strict in any::<bool>(),
        members in members(),
    ) {
        let template = template(&keys, strict);
        let payload = payload(&keys, &members);
        let verdict = check(&template, &payload);
        let ours: BTreeSet<String> = verdict.violations.iter().map(|violation| violation.key.clone()).collect();
        prop_assert_eq!(ours, offending(&template, &payload), "{} {}", payload, payload_schema(&template));
        // What is kept is what conforms: the normalised payload passes but for what is missing.
        let kept = Value::Object(verdict.normalised.unwrap_or_default()).to_string();
        let again = check(&template, &kept);
        prop_assert!(again.violations.iter().all(|v| v.message.contains("required")), "{:?}", again.violations);
    }

    #[test]
    fn repairs_remove_exactly_the_violations_that_carry_one_z019_z023(
        keys in proptest::collection::vec(drawn(), 1..6),
        strict in any::<bool>(),
        members in members(),
    ) {
        let template = template(&keys, strict);
        let payload = payload(&keys, &members);
        let (verdict, left, repairs) = repaired(&template, &payload);
        prop_assert_eq!(shown(&left, true), shown(&verdict, false), "{} {}", payload, repairs);
    }

    #[test]
    fn repairs_within_values_remove_exactly_the_violations_that_carry_one_z019_z051(
        key in drawn().prop_filter("a key that holds others", |key| matches!(key.key_type, KeyType::Array | KeyType::Object)),
        choice in any::<usize>(),
        dice in 0..6_u8,
    ) {
        let key = Drawn { standing: None, ..key };
        let schema = &key.constraints;
        let template = template(std::slice::from_ref(&key), false);
        let payload = json!({ NAMES[0]: near(value(&key, choice), dice) }).to_string();
        let (verdict, left, repairs) = repaired(&template, &payload);
        prop_assert_eq!(verdict.accepted(), offending(&template, &payload).is_empty(), "{} {}", schema, payload);
        prop_assert_eq!(shown(&left, true), shown(&verdict, false), "{} {} {}", schema, payload, repairs);
        if left.accepted() && !verdict.accepted() {
            prop_assert!(verdict.violations.iter().all(|violation| violation.repair.is_some()));
        }
    }

    #[test]
    fn other_never_refuses_unless_its_type_is_another_z059_z060_z061(texts in proptest::collection::vec(".{0,40}", 0..8)) {
        let template = template(&[], true);
        for value in [json!(texts), json!(texts.concat())] {
            let verdict = check(&template, &json!({"other": value}).to_string());
            prop_assert!(verdict.accepted());
            prop_assert!(verdict.other.len() <= LIMITS.strings_max);
            prop_assert!(verdict.other.iter().all(|text| text.len() <= LIMITS.bytes_max));
            let visible = match &value {
                Value::String(text) => json!(visible(text)),
                _ => texts.iter().map(|text| visible(text)).collect(),
            };
            prop_assert_eq!(&verdict.normalised.unwrap_or_default()["other"], &visible);
        }
    }

    #[test]
    fn any_text_is_an_error_exactly_where_json_is_z019(text in "[\\[\\]{}\",:a0-9.eE+ \\\\-]{0,12}") {
        let validator = Validator::compile(&template(&[], false), LIMITS);
        let ours = validator.check(&text, &|_| true, true);
        prop_assert_eq!(ours.is_err(), serde_json::from_str::<Value>(&text).is_err(), "{}", text);
    }
}
