//! What a view says where the service refuses: what it was, what to do about it, and by itself when that passes.

use serde_json::json;

use super::VIEWS;
use super::enter;
use super::go;
use super::webdriver::Browser;
use super::with_proposals;

/// From now on this is answered in place of the service wherever an address holds `part`; null ends it.
fn answer(browser: &Browser, part: &str, status: Option<u16>, body: serde_json::Value, retry: &str) {
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
