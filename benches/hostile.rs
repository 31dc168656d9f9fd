//! What a text costs that is made to be expensive: for each function that reads texts from outside, the worst of many.
//!
//! `cargo bench --bench hostile -- [FUNCTION …]` prints for each function the three worst texts, of the largest size that it takes, with
//! their milliseconds. The least of three runs counts, since machines are noisy.

use std::hint::black_box;
use std::time::Duration;
use std::time::Instant;

use engine::evolution::judge;
use engine::pool::analysis;
use engine::pool::coverage;
use schema::effective::EffectiveTemplate;
use schema::exchange::envelope::Envelope;
use schema::exchange::other::OtherLimits;
use schema::exchange::validator::Validator;
use schema::json_text;
use schema::key::KeyDefinition;
use schema::lint;
use schema::name::PatchId;
use schema::template::SchemaTemplate;
use serde_json::Value;
use serde_json::json;
use text::analysis::Analysis;
use text::redaction;
use text::secrets;
use text::secrets::Scope;
use text::secrets::prose;
use text::secrets::remainder;
use text::secrets::words::scrubbed_words;
use text::sentence;

/// Bytes of one string of `other`, of a body, and of one description: what the settings allow unless they are changed.
const OTHER: usize = 2_000;
const BODY: usize = 256 * 1_024;
const DESCRIPTION: usize = 16 * 1_024;
/// Characters of a fragment that is read.
const FRAGMENT: usize = 400;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");

/// What is repeated until a text is full.
const UNITS: [&str; 72] = [
    "a 1 ",
    "1",
    "1 ",
    "1.",
    "1,",
    "1/",
    "1-",
    "A",
    "A ",
    "Ab ",
    "AB ",
    "a",
    "a ",
    ". ",
    ", ",
    "; ",
    " ",
    "\n",
    "\t",
    "\"",
    "'",
    "\"'",
    "\"a\" ",
    "(",
    "((a",
    "[",
    "{\"a\":",
    "\\",
    "\\\"",
    "é",
    "ß",
    "漢",
    "漢 ",
    "е\u{301}",
    "\u{200b}",
    "😀",
    "one ",
    "one-",
    "one way ",
    "two hundred ",
    "at 8 ",
    "$1 ",
    "$1.",
    "noon ",
    "monday ",
    "may 1 ",
    "to ",
    "from a to ",
    "12 main st ",
    "new york, ",
    "I'm Al. ",
    "Mr A ",
    "my name is a ",
    "Maria Lopez called ",
    "call me A ",
    "a@b.c ",
    "a at b dot com ",
    "pwd:",
    "pwd: x ",
    "token:",
    "token:://a:b@",
    "password is ",
    "my PIN is 1 ",
    "pin pin ",
    "not ",
    "no a, ",
    "and ",
    "a and b, but c; ",
    "e.g. ",
    "what ",
    "a=b;",
    "'a' -> true; ",
];

/// Texts of so many bytes: units repeated, pairs of them, and one run before an end that breaks it.
fn texts(bytes: usize) -> Vec<(String, String)> {
    let filled = |unit: &str| {
        let mut text = unit.repeat(bytes / unit.len() + 1);
        text.truncate(text.floor_char_boundary(bytes));
        text
    };
    let mut texts: Vec<(String, String)> = Vec::new();
    for (place, unit) in UNITS.iter().enumerate() {
        texts.push((format!("{unit:?}"), filled(unit)));
        let next = UNITS[(place * 31 + 17) % UNITS.len()];
        texts.push((format!("{unit:?} {next:?}"), filled(&format!("{unit}{next}"))));
        let mut broken = filled(unit);
        broken.truncate(broken.floor_char_boundary(bytes.saturating_sub(4)));
        broken.push_str(" x1");
        texts.push((format!("{unit:?} …"), broken));
    }
    // A walk over all units, which no single one stands for.
    let mut state = 7_usize;
    let mut mixed = String::new();
    while mixed.len() < bytes {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        mixed.push_str(UNITS[(state >> 33) % UNITS.len()]);
    }
    mixed.truncate(mixed.floor_char_boundary(bytes));
    texts.push(("mixed".to_owned(), mixed));
    texts
}

/// The least of three runs; one that takes long is not repeated.
fn cost(mut run: impl FnMut()) -> Duration {
    let mut least = Duration::MAX;
    for _ in 0..3 {
        let began = Instant::now();
        run();
        least = least.min(began.elapsed());
        if least > Duration::from_millis(500) {
            break;
        }
    }
    least
}

/// A template of so many learned-looking keys beside the draft's own.
fn template(keys: usize) -> SchemaTemplate {
    let mut document: Value = serde_json::from_str(FLIGHT).expect("JSON");
    for number in 0..keys {
        let key = json!({"key_name": format!("wish_{number}"), "key_type": "string", "required": false,
            "semantic_description": format!("What is wished for meal number {number}. Acceptable values: 'vegan', 'halal', 'none'.")});
        document["keys"].as_array_mut().expect("keys").push(key);
    }
    SchemaTemplate::parse(&document).expect("a template").0
}

/// A template whose descriptions are such a text, in so many keys beside the draft's own.
fn described(text: &str, keys: usize) -> String {
    let mut document: Value = serde_json::from_str(FLIGHT).expect("JSON");
    for number in 0..keys {
        let key = json!({"key_name": format!("key_{number}"), "key_type": "string", "required": false,
            "semantic_description": format!("{number} {text}")});
        document["keys"].as_array_mut().expect("keys").push(key);
    }
    document.to_string()
}

