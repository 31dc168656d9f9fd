//! What a browser shows of each view: reachable, legible, quiet, and nothing of it from elsewhere.

use std::sync::Arc;

use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::AXE;
use super::INJECTED;
use super::VIEWS;
use super::enter;
use super::fill;
use super::flight;
use super::go;
use super::patches;
use super::served;
use super::sign_in;
use super::webdriver::BACK;
use super::webdriver::Browser;
use super::webdriver::ENTER;
use super::webdriver::ESCAPE;
use super::with_proposals;
use crate::support::principal::with_key;
use crate::support::server::Server;

/// Light and dark, and as narrow as a telephone (WCAG 1.4.10).
const DRESSES: [(&str, u32); 3] = [("light", 1280), ("dark", 1280), ("light", 320)];

/// Rules of WCAG 2.0 to 2.2, A and AA, and what is good practice.
const TAGS: [&str; 6] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/// What axe finds wrong with what is shown: each rule with the places.
pub fn findings(browser: &Browser) -> Value {
    browser.script(AXE, &[]);
    let run = "const done = arguments[arguments.length - 1]; \
               axe.run(document, {runOnly: arguments[0], resultTypes: ['violations']}) \
               .then(found => done(found.violations.map(one => ({rule: one.id, places: one.nodes.map(node => node.html + ' ' + node.failureSummary)}))), \
               error => done(String(error)))";
    browser.script_later(run, &[json!(TAGS)])
}

/// Asserts that the browser complained of nothing, and asked nobody but the service.
pub fn is_quiet(browser: &Browser, server: &Server, what: &str) {
    assert_eq!(browser.log(), Vec::<String>::new(), "{what}");
    for address in browser.requests() {
        let own = address.starts_with(server.base()) || address.starts_with("data:");
        assert!(
            own || address.starts_with("chrome:") || address.starts_with("about:"),
            "{what} asks for {address}"
        );
    }
}

#[test]
fn every_view_is_a_deep_link_that_all_can_read_and_nobody_else_hears_of() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter(&browser, &server, VIEWS[0].1);
    for (name, place, text) in VIEWS {
        browser.dress("light", 1280);
        browser.open("about:blank");
        browser.open(&format!("{}/console/#/{place}", server.base()));
        browser.sees(text);
        // What is asked for on the way is there before it is judged.
        browser.until("!document.body.innerText.includes('Loading')");
        for (scheme, width) in DRESSES {
            browser.dress(scheme, width);
            let what = format!("{name}, {scheme}, {width}");
            browser.picture(&format!("{name}-{scheme}-{width}"));
            assert_eq!(findings(&browser), json!([]), "{what}");
            let wide = browser.script("return document.documentElement.scrollWidth", &[]);
            assert!(wide.as_u64() <= Some(u64::from(width)), "{what} is {wide} wide");
        }
        let title = browser.script("return document.title", &[]);
        assert!(
            title.as_str().is_some_and(|title| title.ends_with("Otherwise")),
            "{title}"
        );
        is_quiet(&browser, &server, name);
    }
}

