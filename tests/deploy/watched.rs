//! The service scraped by the real Prometheus, with the configuration, rules and board that are shipped: every query of the
//! board and every series of an alert is asked for while a key is promoted, another let go and a third on trial.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use otherwise::app::caller::Role;
use otherwise::config::Settings;
use otherwise::config::gather::Sources;
use regex::Regex;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

use super::at;
use super::board;
use super::installed;
use super::queries;
use super::said;
use super::text;
use crate::support::agent::Act;
use crate::support::agent::Agent;
use crate::support::chat::Chat;
use crate::support::chat::Say;
use crate::support::clock::VirtualClock;
use crate::support::principal::with_key;
use crate::support::receiver::Do;
use crate::support::receiver::Receiver;
use crate::support::server::Server;
use crate::support::server::under;

/// How long Prometheus may take for anything.
const PATIENCE: Duration = Duration::from_secs(60);
const SEATS: [&str; 10] = [
    "a window seat please",
    "an aisle seat please",
    "I would like a window seat",
    "I would like an aisle seat",
    "window seat if possible",
    "aisle seat if possible",
    "please book me a window seat",
    "I prefer an aisle seat",
    "I prefer a window seat",
    "an aisle seat for me",
];
const FAD: [&str; 10] = [
    "a glass of champagne on boarding",
    "champagne when we board",
    "serve me champagne on board",
    "I want champagne on boarding",
    "champagne on boarding please",
    "I would like champagne on board",
    "some champagne when I board",
    "champagne on board please",
    "a champagne on boarding",
    "bring me champagne on board",
];
const MEALS: [&str; 10] = [
    "a vegetarian meal please",
    "a vegan meal please",
    "I would like a vegetarian meal",
    "I would like a vegan meal",
    "vegetarian meal if possible",
    "vegan meal if possible",
    "please order me a vegetarian meal",
    "I prefer a vegan meal",
    "I prefer a vegetarian meal",
    "a vegan meal for me",
];

/// A service with principals, under a clock that is set by hand.
struct Service {
    server: Server,
    clock: Arc<VirtualClock>,
    _chat: Chat,
    _agent: Agent,
    _receiver: Receiver,
}

/// Who takes backups.
const KEEPER: usize = 9;

