//! What a reader is given of a scenario.

use std::collections::BTreeSet;

use super::material;
use crate::evolution::review::material::FRAGMENT_BYTES_MAX;
use crate::evolution::review::material::Material;
use crate::evolution::review::material::wanted;
use crate::scenario::sample::Scene;

fn given(scene: &Scene, text: &str) -> Material {
    let wanted = wanted(&scene.state.pool);
    let said = |_| Some((text.to_owned(), None));
    let said = super::said(&wanted, &said, scene.policy.evolution.example_clients_min);
    material(&scene.state, said).expect("a material")
}

#[test]
fn a_reader_is_given_the_keys_and_what_was_said_and_no_client_z171() {
    let mut scene = Scene::new();
    scene.voice(0);
    let given = given(&scene, "a quiet seat");
    assert_eq!((given.fragments.len(), given.fragments_in_all), (5, 5));
    let keys: Vec<&str> = given.keys.iter().filter_map(|key| key["key_name"].as_str()).collect();
    assert_eq!(keys, ["origin", "cabin_class", "legroom"]);
    assert!(!given.text().contains("\"c1\""), "{}", given.text());
    assert_eq!(given.digest(), given.digest());
}

#[test]
fn what_is_too_much_is_left_out_fragment_by_fragment() {
    let mut scene = Scene::new();
    for theme in 0..4 {
        scene.voice(theme);
    }
    // A masked text has some 4,000 bytes at most, of which the material holds fifteen.
    let long = "quiet seat ".repeat(360);
    let given = given(&scene, &long);
    let clusters: BTreeSet<u64> = given.fragments.iter().map(|fragment| fragment.cluster.0).collect();
    assert_eq!(
        (given.fragments.len(), clusters.len()),
        (FRAGMENT_BYTES_MAX / long.trim_end().len(), 4)
    );
    assert_eq!(given.fragments_in_all, 20);
}
