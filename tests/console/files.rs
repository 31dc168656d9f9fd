//! The files of the page: how they are served, what they hold, and that nothing of others was changed.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use otherwise::http::console::FILES;
use regex::Regex;
use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;
use text::name::hexadecimal;

use super::served;
use crate::support::server::Server;

/// Of the first view over the wire: 60 KB in 30 requests, on a telephone's line a second.
const FIRST_GZIP_MAX: usize = 60 * 1024;
const FIRST_REQUESTS_MAX: usize = 30;
/// Of all files as they are, which the program holds: seven views, their sentences and what is of others.
const ALL_RAW_MAX: usize = 180 * 1024;
/// Lines of own JavaScript, in all and in one file.
const LINES_MAX: usize = 3_000;
const FILE_LINES_MAX: usize = 300;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("console").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Own modules with what they hold.
fn modules() -> impl Iterator<Item = (&'static str, String)> {
    let own = FILES
        .iter()
        .filter(|name| name.ends_with(".js") && !name.starts_with("vendor/"));
    own.map(|name| (*name, text(name)))
}

/// What the browser fetches whatever view is the first: the page, its style and sentences, and what is loaded ahead.
fn ahead() -> BTreeSet<&'static str> {
    let index = text("index.html");
    let listed = Regex::new(r#"rel="modulepreload" href="([^"]+)""#).expect("a pattern");
    let listed: Vec<&str> = listed
        .captures_iter(&index)
        .map(|found| found.extract::<1>().1[0])
        .collect();
    let is_ahead = |name: &&str| listed.contains(name) || matches!(*name, "index.html" | "style.css" | "text/en.json");
    let known: BTreeSet<&str> = FILES.iter().copied().filter(is_ahead).collect();
    assert_eq!(known.len(), listed.len() + 3, "each is a file, and listed once");
    known
}

/// A module with every module that it needs.
fn needed(name: &str, known: &mut BTreeSet<&'static str>) {
    let Some(name) = FILES.iter().copied().find(|file| *file == name) else {
        panic!("{name} is no file");
    };
    if !known.insert(name) {
        return;
    }
    let import = Regex::new(r#"from ?['"](\.[^'"]+)['"]"#).expect("a pattern");
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    for found in import.captures_iter(&text(name)) {
        let mut path: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in found[1].split('/') {
            match part {
                "." => {}
                ".." => drop(path.pop()),
                part => path.push(part),
            }
        }
        needed(&path.join("/"), known);
    }
}

fn gzip(server: &Server, name: &str) -> (ureq::http::HeaderMap, Vec<u8>) {
    let request = ureq::http::Request::get(format!("{}/console/{name}", server.base()));
    let request = request.header("Accept-Encoding", "gzip").body(()).expect("a request");
    let mut answer = ureq::agent().run(request).expect("an answer");
    let mut body = Vec::new();
    answer.body_mut().as_reader().read_to_end(&mut body).expect("a body");
    (answer.headers().clone(), body)
}

#[test]
fn the_page_is_served_under_its_policy_and_asked_for_again() {
    let server = served(|_| {});
    let page = server.call("GET", "/console/", &[], "");
    assert_eq!(page.status, 200);
    for (name, value) in [
        (
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        ),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cache-control", "no-cache"),
        ("content-type", "text/html; charset=utf-8"),
    ] {
        assert_eq!(page.headers[name], value, "{name}");
    }
    let tag = page.headers["etag"].to_str().expect("a tag").to_owned();
    let held = server.call("GET", "/console/", &[("If-None-Match", &tag)], "");
    assert_eq!(held.status, 304);
    assert_eq!(held.headers["etag"], *tag);
    assert!(held.headers.contains_key("content-security-policy"));

    for name in FILES {
        let (headers, body) = gzip(&server, name);
        assert_eq!(headers["content-encoding"], "gzip", "{name}");
        assert_eq!(headers["vary"], "accept-encoding", "{name}");
        assert!(!body.is_empty(), "{name}");
        assert!(
            server.page(&format!("/console/{name}")) == text(name),
            "{name} as it is"
        );
    }
    for nothing in [
        "/console/nothing.js",
        "/console/../Cargo.toml",
        "/console/views/",
        "/console/vendor/..%2Fapp.js",
    ] {
        assert_eq!(
            server.call("GET", nothing, &[], "").told(),
            (404, "not_found"),
            "{nothing}"
        );
    }
    let wrong = server.call("POST", "/console/", &[], "{}");
    assert_eq!(wrong.told(), (405, "method_not_allowed"));
    assert_eq!(wrong.headers["allow"], "GET, HEAD");
    assert!(server.page("/console/vendor/LICENSES").contains("Apache License"));
}

#[test]
fn a_browser_at_the_front_is_led_to_the_page_unless_there_is_none() {
    let server = served(|_| {});
    let browser = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let led = server.call("GET", "/", &[browser], "");
    assert_eq!(
        (led.status, &led.headers["location"]),
        (303, &"console/".parse().expect("a value"))
    );
    assert_eq!(
        server.call("GET", "/", &[], "").status,
        200,
        "programs are told the addresses"
    );
    let home = server.call("GET", "/console", &[], "");
    assert_eq!(
        (home.status, &home.headers["location"]),
        (308, &"console/".parse().expect("a value"))
    );

    let without = served(|settings| settings.console.enabled = false);
    assert_eq!(without.call("GET", "/", &[browser], "").status, 200);
    for at in ["/console", "/console/", "/console/app.js"] {
        assert_eq!(without.call("GET", at, &[], "").told(), (404, "not_found"), "{at}");
    }
}

#[test]
fn the_page_stays_small() {
    let server = served(|_| {});
    for view in FILES.iter().filter(|name| name.starts_with("views/")) {
        let mut loaded = ahead();
        needed(view, &mut loaded);
        let sizes: BTreeMap<&str, usize> = loaded.iter().map(|name| (*name, gzip(&server, name).1.len())).collect();
        let compressed: usize = sizes.values().sum();
        assert!(compressed <= FIRST_GZIP_MAX, "{view}, {compressed} bytes: {sizes:#?}");
        assert!(sizes.len() <= FIRST_REQUESTS_MAX, "{view}, {} files", sizes.len());
    }
    let served = FILES.iter().filter(|name| **name != "vendor/LICENSES");
    let raw: usize = served.map(|name| text(name).len()).sum();
    assert!(raw <= ALL_RAW_MAX, "{raw} bytes");
    let lines: BTreeMap<&str, usize> = modules().map(|(name, text)| (name, text.lines().count())).collect();
    assert!(lines.values().all(|lines| *lines <= FILE_LINES_MAX), "{lines:#?}");
    assert!(lines.values().sum::<usize>() <= LINES_MAX, "{lines:#?}");
}

#[test]
fn every_file_is_listed_and_every_module_is_loaded_ahead_or_with_its_view() {
    let mut there = BTreeSet::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("console");
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => assert!(there.insert(path.strip_prefix(&root).expect("within").display().to_string())),
            }
        }
    }
    assert_eq!(there, FILES.iter().map(|name| (*name).to_owned()).collect());

    let listed = ahead();
    let mut shell = BTreeSet::new();
    needed("app.js", &mut shell);
    assert!(shell.is_subset(&listed), "{:?}", shell.difference(&listed));
    let later = FILES
        .iter()
        .filter(|name| name.ends_with(".js") && !listed.contains(*name));
    let app = text("app.js");
    let mut reached = listed.clone();
    for view in FILES.iter().filter(|name| app.contains(&format!("import('./{name}')"))) {
        needed(view, &mut reached);
    }
    for module in later {
        assert!(module.starts_with("views/"), "{module} is loaded after what needs it");
        assert!(reached.contains(module), "nothing loads {module}");
    }
}