#[test]
fn what_opens_within_a_view_can_be_read_as_well() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    let patch = patches(&server)[0].clone();
    let (id, key) = (&patch["patch_id"], &patch["new_keys"][0]["key_name"]);
    let id = id.as_str().expect("an id");
    let approve = format!("/v1/patches/{id}:approve");
    assert_eq!(server.call("POST", &approve, &[super::OLGA], "").status, 200);
    let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
    payload[key.as_str().expect("a name")] = json!(true);
    let body = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
    let used = server.call("POST", "/v1/submissions", &[("Otherwise-Client", "agent-0")], &body);
    assert_eq!(used.status, 200, "{}", used.body);
    server.settle();

    browser.dress("light", 1280);
    browser.open(&format!("{}/console/", server.base()));
    browser.sees("This service runs open");
    assert_eq!(findings(&browser), json!([]), "who looks");
    // A name that no header carries is not sent.
    browser.until("document.activeElement?.matches('input[name=who]')");
    browser.tool("Input.insertText", &json!({"text": "Zoë"}));
    browser.until("document.activeElement.value === 'Zoë'");
    browser.press(ENTER);
    let told = browser.script(
        "return [document.querySelector('[name=who]').validity.patternMismatch, document.querySelectorAll('nav, .problem').length]",
        &[],
    );
    assert_eq!(told, json!([true, 0]));
    browser.chord("a");
    browser.press(BACK);
    browser.until("document.activeElement.value === ''");
    enter(&browser, &server, VIEWS[0].1);
    browser.sees("live");
    for (place, text) in [
        (format!("overview?p={id}"), "of payloads with the key"),
        ("waits?tab=values".to_owned(), "value"),
        ("waits?p=nothing".to_owned(), "waits here no more"),
        ("missing?q=helicopter".to_owned(), "No cluster is like that"),
        ("try?tab=json".to_owned(), "Submission"),
        ("try?tab=template&format=markdown".to_owned(), "Format"),
        ("changed?tab=candidate".to_owned(), "Nothing is stored before"),
    ] {
        go(&browser, &format!("s/flight_booking/{place}"));
        if text == "of payloads with the key" {
            browser.until("document.querySelectorAll('svg.chart .band').length === 3");
        } else {
            browser.sees(text);
        }
        browser.until("!document.body.innerText.includes('Loading')");
        for (scheme, width) in [("light", 1280), ("dark", 320)] {
            browser.dress(scheme, width);
            assert_eq!(findings(&browser), json!([]), "{place}, {scheme}, {width}");
        }
    }
    browser.dress("light", 1280);
    browser.script("document.activeElement.blur()", &[]);
    browser.press("c");
    browser.until("document.querySelectorAll('ol.calls li').length > 3");
    assert_eq!(findings(&browser), json!([]), "the calls");
    browser.press("c?");
    browser.until("document.querySelector('dialog[open] table')");
    assert_eq!(findings(&browser), json!([]), "the keys");
}

#[test]
fn what_others_wrote_stays_text_whatever_it_holds() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    let first = patches(&server)[0]["patch_id"].as_str().expect("an id").to_owned();
    let body = json!({"reason": INJECTED}).to_string();
    for path in [
        "/v1/scenarios/flight_booking:freeze",
        &format!("/v1/patches/{first}:reject"),
    ] {
        assert_eq!(server.call("POST", path, &[super::OLGA], &body).status, 200);
    }
    enter(&browser, &server, VIEWS[0].1);
    let shown = [
        "scenarios",
        "s/flight_booking/changed?tab=log",
        &format!("s/flight_booking/overview?p={first}"),
    ];
    for place in VIEWS.iter().map(|(_, place, _)| *place).chain(shown) {
        go(&browser, place);
        browser.until("!document.body.innerText.includes('Loading')");
        if shown.contains(&place) {
            browser.sees("onerror=\"window.alive=1\"");
        }
        let alive = "window.alive || document.querySelector('main img, [onerror], main script, main iframe')";
        assert_eq!(browser.script(&format!("return !!({alive})"), &[]), false, "{place}");
    }
    is_quiet(&browser, &server, "injected");
}

fn with_roles() -> Server {
    let roles = [
        ("paul", Role::Publisher),
        ("olga", Role::Operator),
        ("ada", Role::Auditor),
        ("agent-0", Role::Client),
    ];
    let mut principals: Vec<_> = roles
        .iter()
        .map(|(name, role)| with_key(name, *role, &format!("{name}-key")))
        .collect();
    principals.extend(
        (1..5).map(|number| with_key(&format!("agent-{number}"), Role::Client, &format!("agent-{number}-key"))),
    );
    served(|settings| settings.principals = principals)
}