impl Service {
    /// The schemas of the repository; `keys` is a folder that `keys.sh` made. One scenario more than has series of its own.
    fn start(keys: &Path) -> Service {
        let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
        // A model that answers nothing that is of use: the rules decide, and its series are there.
        let chat = Chat::start(|_, _| Say::Content(json!({})));
        let agent = Agent::start(|_, _| Act::Answer(json!({"booked": true})));
        let made = Settings::gather(&Sources {
            file: Some((
                "otherwise.toml".to_owned(),
                fs::read_to_string(keys.join("otherwise.toml")).expect("settings"),
            )),
            ..Sources::default()
        });
        let mut principals = made.expect("right settings").principals;
        principals.extend((0..5).map(|n| with_key(&format!("agent-{n}"), Role::Client, &key_of(n))));
        principals.push(with_key("keeper", Role::Operator, &key_of(KEEPER)));
        let schemas: Vec<(String, Value)> = fs::read_dir(at("schemas"))
            .expect("the schemas")
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let document = fs::read_to_string(&path).expect("a schema");
                let mut document: Value = serde_json::from_str(&document).expect("JSON");
                if document["scenario"] == "flight_booking" {
                    document["executor"] = json!({"url": agent.url()});
                    document["policy"] = json!({
                        "pool": {"look_every_fragments": 5, "gate_occurrences_min": 5, "gate_clients_min": 3,
                            "mature_members_min": 5},
                        "evolution": {"trial_payloads_min": 5, "trial_judgements_min": 3},
                    });
                }
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, document)
            })
            .collect();
        let schemas: Vec<(&str, Value)> = schemas
            .iter()
            .map(|(name, document)| (name.as_str(), document.clone()))
            .collect();
        let url = chat.url();
        let scenarios = schemas.len();
        let server = Server::start(
            &schemas,
            |settings| {
                settings.principals = principals;
                settings.service.tick_s = 86_400;
                settings.metrics.scenarios_max = scenarios - 1;
                settings.executors.inner_hosts = vec!["127.0.0.1".to_owned()];
                settings.model.url = url;
                settings.delivery.webhook_private_addresses = true;
                settings.model.name = "small-model".to_owned();
            },
            under(&clock),
        );
        let receiver = Receiver::start(|_, _| Do::Answer(204, ""));
        let key = fs::read_to_string(keys.join("publisher.key")).expect("the publisher's key");
        let authorization = format!("Bearer {key}");
        let asked = json!({"url": receiver.url()}).to_string();
        let registered = server.call("POST", "/v1/webhooks", &[("Authorization", &authorization)], &asked);
        assert_eq!(registered.status, 201, "{}", registered.body);
        Service {
            server,
            clock,
            _chat: chat,
            _agent: agent,
            _receiver: receiver,
        }
    }

    fn call(&self, number: usize, method: &str, path: &str, body: &str) -> (u16, Value) {
        let authorization = format!("Bearer {}", key_of(number));
        let headers = [("Authorization", authorization.as_str())];
        let reply = self.server.call(method, path, &headers, body);
        self.server.settle();
        (reply.status, reply.body)
    }

    fn book(&self, number: usize, more: &[(&str, Value)], utterance: &str) {
        let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-06-04"});
        for (key, value) in more {
            payload[*key] = value.clone();
        }
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload, "utterance": utterance});
        self.clock.advance_ms(60_000);
        let (status, body) = self.call(number, "POST", "/v1/submissions", &body.to_string());
        assert_eq!(status, 200, "{body}");
    }

    /// Five agents say these wishes in turn.
    fn want(&self, wishes: &[&str]) {
        for (number, wish) in wishes.iter().enumerate() {
            self.book(number % 5, &[("other", json!(wish))], wish);
        }
    }

    /// The key that an agent's template has learned and whose description says this.
    fn learned(&self, number: usize, about: &str) -> Value {
        let (_, template) = self.call(number, "GET", "/v1/scenarios/flight_booking/template", "");
        let keys = template["keys"].as_array().expect("keys");
        let found = keys.iter().find(|key| {
            let says = key["semantic_description"].as_str().unwrap_or_default();
            key.get("patch_id").is_some() && says.to_lowercase().contains(about)
        });
        found
            .unwrap_or_else(|| panic!("nothing learned about {about}: {template}"))
            .clone()
    }

    /// Five agents use what was learned about these words, and say what they want beside it.
    fn adopt(&self, words: [&str; 2], wishes: &[&str]) {
        for (number, wish) in wishes.iter().enumerate() {
            let key = self.learned(number % 5, words[0]);
            let name = key["key_name"].as_str().expect("a name");
            let word = words.into_iter().find(|word| wish.contains(word));
            let value = if key["key_type"] == "boolean" {
                json!(true)
            } else {
                json!(word.expect("one of the words"))
            };
            self.book(number % 5, &[(name, value)], wish);
        }
    }

    fn days_pass(&self, days: i64) {
        self.clock.advance_ms(days * DAY_MS);
        self.server.tick();
        self.server.settle();
    }

    /// A task with a content, and a conversation of which an agent gets something.
    fn pass_context_on(&self) {
        let content = json!({"content": "what is known of the guests"}).to_string();
        assert_eq!(self.call(0, "POST", "/v1/contents", &content).0, 201);
        let task = json!({"TaskContext": {"TaskID": "", "UserQuery": "q", "TaskName": "n", "TaskDescription": "d",
            "GoalStatus": [{"Goal": "g", "Status": "pending"}], "OverallStatus": "", "Optional": ["StartTime", "EndTime"]}});
        let begun = self.call(0, "POST", "/v1/tasks", &task.to_string());
        assert_eq!(begun.0, 201, "{}", begun.1);
        let begun = self.call(
            0,
            "POST",
            "/v1/conversations",
            r#"{"role": "user", "content": "hello"}"#,
        );
        let at = format!("/v1/conversations/{}", begun.1["context_id"].as_str().expect("an id"));
        let declared = r#"{"types": ["ConversationHistory"]}"#;
        assert_eq!(
            self.call(0, "PUT", &format!("{at}/recipients/agent-1"), declared).0,
            200
        );
        let embedded = self.call(0, "POST", &format!("{at}:embed"), r#"{"agent": "agent-1"}"#);
        assert_eq!(embedded.0, 200, "{}", embedded.1);
    }

    /// A key is promoted, another deprecated, a third is on trial and used.
    fn live_through_a_week(&self) {
        self.want(&SEATS);
        self.want(&FAD);
        self.adopt(["window", "aisle"], &SEATS);
        self.learned(0, "champagne");
        self.days_pass(8);
        self.want(&MEALS);
        self.adopt(["vegetarian", "vegan"], &MEALS);
        // What a key holds already, said in `other` all the same.
        self.want(&SEATS[..5]);
        let wishes = json!({"wishes": ["I want to bring my bicycle"]}).to_string();
        let asked = self.call(0, "POST", "/v1/scenarios/flight_booking/extensions", &wishes);
        assert_eq!(asked.0, 202, "{}", asked.1);
        assert_eq!(self.call(0, "POST", "/v1/sessions", r#"{"session_id":"trip"}"#).0, 201);
        for action in [
            r#"{"action":"write","key":"scope","value":"v"}"#,
            r#"{"action":"read","key":"scope"}"#,
        ] {
            assert_eq!(self.call(0, "POST", "/v1/sessions/trip/context", action).0, 200);
        }
        self.pass_context_on();
        let refused = json!({"schema_id": "flight_booking_v1", "payload": {}}).to_string();
        assert_eq!(self.call(0, "POST", "/v1/submissions", &refused).0, 422);
        assert_eq!(self.call(KEEPER, "GET", "/v1/backup", "").0, 200);
        let booking = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-06-04"});
        let part = json!({"data": {"schema_id": "flight_booking_v1", "payload": booking}});
        let said = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [part]}}).to_string();
        let asked = self.call(0, "POST", "/a2a/message:send?A2A-Version=1.0", &said);
        assert_eq!(
            asked.1["task"]["status"]["state"], "TASK_STATE_COMPLETED",
            "{}",
            asked.1
        );
    }
}