#[test]
fn nothing_is_inline_absolute_or_made_html_of() {
    let index = text("index.html");
    for wrong in ["<style", "style=", "onload=", "http:", "https:", "href=\"/", "src=\"/"] {
        let found = index.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(wrong), "{wrong} in index.html");
    }
    for (name, text) in modules() {
        for wrong in [
            "dangerouslySetInnerHTML",
            "innerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "https://",
            "http://",
        ] {
            assert!(!text.contains(wrong), "{wrong} in {name}");
        }
        let calls = text.matches("fetch(").count();
        let may = match name {
            "api.js" => 2,
            "text.js" => 1,
            _ => 0,
        };
        assert!(calls <= may, "{name} calls by itself");
    }
}

#[test]
fn every_sentence_is_there_and_said() {
    let said: Value = serde_json::from_str(&text("text/en.json")).expect("JSON");
    let said: BTreeSet<&str> = said
        .as_object()
        .expect("sentences")
        .keys()
        .map(String::as_str)
        .collect();
    let first = Regex::new(r"\bt\(([^)]*?)[,)]").expect("a pattern");
    let quoted = Regex::new(r"'([a-z_]+(?:\.[a-z_0-9]+)*)'").expect("a pattern");
    let group = Regex::new(r"\bword\('([a-z_]+)'").expect("a pattern");
    let (mut asked, mut groups) = (BTreeSet::new(), BTreeSet::new());
    for (_, text) in modules() {
        for found in first.captures_iter(&text) {
            let argument = &found[1];
            let alone = argument.starts_with('\'');
            for id in quoted.captures_iter(argument) {
                if alone || id[1].contains('.') {
                    asked.insert(id[1].to_owned());
                }
            }
        }
        groups.extend(group.captures_iter(&text).map(|found| found[1].to_owned()));
    }
    let missing: Vec<&String> = asked.iter().filter(|id| !said.contains(id.as_str())).collect();
    assert!(missing.is_empty(), "no sentence: {missing:?}");
    let of_group = |id: &str| id.split_once('.').is_some_and(|(group, _)| groups.contains(group));
    let unsaid: Vec<&&str> = said
        .iter()
        .filter(|id| !asked.contains(**id) && !of_group(id))
        .collect();
    assert!(unsaid.is_empty(), "nobody says {unsaid:?}");
}

#[test]
fn what_is_of_others_is_as_it_came() {
    let vendored =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tools/vendor.toml")).expect("vendor.toml");
    let vendored: toml::Table = vendored.parse().expect("TOML");
    let names: BTreeSet<&str> = vendored.keys().map(String::as_str).collect();
    let there = FILES
        .iter()
        .filter_map(|name| name.strip_prefix("vendor/"))
        .filter(|name| name.ends_with(".js"));
    assert_eq!(names, there.collect());
    let notice = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/NOTICE")).expect("NOTICE");
    let licences = text("vendor/LICENSES");
    for (file, about) in &vendored {
        let member = |name: &str| about[name].as_str().unwrap_or_else(|| panic!("{name} of {file}"));
        assert_eq!(
            hexadecimal(&Sha256::digest(text(&format!("vendor/{file}")))),
            member("sha256"),
            "{file}"
        );
        let named = format!("{} {}", member("name"), member("version"));
        assert!(notice.contains(&named), "{named} in NOTICE");
        assert!(licences.contains(&named.replace(' ', "-")), "{named} in LICENSES");
    }
    assert!(notice.contains("axe-core 4.14.1"));
}
