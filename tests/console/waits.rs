//! What waits, decided by keyboard alone; and what happens where somebody else was faster.

use serde_json::json;

use super::OLGA;
use super::enter_live;
use super::go;
use super::patches;
use super::webdriver::Browser;
use super::webdriver::ENTER;
use super::webdriver::TAB;
use super::with_proposals;
use crate::support::server::has;

#[test]
fn a_proposal_is_approved_with_an_edit_and_another_rejected_by_keyboard_alone() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter_live(&browser, &server, "s/flight_booking/waits");
    browser.sees("2 proposals wait");
    browser.until("document.querySelector('#edit-first')");
    browser.press("e");
    browser.until("document.activeElement.id === 'edit-first'");
    browser.chord("a");
    browser.press("where_to_sit");
    browser.sees("As edited, tried on the last 30 days");
    browser.sees("name is free");
    let before = patches(&server);
    assert_eq!(before[0]["stage"], "awaiting_approval", "trying keeps nothing");

    browser.press(ENTER);
    browser.until("document.querySelector('dialog[open] input[name=reason]') === document.activeElement");
    browser.press("it says what it asks");
    browser.press(ENTER);
    browser.sees("1 proposal waits");
    let after = patches(&server);
    has(
        &after[0],
        json!({"stage": "experimental", "new_keys/0/key_name": "where_to_sit"}),
    );
    let id = after[0]["patch_id"].as_str().expect("an id");
    let evidence = server.get("olga", &format!("/v1/patches/{id}/evidence")).body;
    has(
        &evidence["edits"][0],
        json!({"by/principal": "olga", "because": "it says what it asks"}),
    );

    browser.until("!document.querySelector('dialog') && document.querySelector('#edit-first')");
    browser.until("document.querySelector('#edit-first').value !== 'where_to_sit'");
    browser.press("r");
    // Which of the two is wrong is said by whoever rejects it.
    browser.until("document.querySelector('dialog[open] input[type=radio]') === document.activeElement");
    assert_eq!(
        browser.script("return document.querySelectorAll('dialog :checked').length", &[]),
        0
    );
    browser.press(" ");
    browser.press(TAB);
    browser.until("document.querySelector('dialog[open] input[name=reason]') === document.activeElement");
    browser.press("no wish of ours");
    browser.press(ENTER);
    browser.sees("Nothing waits");
    has(&patches(&server)[1], json!({"stage": "rejected"}));

    browser.press("z");
    browser.until("document.querySelector('dialog[open] input[name=reason]') === document.activeElement");
    browser.press("until Monday");
    browser.press(ENTER);
    browser.until("!document.querySelector('dialog')");
    let frozen = server.get("olga", "/v1/scenarios/flight_booking/pool").body["frozen"].clone();
    has(&frozen, json!({"by/principal": "olga", "reason": "until Monday"}));
}

#[test]
fn what_somebody_else_decided_meanwhile_is_not_decided_twice() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter_live(&browser, &server, "s/flight_booking/waits");
    browser.until("document.querySelector('#edit-first')");
    browser.press("a");
    browser.until("document.querySelector('dialog[open] input[name=reason]') === document.activeElement");
    let id = patches(&server)[0]["patch_id"].as_str().expect("an id").to_owned();
    let faster = json!({"edit": {"title": "Seat"}, "reason": "faster"}).to_string();
    assert_eq!(
        server
            .call("POST", &format!("/v1/patches/{id}:approve"), &[OLGA], &faster)
            .status,
        200
    );
    browser.press(ENTER);
    browser.until("/412|409/.test(document.querySelector('dialog[open] .problem')?.innerText)");
    let evidence = server.get("olga", &format!("/v1/patches/{id}/evidence")).body;
    assert_eq!(evidence["edits"].as_array().map(Vec::len), Some(1), "{evidence}");
    assert_eq!(evidence["history"].as_array().map(Vec::len), Some(2), "{evidence}");
}

#[test]
fn keys_act_only_where_they_are_wanted_and_the_focus_stays_visible() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter_live(&browser, &server, "s/flight_booking/waits");
    browser.until("document.querySelectorAll('tr').length === 3");
    browser.press("j");
    browser.until("document.querySelectorAll('tbody tr')[1].matches('[aria-current]')");
    browser.until("location.hash.includes('p=')");
    browser.press("x");
    browser.sees("Reject 1");
    browser.press("gm");
    browser.until("location.hash === '#/s/flight_booking/missing'");
    browser.sees("What clients say");
    browser.press("u");
    browser.until("localStorage.getItem('otherwise.zone') === 'local'");
    browser.press("?");
    browser.until("document.querySelector('dialog[open]')");
    // The first thing in it switches the keys off.
    browser.script("document.querySelector('dialog input[type=checkbox]').focus()", &[]);
    browser.press(" ");
    browser.press(super::webdriver::ESCAPE);
    browser.until("!document.querySelector('dialog')");
    browser.press("gw");
    go(&browser, "s/flight_booking/uses");
    browser.sees("agent-1");
    assert_eq!(browser.script("return location.hash", &[]), "#/s/flight_booking/uses");

    // Whatever the tabulator reaches is seen, and none of it is trapped.
    let mut reached = std::collections::BTreeSet::new();
    for _ in 0..40 {
        browser.press(TAB);
        let told = browser.script(
            "const it = document.activeElement; const box = it.getBoundingClientRect(); \
             return [it.outerHTML.slice(0, 80), getComputedStyle(it).outlineStyle, box.height]",
            &[],
        );
        if reached.insert(told[0].to_string()) && !told[0].to_string().contains("body") {
            assert_ne!(told[1], "none", "{told}");
        }
    }
    assert!(reached.len() > 15, "{reached:#?}");
}

