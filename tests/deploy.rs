//! What lies in `deploy/`, held to what the service really is: its metrics, settings, files and keys.

mod copied;
mod image;
mod packages;

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use otherwise::app::delivery::WebhookCensus;
use otherwise::app::learning::KeyStats;
use otherwise::app::learning::ScenarioStats;
use otherwise::app::ports::Observer;
use otherwise::metrics::Metrics;
use otherwise::metrics::census::DeliveryCensus;
use otherwise::wire::authenticator::Health;
use otherwise::wire::authenticator::MetricsPage;
use regex::Regex;
use schema::time::At;
use serde_json::Value;

/// A file or folder of the repository.
fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every file under `deploy/` with its text; keys that someone made there are nobody's business.
fn files() -> Vec<(PathBuf, String)> {
    let mut folders = vec![at("deploy")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                if !path.ends_with("deploy/secrets") {
                    folders.push(path);
                }
            } else {
                let text = fs::read_to_string(&path).expect("a text");
                files.push((path, text));
            }
        }
    }
    assert!(files.len() > 12, "looked for in the wrong place");
    files.sort();
    files
}

/// Whether a program is there; says what is skipped when it is not.
fn installed(program: &str, what: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        eprintln!("skipped: {program} is not installed, so that {what}");
    }
    found
}

/// What a command said, and whether it ended well.
fn said(command: &mut Command) -> (bool, String) {
    let output = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), said)
}

/// The metrics page of a service with a model and of which everything is known.
fn page() -> String {
    let metrics = Arc::new(Metrics::new(1, 1).expect("metrics"));
    let on_model = metrics.on_model(|| (1, 1));
    for outcome in ["answered", "timeout"] {
        on_model("judge", outcome, 0.1, 1);
    }
    let webhook = WebhookCensus {
        id: "wh_1".to_owned(),
        paused: false,
        delivered: 1,
        failed: 0,
        waiting: 0,
    };
    let delivery = DeliveryCensus {
        streams_open: 1,
        webhooks: vec![webhook],
    };
    metrics.watch(move |families| families.read_delivery(&delivery));
    let some = Some(0.5);
    let key = |stage: &'static str| KeyStats {
        key: "seat".to_owned(),
        stage,
        usage_ratio: some,
        alignment_ratio: some,
        type_ratio: some,
        adoption_ratio: some,
    };
    let stages = ["awaiting_approval", "experimental", "stable", "deprecated"];
    let scenario = |name: &str| ScenarioStats {
        scenario: name.to_owned(),
        other_ratio: some,
        keys_by_stage: stages.map(|stage| (stage, 1)).to_vec(),
        keys: stages.map(key).to_vec(),
        audits: vec![("aligned", 1)],
        waits: vec![("gate", 1)],
        languages: [("en".to_owned(), 1.0)].into(),
        ..ScenarioStats::default()
    };
    let health = Health {
        ready: true,
        writable: Some(true),
        read_only: Some(false),
        free_bytes: Some(1),
    };
    metrics.backed_up(At(0));
    let page = metrics.page(&[scenario("booking"), scenario("beyond the cap")], health);
    page.expect("a page")
}

/// Every metric of the service, by name, with its kind.
fn measured() -> BTreeMap<String, String> {
    page()
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .filter_map(|line| line.split_once(' '))
        .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
        .collect()
}

/// The family that a name in a query belongs to.
fn family<'a>(name: &'a str, measured: &BTreeMap<String, String>) -> Option<&'a str> {
    if measured.contains_key(name) {
        return Some(name);
    }
    let base = ["_bucket", "_sum", "_count"]
        .iter()
        .find_map(|end| name.strip_suffix(end))?;
    (measured.get(base)? == "histogram").then_some(base)
}

fn names(text: &str) -> BTreeSet<&str> {
    let name = Regex::new(r"\b(?:otherwise|process)_[a-z0-9_]+\b").expect("a pattern");
    name.find_iter(text).map(|found| found.as_str()).collect()
}

#[test]
fn every_metric_that_is_named_is_measured() {
    let measured = measured();
    for (path, text) in files() {
        for name in names(&text) {
            assert!(
                family(name, &measured).is_some(),
                "{}: {name} is not measured",
                path.display()
            );
        }
    }
    assert_eq!(family("otherwise_no_such_thing", &measured), None);
    assert_eq!(
        family("otherwise_keys_bucket", &measured),
        None,
        "a gauge has no buckets"
    );
}

#[test]
fn every_metric_is_on_the_board_or_left_out_on_purpose() {
    let measured = measured();
    let board = text("deploy/grafana/dashboards/evolution.json");
    let shown: BTreeSet<&str> = names(&board)
        .into_iter()
        .filter_map(|name| family(name, &measured))
        .collect();
    for name in measured.keys() {
        assert!(shown.contains(name.as_str()), "{name} is not on the board");
    }
}

#[test]
fn the_design_names_every_metric() {
    let design = text("docs/design.md");
    let (_, section) = design.split_once("## 12. Prometheus").expect("the section");
    for name in measured().keys() {
        // Ratios of a key are named by their ends.
        let end = name.strip_prefix("otherwise_key").unwrap_or(name);
        assert!(section.contains(end), "{name}");
    }
}

/// The board's panels, those of rows included.
fn panels(board: &Value) -> Vec<&Value> {
    let mut all = Vec::new();
    for panel in board["panels"].as_array().expect("panels") {
        all.push(panel);
        all.extend(panel["panels"].as_array().into_iter().flatten());
    }
    all
}

/// Every query of the board with the title of its panel.
fn queries(board: &Value) -> Vec<(String, String)> {
    let mut queries = Vec::new();
    for panel in panels(board) {
        let title = panel["title"].as_str().unwrap_or_default();
        for target in panel["targets"].as_array().into_iter().flatten() {
            queries.push((title.to_owned(), target["expr"].as_str().expect("a query").to_owned()));
        }
    }
    queries
}

