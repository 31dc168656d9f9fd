//! Kinds of documents: tools of every host, operations, parts that a pointer names, and what is refused by name.

use serde_json::Value;
use serde_json::json;

use super::told::fault;
use super::told::lost;
use crate::effective::EffectiveTemplate;
use crate::export::FORMS;
use crate::export::Form;
use crate::import::Imported;
use crate::import::Options;
use crate::import::finding::Effect;
use crate::import::import;

const NONE: Options<'static> = super::NONE;

/// Keys as `name!` where required, and `name` where not.
fn keys(imported: &Imported) -> Vec<String> {
    let keys = imported
        .template
        .keys
        .iter()
        .filter(|key| key.key_name.as_str() != "other");
    let shown = keys.map(|key| format!("{}{}", key.key_name, if key.required { "!" } else { "" }));
    shown.collect()
}

fn read(document: &Value, options: &Options<'_>) -> Imported {
    import(document, options).unwrap_or_else(|fault| panic!("{fault}: {document}"))
}

/// An operation `op` with these members beside its id, in a document of this version.
fn operation(version: &str, members: Value) -> Value {
    let mut own = json!({"operationId": "op", "responses": {}});
    own.as_object_mut()
        .expect("an object")
        .extend(members.as_object().expect("an object").clone());
    json!({"openapi": version, "info": {}, "paths": {"/a": {"post": own}}})
}

fn body(media: &str, schema: Value) -> Value {
    json!({"requestBody": {"required": true, "content": {media: {"schema": schema}}}})
}

#[test]
fn tools_of_every_host_are_read() {
    let schema = json!({"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]});
    let capitals = json!({"type": "OBJECT", "properties": {"to": {"type": "STRING"}}, "required": ["to"]});
    let named = |member: &str, schema: &Value| json!({"name": "send", "description": "Sends.", member: schema});
    for document in [
        named("inputSchema", &schema),
        named("input_schema", &schema),
        named("parameters", &capitals),
        named("parametersJsonSchema", &schema),
        json!([named("input_schema", &schema)]),
        json!({"tools": [named("inputSchema", &schema)]}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [named("inputSchema", &schema)]}}),
        json!({"type": "function", "function": named("parameters", &schema)}),
        json!({"type": "function", "name": "send", "description": "Sends.", "parameters": schema}),
        json!({"tools": [{"type": "function", "function": named("parameters", &schema)}]}),
        json!({"functions": [named("parameters", &schema)]}),
        json!({"tools": [{"functionDeclarations": [named("parameters", &capitals)]}]}),
        json!({"function_declarations": [named("parameters", &schema)]}),
        json!({"toolConfig": {"tools": [{"toolSpec": named("inputSchema", &json!({"json": schema}))}]}}),
        json!({"type": "json_schema", "json_schema": named("schema", &schema)}),
    ] {
        let read = read(&document, &NONE);
        assert_eq!(
            (keys(&read), read.template.scenario.as_str(), read.differs()),
            (vec!["to!".to_owned()], "send", false),
            "{document}"
        );
    }
    let empty = read(&json!({"name": "stop", "inputSchema": {"type": "object"}}), &NONE);
    assert!(
        keys(&empty).is_empty() && !empty.differs(),
        "a tool may take no arguments"
    );
}

#[test]
fn what_this_service_exports_is_read_back_or_refused_by_name_z055() {
    let document = json!({"schema_id": "send_v1", "scenario": "send", "keys": [
        {"key_name": "to", "key_type": "string", "required": true, "semantic_description": "Receiver of the parcel."},
        {"key_name": "grams", "key_type": "integer", "required": false, "semantic_description": "Weight."},
    ]});
    let template = crate::template::SchemaTemplate::parse(&document).expect("a template").0;
    let effective = EffectiveTemplate::compose(&template, &[], 0);
    let options = Options {
        scenario: Some("send"),
        ..NONE
    };
    for form in FORMS.iter().filter(|form| form.media_type().contains("json")) {
        let text = effective.export(*form, None, true).text;
        let export: Value = serde_json::from_str(&text).expect("JSON");
        match form {
            Form::Bundle => assert!(
                fault(&export, &options)
                    .to_string()
                    .contains("a bundle that this service exported")
            ),
            _ => assert_eq!(
                keys(&read(&export, &options)),
                ["to!", "grams", "other_value"],
                "{}",
                form.name()
            ),
        }
    }
    assert!(
        fault(&document, &options)
            .to_string()
            .contains("a template of this service")
    );
}

