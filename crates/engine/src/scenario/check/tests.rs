//! A state that was tampered with is noticed.

use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::pool::gate::Audience;
use crate::scenario::sample::Scene;
use crate::scenario::state::Claim;
use crate::scenario::state::Pending;
use crate::scenario::state::State;
use schema::effective::KeyChange;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use schema::time::At;

/// What a check says after this was done to a healthy state.
fn complaint(damage: impl Fn(&mut State)) -> String {
    let mut scene = Scene::new();
    scene.propose("seat_preference");
    scene.propose("meal_choice");
    assert_eq!(scene.state.check(&scene.policy), Ok(()));
    damage(&mut scene.state);
    scene.state.check(&scene.policy).expect_err("a complaint")
}

#[test]
fn a_required_key_in_a_patch_is_noticed_z125() {
    let said = complaint(|state| {
        if let KeyChange::Add(key) = &mut state.patches[0].change {
            key.required = true;
        }
    });
    assert!(said.contains("Z-125"), "{said}");
}

#[test]
fn a_patch_that_expires_before_it_was_made_is_noticed_z119() {
    let said = complaint(|state| state.patches[0].expiration = state.patches[0].timestamp);
    assert!(said.contains("Z-119"), "{said}");
}

#[test]
fn a_sensitive_key_that_nobody_approved_is_noticed_z165() {
    let said = complaint(|state| state.patches[0].sensitive = Some("payment".to_owned()));
    assert!(said.contains("Z-165"), "{said}");
}

#[test]
fn more_on_trial_than_the_guard_allows_is_noticed_z154() {
    let said = complaint(|state| {
        let scenario = ScenarioKey::parse("flight booking").expect("a scenario");
        let first = state.patches[0].clone();
        for n in 3..=11 {
            let mut patch = first.clone();
            patch.patch_id = PatchId::numbered(&scenario, n);
            patch.stage = Stage::Experimental(Trial {
                since: At(0),
                until: At(1),
                extensions: 0,
            });
            state.patches.push(patch);
        }
    });
    assert!(said.contains("Z-154"), "{said}");
}

#[test]
fn what_does_not_fit_together_is_noticed() {
    assert!(complaint(|state| state.patches[1].patch_id = state.patches[0].patch_id.clone()).contains("one id"));
    let said = complaint(|state| {
        let history = &mut state.patches[0].history;
        let mut later = history[0].clone();
        later.at = later.at.plus_ms(1);
        history.insert(0, later);
    });
    assert!(said.contains("back in time"), "{said}");
    let unknown = ScenarioKey::parse("s").expect("a scenario");
    let said = complaint(|state| {
        for claims in state.claims.values_mut() {
            claims.clear();
            claims.push((Audience::Global, Claim::Patched(PatchId::numbered(&unknown, 9))));
        }
    });
    assert!(said.contains("no patch"), "{said}");
    let said = complaint(|state| {
        if let Some(claims) = state.claims.values_mut().next() {
            claims.extend(claims.clone());
        }
    });
    assert!(said.contains("twice"), "{said}");
    let said = complaint(|state| {
        let pending = Pending {
            at: At(0),
            client: None,
            schema_id: crate::scenario::sample::schema_id("flight_v1"),
            fragments: 1,
            observed: Vec::new(),
            requested: false,
        };
        state.pending.insert(state.seq + 1, pending);
    });
    assert!(said.contains("beyond"), "{said}");
}
