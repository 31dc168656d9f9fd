//! What a view says where the service refuses or is not heard: what it was, what to do about it, and by itself when that passes.

use serde_json::json;

use super::VIEWS;
use super::enter;
use super::go;
use super::sign_in;
use super::webdriver::Browser;
use super::webdriver::ENTER;
use super::with_proposals;

/// From now on this is answered in place of the service wherever an address holds `part`; null ends it.
pub fn answer(browser: &Browser, part: &str, status: Option<u16>, body: serde_json::Value, retry: &str) {
    browser.script(
        "window.asked ??= window.fetch; \
         const [part, status, body, retry] = arguments; \
         window.fetch = (to, how) => status && String(to).includes(part) \
           ? Promise.resolve(new Response(JSON.stringify(body), {status, headers: {'Content-Type': 'application/problem+json', 'Retry-After': retry}})) \
           : window.asked(to, how);",
        &[json!(part), json!(status), body, json!(retry)],
    );
}

#[test]
fn a_refusal_says_what_it_is_and_the_page_stays() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter(&browser, &server, VIEWS[0].1);
    for (status, code, told) in [
        (401, "unauthenticated", "log out, and in again"),
        (403, "forbidden", "Your roles do not allow this"),
        (404, "unknown_scenario", "Unknown scenario"),
        (500, "internal", "Internal error"),
    ] {
        go(&browser, VIEWS[0].1);
        browser.sees(VIEWS[0].2);
        let problem = json!({"title": "Internal error", "status": status, "code": code, "detail": "of `this` one"});
        let problem = match status {
            404 => json!({"title": "Unknown scenario", "status": status, "code": code}),
            _ => problem,
        };
        answer(&browser, "/pool", Some(status), problem, "");
        go(&browser, "s/flight_booking/missing");
        browser.sees(told);
        browser.until(&format!(
            "document.querySelector('.problem a[href$=\"/problems/{code}\"]')"
        ));
        browser.until("/console-[0-9a-f]+-[0-9]+/.test(document.querySelector('.problem').innerText)");
        assert_eq!(
            browser.script("return document.querySelectorAll('nav.side').length", &[]),
            1,
            "{status}"
        );
        // Tried again by hand.
        answer(&browser, "/pool", None, json!(null), "");
        browser.script(
            "[...document.querySelectorAll('.problem button')].find(one => one.innerText === 'Try again').click()",
            &[],
        );
        browser.sees("What clients say");
        browser.until("!document.querySelector('.problem')");
    }
}

#[test]
fn a_service_that_is_not_ready_is_waited_for_by_the_second() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter(&browser, &server, VIEWS[0].1);
    browser.sees(VIEWS[0].2);
    let problem = json!({"title": "Not ready", "status": 503, "code": "not_ready"});
    answer(&browser, "/pool", Some(503), problem, "6");
    go(&browser, "s/flight_booking/missing");
    let left = r"+/tried again in (\d+) s/.exec(document.body.innerText)?.[1]";
    browser.until(&format!("(window.first = {left}) > 0"));
    browser.until(&format!("{left} < window.first"));
    answer(&browser, "/pool", None, json!(null), "");
    browser.sees("What clients say");
    browser.until("!document.querySelector('.problem')");
}

#[test]
fn a_stream_that_is_refused_is_made_up_for_and_a_call_that_is_lost_is_done_once() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    browser.open(&format!("{}/console/#/s/flight_booking/try?tab=json", server.base()));
    browser.until("document.activeElement?.matches('input[name=who]')");
    let problem = json!({"title": "Busy", "status": 503, "code": "busy"});
    answer(&browser, "/events", Some(503), problem, "");
    sign_in(&browser, "olga");
    // The service is there, and is asked.
    browser.sees("every 15 s");
    answer(&browser, "/events", None, json!(null), "");
    browser.sees("● live");

    // It is done, and what it came to is not heard.
    browser.until("document.querySelector('textarea')");
    browser.script("document.querySelector('textarea').focus()", &[]);
    browser.chord("a");
    let payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
    let submission = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
    browser.tool("Input.insertText", &json!({"text": submission}));
    browser.until("document.activeElement.value.includes('SHA')");
    browser.script(
        "window.fetch = (to, how) => String(to).endsWith('/v1/submissions') \
           ? window.asked(to, how).then(() => { window.fetch = window.asked; throw new TypeError('lost'); }) \
           : window.asked(to, how);",
        &[],
    );
    browser.click("form.card p.row button[type=button]");
    browser.until("document.querySelector('dialog[open] button.p') === document.activeElement");
    browser.press(ENTER);
    browser.until("document.querySelector('dialog[open] .problem')");
    let told = browser.script("return document.querySelector('dialog[open]').innerText", &[]);
    let told = told.as_str().expect("text");
    assert!(
        told.contains("cannot be reached") && !told.contains("by itself"),
        "nobody asks for it again: {told}"
    );
    browser.click("dialog[open] button.p");
    browser.sees("Accepted");
    server.settle();
    let clients = server.get("olga", "/v1/scenarios/flight_booking/clients").body;
    let rows = clients["clients"].as_array().expect("clients");
    let olga = rows.iter().find(|row| row["client"] == "olga").expect("she submitted");
    assert_eq!(olga["submissions_7d"], 1, "{clients}");

    // Who leaves gives up the stream, so that another tab can read it.
    let streams = |count: u32| {
        browser.until(&format!(
            "(navigator.locks.query().then(all => {{ window.held = all.held.length; }}), window.held === {count})"
        ));
    };
    streams(1);
    browser.script(
        "[...document.querySelectorAll('button')].find(one => one.innerText === 'log out').click()",
        &[],
    );
    browser.until("document.querySelector('input[name=who]')");
    streams(0);
}
