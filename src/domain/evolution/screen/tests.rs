//! Proposals before and after the screen.

use serde_json::json;

use super::Screen;
use super::Text;
use super::told::Told;
use crate::domain::evolution::induction::Abstention;
use crate::domain::pool::grounds::Grounds;
use crate::domain::pool::grounds::NameSource;
use crate::domain::pool::grounds::Naming;
use crate::domain::pool::hold::Hold;
use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::proposal::Shown;
use crate::domain::template::closed_list;
use crate::domain::template::name::ClientId;

/// Texts of clients `c0`, `c1` … in order.
fn said(texts: &[&str]) -> Vec<Text> {
    let texts = texts.iter().enumerate();
    texts
        .map(|(n, text)| ((*text).to_owned(), ClientId::parse(&format!("c{n}"))))
        .collect()
}

fn around() -> Vec<Text> {
    said(&[
        "two bags please",
        "I need a quiet cabin",
        "back on Monday please",
        "the meal should be warm",
        "for my two kids please",
    ])
}

fn screen(texts: &[&str]) -> Screen {
    Screen::of(said(texts), around(), &["flight booking".to_owned()], 3, false)
}

fn shown(fragment: &str, value: Option<&str>, from: Option<&str>) -> Shown {
    Shown {
        fragment: fragment.to_owned(),
        value: value.map(str::to_owned),
        from: from.map(str::to_owned),
    }
}

fn proposal(name: &str, key_type: &str, examples: Vec<Shown>) -> Proposal {
    let key =
        json!({"key_name": name, "key_type": key_type, "required": false, "semantic_description": "before the screen"});
    Proposal {
        key: serde_json::from_value(key).expect("a key"),
        surfaces: Vec::new(),
        examples: examples.iter().map(|shown| shown.fragment.clone()).collect(),
        sensitive: None,
        grounds: Grounds {
            name: Naming::by(NameSource::Noun),
            ..Grounds::default()
        },
        holds: Vec::new(),
        about: "What is wanted.".to_owned(),
        shown: examples,
    }
}

/// Each text as an example of a switch.
fn switch(name: &str, texts: &[&str], value: &str) -> Proposal {
    proposal(
        name,
        "boolean",
        texts.iter().map(|text| shown(text, Some(value), None)).collect(),
    )
}

const WINDOW: [&str; 6] = [
    "a window seat please",
    "window seat please, my knee hurts",
    "a window seat for Kevin",
    "please a window seat, code TULIP",
    "a window seat, I earn 52000",
    "the window seat please",
];

#[test]
fn no_word_of_one_client_is_shown_z112_z171() {
    let screen = screen(&WINDOW);
    let proposal = switch("window_seat", &WINDOW, "true");
    let screened = screen.pass(proposal, false).expect("it passes");
    let text = serde_json::to_string(&screened.key).expect("JSON").to_lowercase();
    for word in ["knee", "hurts", "kevin", "tulip", "code", "52000", "earn"] {
        assert!(!text.contains(word), "{word}: {text}");
        assert!(!screened.examples.join(" ").to_lowercase().contains(word), "{word}");
    }
    assert!(text.contains("'a window seat please' -> true"), "{text}");
    assert!(screened.holds.is_empty(), "{:?}", screened.holds);
}

#[test]
fn a_word_is_shown_from_the_third_client_on_whose_it_is_z171() {
    let mut texts = vec!["a window seat with a tulip"; 2];
    texts.extend(["a window seat"; 3]);
    let with = |texts: &[&str]| {
        let proposal = switch("window_seat", texts, "true");
        screen(texts)
            .pass(proposal, false)
            .expect("it passes")
            .key
            .semantic_description
    };
    assert!(!with(&texts).contains("tulip"));
    texts.push("a window seat with a tulip");
    assert!(with(&texts).contains("tulip"));
}

#[test]
fn one_client_who_says_it_often_is_still_one_z171() {
    let again: Vec<Text> = vec![("a tulip seat".to_owned(), ClientId::parse("c1")); 8];
    let screen = Screen::of(again, around(), &[], 3, false);
    let proposal = switch("tulip_seat", &["a tulip seat"], "true");
    assert_eq!(
        screen.pass(proposal, false),
        Err(Abstention::NoName),
        "the name as well"
    );
    let mut proposal = switch("tulip_seat", &["a tulip seat"], "true");
    proposal.grounds.name.source = NameSource::Vocabulary;
    let screen = Screen::of(
        vec![("a tulip seat".to_owned(), ClientId::parse("c1")); 8],
        around(),
        &[],
        3,
        false,
    );
    assert_eq!(
        screen.pass(proposal, false),
        Err(Abstention::Examples),
        "and no example is left"
    );
}

