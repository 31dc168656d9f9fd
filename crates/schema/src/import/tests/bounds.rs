//! How large and how deep a source may be.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::told::fault;
use super::told::imported;
use super::told::lost;
use crate::budget::Budget;
use crate::constraint::DEPTH_MAX;
use crate::constraint::ENUM_MAX;
use crate::constraint::PROPERTIES_MAX;
use crate::import::Options;
use crate::import::finding::Effect;
use crate::import::import;
use crate::import::reader::LEVELS_MAX;
use crate::import::reader::SCHEMAS_MAX;
use crate::template::KEYS_MAX;

#[test]
fn an_import_is_bounded_at_its_edges() {
    let members = |n: usize, schema: &Value| -> Map<String, Value> {
        (0..n).map(|n| (format!("k{n}"), schema.clone())).collect()
    };
    let object = |members: Map<String, Value>| json!({"type": "object", "properties": members});
    let text = json!({"type": "string", "description": "A text."});
    let none = Options {
        scenario: Some("s"),
        ..Options::default()
    };
    assert!(import(&object(members(KEYS_MAX, &text)), &none).is_ok());
    assert!(
        fault(&object(members(KEYS_MAX + 1, &text)), &none)
            .to_string()
            .contains("has more members")
    );

    let nested = |levels: usize| {
        let inner = (0..levels).fold(
            json!({"type": "string"}),
            |inner, _| json!({"type": "array", "items": inner}),
        );
        lost(&imported(&object(Map::from_iter([("k".to_owned(), inner)]))))
    };
    assert_eq!(nested(DEPTH_MAX).len(), 0);
    assert_eq!(nested(DEPTH_MAX + 1).len(), 1);

    let wrapped = |levels: usize| (0..levels).fold(text.clone(), |inner, _| json!({"allOf": [inner]}));
    let within = |levels: usize| object(Map::from_iter([("k".to_owned(), wrapped(levels))]));
    // The payload's own schema and the innermost one are two of the levels.
    assert!(import(&within(LEVELS_MAX - 2), &none).is_ok());
    assert!(
        fault(&within(LEVELS_MAX - 1), &none)
            .to_string()
            .contains("levels deep at")
    );

    let alternatives =
        |schemas: usize| json!({"description": "A text.", "anyOf": vec![json!({"type": "string"}); schemas]});
    let lost_of = |schema: Value| lost(&imported(&object(Map::from_iter([("k".to_owned(), schema)]))));
    assert!(lost_of(alternatives(ENUM_MAX)).is_empty());

    // The payload's own schema, and 22 keys of 909 schemas each but for the first, which has what is left.
    let mut keys = members(22, &alternatives(908));
    keys["k0"] = alternatives(SCHEMAS_MAX - 1 - 21 * 909 - 1);
    assert!(import(&object(keys.clone()), &none).is_ok());
    keys.insert("one_more".to_owned(), text.clone());
    assert!(fault(&object(keys), &none).to_string().contains("unfold into more"));
    // Each level refers to the next twice: what is short as a text is long when it is unfolded, and is read once.
    for (twice, losses) in [
        (
            json!({"allOf": [{"$ref": "#/$defs/next"}, {"$ref": "#/$defs/next"}]}),
            0,
        ),
        (
            json!({"anyOf": [{"$ref": "#/$defs/next"}, {"$ref": "#/$defs/next"}]}),
            0,
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/next"}, "b": {"$ref": "#/$defs/next"}}}),
            2,
        ),
    ] {
        let mut definitions = Map::from_iter([("d16".to_owned(), text.clone())]);
        for level in 0..16 {
            let own = twice.to_string().replace("next", &format!("d{}", level + 1));
            definitions.insert(format!("d{level}"), serde_json::from_str(&own).expect("JSON"));
        }
        let folded = json!({"type": "object", "properties": {"k": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
        let lost = lost(&imported(&folded));
        assert_eq!(lost.len(), losses, "{lost:?}");
    }
    // What unfolds beyond the room of a key is left out below.
    let wide = |next: usize| {
        let next = json!({"$ref": format!("#/$defs/d{next}")});
        json!({"type": "object", "properties": members(20, &next)})
    };
    let definitions: Map<String, Value> = (0..6).map(|level| (format!("d{level}"), wide(level + 1))).collect();
    let mut folded = json!({"type": "object", "properties": {"k": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    folded["$defs"]["d6"] = text.clone();
    let read = imported(&folded);
    assert!(
        lost(&read).iter().any(|line| line.starts_with("unenforced /$defs")),
        "{:?}",
        lost(&read)
    );
    assert!(!read.template.keys[0].constraints.is_empty());

    for (schema, losses) in [
        (
            json!({"enum": (0..ENUM_MAX).collect::<Vec<_>>(), "description": "N."}),
            0,
        ),
        (
            json!({"enum": (0..=ENUM_MAX).collect::<Vec<_>>(), "description": "N."}),
            1,
        ),
        (
            json!({"type": "object", "properties": members(PROPERTIES_MAX, &json!({"type": "string"})), "additionalProperties": false}),
            0,
        ),
        (
            json!({"type": "object", "properties": members(PROPERTIES_MAX + 1, &json!({"type": "string"})), "additionalProperties": false}),
            1,
        ),
    ] {
        let read = imported(&object(Map::from_iter([("k".to_owned(), schema)])));
        assert_eq!(
            read.findings
                .iter()
                .filter(|finding| finding.effect == Effect::Unenforced)
                .count(),
            losses
        );
    }
}

#[test]
fn references_cost_what_they_lead_to_and_not_its_square() {
    let listed: Vec<String> = (0..ENUM_MAX).map(|n| format!("value {n}")).collect();
    let document = |references: usize, keyword: &str| {
        let all = vec![json!({"$ref": "#/$defs/e"}); references];
        json!({"$defs": {"e": {"enum": listed}}, "type": "object", "properties": {"k": {keyword: all}}})
    };
    let spent = |document: &Value| {
        let budget = Budget::new(u64::MAX);
        let options = Options {
            scenario: Some("s"),
            budget: Some(&budget),
            ..Options::default()
        };
        import(document, &options).map(|_| u64::MAX - budget.left())
    };
    let [few, many] = [50, 500].map(|references| spent(&document(references, "anyOf")).expect("read"));
    assert!(many <= 11 * few, "{few} units and {many}");
    let none = Options {
        scenario: Some("s"),
        ..Options::default()
    };
    let found = import(&document(5, "allOf"), &none).expect("a template of few references");
    assert_eq!(
        found.template.keys[0].constraints["enum"].as_array().map(Vec::len),
        Some(ENUM_MAX)
    );
    assert!(import(&document(900, "allOf"), &none).is_ok(), "read once");
    let each: Map<String, Value> = (0..900).map(|n| (format!("e{n}"), json!({"enum": listed}))).collect();
    let all: Vec<Value> = each
        .keys()
        .map(|name| json!({"$ref": format!("#/$defs/{name}")}))
        .collect();
    let document = json!({"$defs": each, "type": "object", "properties": {"k": {"allOf": all}}});
    assert!(fault(&document, &none).to_string().contains("more work"));
    // Each member of one is looked for in all others.
    let members: Map<String, Value> = (0..100).map(|n| (format!("k{n}"), json!({"type": "string"}))).collect();
    let open = json!({"type": "object", "properties": members, "additionalProperties": {"type": "string"}});
    let mut all = vec![json!({"additionalProperties": {"type": "string"}}); 9_500];
    all.push(open);
    let document = json!({"allOf": all});
    assert!(fault(&document, &none).to_string().contains("more work"));
}
