//! What waits, decided by keyboard alone; and what happens where somebody else was faster.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::OLGA;
use super::enter_live;
use super::fill;
use super::flight;
use super::go;
use super::patches;
use super::refusals::answer;
use super::webdriver::Browser;
use super::webdriver::ENTER;
use super::webdriver::ESCAPE;
use super::webdriver::TAB;
use super::with_proposals;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

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
    // The field that had the focus is gone with what was decided.
    browser.until("document.activeElement?.id === 'main'");
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
    browser.press(ESCAPE);
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
    browser.press(ESCAPE);
    browser.until("!document.querySelector('dialog')");
    browser.script(
        "[...document.querySelectorAll('button')].find(one => one.innerText.startsWith('Approve as it is')).click()",
        &[],
    );
    title(&format!("Approve {name} as proposed"));
    assert!(dialog().contains("thrown away"), "{}", dialog());
    browser.press(ESCAPE);
    browser.until("!document.querySelector('dialog')");

    // What it became meanwhile is shown, and taken where nothing else was written.
    let pool = server.get("olga", "/v1/scenarios/flight_booking/pool").body;
    let id = patches(&server)[0]["patch_id"].clone();
    let came_of = |cluster: &&Value| {
        let triggers = cluster["triggers"].as_array();
        triggers.is_some_and(|all| all.iter().any(|one| one["patch_id"] == id))
    };
    let clusters = pool["clusters"].as_array().expect("clusters");
    let cluster = &clusters.iter().find(came_of).expect("its cluster")["id"];
    let wish = json!({"cluster": cluster, "name": "seat_by_window", "type": "boolean", "description": "Whether the window seat is wanted."});
    let read = server.call(
        "POST",
        "/v1/scenarios/flight_booking/proposals",
        &[OLGA],
        &json!({"wishes": [wish]}).to_string(),
    );
    assert_eq!(read.status, 200, "{}", read.body);
    server.settle();
    let became = patches(&server)[0]["new_keys"][0].clone();
    assert_eq!(became["key_name"], "seat_by_window", "{became}");
    browser.until("document.querySelector('.notice')?.innerText.includes('seat_by_window')");
    browser.click(".notice button");
    browser.until("!document.querySelector('.notice')");
    assert_eq!(
        browser.script(
            "return [document.querySelector('#edit-first').value, document.querySelector('form.card textarea').value]",
            &[]
        ),
        json!(["where_to_sit", became["semantic_description"]])
    );

    // Whoever comes next begins with nothing of it.
    browser.script(
        "[...document.querySelectorAll('button')].find(one => one.innerText === 'log out').click()",
        &[],
    );
    super::sign_in(&browser, "paul");
    browser.until("document.querySelector('#edit-first')?.value === 'seat_by_window'");
    browser.press("c");
    browser.until("document.querySelector('ol.calls')?.innerText.includes('approvals')");
    let calls = browser.script("return document.querySelector('ol.calls').innerText", &[]);
    let calls = calls.as_str().expect("calls");
    assert!(calls.contains("paul") && !calls.contains("olga"), "{calls}");
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

#[test]
fn several_are_decided_at_once_and_none_of_them_twice() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    let mut waiting = server.get("olga", "/v1/approvals").body;
    let id = |at: usize| waiting["approvals"][at]["patch_id"].as_str().expect("an id").to_owned();
    let (first, second) = (id(0), id(1));
    enter_live(&browser, &server, "s/flight_booking/uses");

    // A trial that its figures leave undecided is neither approved nor rejected.
    waiting["approvals"][0]["waits_for"] = json!({"code": "usage_between", "detail": "It is used a little."});
    answer(&browser, "/approvals?limit=50", Some(200), waiting, "");
    go(&browser, "s/flight_booking/waits");
    let boxes = "document.querySelectorAll('main input[type=checkbox]').length";
    let shows = |text: &str, count: u32| {
        browser.sees(text);
        // What is asked for once it hears keys.
        browser.sees("Foretold by the history");
        assert_eq!(browser.script(&format!("return {boxes}"), &[]), count);
    };
    shows("Decide about", 1);
    browser.press("x");
    browser.press("j");
    browser.sees("As proposed, tried on the last 30 days");
    browser.press("x");
    browser.sees("Approve 1 as it is");

    answer(&browser, "/approvals?limit=50", None, json!(null), "");
    go(&browser, "s/flight_booking/uses");
    browser.sees("Payloads, 7 d");
    go(&browser, "s/flight_booking/waits");
    shows("As proposed, tried on the last 30 days", 2);
    browser.press("x");
    browser.sees("Approve 1 as it is");
    browser.click("tbody tr:nth-child(2) input[type=checkbox]");
    browser.sees("Approve 2 as they are");
    browser.click("section.card > p.row button.p");
    browser.until("document.querySelector('dialog[open] input[name=reason]') === document.activeElement");
    let faster = server.call("POST", &format!("/v1/patches/{first}:reject"), &[OLGA], "");
    assert_eq!(faster.status, 200, "{}", faster.body);
    browser.press(ENTER);
    // One fails, the other is done: pressed again, the one that failed is tried alone.
    let request = "document.querySelector('dialog[open] .problem .dim code')?.innerText";
    browser.until(request);
    browser.until(&format!("window.asked_by = {request}"));
    let stages = || {
        let all = patches(&server);
        let stage = |id: &str| all.iter().find(|one| one["patch_id"] == id).expect("a patch")["stage"].clone();
        [stage(&first), stage(&second)]
    };
    assert_eq!(stages(), [json!("rejected"), json!("experimental")]);
    browser.click("dialog[open] button.p");
    browser.until(&format!("({request} ?? window.asked_by) !== window.asked_by"));
    let told = browser.script(
        "return [...document.querySelectorAll('dialog[open] form > p.sm')].map(one => one.innerText)",
        &[],
    );
    assert_eq!(told, json!([format!("v1/patches/{first}:approve")]));
    browser.press(ESCAPE);
    browser.until("!document.querySelector('dialog')");
    // The button that asked is gone with what it asked about.
    browser.until("document.activeElement?.id === 'main'");
}