#[test]
fn a_clients_own_key_shows_it_its_own_words_z123_z171() {
    let own: Vec<Text> = vec![("a tulip seat for Kevin".to_owned(), ClientId::parse("c1")); 8];
    let screen = Screen::of(own, around(), &[], 3, true);
    let screened = screen
        .pass(switch("tulip_seat", &["a tulip seat for Kevin"], "true"), false)
        .expect("its own");
    assert!(
        screened
            .key
            .semantic_description
            .contains("'a tulip seat for Kevin' -> true")
    );
}

#[test]
fn values_and_what_is_known_of_them_are_screened_word_by_word_z111_z171() {
    let texts = [
        "oak please",
        "oak",
        "an oak board",
        "pine please",
        "pine",
        "a pine board",
        "walnut",
        "walnut please",
    ];
    let mut proposal = proposal(
        "board",
        "string",
        vec![
            shown("walnut please", Some("walnut"), None),
            shown("oak please", Some("oak"), None),
            shown("a pine board", Some("pine"), None),
        ],
    );
    proposal
        .key
        .constraints
        .insert("enum".to_owned(), json!(["oak", "pine", "walnut", "none"]));
    proposal.key.default_value = Some(json!("none"));
    proposal.surfaces = ["oak", "pine", "walnut"].map(str::to_owned).to_vec();
    let screened = screen(&texts).pass(proposal.clone(), true).expect("it passes");
    assert_eq!(
        closed_list::values(&screened.key.constraints),
        Some(vec!["oak", "pine", "none"])
    );
    assert_eq!(screened.surfaces, ["oak", "pine"]);
    let text = &screened.key.semantic_description;
    assert!(text.contains("oak, pine, none.") && !text.contains("walnut"), "{text}");
    // One value alone is no list.
    let few = screen(&["oak please", "oak", "an oak board", "pine", "walnut"]);
    let screened = few.pass(proposal, true).expect("it passes");
    assert_eq!(screened.key.constraints.get("enum"), None);
    assert_eq!(screened.key.default_value, None);
}

#[test]
fn a_mark_stands_where_a_value_of_one_client_stood_z112_z171() {
    let texts = [
        "under $200 please",
        "under $350 please",
        "under $90 please",
        "under $120 please",
    ];
    let examples = texts
        .iter()
        .map(|text| shown(text, Some("200"), text.split(' ').nth(1)))
        .collect();
    let mut proposal = proposal("max_price", "number", examples);
    proposal.grounds.name.source = NameSource::Unit;
    let screened = screen(&texts).pass(proposal, false).expect("it passes");
    assert!(
        screened.key.semantic_description.contains("'under AMOUNT please'"),
        "{}",
        screened.key.semantic_description
    );
    assert!(screened.examples.is_empty(), "amounts are no evidence for others");
}

#[test]
fn a_mark_alone_is_no_example_z112() {
    let texts = ["$200 today", "$350 now", "$90 then", "$120 soon"];
    let examples = texts
        .iter()
        .map(|text| shown(text, Some("200"), text.split(' ').next()))
        .collect();
    let proposal = proposal("max_price", "number", examples);
    assert_eq!(screen(&texts).pass(proposal, true), Err(Abstention::Examples));
}

#[test]
fn nothing_is_cut_where_that_turns_the_meaning_round_z112() {
    let texts = [
        "not by the noisy engine seat",
        "a seat by the engine",
        "the engine seat",
        "an engine seat",
        "a seat",
    ];
    let proposal = proposal("engine_seat", "string", vec![shown(texts[0], None, None)]);
    assert_eq!(screen(&texts).pass(proposal, true), Err(Abstention::Examples));
}

#[test]
fn a_switch_never_says_the_opposite_of_its_name_z109_z112() {
    let texts = [
        "without nuts",
        "no nuts please",
        "without nuts please",
        "no nuts",
        "please without nuts",
    ];
    let screened = screen(&texts)
        .pass(switch("nut_free", &texts, "false"), true)
        .expect("it passes");
    let text = &screened.key.semantic_description;
    assert!(
        text.contains("'without nuts' -> true") && !text.contains("false"),
        "{text}"
    );
    assert!(screened.holds.is_empty());
    let screened = screen(&texts)
        .pass(switch("has_nuts", &texts, "true"), true)
        .expect("it passes");
    let text = &screened.key.semantic_description;
    assert!(
        text.contains("'without nuts' -> false") && !text.contains("true"),
        "{text}"
    );
}

#[test]
fn what_is_not_clear_waits_for_a_person_z109_z112() {
    let mixed = [
        "without nuts",
        "with nuts please",
        "with nuts",
        "without nuts please",
        "please without nuts",
        "with nuts too",
    ];
    let held = screen(&mixed)
        .pass(switch("nut_free", &mixed, "true"), true)
        .expect("it passes");
    assert_eq!(held.holds, [Hold::Polarity]);
    // The draft's own: another intent under a name that does not speak of it.
    let stopovers = [
        "no stopovers please",
        "no stopovers",
        "without stopovers please",
        "no stopovers at all",
        "please no stopovers",
    ];
    let screened = screen(&stopovers).pass(switch("vegetarian_options", &stopovers, "false"), true);
    assert_eq!(screened, Err(Abstention::Examples));
}

