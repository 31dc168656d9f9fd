//! The published ledger, member by member.

use serde_json::json;

use super::*;
use crate::evolution::patch::StageChange;
use crate::evolution::patch::sample;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use schema::exchange::verdict::Observed;
use schema::name::ClientId;

#[test]
fn the_published_ledger_has_exactly_its_shape_z133_z160() {
    let (mut one, mut two) = (sample::patch(1), sample::patch(2));
    one.history = vec![StageChange::by_rule(At(0), &one.stage, Reason::UsageBetween)];
    let (since, next_look) = (At(0), At(1));
    two.stage = Stage::Stable { since, next_look };
    let mut ledger = Ledger::default();
    ledger.open(&one.patch_id, At(0));
    ledger.open(&two.patch_id, At(0));
    let seen = [Observed {
        patch_id: one.patch_id.clone(),
        key: one.change.key_name().clone(),
        type_ok: true,
    }];
    let ada = ClientId::parse("ada").expect("a client");
    ledger.submitted(At(1), Some(&ada), true, true, &seen, &[]);
    ledger.judged(&one.patch_id, At(1), None, true, Basis::Proxy);
    let whole = wilson::interval(1, 1);
    let document = json!(Usage::of(&ledger, [&one, &two], At(1), 30));
    let waits = Reason::UsageBetween.waits_for().expect("a person");
    let first = json!({
        "patch_id": "s.p1", "stage": "experimental", "waits_for": {"code": "usage_between", "detail": waits.detail},
        "payloads_with_key": 1, "usage_frequency": 1.0, "usage_frequency_interval": whole,
        "usage_among_recipients": 1.0, "usage_among_recipients_interval": whole, "aligned": 1, "judged": 1,
        "basis": {"lexical": 0, "proxy": 1, "llm": 0, "audit": 0},
        "basis_share": {"lexical": 0.0, "proxy": 1.0, "llm": 0.0, "audit": 0.0},
        "semantic_alignment_accuracy": 1.0, "semantic_alignment_accuracy_interval": whole,
        "type_ok": 1, "value_type_correctness": 1.0, "value_type_correctness_interval": whole,
        "received": 1, "used": 1, "client_adoption_rate": 1.0, "client_adoption_rate_interval": whole,
        "client_mean": {"clients": 1, "usage_frequency": 1.0, "usage_among_recipients": 1.0,
            "semantic_alignment_accuracy": null, "value_type_correctness": 1.0,
            "semantic_alignment_but_lowest": null, "value_type_but_lowest": null},
    });
    // Another key of that name, which nobody used.
    let second = document["keys"]["seat_preference@s.p2"].clone();
    let expected = json!({
        "window_days": 30, "payloads": 1, "clients": 1, "other_ratio": 1.0,
        "keys": {"seat_preference": first, "seat_preference@s.p2": second},
    });
    assert_eq!(document, expected);
    let members = |key: &serde_json::Value| key.as_object().map(|key| key.keys().cloned().collect::<Vec<_>>());
    assert_eq!(members(&second), members(&expected["keys"]["seat_preference"]));
    let undefined = [
        "usage_among_recipients",
        "semantic_alignment_accuracy",
        "value_type_correctness",
        "client_adoption_rate",
    ];
    assert!(undefined.iter().all(|ratio| second[*ratio].is_null()), "{second}");
    assert_eq!(&second["usage_frequency"], &json!(0.0));
    assert_eq!(&second["waits_for"], &json!(null));
}