/// A function, the bytes of the texts that it is given, what is made of a text before it, and itself.
type Function<'f> = (&'f str, usize, &'f dyn Fn(&str) -> String, &'f dyn Fn(&str));

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let effective = EffectiveTemplate::compose(&template(40), &[], 1);
    let limits = OtherLimits {
        strings_max: 16,
        bytes_max: OTHER,
    };
    let validator = Validator::compile(&effective, limits);
    let received = |_: &PatchId| true;
    let definitions: Vec<&KeyDefinition> = effective.keys.iter().map(|key| &key.definition).collect();
    let nothing: Vec<String> = Vec::new();
    let value = json!("vegan");
    let judged = |text: &str| {
        let case = judge::Case {
            key: definitions.last().expect("a key"),
            value: &value,
            utterance: Some(text),
            other: &nothing,
        };
        black_box(judge::judge(&case));
    };
    let lint = |text: &str| {
        let document = json_text::read(text).expect("JSON");
        if let Ok((template, findings)) = SchemaTemplate::parse(&document) {
            black_box(lint::lint(&template, findings));
        }
    };
    let as_it_is = |text: &str| text.to_owned();
    let in_other = |text: &str| json!({"other": text}).to_string();
    let in_words = |text: &str| json!({"schema_id": "a", "payload": {"note": text}}).to_string();
    let in_name = |text: &str| format!("{{{}: [{}1]}}", json!(text), "[\"x\"],".repeat(text.len() / 6));
    let in_names = |text: &str| {
        format!(
            "{{{}: [{}1]}}",
            json!(text),
            "{\"a\": 1, \"a\": 2},".repeat(text.len() / 18)
        )
    };
    let many_names = |text: &str| {
        let name = |place: usize| format!("\"{place:x}wish\": 1,");
        let names: String = (0..text.len() / 12).map(name).collect();
        format!("{{\"schema_id\": \"a\", \"payload\": {{{names}\"x\": 1}}}}")
    };
    let one_key = |text: &str| described(text, 1);
    let many_keys = |text: &str| described(text, 200);
    let functions: [Function<'_>; 18] = [
        ("depth", BODY, &as_it_is, &|text| {
            let _ = black_box(json_text::check_depth(text.as_bytes()));
        }),
        ("split", OTHER, &as_it_is, &|text| {
            drop(black_box(sentence::sentences(text, 17)))
        }),
        ("read", OTHER, &as_it_is, &|text| {
            drop(black_box(analysis::analyse(&Analysis::of(text))))
        }),
        ("read a fragment", FRAGMENT, &as_it_is, &|text| {
            drop(black_box(analysis::analyse(&Analysis::of(text))))
        }),
        ("covered", FRAGMENT, &as_it_is, &|text| {
            drop(black_box(coverage::covering(&Analysis::of(text), &effective.keys)))
        }),
        ("redact", 4_096, &as_it_is, &|text| {
            drop(black_box(redaction::redacted(text)))
        }),
        ("judge", OTHER, &as_it_is, &judged),
        ("secrets told", OTHER, &as_it_is, &|text| {
            drop(black_box(prose::scrubbed(text)))
        }),
        ("secrets doubted", OTHER, &as_it_is, &|text| {
            drop(black_box((prose::may_tell(text), remainder::remainder(text))))
        }),
        ("secrets in words", OTHER, &as_it_is, &|text| {
            drop(black_box(scrubbed_words(text)))
        }),
        ("secrets in a body", BODY, &in_words, &|text| {
            drop(black_box(secrets::scrubbed_beside(text, Some("payload"), &|name| {
                name == "other"
            })));
        }),
        ("secrets in names", BODY / 2, &in_name, &|text| {
            drop(black_box(secrets::scrubbed(text, Scope::Everywhere)))
        }),
        ("secrets among names", BODY, &many_names, &|text| {
            drop(black_box(secrets::scrubbed_beside(text, Some("payload"), &|name| {
                validator.has(name)
            })));
        }),
        ("envelope", BODY, &in_words, &|text| {
            drop(black_box(Envelope::parse(text)))
        }),
        ("validate words", BODY, &in_other, &|text| {
            drop(black_box(validator.check(text, &received, true)))
        }),
        ("validate names", BODY / 2, &in_names, &|text| {
            drop(black_box(validator.check(text, &received, true)))
        }),
        ("lint a description", DESCRIPTION - 8, &one_key, &lint),
        ("lint a template", 1_000, &many_keys, &lint),
    ];
    println!("{:<20} {:>8}  worst three, in ms", "function", "bytes");
    for (name, bytes, prepare, run) in functions {
        if !wanted.is_empty() && !wanted.iter().any(|one| name.starts_with(one.as_str())) {
            continue;
        }
        // What is compiled once is not what a text costs.
        run(&prepare("warm up on Monday at 8 with 2 bags, my password is \"x1\""));
        let began = Instant::now();
        let mut worst: Vec<(Duration, String)> = Vec::new();
        for (unit, text) in texts(bytes) {
            let text = prepare(&text);
            worst.push((cost(|| run(&text)), unit));
            if began.elapsed() > Duration::from_secs(60) {
                worst.push((Duration::ZERO, "cut short".to_owned()));
                break;
            }
        }
        worst.sort_by(|one, other| other.cmp(one));
        let told = worst
            .iter()
            .take(3)
            .map(|(took, unit)| format!("{:.3} {unit}", took.as_secs_f64() * 1_000.0));
        let told: Vec<String> = told.collect();
        println!("{name:<20} {bytes:>8}  {}", told.join("   "));
    }
}