fn board() -> Value {
    serde_json::from_str(&text("deploy/grafana/dashboards/evolution.json")).expect("JSON")
}

#[test]
fn the_board_tells_the_story_in_order_and_is_laid_out_without_overlap() {
    let board = board();
    let rows: Vec<&str> = panels(&board)
        .into_iter()
        .filter(|panel| panel["type"] == "row")
        .filter_map(|panel| panel["title"].as_str()?.split([':', ',']).next())
        .collect();
    assert_eq!(
        rows,
        [
            "Now",
            "Demand",
            "Heat",
            "Births",
            "Trials",
            "Promotions and farewells",
            "Coverage",
            "Health",
            "Language model",
            "Executors",
            "Told to others",
            "Shared context",
            "What other agents ask (A2A)",
            "What agents know of tasks",
            "Conversations and messages",
        ]
    );
    let mut taken: BTreeSet<(u64, u64)> = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for panel in panels(&board) {
        assert!(ids.insert(panel["id"].as_u64()), "an id twice: {}", panel["title"]);
        let side = |name: &str| panel["gridPos"][name].as_u64().expect("a place");
        for x in side("x")..side("x") + side("w") {
            assert!(x < 24, "{} is too wide", panel["title"]);
            for y in side("y")..side("y") + side("h") {
                assert!(taken.insert((x, y)), "{} lies on another", panel["title"]);
            }
        }
        let drawn = panel["type"] != "row" && panel["type"] != "text";
        assert_eq!(drawn, panel.get("targets").is_some(), "{}", panel["title"]);
    }
}

/// What an expression demands of one metric: of each label one of some values; none for any value.
type Demanded = (String, Vec<(String, Option<String>)>);

/// What must have series for an expression to say anything: each metric with what it demands of labels, a list of values one by
/// one; of what it rules out, that there is such a label.
fn demanded(expression: &str) -> Vec<Demanded> {
    let selector = Regex::new(r"\b((?:otherwise|process)_\w+)\b(?:\{([^}]*)\})?").expect("a pattern");
    let matcher = Regex::new(r#"(\w+)(=~|!~|!=|=)"([^"]*)""#).expect("a pattern");
    let mut all = Vec::new();
    for found in selector.captures_iter(expression) {
        let mut wanted = vec![Vec::new()];
        for label in matcher.captures_iter(found.get(2).map_or("", |labels| labels.as_str())) {
            let (name, operator, value) = (&label[1], &label[2], &label[3]);
            // Prometheus itself says where a series comes from.
            if name == "job" {
                continue;
            }
            let any = operator.starts_with('!') || value == ".*" || value.starts_with('$');
            let values: Vec<Option<&str>> = if any {
                vec![None]
            } else {
                value.split('|').map(Some).collect()
            };
            let with = |before: &Vec<_>, value: &Option<&str>| {
                let label = (name.to_owned(), value.map(str::to_owned));
                [&before[..], &[label]].concat()
            };
            wanted = wanted
                .iter()
                .flat_map(|before| values.iter().map(move |value| with(before, value)))
                .collect();
        }
        all.extend(wanted.into_iter().map(|labels| (found[1].to_owned(), labels)));
    }
    all
}

#[test]
fn every_query_of_the_board_and_every_alert_has_series_behind_it() {
    let page = page();
    let is_there = |(name, labels): &Demanded| {
        page.lines().any(|line| {
            let own = line
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.starts_with([' ', '{']));
            let has = |(label, value): &(String, Option<String>)| match value {
                Some(value) => line.contains(&format!(r#"{label}="{value}""#)),
                None => line.contains(&format!(r#"{label}=""#)),
            };
            own && labels.iter().all(has)
        })
    };
    let mut expressions = queries(&board());
    assert!(expressions.len() > 40, "the board has {} queries", expressions.len());
    expressions.push(("alerts".to_owned(), text("deploy/prometheus/alerts.yml")));
    for (place, expression) in &expressions {
        for demanded in demanded(expression) {
            assert!(is_there(&demanded), "{place}: no series {demanded:?}");
        }
    }
    assert!(!is_there(&("otherwise_no_such_metric".to_owned(), vec![])));
    assert_eq!(demanded(r#"rate(otherwise_x{a=~"b|c",d!="e"}[5m]) / up"#).len(), 2);
}

#[test]
fn every_alert_says_what_an_operator_does_and_has_a_test() {
    let rules = text("deploy/prometheus/alerts.yml");
    let tests = text("deploy/prometheus/alerts_test.yml");
    let alerts: Vec<&str> = rules.split("- alert: ").skip(1).collect();
    assert!(alerts.len() > 10);
    for alert in alerts {
        let name = alert.lines().next().unwrap_or_default();
        for part in ["expr:", "severity:", "summary:", "runbook:"] {
            assert_eq!(alert.matches(part).count(), 1, "{name} {part}");
        }
        let fires = format!("'{{alertname=\"{name}\"");
        assert!(tests.contains(&fires), "no test makes {name} fire");
    }
}

#[test]
fn promtool_finds_the_rules_and_the_configuration_right_and_the_alerts_fire_at_their_edges() {
    if !installed("promtool", "the alert rules are not tested") {
        return;
    }
    let folder = at("deploy/prometheus");
    for arguments in [
        &["check", "rules", "alerts.yml"][..],
        &["check", "config", "--syntax-only", "prometheus.yml"],
        &["test", "rules", "alerts_test.yml"],
    ] {
        let (well, said) = said(Command::new("promtool").args(arguments).current_dir(&folder));
        assert!(well, "{arguments:?}: {said}");
    }
}
