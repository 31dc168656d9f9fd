//! What changed: a candidate, checked and published by keyboard alone, and two versions side by side.

use serde_json::Value;
use serde_json::json;

use super::enter;
use super::enter_live;
use super::flight;
use super::go;
use super::views::findings;
use super::views::is_quiet;
use super::webdriver::Browser;
use super::webdriver::ENTER;
use super::webdriver::TAB;
use super::with_proposals;
use crate::support::server::has;

/// The next version: a class of the cabin goes, a key comes, and the rest stays.
pub fn next() -> Value {
    let mut template = flight();
    (template["schema_id"], template["version"]) = (json!("flight_booking_v2"), json!("2.0.0"));
    let keys = template["keys"].as_array_mut().expect("keys");
    keys[3]["semantic_description"] = json!(
        "Cabin class preference. Acceptable values: economy, business. Example mapping: 'business class' -> 'business'."
    );
    let pet = json!({
        "key_name": "travels_with_pet", "key_type": "boolean", "required": true,
        "semantic_description": "Whether a pet comes along. Example mapping: 'with my cat' -> true.",
    });
    keys.insert(5, pet);
    template
}

#[test]
fn a_candidate_is_checked_and_published_by_keyboard_alone() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter_live(&browser, &server, "s/flight_booking/overview");
    browser.sees("Learned keys");
    browser.press("gc");
    browser.sees("gravest first");
    browser.until("[...document.querySelectorAll('.tabs button')].some(one => one.innerText.startsWith('Candidate'))");
    browser.press("5");
    browser.until("document.querySelector('textarea')?.value.includes('flight_booking_v1')");

    // The first things after the tabs, whatever is before them.
    let reach = |what: &str| {
        for _ in 0..60 {
            if browser.script(&format!("return document.activeElement.matches({})", json!(what)), &[]) == true {
                return;
            }
            browser.press(TAB);
        }
        panic!("the tabulator never reaches {what}");
    };
    reach("textarea");
    browser.chord("a");
    // As a paste does.
    browser.tool("Input.insertText", &json!({"text": next().to_string()}));
    browser.until("document.activeElement.value.includes('travels_with_pet')");
    browser.press(TAB);
    reach("button[type=submit]");
    browser.press(ENTER);
    browser.sees("Whom it would break");
    browser.sees("agent-1");
    browser.sees("may be published");
    // What is refused of each client, and by which key.
    let told = "[...document.querySelectorAll('caption')].find(one => one.innerText === 'Whom it would break')";
    let rows = browser.script(
        &format!(
            "return [...{told}.closest('table').querySelectorAll('tbody tr')].map(row => row.innerText.split(/\\s+/))"
        ),
        &[],
    );
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows.len(), 5, "{rows:?}");
    assert!(rows.iter().all(|row| row[4] == "travels_with_pet"), "{rows:?}");
    assert_eq!(
        server.get("olga", "/v1/schemas/flight_booking_v2").status,
        404,
        "checking stores nothing"
    );

    // The sums come first, and say the same as the rows.
    let refused: u64 = rows.iter().filter_map(|row| row[1].as_str()?.parse::<u64>().ok()).sum();
    let sums = format!("Would refuse {refused} of {refused} payloads, of 5 of 5 clients.");
    browser.sees(&sums);
    browser.sees("A new major promises nothing to this one");

    // It stays while other things are looked at; what was checked is that of the older text while this one is changed.
    go(&browser, "s/flight_booking/uses");
    browser.sees("Payloads, 7 d");
    go(&browser, "s/flight_booking/changed?tab=candidate");
    browser.until("document.querySelector('textarea')?.value.includes('travels_with_pet')");
    browser.sees(&sums);
    browser.script("document.querySelector('textarea').focus()", &[]);
    browser.press(" ");
    browser.sees("Of the text before your change");
    browser.press(super::webdriver::BACK);
    // What is written while it is checked is kept, and is not what was checked.
    browser.script(
        "const asked = window.fetch; \
         window.fetch = (to, how) => !String(to).endsWith('schemas:check') ? asked(to, how) : new Promise(done => { window.release = async () => { \
           window.fetch = asked; \
           const answer = await asked(to, how), text = await answer.text(); \
           answer.text = async () => { setTimeout(() => { window.came = true; }); return text; }; \
           done(answer); }; }); \
         window.long = document.querySelector('textarea').value.length",
        &[],
    );
    browser.press(TAB);
    reach("button[type=submit]");
    browser.press(ENTER);
    browser.until("window.release");
    browser.script("document.querySelector('textarea').focus()", &[]);
    browser.press(" ");
    browser.until("document.activeElement.value?.length === window.long + 1");
    browser.script("window.release()", &[]);
    browser.until("window.came");
    assert_eq!(
        browser.script(
            "return document.querySelector('textarea').value.length - window.long",
            &[]
        ),
        1
    );
    browser.sees("Of the text before your change");
    browser.press(super::webdriver::BACK);
    browser.press(TAB);
    reach("button[type=submit]");
    browser.press(ENTER);
    browser.until("!document.body.innerText.includes('Of the text before your change')");

    browser.press(TAB);
    browser.until("document.activeElement.innerText.startsWith('Publish')");
    browser.press(ENTER);
    browser.until("document.querySelector('dialog[open] button.p') === document.activeElement");
    let asked = browser
        .script("return document.querySelector('dialog').innerText", &[])
        .to_string();
    assert!(
        asked.contains("Publish flight_booking_v2 2.0.0 for flight_booking, in place of 1.0.0"),
        "{asked}"
    );
    assert!(asked.contains(&sums), "{asked}");
    browser.press(ENTER);
    browser.sees("published");
    browser.until("!document.querySelector('dialog') && document.activeElement.innerText.includes('published')");
    let published = server.get("olga", "/v1/scenarios/flight_booking/versions").body;
    has(
        &published["versions"][0],
        json!({"schema_id": "flight_booking_v2", "in_force": true, "published_by/principal": "olga"}),
    );
    is_quiet(&browser, &server, "publishing");
}