fn key_of(number: usize) -> String {
    format!("the-key-of-agent-{number}")
}

/// A running Prometheus; killed when it is dropped.
struct Prometheus {
    child: Child,
    base: String,
    agent: ureq::Agent,
    folder: TempDir,
}

impl Prometheus {
    /// With the configuration that is shipped, but for where the service is, where the key lies and how often it looks.
    fn watch(service: &str, keys: &Path) -> Prometheus {
        let folder = tempfile::tempdir().expect("a folder");
        let mut configuration = text("deploy/prometheus/prometheus.yml");
        let key = keys.join("prometheus.key").display().to_string();
        for (shipped, times, here) in [
            ("otherwise:8080", 1, service),
            ("/etc/prometheus/prometheus.key", 1, key.as_str()),
            ("_interval: 15s", 2, "_interval: 1s"),
        ] {
            assert_eq!(configuration.matches(shipped).count(), times, "{shipped}");
            configuration = configuration.replace(shipped, here);
        }
        fs::write(folder.path().join("prometheus.yml"), configuration).expect("written");
        fs::copy(at("deploy/prometheus/alerts.yml"), folder.path().join("alerts.yml")).expect("copied");
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|free| free.local_addr())
            .expect("a free port")
            .port();
        let log = fs::File::create(folder.path().join("log")).expect("a log");
        let child = Command::new("prometheus")
            .arg("--config.file=prometheus.yml")
            .arg("--storage.tsdb.path=data")
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("it starts");
        let prometheus = Prometheus {
            child,
            base: format!("http://127.0.0.1:{port}"),
            agent: ureq::Agent::config_builder().http_status_as_error(false).build().into(),
            folder,
        };
        prometheus.until("it scrapes the service", || prometheus.holds("up == 1"));
        prometheus
    }

    /// Waits for something, a moment at a time.
    fn until(&self, what: &str, done: impl Fn() -> bool) {
        let pause = Duration::from_millis(200);
        for _ in 0..PATIENCE.as_millis() / pause.as_millis() {
            if done() {
                return;
            }
            std::thread::sleep(pause);
        }
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        panic!("waited in vain until {what}: {log}");
    }

    fn get(&self, path: &str, query: Option<&str>) -> Result<Value, String> {
        let mut request = self.agent.get(format!("{}{path}", self.base));
        if let Some(query) = query {
            request = request.query("query", query);
        }
        let mut response = request.call().map_err(|error| error.to_string())?;
        let body = response
            .body_mut()
            .read_to_string()
            .map_err(|error| error.to_string())?;
        let mut body: Value = serde_json::from_str(&body).map_err(|error| format!("{error}: {body}"))?;
        if body["status"] != "success" {
            return Err(body["error"].to_string());
        }
        Ok(body["data"].take())
    }

    /// Whether a query has a result with a number in it.
    fn holds(&self, query: &str) -> bool {
        self.result(query).is_ok_and(|numbers| numbers > 0)
    }

    /// How many numbers a query has; an error for one that is none.
    fn result(&self, query: &str) -> Result<usize, String> {
        let data = self.get("/api/v1/query", Some(query))?;
        let series = data["result"].as_array().cloned().unwrap_or_default();
        Ok(series
            .iter()
            .filter(|series| series["value"][1].as_str().is_some_and(|number| number != "NaN"))
            .count())
    }

    fn value(&self, query: &str) -> f64 {
        let data = self.get("/api/v1/query", Some(query)).expect("a query");
        let number = data["result"][0]["value"][1].as_str().unwrap_or("NaN");
        number.parse().expect("a number")
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A query of the board as Grafana would send it.
fn filled_in(query: &str) -> String {
    let filled = query
        .replace("$scenario", ".*")
        .replace("$__rate_interval", "10m")
        .replace("$__interval", "10m")
        .replace("$__range", "10m");
    assert!(!filled.contains('$'), "a variable that is not known: {filled}");
    filled
}

/// What must have series for an expression to be able to fire: each metric with what it demands of labels, a list of
/// values one by one; of what it rules out, that there is such a label.
fn demanded(expression: &str) -> Vec<String> {
    let selector = Regex::new(r"\b((?:otherwise|process)_\w+|up)\b(?:\{([^}]*)\})?").expect("a pattern");
    let matcher = Regex::new(r#"(\w+)(=~|!~|!=|=)"([^"]*)""#).expect("a pattern");
    let mut all = Vec::new();
    for found in selector.captures_iter(expression) {
        let labels = found.get(2).map_or("", |labels| labels.as_str());
        let mut wanted = vec![String::new()];
        for label in matcher.captures_iter(labels) {
            let (name, operator, value) = (&label[1], &label[2], &label[3]);
            let values: Vec<String> = match operator {
                "=" => vec![format!(r#"{name}="{value}","#)],
                // Every scenario, as the board's variable asks for.
                "=~" if value == ".*" => vec![format!(r#"{name}!="","#)],
                "=~" => value.split('|').map(|value| format!(r#"{name}="{value}","#)).collect(),
                _ => vec![format!(r#"{name}!="","#)],
            };
            wanted = wanted
                .iter()
                .flat_map(|before| values.iter().map(move |value| format!("{before}{value}")))
                .collect();
        }
        all.extend(wanted.iter().map(|labels| format!("{}{{{labels}}}", &found[1])));
    }
    all
}

#[test]
fn what_an_expression_demands_is_read_out_of_it() {
    assert_eq!(demanded(r#"process_y{s=~".*"}"#), [r#"process_y{s!="",}"#]);
    assert_eq!(
        demanded(r#"sum by (scenario) (rate(otherwise_x_total{a=~"b|c",d!="e"}[5m])) / up > 1"#),
        [
            r#"otherwise_x_total{a="b",d!="",}"#,
            r#"otherwise_x_total{a="c",d!="",}"#,
            "up{}"
        ]
    );
}

#[test]
fn every_query_of_the_board_and_every_alert_has_real_series_behind_it() {
    if !installed(
        "prometheus",
        "the queries of the dashboard and the alerts are not tried on real series",
    ) {
        return;
    }
    let keys = tempfile::tempdir().expect("a folder");
    let keys = keys.path().join("keys");
    let (well, told) = said(Command::new("sh").arg(at("deploy/keys.sh")).arg(&keys));
    assert!(well, "{told}");
    let service = Service::start(&keys);
    let (_, address) = service.server.base().split_once("//").expect("an address");
    let prometheus = Prometheus::watch(address, &keys);

    // Counters are seen at zero first, so that what happens now is an increase.
    let submissions = "sum(otherwise_submissions_total)";
    prometheus.until("the counters are there", || prometheus.holds(submissions));
    service.live_through_a_week();
    prometheus.until("it has seen the week", || {
        prometheus.value(r#"sum(otherwise_submissions_total{outcome="refused"})"#) >= 1.0
            && prometheus.holds("sum(increase(otherwise_submissions_total[10m])) > 50")
    });

    assert!(
        !prometheus.holds("otherwise_no_such_metric"),
        "a missing metric has no series"
    );
    let board = board();
    let queries = queries(&board);
    assert!(queries.len() > 40, "the board has {} queries", queries.len());
    let mut empty = Vec::new();
    for (panel, query) in &queries {
        let query = &filled_in(query);
        for selector in demanded(query) {
            if !prometheus.holds(&selector) {
                empty.push(format!("{panel}: no series: {selector}"));
            }
        }
        match prometheus.result(query) {
            Ok(0) => empty.push(format!("{panel}: no series: {query}")),
            Ok(_) => {}
            Err(error) => empty.push(format!("{panel}: {error}: {query}")),
        }
    }
    for variable in board["templating"]["list"].as_array().expect("variables") {
        if let Some(definition) = variable["definition"].as_str() {
            let inner = definition
                .strip_prefix("label_values(")
                .and_then(|rest| rest.strip_suffix(')'));
            let (metric, label) = inner.and_then(|inner| inner.split_once(", ")).expect("label_values");
            if !prometheus.holds(&format!(r#"{metric}{{{label}!=""}}"#)) {
                empty.push(format!("variable: {definition}"));
            }
        }
    }
    let rules = prometheus.get("/api/v1/rules", None).expect("rules");
    let groups = rules["groups"].as_array().expect("groups");
    let alerts: Vec<&Value> = groups
        .iter()
        .filter_map(|group| group["rules"].as_array())
        .flatten()
        .collect();
    assert!(alerts.len() > 10, "the rules are loaded");
    for alert in alerts {
        let (name, query) = (&alert["name"], alert["query"].as_str().expect("a query"));
        let demanded = demanded(query);
        assert!(!demanded.is_empty(), "{name}");
        for selector in demanded {
            if !prometheus.holds(&selector) {
                empty.push(format!("{name}: no series: {selector}"));
            }
        }
        if alert["health"] != "ok" || alert["state"] == "firing" {
            empty.push(format!(
                "{name}: {} {} {}",
                alert["state"], alert["health"], alert["lastError"]
            ));
        }
    }
    assert!(empty.is_empty(), "{}", empty.join("\n"));

    for (what, query) in [
        (
            "born",
            r#"sum(increase(otherwise_key_changes_total{change="proposed"}[10m])) >= 3"#,
        ),
        (
            "promoted",
            r#"sum(increase(otherwise_key_changes_total{change="stable"}[10m])) >= 1"#,
        ),
        (
            "let go",
            r#"sum(increase(otherwise_key_changes_total{change="deprecated"}[10m])) >= 1"#,
        ),
        (
            "counted at the cap",
            r#"otherwise_submissions_pending{scenario="_overflow"}"#,
        ),
    ] {
        assert!(prometheus.holds(query), "{what}: {query}");
    }
}