#[test]
fn what_is_no_schema_is_refused_by_name_with_the_schemas_in_it() {
    let object = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    for (document, said) in [
        (
            json!({"asyncapi": "3.0.0", "components": {"schemas": {"Parcel": object}}}),
            "an AsyncAPI document; name a part of it with `pointer`, such as /components/schemas/Parcel",
        ),
        (
            json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"versions": [{"schema": {"openAPIV3Schema": object}}]}}),
            "a Kubernetes object; name a part of it with `pointer`, such as /spec/versions/0/schema/openAPIV3Schema",
        ),
        (
            json!({"swagger": "2.0", "definitions": {"a/b": object}}),
            "such as /definitions/a~1b",
        ),
        (
            json!({"type": "record", "name": "Parcel", "fields": []}),
            "an Avro schema",
        ),
        (
            json!({"file": [{"name": "a.proto", "messageType": []}]}),
            "a Protobuf descriptor set",
        ),
        (json!({"info": {"name": "a"}, "item": []}), "a Postman collection"),
        (json!({"__schema": {"types": []}}), "a GraphQL introspection result"),
        (
            json!({"name": "a", "version": "1.0.0", "type": "module", "dependencies": {}}),
            "without a keyword of JSON Schema",
        ),
        (json!({}), "without a keyword of JSON Schema"),
        (
            json!({"type": "object", "$defs": {"Parcel": object}}),
            "it declares no member of which some value is right; name a part of it with `pointer`, such as /$defs/Parcel",
        ),
        (
            json!({"$schema": "https://json-schema.org/draft/2020-12/schema"}),
            "without a keyword of JSON Schema",
        ),
        (json!([1]), "without a keyword of JSON Schema"),
        (json!("a"), "without a keyword of JSON Schema"),
    ] {
        let options = Options {
            scenario: Some("s"),
            ..NONE
        };
        let told = fault(&document, &options).to_string();
        assert!(told.contains(said) && told.contains("`key`"), "{told}");
    }
    let pointed = Options {
        pointer: Some("/spec/versions/0/schema/openAPIV3Schema"),
        ..NONE
    };
    let crd = json!({"apiVersion": "v1", "kind": "CustomResourceDefinition", "spec": {"versions": [{"schema": {"openAPIV3Schema": object}}]}});
    assert_eq!(keys(&read(&crd, &pointed)), ["a"]);
}

#[test]
fn a_pointer_names_a_part_whose_references_lead_into_the_document() {
    let document = json!({"oneOf": [{"$ref": "#/$defs/Letter"}, {"$ref": "#/$defs/Box"}], "$defs": {
        "Letter": {"type": "object", "properties": {"grams": {"$ref": "#/$defs/Grams"}}, "required": ["grams"]},
        "Box": {"type": "object", "properties": {"litres": {"type": "integer"}}},
        "Grams": {"type": "integer", "minimum": 1},
    }});
    let told = fault(
        &document,
        &Options {
            scenario: Some("s"),
            ..NONE
        },
    )
    .to_string();
    assert!(
        told.contains("name a part of it with `pointer`, such as /$defs/Letter, /$defs/Box"),
        "{told}"
    );
    for pointer in ["/$defs/Letter", "#/$defs/Letter", "/oneOf/0"] {
        let options = Options {
            pointer: Some(pointer),
            scenario: Some("letter"),
            ..NONE
        };
        let read = read(&document, &options);
        assert_eq!(
            (keys(&read), read.differs()),
            (vec!["grams!".to_owned()], false),
            "{pointer}"
        );
        assert_eq!(read.template.keys[0].constraints["minimum"], 1);
    }
    let named = read(
        &document,
        &Options {
            pointer: Some("/$defs/Letter"),
            ..NONE
        },
    );
    assert_eq!(named.template.scenario.as_str(), "letter", "named by the last step");
    let nowhere = Options {
        pointer: Some("/$defs/Crate"),
        ..NONE
    };
    assert!(
        fault(&document, &nowhere)
            .to_string()
            .contains("`pointer` leads to nothing at /$defs/Crate")
    );
    let in_openapi = Options {
        pointer: Some("/components/schemas/A"),
        ..NONE
    };
    let openapi = json!({"openapi": "3.0.3", "paths": {}, "components": {"schemas": {"A": {"type": "object",
        "required": ["id", "to"], "properties": {"id": {"type": "string", "readOnly": true}, "to": {"type": "string"}}}}}});
    assert_eq!(keys(&read(&openapi, &in_openapi)), ["id", "to!"]);
}

