//! People who look otherwise: at colours of their own, on paper, without motion, at four times the size.

use serde_json::Value;
use serde_json::json;

use super::VIEWS;
use super::enter;
use super::go;
use super::views::findings;
use super::webdriver::Browser;
use super::webdriver::ESCAPE;
use super::webdriver::TAB;
use super::with_proposals;

/// Waits until a view is there as a whole.
fn shows(browser: &Browser, text: &str) {
    browser.sees(text);
    browser.until("!document.body.innerText.includes('Loading')");
}

#[test]
fn forced_colours_leave_what_is_chosen_pressed_and_drawn_to_be_seen() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter(&browser, &server, VIEWS[0].1);
    browser.media("", &[("forced-colors", "active"), ("prefers-reduced-motion", "reduce")]);
    assert_eq!(
        browser.script("return matchMedia('(forced-colors: active)').matches", &[]),
        true
    );
    for (name, place, text) in VIEWS {
        go(&browser, place);
        shows(&browser, text);
        browser.picture(&format!("{name}-forced"));
        assert_eq!(findings(&browser), json!([]), "{name}");
        // Backgrounds are gone: what they told is told by a line.
        let flat = browser.script(
            "const line = (it, side) => { const style = getComputedStyle(it); \
               return style[`border${side}Style`] === 'solid' && parseFloat(style[`border${side}Width`]) > 0 || style.outlineStyle === 'solid'; }; \
             return [...document.querySelectorAll('.chip, tr.sel td:first-child, [aria-pressed=true], nav [aria-current=page]')] \
               .filter(it => !line(it, 'Left')).map(it => it.outerHTML.slice(0, 120))",
            &[],
        );
        assert_eq!(flat, json!([]), "{name}");
        // What is drawn has the colour of the text, or of what is chosen.
        let colours = browser.script(
            "const ink = getComputedStyle(document.body).color; \
             return [...document.querySelectorAll('svg .hl, svg .ul, svg .gate, svg .ax, svg rect.bars')] \
               .filter(it => getComputedStyle(it).stroke !== ink).map(it => it.outerHTML.slice(0, 120))",
            &[],
        );
        assert_eq!(colours, json!([]), "{name}");
    }
}

#[test]
fn on_paper_stands_what_was_read_and_no_more_and_a_chart_is_what_the_service_counted() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter(&browser, &server, VIEWS[0].1);
    browser.script("document.documentElement.dataset.theme = 'dark'", &[]);
    browser.media("print", &[]);
    for (name, place, text) in VIEWS {
        go(&browser, place);
        shows(&browser, text);
        let told = browser.script(
            "const seen = it => it.getClientRects().length > 0; \
             return [[...document.querySelectorAll('nav, details.api, .tabs, .search, kbd, button:not(.opener)')].filter(seen).map(it => it.outerHTML.slice(0, 120)), \
                     [...document.querySelectorAll('h1, .card, .opener')].filter(it => !seen(it)).length, getComputedStyle(document.body).color]",
            &[],
        );
        assert_eq!(told[0], json!([]), "{name} prints what nobody can press");
        // The form of a search is a card too.
        let searches = browser.script("return document.querySelectorAll('.card.search').length", &[]);
        assert_eq!(told[1], searches, "{name} leaves something out");
        assert_eq!(
            told[2], "rgb(27, 36, 48)",
            "{name}: dark words on paper, whatever the screen has"
        );
    }

    go(&browser, "s/flight_booking/overview");
    shows(&browser, "Learned keys");
    browser.media("", &[]);
    browser.press("t");
    browser.until("document.querySelector('table.plain caption')?.innerText === 'Payloads a day'");
    browser.media("print", &[]);
    let printed = browser.script(
        "const table = [...document.querySelectorAll('caption')].find(it => it.innerText === 'Payloads a day').closest('table'); \
         return [...table.querySelectorAll('tbody tr')].map(row => [...row.children].map(cell => cell.innerText))",
        &[],
    );
    let counted = server.get("olga", "/v1/scenarios/flight_booking/stats?days=30").body;
    let days = counted["days"].as_array().expect("days").iter();
    let rows: Vec<Value> = days
        .map(|day| json!([day["day"], day["payloads"].to_string(), day["with_other"].to_string()]))
        .collect();
    assert_eq!(printed, json!(rows));
    assert!(rows.iter().any(|row| row[1] != "0"), "something was counted");
}

#[test]
fn nothing_moves_for_those_who_want_that() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter(&browser, &server, VIEWS[0].1);
    let moving = "return [...document.querySelectorAll('*')].filter(it => { const style = getComputedStyle(it); \
                  return style.transitionDuration !== '0s' || style.animationName !== 'none' || style.scrollBehavior === 'smooth'; }).length";
    assert_ne!(browser.script(moving, &[]), 0, "where nobody minds");
    browser.media("", &[("prefers-reduced-motion", "reduce")]);
    for (name, place, text) in VIEWS {
        go(&browser, place);
        shows(&browser, text);
        assert_eq!(browser.script(moving, &[]), 0, "{name}");
    }
}

#[test]
fn at_four_times_the_size_everything_is_reached_and_nothing_lies_over_it() {
    let Some(browser) = Browser::start() else { return };
    let server = with_proposals();
    enter(&browser, &server, VIEWS[0].1);
    // A window of 1280 by 1000 (WCAG 1.4.4, 1.4.10, 2.4.11).
    browser.size(320, 250, 4);
    for (name, place, text) in VIEWS {
        go(&browser, place);
        shows(&browser, text);
        assert_eq!(findings(&browser), json!([]), "{name}");
        let wide = browser.script("return document.documentElement.scrollWidth", &[]);
        assert!(wide.as_u64() <= Some(320), "{name} is {wide} wide");
    }
    // The view with most in it: whatever has the focus is in sight, above the foot of the page.
    go(&browser, VIEWS[1].1);
    shows(&browser, VIEWS[1].2);
    for _ in 0..40 {
        browser.press(TAB);
        let hidden = browser.script(
            "const it = document.activeElement; if (it === document.body || it.closest('details.api')) return null; \
             const box = it.getBoundingClientRect(), foot = document.querySelector('details.api').getBoundingClientRect().top; \
             return box.bottom > 0 && box.top < foot - 8 ? null : [it.outerHTML.slice(0, 120), box.top, box.bottom, foot]",
            &[],
        );
        assert_eq!(hidden, Value::Null);
    }
    browser.script("document.activeElement.blur()", &[]);
    browser.press("?");
    browser.until("document.querySelector('dialog[open]')");
    let fits = browser.script(
        "const box = document.querySelector('dialog').getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth",
        &[],
    );
    assert_eq!(fits, true, "a dialog is as large as the window at most, and scrolls");
    assert_eq!(findings(&browser), json!([]), "a dialog");
    browser.press(ESCAPE);
    browser.until("!document.querySelector('dialog')");
}