#[test]
fn two_versions_stand_side_by_side_member_by_member() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    let put = server.call(
        "PUT",
        "/v1/schemas/flight_booking_v2",
        &[super::OLGA],
        &next().to_string(),
    );
    assert_eq!(put.status, 201, "{}", put.body);
    enter(&browser, &server, "s/flight_booking/changed");
    browser.sees("live");
    browser.sees("breaking");
    for (key, tab, text) in [
        ("2", "sides", "The same on both sides"),
        ("3", "json", "key_digests"),
        ("4", "log", "By"),
    ] {
        browser.press(key);
        browser.until(&format!("location.hash.includes('tab={tab}')"));
        browser.sees(text);
        browser.until("!document.body.innerText.includes('Loading')");
        for (scheme, width) in [("light", 1280), ("dark", 320)] {
            browser.dress(scheme, width);
            browser.picture(&format!("changed-{tab}-{scheme}-{width}"));
            assert_eq!(findings(&browser), json!([]), "{tab}, {scheme}, {width}");
            let wide = browser.script("return document.documentElement.scrollWidth", &[]);
            assert!(wide.as_u64() <= Some(u64::from(width)), "{tab} is {wide} wide");
        }
        browser.dress("light", 1280);
    }

    go(&browser, "s/flight_booking/changed?tab=sides");
    browser.sees("The same on both sides");
    let told = browser.script(
        "return Object.fromEntries([...document.querySelectorAll('.sides tbody')].map(group => [group.querySelector('b').innerText, \
         [...group.querySelectorAll('tr')].slice(1).map(row => [...row.children].map(cell => cell.innerText.trim()))]))",
        &[],
    );
    let names: Vec<&String> = told.as_object().expect("keys").keys().collect();
    assert_eq!(names, ["cabin_class", "travels_with_pet"], "{told}");
    let added = told["travels_with_pet"].as_array().expect("members");
    assert!(
        added.iter().any(|row| *row == json!(["required", "–", "true"])),
        "{told}"
    );
    let words = browser.script(
        "return [...document.querySelectorAll('.sides del, .sides ins')].map(one => one.innerText)",
        &[],
    );
    assert!(words.to_string().contains("premium_economy"), "{words}");

    // The same as a revision: what it was before the newer version came.
    let before = server
        .get(
            "olga",
            "/v1/scenarios/flight_booking/diff?from=flight_booking_v1&to=flight_booking_v2",
        )
        .body;
    let revision = before["to"]["revision"].as_u64().expect("a revision") - 1;
    go(&browser, &format!("s/flight_booking/changed?tab=sides&from={revision}"));
    browser.until(&format!(
        "performance.getEntriesByType('resource').some(one => one.name.endsWith('template?as_of={revision}'))"
    ));
    browser.sees("travels_with_pet");
    is_quiet(&browser, &server, "side by side");
}