#[test]
fn a_schema_of_any_value_is_imported_as_one_key() {
    let options = Options {
        scenario: Some("s"),
        key: Some("value"),
        ..NONE
    };
    for (schema, kind, losses) in [
        (
            json!({"type": "array", "items": {"$ref": "#"}, "maxItems": 2}),
            "array",
            1,
        ),
        (json!({"type": "string", "minLength": 2}), "string", 0),
        (
            json!({"oneOf": [{"type": "object", "properties": {"a": {}}, "required": ["a"]}, {"type": "object"}]}),
            "object",
            1,
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            "object",
            0,
        ),
    ] {
        let read = read(&schema, &options);
        assert_eq!(
            (keys(&read), read.template.keys[0].key_type.name()),
            (vec!["value!".to_owned()], kind)
        );
        assert_eq!(lost(&read).len(), losses, "{:?}", read.findings);
    }
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let told = fault(
        &map,
        &Options {
            scenario: Some("s"),
            ..NONE
        },
    )
    .to_string();
    assert!(
        told.contains("it declares no member") && told.contains("as one key with `key`"),
        "{told}"
    );
}

#[test]
fn a_request_need_not_hold_what_is_read_only() {
    let schema = json!({"type": "object", "required": ["id", "to", "secret", "nested", "of"], "properties": {
        "id": {"type": "integer", "readOnly": true},
        "to": {"type": "string"},
        "secret": {"type": "string", "writeOnly": true},
        "of": {"$ref": "#/components/schemas/Id"},
        "nested": {"type": "object", "required": ["id", "to"], "properties": {
            "id": {"allOf": [{"$ref": "#/components/schemas/Id"}]},
            "to": {"type": "string"},
        }},
    }});
    for version in ["3.0.3", "3.1.0"] {
        let mut document = operation(version, body("application/json", schema.clone()));
        document["components"] = json!({"schemas": {"Id": {"type": "integer", "readOnly": true}}});
        let read = read(&document, &NONE);
        assert_eq!(keys(&read), ["id", "to!", "secret!", "of", "nested!"], "{version}");
        assert_eq!(read.template.keys[4].constraints["required"], json!(["to"]));
        assert!(!read.differs(), "{:?}", read.findings);
    }
    let plain = read(&schema_of_a_tool(schema), &NONE);
    assert!(
        keys(&plain).contains(&"id!".to_owned()),
        "outside of OpenAPI it is an annotation"
    );
}

fn schema_of_a_tool(mut schema: Value) -> Value {
    schema["properties"]["of"] = json!({"type": "integer"});
    schema["properties"]["nested"] = json!({"type": "object"});
    json!({"name": "send", "inputSchema": schema})
}

