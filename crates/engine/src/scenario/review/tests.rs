//! What a reader is given of a scenario.

use super::*;
use crate::evolution::review::material::wanted;
use crate::scenario::sample::Scene;

fn given(scene: &Scene, text: &str) -> Material {
    let wanted = wanted(&scene.state.pool);
    let source = |_| Some((text.to_owned(), None));
    let said = said(&wanted, &source, scene.policy.evolution.example_clients_min);
    material(&scene.state, said).expect("a material")
}

#[test]
fn a_reader_is_given_the_keys_and_what_was_said_as_far_as_it_fits_and_no_client_z171() {
    let mut scene = Scene::new();
    scene.voice(0);
    let few = given(&scene, "a quiet seat");
    assert_eq!((few.fragments.len(), few.fragments_in_all), (5, 5));
    let keys: Vec<&str> = few.keys.iter().filter_map(|key| key["key_name"].as_str()).collect();
    assert_eq!(keys, ["origin", "cabin_class", "legroom"]);
    assert!(!few.text().contains("\"c1\""), "{}", few.text());
    (1..4).for_each(|theme| scene.voice(theme));
    // A masked text has some 4,000 bytes at most, of which the material holds fifteen, out of every cluster.
    let long = "quiet seat ".repeat(360);
    let many = given(&scene, &long);
    let clusters: BTreeSet<u64> = many.fragments.iter().map(|fragment| fragment.cluster.0).collect();
    let fit = FRAGMENT_BYTES_MAX / long.trim_end().len();
    assert_eq!(many.fragments.len(), fit);
    assert_eq!(clusters.len(), 4);
    assert_eq!(many.fragments_in_all, 20);
}
