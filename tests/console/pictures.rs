//! The pictures of the views in `docs/console.md`.
//!
//! Pixels differ between machines, so what is compared is what a view is made of: its headings, columns, labels and buttons as they
//! stood when its picture was taken. `UPDATE_DOCS=1` takes those anew that show something else by now, or are gone.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use otherwise::adapters::clock::SystemClock;
use otherwise::app::ports::Clock;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;

use super::OLGA;
use super::VIEWS;
use super::changed::next;
use super::enter;
use super::flight;
use super::go;
use super::patches;
use super::webdriver::Browser;
use crate::support::clock::VirtualClock;
use crate::support::server::Server;
use crate::support::server::under;
use crate::support::wishes::SEAT;
use crate::support::wishes::SUITCASE;

const FOLDER: &str = "docs/pictures";
/// What each view was made of when its picture was taken.
const SHOWN: &str = "shown.txt";
/// A window as people have one, and a picture as wide as a page of text.
const WINDOW: (u32, u32) = (1280, 880);
const SCALE: f64 = 0.78;
/// Of one picture: seven of them cost a reader of the page less than a photograph.
const BYTES_MAX: u64 = 60 * 1024;
/// For as long the scenario is in use.
const DAYS: i64 = 12;

fn at(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join(name)
}

/// A travel desk in its second week: one key on trial, one that waits, a wish that is still cold, and a newer version.
fn travel_desk() -> Server {
    let now = SystemClock::new().now();
    let clock = Arc::new(VirtualClock::at(now.plus_ms(-DAYS * DAY_MS)));
    let (mut first, mut second) = (flight(), next());
    for template in [&mut first, &mut second] {
        template["owner"] = json!("travel desk");
        template["labels"] = json!({"team": "travel"});
        template["description"] = json!("Books a flight.");
    }
    let server = Server::start(&[("template.json", first)], |_| {}, under(&clock));
    for day in 0..=DAYS {
        clock.set(now.plus_ms((day - DAYS) * DAY_MS));
        let wishes: &[&str] = match day {
            0 => &SEAT,
            9 => &SUITCASE,
            11 => &[
                "a vegetarian meal please",
                "vegetarian meal",
                "I would like a vegetarian meal",
            ],
            _ => &[],
        };
        for (number, said) in wishes.iter().enumerate() {
            submit(&server, number, json!({"other": said}));
        }
        if day == 8 {
            let id = patches(&server)[0]["patch_id"].as_str().expect("an id").to_owned();
            decide(
                &server,
                &format!("/v1/patches/{id}:approve"),
                "asked for by five agents",
            );
        }
        if day > 0 {
            let key = patches(&server)[0]["new_keys"][0]["key_name"]
                .as_str()
                .expect("a name")
                .to_owned();
            for number in 0..6 {
                let more = if day > 8 && number < 2 {
                    json!({&key: true})
                } else {
                    json!({})
                };
                submit(&server, number, more);
            }
        }
        server.tick();
        server.settle();
    }
    let put = server.call("PUT", "/v1/schemas/flight_booking_v2", &[OLGA], &second.to_string());
    assert_eq!(put.status, 201, "{}", put.body);
    server
}

/// One of five agents books.
fn submit(server: &Server, number: usize, more: Value) {
    let agent = ["concierge", "kiosk", "noor", "phone-desk", "tess"][number % 5];
    let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
    for (name, value) in more.as_object().expect("members") {
        payload[name] = value.clone();
    }
    let body = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
    let reply = server.call("POST", "/v1/submissions", &[("Otherwise-Client", agent)], &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    server.settle();
}

fn decide(server: &Server, path: &str, reason: &str) {
    let reply = server.call("POST", path, &[OLGA], &json!({"reason": reason}).to_string());
    assert_eq!(reply.status, 200, "{}", reply.body);
}

/// What a view is made of, whatever it is filled with: the words that stand in it by themselves.
fn made_of(browser: &Browser) -> Vec<String> {
    let told = browser.script(
        "const own = it => [...it.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data).join(' '); \
         return [...document.querySelectorAll('main :is(h1, h2, h3, th[scope=col], label, legend, button:not(.opener))')] \
           .map(it => own(it).replace(/[0-9]+/g, '#').replace(/\\s+/g, ' ').trim()).filter(Boolean)",
        &[],
    );
    let words = told.as_array().expect("words").iter();
    let words: BTreeSet<String> = words.filter_map(Value::as_str).map(str::to_owned).collect();
    words.into_iter().collect()
}

/// One paragraph a view, its name first.
fn paragraphs(text: &str) -> BTreeMap<String, Vec<String>> {
    let of = |paragraph: &str| {
        let mut lines = paragraph.lines().map(str::to_owned);
        Some((lines.next()?, lines.collect()))
    };
    text.split("\n\n").filter_map(of).collect()
}

#[test]
fn each_view_has_its_picture_on_the_page_and_no_other_is_kept() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/console.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let mut there = BTreeSet::new();
    for entry in std::fs::read_dir(at("")).expect("the pictures") {
        let entry = entry.expect("a picture");
        let size = entry.metadata().expect("its size").len();
        assert!(size <= BYTES_MAX, "{:?} has {size} bytes", entry.path());
        there.insert(entry.file_name().into_string().expect("a name"));
    }
    let mut named: BTreeSet<String> = VIEWS.iter().map(|(name, _, _)| format!("{name}.webp")).collect();
    for picture in &named {
        assert!(
            page.contains(&format!("](pictures/{picture})")),
            "docs/console.md shows {picture}"
        );
    }
    named.insert(SHOWN.to_owned());
    assert_eq!(there, named);
}

#[test]
fn no_picture_is_older_than_its_view() {
    let Some(browser) = Browser::start() else { return };
    let server = travel_desk();
    let is_taken = std::env::var_os("UPDATE_DOCS").is_some();
    let mut kept = paragraphs(&std::fs::read_to_string(at(SHOWN)).unwrap_or_default());
    let mut older = Vec::new();
    browser.dress("light", WINDOW.0);
    browser.size(WINDOW.0, WINDOW.1, 1);
    browser.tool("Emulation.setScrollbarsHidden", &json!({"hidden": true}));
    enter(&browser, &server, VIEWS[0].1);
    browser.sees("live");
    for (name, place, text) in VIEWS {
        go(&browser, place);
        browser.sees(text);
        browser.until("!document.body.innerText.includes('Loading')");
        let shown = made_of(&browser);
        let picture = at(&format!("{name}.webp"));
        if kept.get(name) == Some(&shown) && picture.exists() {
            continue;
        }
        if !is_taken {
            older.push((name, shown));
            continue;
        }
        let clip = json!({"x": 0, "y": 0, "width": WINDOW.0, "height": WINDOW.1, "scale": SCALE});
        let bytes = browser.captured(&json!({"format": "webp", "quality": 60, "clip": clip}));
        std::fs::create_dir_all(at("")).expect("the folder");
        std::fs::write(picture, bytes).expect("the picture");
        kept.insert(name.to_owned(), shown);
    }
    assert!(
        older.is_empty(),
        "other things are shown than in {FOLDER}: take them anew with UPDATE_DOCS=1 cargo test --test otherwise pictures: {older:#?}"
    );
    if is_taken {
        let text = |(name, words): (&String, &Vec<String>)| format!("{name}\n{}\n", words.join("\n"));
        let text: Vec<String> = kept.iter().map(text).collect();
        std::fs::write(at(SHOWN), text.join("\n")).expect("what they show");
    }
}