#[test]
fn parameters_with_content_are_keys_and_others_are_told() {
    let document = operation(
        "3.0.3",
        json!({"parameters": [
            {"name": "filter", "in": "query", "required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"depot": {"type": "integer"}}}}}},
            {"name": "bare", "in": "query", "required": true},
            {"name": "X-Trace", "in": "header", "required": true, "schema": {"type": "string"}},
            {"name": "X-Hint", "in": "header", "schema": {"type": "string"}},
            {"name": "Accept", "in": "header", "required": true, "schema": {"type": "string"}},
            {"$ref": "other.json#/parameters/a"},
        ]}),
    );
    let read = read(&document, &NONE);
    assert_eq!(keys(&read), ["filter!"]);
    assert_eq!(
        read.template.keys[0].constraints["properties"]["depot"]["type"],
        "integer"
    );
    let at = "/paths/~1a/post/parameters";
    let unenforced: Vec<String> = lost(&read)
        .into_iter()
        .filter(|line| line.starts_with("unenforced"))
        .collect();
    assert_eq!(unenforced, [1, 2, 5].map(|n| format!("unenforced {at}/{n} parameters")));
    assert!(
        read.findings
            .iter()
            .any(|finding| finding.why.contains("the parameter `bare` in the query"))
    );
}

#[test]
fn bodies_of_any_media_type_and_of_forms_are_read() {
    let object = || json!({"type": "object", "properties": {"to": {"type": "string"}}});
    for media in [
        "application/json",
        "application/merge-patch+json",
        "*/*",
        "application/*",
        "application/x-www-form-urlencoded",
    ] {
        assert_eq!(
            keys(&read(&operation("3.1.0", body(media, object())), &NONE)),
            ["to"],
            "{media}"
        );
    }
    let told = fault(&operation("3.1.0", body("multipart/form-data", object())), &NONE).to_string();
    let at = "/paths/~1a/post/requestBody/content/multipart~1form-data/schema";
    assert!(told.contains("`pointer`") && told.contains(at), "{told}");
}

#[test]
fn operations_are_found_behind_references_and_among_webhooks_and_a_repeated_id_is_refused() {
    let post = |id: &str| {
        json!({"post": {"operationId": id, "requestBody": {"required": true, "content": {"application/json": {"schema": {
        "type": "object", "properties": {"to": {"type": "string"}}}}}}}})
    };
    let by_reference = json!({"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/components/pathItems/A", "parameters": [
        {"name": "x", "in": "query", "schema": {"type": "string"}}]}}, "components": {"pathItems": {"A": post("op")}}});
    assert_eq!(keys(&read(&by_reference, &NONE)), ["x", "to"]);
    let webhook = json!({"openapi": "3.1.0", "webhooks": {"parcel": post("op")}});
    for name in ["op", "POST parcel"] {
        assert_eq!(
            keys(&read(
                &webhook,
                &Options {
                    operation: Some(name),
                    ..NONE
                }
            )),
            ["to"]
        );
    }
    let outside = json!({"openapi": "3.1.0", "paths": {"/a": {"$ref": "other.json"}}});
    assert!(
        fault(&outside, &NONE)
            .to_string()
            .contains("`$ref` at /paths/~1a leads to nothing")
    );
    let twice = json!({"openapi": "3.0.3", "paths": {"/a": post("op"), "/b": post("op")}});
    assert!(fault(&twice, &NONE).to_string().contains("there is: POST /a, POST /b"));
    let told = fault(
        &twice,
        &Options {
            operation: Some("op"),
            ..NONE
        },
    )
    .to_string();
    assert!(
        told.contains("several are called `op`") && told.contains("POST /a, POST /b"),
        "{told}"
    );
    assert_eq!(
        keys(&read(
            &twice,
            &Options {
                operation: Some("POST /b"),
                ..NONE
            }
        )),
        ["to"]
    );
}

#[test]
fn what_decides_is_listed_before_what_does_not_and_each_effect_is_counted() {
    let unknown = (0..700).map(|n| {
        (
            format!("k{n}"),
            json!({"type": "string", "description": "A text.", "not": {"const": "a"}}),
        )
    });
    let mut properties = serde_json::Map::from_iter(unknown);
    properties.insert(
        "last".to_owned(),
        json!({"type": ["string", "integer"], "description": "A text."}),
    );
    let document = json!({"title": "s", "type": "object", "properties": properties});
    let read = read(&document, &NONE);
    let of = |effect| read.findings.iter().filter(|finding| finding.effect == effect).count();
    assert_eq!((of(Effect::Unenforced), of(Effect::Narrowed)), (499, 1));
    let sum = read.findings.last().expect("a finding");
    assert!(
        sum.why
            .contains("498 of 700 unenforced, 1 of 1 narrowed, 0 of 0 left_out"),
        "{}",
        sum.why
    );
    assert!(read.findings[..499].is_sorted_by_key(|finding| finding.effect));
}