#[test]
fn what_a_role_may_not_is_shown_and_says_who_may() {
    let Some(browser) = Browser::start() else { return };
    let server = with_roles();
    browser.open(&format!("{}/console/#/s/flight_booking/overview", server.base()));
    browser.until("document.querySelector('input[type=password]')");
    sign_in(&browser, "wrong-key");
    browser.sees("This key is not known");
    let told = browser.script("return document.querySelector('.problem').innerText", &[]);
    assert!(!told.to_string().contains("log out"), "nobody is logged in: {told}");
    assert_eq!(
        browser.script("return document.querySelectorAll('nav').length", &[]),
        0,
        "nothing is shown before"
    );
    browser.log();

    for (name, view, may) in [
        ("olga", "overview", true),
        ("paul", "overview", false),
        ("ada", "overview", false),
        ("agent-0", "try", true),
    ] {
        browser.open("about:blank");
        browser.open(&format!("{}/console/#/s/flight_booking/{view}", server.base()));
        browser.until("document.querySelector('input[type=password]')");
        sign_in(&browser, &format!("{name}-key"));
        browser.sees(name);
        let freeze = "[...document.querySelectorAll('button')].find(one => one.innerText.includes('Freeze'))";
        if view == "overview" {
            browser.until(freeze);
            let told = browser.script(&format!("const it = {freeze}; return [it.disabled, it.innerText]"), &[]);
            assert_eq!(told[0], !may, "{name}: {told}");
            assert_eq!(
                told[1]
                    .as_str()
                    .is_some_and(|text| text.contains("needs the role operator")),
                !may,
                "{name}: {told}"
            );
            // Nobody said anything yet: the command that says it can be taken as it stands.
            go(&browser, "s/flight_booking/missing");
            browser.until("document.querySelector('.empty pre')");
            let told = browser.script("return document.querySelector('.empty pre').innerText", &[]);
            let address = format!("'{}/v1/scenarios/flight_booking/extensions'", server.base());
            let body = r#"'{"wishes":["a window seat please"]}'"#;
            assert_eq!(
                told,
                json!(format!(
                    "curl -sS -X POST {address} -H \"Authorization: Bearer $OTHERWISE_KEY\" -H 'Content-Type: application/json' -d {body}"
                ))
            );
        } else {
            browser.sees("A payload for");
            let views = browser.script(
                "return [...document.querySelectorAll('nav a[href^=\"#\"]')].map(one => one.innerText.trim())",
                &[],
            );
            assert_eq!(
                views,
                json!(["Otherwise", "Scenarios", "What changed", "Try it"]),
                "a client's views"
            );
            go(&browser, "s/flight_booking/waits");
            browser.sees("needs the role");
        }
        let kept = browser.script("return JSON.stringify([sessionStorage, localStorage])", &[]);
        assert!(!kept.as_str().expect("text").contains("-key"), "{kept}");
        assert!(!browser.script("return location.href", &[]).to_string().contains("-key"));
        is_quiet(&browser, &server, name);
    }
    browser.until("[...document.querySelectorAll('button')].find(one => one.innerText === 'log out')");
    browser.script(
        "[...document.querySelectorAll('button')].find(one => one.innerText === 'log out').click()",
        &[],
    );
    browser.until("document.querySelector('input[type=password]')");
}

#[test]
fn looking_counts_for_nothing() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    let first = patches(&server)[0]["patch_id"].as_str().expect("an id").to_owned();
    assert_eq!(
        server
            .call("POST", &format!("/v1/patches/{first}:approve"), &[super::OLGA], "")
            .status,
        200
    );
    server.settle();
    let ledger = || {
        server
            .call("GET", "/v1/scenarios/flight_booking/ledger", &[super::OLGA], "")
            .body
    };
    let clients = || {
        server
            .call("GET", "/v1/scenarios/flight_booking/clients", &[super::OLGA], "")
            .body
    };
    let before = (ledger(), clients());
    enter(&browser, &server, VIEWS[0].1);
    for (_, place, text) in VIEWS {
        if place.ends_with("waits") {
            continue;
        }
        go(&browser, place);
        browser.sees(text);
        browser.until("!document.body.innerText.includes('Loading')");
    }
    browser.click("form button[type=submit]");
    browser.sees("It would be refused");
    server.settle();
    assert_eq!((ledger(), clients()), before);
}

