//! A key's digest: what a client keeps to see whether what it was told of a key has changed.
//!
//! Covers what a model goes by: name, type, description and constraints, as they are served. Invariant: it depends on
//! nothing else, and everyone can compute it.

use serde_json::json;
use sha2::Digest;
use sha2::Sha256;

use crate::key::KeyDefinition;
use text::name::hexadecimal;

/// `sha256:` and the SHA-256, in hexadecimal, of `{"constraints", "key_name", "key_type", "semantic_description"}` in the
/// canonical form of RFC 8785; `constraints` is an empty object where there are none.
pub fn of(key: &KeyDefinition) -> String {
    let covered = json!({
        "constraints": key.constraints,
        "key_name": key.key_name,
        "key_type": key.key_type,
        "semantic_description": key.semantic_description,
    });
    // Only a number that is none could fail, and JSON has none.
    let canonical = serde_json_canonicalizer::to_vec(&covered).unwrap_or_default();
    format!("sha256:{}", hexadecimal(&Sha256::digest(&canonical)))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::of;
    use crate::key::KeyDefinition;

    fn key(change: impl FnOnce(&mut Value)) -> KeyDefinition {
        let mut document = json!({
            "key_name": "price", "key_type": "number", "required": false, "default_value": 10.0,
            "semantic_description": "What it may cost, in €.", "constraints": {"minimum": 1.0, "maximum": 1e21},
        });
        change(&mut document);
        serde_json::from_value(document).expect("a key")
    }

    #[test]
    fn a_digest_is_what_others_compute() {
        // printf '%s' '{"constraints":{"maximum":1e+21,"minimum":1},"key_name":"price","key_type":"number","semantic_description":"What it may cost, in €."}' | sha256sum
        assert_eq!(
            of(&key(|_| {})),
            "sha256:212ea3faea90222a14a55ec9b024c1a90bbe570479be3d754176f87d1367718c"
        );
    }

    #[test]
    fn it_changes_with_what_a_model_goes_by_and_with_nothing_else() {
        let plain = of(&key(|_| {}));
        for (change, same) in [
            ((|key| key["required"] = json!(true)) as fn(&mut Value), true),
            (|key| key["default_value"] = json!(11), true),
            (|key| key["sensitive"] = json!("payment"), true),
            (|key| key["constraints"] = json!({"maximum": 1e21, "minimum": 1}), true),
            (|key| key["key_name"] = json!("cost"), false),
            (|key| key["key_type"] = json!("integer"), false),
            (
                |key| key["semantic_description"] = json!("What it may cost, in $."),
                false,
            ),
            (|key| key["constraints"]["minimum"] = json!(2), false),
        ] {
            assert_eq!(of(&key(change)) == plain, same);
        }
    }
}