#[test]
fn a_verdict_is_about_the_value_that_was_read() {
    let Some(browser) = Browser::start() else { return };
    let mut template = flight();
    template["policy"]["evolution"]["audit_share"] = json!(1.0);
    let server = Server::start(&[("template.json", template)], |_| {}, PartsOverride::default());
    fill(&server, &[]);
    let patch = patches(&server)[0].clone();
    let (id, key) = (&patch["patch_id"], &patch["new_keys"][0]["key_name"]);
    let approve = format!("/v1/patches/{}:approve", id.as_str().expect("an id"));
    assert_eq!(server.call("POST", &approve, &[OLGA], "").status, 200);
    server.settle();
    for client in ["agent-0", "agent-1", "agent-2"] {
        let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
        payload[key.as_str().expect("a name")] = json!(true);
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload, "utterance": SEAT[0]}).to_string();
        let used = server.call("POST", "/v1/submissions", &[("Otherwise-Client", client)], &body);
        assert_eq!(used.status, 200, "{}", used.body);
        server.settle();
    }
    let page = server.get("olga", "/v1/audits?limit=2").body;
    let next = page["next"].as_str().expect("a further page");
    let last = server.get("olga", &format!("/v1/audits?after={next}")).body;
    let id = |page: &Value, at: usize| page["audits"][at]["id"].as_str().expect("an id").to_owned();
    let (first, second, third) = (id(&page, 0), id(&page, 1), id(&last, 0));
    let verdict = |id: &str| server.get("olga", &format!("/v1/audits/{id}")).body["answer"].clone();
    let faster = |id: &str| {
        let ada = [("Otherwise-Client", "ada")];
        let said = server.call(
            "POST",
            &format!("/v1/audits/{id}"),
            &ada,
            r#"{"verdict": "cannot_tell"}"#,
        );
        assert_eq!(said.status, 200, "{}", said.body);
    };
    let asks = || browser.until("document.querySelector('dialog[open] input[name=reason]') === document.activeElement");

    // The last one of its page: what waits on the first is shown then.
    enter_live(
        &browser,
        &server,
        &format!("s/flight_booking/waits?tab=values&after={next}"),
    );
    browser.sees("3 values wait for a verdict.");
    browser.click(".panel button.p");
    asks();
    browser.press(ENTER);
    browser.until("!location.hash.includes('after=')");
    browser.sees("2 values wait for a verdict.");
    has(&verdict(&third), json!({"verdict": "aligned", "by": "olga"}));

    // Somebody else is faster: nothing takes the place of what was read.
    browser.until("document.querySelector('.panel button.p')");
    faster(&first);
    browser.sees("1 value waits for a verdict.");
    browser.sees("waits here no more");
    assert_eq!(
        browser.script("return document.querySelectorAll('.panel button').length", &[]),
        0
    );
    browser.press("j");
    browser.click(".panel button.r");
    asks();
    faster(&second);
    browser.press(ENTER);
    browser.until("document.querySelector('dialog[open] .problem')?.innerText.includes('409')");
    has(&verdict(&second), json!({"verdict": "cannot_tell", "by": "ada"}));
}
