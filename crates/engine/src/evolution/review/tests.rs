//! What a reader is given and asked.

use super::answer::Answer;
use super::material::long;
use super::material::masked;
use super::material::short;
use super::*;
use crate::pool::micro::FragmentId;

#[test]
fn an_id_is_a_submission_and_a_place_in_it() {
    let id = FragmentId {
        submission: 412,
        ordinal: 3,
    };
    assert_eq!((short(id).as_str(), long(&short(id))), ("412.3", Some(id)));
    for none in ["", "412", "412.", ".3", "412.3.1", "-1.0", "a.b"] {
        assert_eq!(long(none), None, "{none}");
    }
}

#[test]
fn what_is_personal_is_masked_and_what_is_secret_is_left_out_z171() {
    let shown = masked("mail me at ada@example.org").expect("a text");
    assert!(!shown.contains("ada@example.org"), "{shown}");
    assert_eq!(masked("a quiet spot").as_deref(), Some("a quiet spot"));
    assert_eq!(masked("the password is hunter2hunter2"), None);
}

#[test]
fn an_answer_follows_its_schema_and_nothing_else_does_z137() {
    let validator = jsonschema::validator_for(&answer::schema()).expect("a schema");
    let whole = serde_json::json!({"wishes": [{"ids": ["1.0"], "denied": [], "name": "quiet_seat", "was": null, "title": null, "type": "boolean", "unit": null,
        "values": [], "description": "d", "sensitive": false, "why": null}],
        "held": [{"key": "seat", "ids": []}], "nothing": []});
    assert!(validator.is_valid(&whole));
    assert!(serde_json::from_value::<Answer>(whole).is_ok());
    for odd in [
        serde_json::json!({"wishes": [], "held": [], "nothing": [], "call": "tool"}),
        serde_json::json!({"wishes": [{"heat": 99}], "held": [], "nothing": []}),
    ] {
        assert!(
            !validator.is_valid(&odd) && serde_json::from_value::<Answer>(odd.clone()).is_err(),
            "{odd}"
        );
    }
}

#[test]
fn a_reader_reads_again_when_half_as_much_is_new_z096() {
    let again = |demand| {
        again_at(&Asked {
            demand,
            failed: None,
            refused: Vec::new(),
        })
    };
    assert_eq!((again(0), again(1), again(100)), (1, 2, 150));
}