#[test]
fn a_service_that_goes_and_comes_back_is_told_and_followed() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let start = |listen: &str| {
        let set = |settings: &mut otherwise::config::Settings| {
            settings.data.folder.clone_from(&data);
            settings.server.listen = listen.to_owned();
        };
        Server::start(&[("template.json", flight())], set, PartsOverride::default())
    };
    let server = start("127.0.0.1:0");
    fill(&server, &[]);
    let address = server.base().trim_start_matches("http://").to_owned();
    enter(&browser, &server, "s/flight_booking/waits");
    browser.sees("2 proposals wait");
    browser.sees("live");
    let first = patches(&server)[0]["patch_id"].as_str().expect("an id").to_owned();
    drop(server);
    browser.sees("stream lost");
    browser.sees("2 proposals wait");

    let again = start(&address);
    assert_eq!(
        again
            .call("POST", &format!("/v1/patches/{first}:reject"), &[super::OLGA], "")
            .status,
        200
    );
    browser.sees("1 proposal waits");
    browser.until("!document.body.innerText.includes('stream lost')");
}

#[test]
fn eight_tabs_are_told_by_one_stream() {
    let Some(browser) = Browser::start() else { return };
    let server = Arc::new(with_proposals());
    enter(&browser, &server, "s/flight_booking/waits");
    let mut tabs = vec![browser.here()];
    for _ in 1..8 {
        tabs.push(browser.tab());
        enter(&browser, &server, "s/flight_booking/waits");
        browser.sees("2 proposals wait");
    }
    let first = patches(&server)[0]["patch_id"].as_str().expect("an id").to_owned();
    assert_eq!(
        server
            .call("POST", &format!("/v1/patches/{first}:reject"), &[super::OLGA], "")
            .status,
        200
    );
    for tab in &tabs {
        browser.turn_to(tab);
        browser.sees("1 proposal waits");
    }
    // Another leads when the leader is closed.
    browser.turn_to(&tabs[0]);
    browser.close_tab();
    let second = patches(&server)[1]["patch_id"].as_str().expect("an id").to_owned();
    assert_eq!(
        server
            .call("POST", &format!("/v1/patches/{second}:reject"), &[super::OLGA], "")
            .status,
        200
    );
    for tab in &tabs[1..] {
        browser.turn_to(tab);
        browser.sees("Nothing waits");
    }
}

#[test]
fn a_scenario_is_followed_however_its_name_is_written() {
    let Some(browser) = Browser::start() else { return };
    let mut template = flight();
    template["scenario"] = json!("Flight-Booking");
    let server = Server::start(&[("template.json", template)], |_| {}, PartsOverride::default());
    fill(&server, &[]);
    enter(&browser, &server, VIEWS[0].1);
    browser.sees("● live");
    // Whoever chooses goes on choosing, until Escape leaves the field.
    let options = "document.querySelectorAll('#scenario option').length";
    browser.until(&format!("{options} === 2"));
    browser.script(
        "const it = document.querySelector('#scenario'); it.focus(); it.value = 'flight_booking'; \
         it.dispatchEvent(new Event('change', {bubbles: true}))",
        &[],
    );
    browser.sees("Learned keys");
    browser.until("document.querySelector('h1')?.innerText === 'Flight-Booking'");
    assert_eq!(browser.script("return document.activeElement.id", &[]), "scenario");
    browser.press(ESCAPE);
    browser.until("document.activeElement === document.body");

    // What happens is heard of, and the list of scenarios is as new as the rest.
    let revision = r"+/revision (\d+)/.exec(document.querySelector('.lead')?.innerText)?.[1]";
    browser.until(&format!("(window.before = {revision}) > 0"));
    let first = patches(&server)[0]["patch_id"].as_str().expect("an id").to_owned();
    for path in [
        format!("/v1/patches/{first}:approve"),
        "/v1/scenarios/flight_booking:freeze".to_owned(),
    ] {
        let reply = server.call("POST", &path, &[super::OLGA], "");
        assert_eq!(reply.status, 200, "{}", reply.body);
        if path.ends_with("approve") {
            browser.until(&format!("{revision} > window.before"));
        }
    }
    browser.sees("Frozen since");

    // What waits everywhere names it as it is looked up: that is the same scenario, and has one place in the list.
    go(&browser, "waits");
    browser.sees("1 proposal waits");
    go(&browser, "s/flight_booking/waits");
    browser.sees("Frozen since");
    browser.until("document.querySelector('#scenario').selectedOptions[0].text === 'Flight-Booking'");
    assert_eq!(browser.script(&format!("return {options}"), &[]), 2);
}