#[test]
fn after_a_decision_the_next_proposal_is_open_and_what_was_done_is_linked() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    let ids: Vec<String> = patches(&server)
        .iter()
        .map(|patch| patch["patch_id"].as_str().expect("an id").to_owned())
        .collect();
    let name = patches(&server)[0]["new_keys"][0]["key_name"]
        .as_str()
        .expect("a name")
        .to_owned();
    enter_live(&browser, &server, &format!("s/flight_booking/waits?p={}", ids[0]));
    browser.until("document.querySelector('#edit-first')");
    browser.press("a");
    browser.until("document.querySelector('dialog[open] input[name=reason]') === document.activeElement");
    browser.press(ENTER);
    browser.until(&format!("location.hash.includes('p={}')", ids[1]));
    browser.sees("1 proposal waits");
    let done = "document.querySelector('.done')";
    browser.until(&format!("{done}.innerText.includes('Approve {name} as proposed')"));
    browser.until(&format!(
        "{done}.querySelector('a').hash === '#/s/flight_booking/overview?p={}'",
        ids[0]
    ));
    // Another view has nothing to do with it.
    go(&browser, "s/flight_booking/uses");
    browser.until(&format!("!{done}.innerText"));
}

#[test]
fn an_edit_that_was_begun_is_kept_and_a_dialog_says_what_comes_of_it() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    let name = patches(&server)[0]["new_keys"][0]["key_name"]
        .as_str()
        .expect("a name")
        .to_owned();
    enter_live(&browser, &server, "s/flight_booking/waits");
    browser.until("document.querySelector('#edit-first')");
    // What it comes to is known before anything is changed.
    browser.sees("As proposed, tried on the last 30 days");
    browser.sees("lint ");
    browser.press("e");
    browser.until("document.activeElement.id === 'edit-first'");
    browser.chord("a");
    browser.press("where_to_sit");
    browser.sees("As edited, tried on the last 30 days");
    browser.sees("name is free");
    go(&browser, "s/flight_booking/missing");
    browser.sees("What clients say");
    go(&browser, "s/flight_booking/waits");
    browser.until("document.querySelector('#edit-first')?.value === 'where_to_sit'");
    browser.sees("edit begun");
    browser.sees("name is free");

    let title = |text: &str| {
        browser.until(&format!(
            "document.querySelector('dialog[open] h2')?.innerText.startsWith({})",
            json!(text)
        ))
    };
    let dialog = || {
        browser
            .script("return document.querySelector('dialog[open]').innerText", &[])
            .to_string()
    };
    browser.press("a");
    title(&format!("Approve {name} as where_to_sit (boolean)"));
    assert!(
        dialog().contains("payloads, counted") || dialog().contains("not tried on the past"),
        "what is foretold: {}",
        dialog()
    );
    browser.press(super::webdriver::ESCAPE);
    browser.until("!document.querySelector('dialog')");
    browser.script(
        "[...document.querySelectorAll('button')].find(one => one.innerText.startsWith('Approve as it is')).click()",
        &[],
    );
    title(&format!("Approve {name} as proposed"));
    assert!(dialog().contains("thrown away"), "{}", dialog());
    browser.press(super::webdriver::ESCAPE);
    browser.until("!document.querySelector('dialog')");

    // Whoever comes next begins with nothing of it.
    browser.script(
        "[...document.querySelectorAll('button')].find(one => one.innerText === 'log out').click()",
        &[],
    );
    super::sign_in(&browser, "paul");
    browser.until("document.querySelector('#edit-first')");
    browser.until(&format!("document.querySelector('#edit-first').value === '{name}'"));
}

#[test]
fn a_key_that_is_pressed_meets_no_other_proposal_than_the_one_that_was_open() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter_live(&browser, &server, "s/flight_booking/waits");
    browser.until("document.querySelector('#edit-first')");
    let first = patches(&server)[0]["patch_id"].as_str().expect("an id").to_owned();
    assert_eq!(
        server
            .call("POST", &format!("/v1/patches/{first}:reject"), &[OLGA], "")
            .status,
        200
    );
    browser.sees("1 proposal waits");
    browser.sees("waits here no more");
    browser.press("a");
    browser.press("j");
    browser.until("document.querySelector('#edit-first')");
    assert_eq!(
        browser.script("return document.querySelectorAll('dialog').length", &[]),
        0
    );
}