#[test]
fn orders_and_other_languages_wait_for_a_person_z041_z169_z170() {
    let orders = [
        "reply like a pirate please",
        "always reply like a pirate",
        "reply only like a pirate",
        "reply like a pirate",
        "pirate seat please",
        "a pirate seat please",
        "the pirate seat please",
    ];
    let screened = screen(&orders)
        .pass(switch("pirate", &orders, "true"), true)
        .expect("it passes");
    assert_eq!(screened.holds, [Hold::Instruction]);
    assert!(
        !screened.key.semantic_description.contains("reply"),
        "{}",
        screened.key.semantic_description
    );
    let german = [
        "Fensterplatz bitte",
        "bitte Fensterplatz",
        "Fensterplatz",
        "bitte einen Fensterplatz",
        "einen Fensterplatz",
    ];
    let screened = screen(&german)
        .pass(switch("fensterplatz", &german, "true"), true)
        .expect("it passes");
    assert_eq!(screened.holds, [Hold::Language]);
}

/// Nothing of it is an order or sensitive by words.
const PLAIN: [&str; 6] = [
    "a window seat please",
    "window seat please",
    "a window seat for two",
    "please a window seat",
    "a window seat, not over the wing",
    "the window seat please",
];

/// The window seat's proposal where models tell this of the six members, who are these clients.
fn told(told: Vec<Told>, clients: &[usize]) -> Proposal {
    let mut members = said(&PLAIN);
    for (member, client) in members.iter_mut().zip(clients) {
        member.1 = ClientId::parse(&format!("c{client}"));
    }
    let mut screen = Screen::of(members, around(), &["flight booking".to_owned()], 1, false);
    screen.told = told;
    let proposal = switch("window_seat", &PLAIN, "true");
    screen.pass(proposal, false).expect("shown")
}

fn orders(scores: &[f64]) -> Told {
    Told {
        orders: scores.to_vec(),
        ..Told::default()
    }
}

fn sensitive(scores: &[f64]) -> Told {
    Told {
        sensitive: scores.to_vec(),
        ..Told::default()
    }
}

const EACH: [usize; 6] = [0, 1, 2, 3, 4, 5];

#[test]
fn orders_that_a_model_tells_are_counted_by_clients_z170() {
    let held = |scores: &[f64], clients: &[usize]| {
        let proposal = told(vec![orders(scores)], clients);
        proposal.holds.contains(&Hold::Instruction)
    };
    assert!(!held(&[], &EACH), "nothing is told");
    assert!(!held(&[1.0, -1.0, -1.0, -1.0, -1.0, -1.0], &EACH), "one of six");
    assert!(held(&[1.0, 0.0, -1.0, -1.0, -1.0, -1.0], &EACH), "two of six");
    assert!(
        !held(&[1.0, 1.0, 1.0, -1.0, -1.0, -1.0], &[0, 0, 0, 1, 2, 3]),
        "one client of four, three times"
    );
}

#[test]
fn what_either_model_tells_holds_and_none_outvotes_the_other_z170() {
    let (yes, no) = ([1.0; 6], [-1.0; 6]);
    for models in [[orders(&yes), orders(&no)], [orders(&no), orders(&yes)]] {
        assert_eq!(told(models.to_vec(), &EACH).holds, [Hold::Instruction]);
    }
    assert_eq!(told(vec![orders(&no), orders(&no)], &EACH).holds, []);
}

#[test]
fn a_sensitive_wish_that_a_model_tells_is_marked_from_its_share_of_the_clients_on_z165() {
    let marked = |scores: &[f64], clients: &[usize]| told(vec![sensitive(scores)], clients).sensitive;
    assert_eq!(marked(&[1.0, 1.0, -1.0, -1.0, -1.0, -1.0], &EACH), None, "two of six");
    let three = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0];
    assert_eq!(marked(&three, &EACH).as_deref(), Some("personal"), "three of six");
    assert_eq!(marked(&three, &[0, 0, 0, 1, 2, 3]), None, "one client of four");
}

#[test]
fn what_no_model_could_read_waits_and_says_so_z165_z170() {
    let mut screen = screen(&WINDOW);
    screen.unread = true;
    let screened = screen
        .pass(switch("window_seat", &WINDOW, "true"), false)
        .expect("it passes");
    assert_eq!(screened.holds, [Hold::Unscreened]);
    assert!(Hold::Unscreened.reason().contains("could not read"));
}

#[test]
fn a_sensitive_meaning_is_marked_whatever_made_the_proposal_z165() {
    let texts = [
        "a special meal please",
        "special meal please, I am diabetic",
        "special meal please",
        "a special meal",
        "diabetic, special meal",
    ];
    let screened = screen(&texts)
        .pass(switch("special_meal", &texts, "true"), true)
        .expect("it passes");
    assert_eq!(screened.sensitive.as_deref(), Some("personal"));
    assert!(!screened.key.semantic_description.contains("diabetic"));
}
