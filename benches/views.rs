//! What the calls of each view of the console take, and how long the page takes until its rows are there, on made data.
//!
//! So many scenarios, each with some submissions and wishes; a few with keys that wait for a person; and one whose pool is full and whose
//! hottest clusters many clients said. Vectors of made wishes are made as well: what is measured does not hang on what they mean, and the
//! model would take minutes. Where a chromedriver is found a real browser opens each view, at its full speed and at a quarter of it.

#[expect(dead_code, reason = "the tests of the page press keys and take pictures as well")]
#[path = "../tests/console/webdriver.rs"]
mod webdriver;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use otherwise::app::ports::EmbedFault;
use otherwise::app::ports::Embedder;
use otherwise::bootstrap;
use otherwise::bootstrap::Running;
use otherwise::bootstrap::parts;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;
use store::journal::Promise;
use text::vector::Vector;
use tokio::runtime::Runtime;

use crate::Line;
use crate::all;
use crate::median_and_99th;
use crate::shelve;
use crate::template;
use crate::whole_number;
use crate::with_body;
use webdriver::Browser;

/// The scenario of the large pool, whose gates stay closed.
const LARGE: u64 = 0;
/// Scenarios after it in which two keys wait for a person.
const WAITING: u64 = 5;
/// Clients that submit to each scenario, and wishes of each but the large one.
const CLIENTS: u64 = 2;
const WISHES: u64 = 8;
/// Wishes in one request: as many as are taken.
const TOGETHER: u64 = 16;
/// Clients of the large scenario.
const CLIENTS_OF_LARGE: u64 = 2_000;
/// Clusters that are hot, as many as are searched for a word, and how often each was said: examples are kept of that many.
const HOT: u64 = 200;
const TIMES: u64 = 64;
/// Requests between two waits for what is learned of them.
const BATCH: u64 = 1_000;
/// How often a call is measured.
const TIMED: u64 = 200;
/// How often the browser opens a view.
const OPENED: usize = 5;
const CONNECTIONS: u64 = 8;

/// What the one word begins with that only one made wish has.
const MADE: &str = "zz";

/// What several clients say alike, of which a key is made.
const SAID: [[&str; 6]; 2] = [
    [
        "a window seat please",
        "I would like a window seat",
        "window seat if possible",
        "please book me a window seat",
        "a seat at the window please",
        "I prefer a window seat",
    ],
    [
        "two suitcases to check in",
        "I have two suitcases to check in",
        "check in three suitcases",
        "please add one suitcase to check in",
        "I want to check in two suitcases",
        "one suitcase to check in please",
    ],
];

/// Each view with what is in it once it shows what it is about.
const VIEWS: [(&str, &str); 7] = [
    ("scenarios", "main tbody tr td.num"),
    ("waits", "main tbody tr td.num"),
    ("s/s0/missing", "main tbody tr .q"),
    ("s/s0/changed?tab=log", "main tbody tr td"),
    ("s/s0/uses", "main tbody tr td.num"),
    ("s/s0/overview", "main svg"),
    ("s/s0/try", "main form input"),
];

/// Notes when that is there and drawn: after the next frame the page has done what was asked of it.
const WATCH: &str = "const look = () => document.querySelector(SELECTOR)
  ? requestAnimationFrame(() => setTimeout(() => { window.thereAt = performance.now(); }))
  : requestAnimationFrame(look);
look();";

/// The model of the service for what people say, and made vectors for what is made. Nothing is told of a sentence by its vector: a made
/// one would tell anything.
struct MadeVectors(Arc<dyn Embedder>);

impl Embedder for MadeVectors {
    fn model(&self) -> &str {
        self.0.model()
    }

    fn link(&self) -> f64 {
        self.0.link()
    }

    fn embed(&self, texts: Vec<String>) -> Promise<'_, Result<Vec<Vector>, EmbedFault>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            for text in texts {
                match made(&text) {
                    Some(vector) => vectors.push(vector),
                    None => vectors.extend(self.0.embed(vec![text]).await?),
                }
            }
            Ok(vectors)
        })
    }
}

/// A wish of its own for each number, in words.
fn wish(number: u64) -> String {
    const SYLLABLES: [&str; 10] = ["ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru"];
    let digits = format!("{number:07}");
    let syllables = digits.bytes().map(|digit| SYLLABLES[usize::from(digit - b'0')]);
    format!("a {MADE}{} please", syllables.collect::<String>())
}

/// The vector of a made wish, by the one word that only it has.
fn made(text: &str) -> Option<Vector> {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric());
    let own = words.find(|word| word.starts_with(MADE))?;
    let seed = own
        .bytes()
        .fold(7_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let mut random = fastrand::Rng::with_seed(seed);
    let values: Vec<f32> = (0..384).map(|_| random.f32() - 0.5).collect();
    Vector::quantise(&values)
}

/// Prints a table of few scenarios and one of many.
pub fn measure(runtime: &Runtime, arguments: &[String]) {
    let many = whole_number(arguments, "--hosted", 10_000);
    let clusters = whole_number(arguments, "--clusters", 20_000);
    for scenarios in [10, many] {
        let began = Instant::now();
        let folder = tempfile::tempdir().expect("a folder");
        let service = serve(folder.path(), scenarios);
        let port = service.address().port();
        let started = began.elapsed().as_secs_f64();
        fill(runtime, &service, scenarios, clusters);
        println!(
            "{scenarios} scenarios: started in {started:.0} s, filled in {:.0} s, {:.0} MiB",
            began.elapsed().as_secs_f64() - started,
            crate::resident(std::process::id())
        );
        println!("call or view, {scenarios} scenarios | ms median/p99");
        for (name, request) in calls(port) {
            let (median, worst) = runtime.block_on(async {
                let mut line = Line::open(port).await;
                let mut times = Vec::new();
                for _ in 0..TIMED {
                    let began = Instant::now();
                    line.call(&request).await;
                    times.push(began.elapsed().as_secs_f64() * 1_000.0);
                }
                median_and_99th(times)
            });
            println!("{name} | {median:.2}/{worst:.2}");
        }
        open_all(port);
        service.stop();
    }
}

fn serve(folder: &Path, scenarios: u64) -> Running {
    shelve(folder, scenarios);
    for number in LARGE..=WAITING {
        let mut template = template(number);
        template["policy"] = match number {
            LARGE => json!({
                "pool": {"gate_clients_min": 100_000, "gate_occurrences_min": 100_000, "heat_threshold": 1_000_000.0},
            }),
            _ => json!({
                "pool": {"look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4},
                "evolution": {"autonomy": "review"},
            }),
        };
        std::fs::write(folder.join(format!("schemas/s{number}.json")), template.to_string()).expect("written");
    }
    let mut settings = Settings::default();
    settings.server.listen = "127.0.0.1:0".to_owned();
    settings.server.client_requests_per_s = 0;
    settings.data.folder = folder.join("data").display().to_string();
    settings.schemas.folder = folder.join("schemas").display().to_string();
    settings.models.folder = format!("{}/models", env!("CARGO_MANIFEST_DIR"));
    // A look at twenty thousand micro-clusters takes seconds, and none is of use before all is said.
    settings.policy.pool.look_every_fragments = 100_000;
    let model = parts::open_embedder(&settings, None).expect("the models");
    let parts = PartsOverride {
        embedder: Some(Arc::new(MadeVectors(model))),
        ..PartsOverride::default()
    };
    bootstrap::start(&settings, parts).expect("the service starts")
}

/// Everybody says what there is to say, and all of it is learned.
fn fill(runtime: &Runtime, service: &Running, scenarios: u64, clusters: u64) {
    let port = service.address().port();
    let settle = || service.block_on(service.service().settle());
    runtime.block_on(all(port, CONNECTIONS, scenarios * CLIENTS, move |turn| {
        vec![submission(turn / CLIENTS, turn, None)]
    }));
    runtime.block_on(all(port, CONNECTIONS, CLIENTS_OF_LARGE, move |turn| {
        vec![submission(LARGE, turn, None)]
    }));
    runtime.block_on(all(port, CONNECTIONS, scenarios - 1, move |turn| {
        let first = 1_000_000 + turn * WISHES;
        vec![wishes(turn + 1, turn * CLIENTS, first..first + WISHES)]
    }));
    settle();
    // Every wish of the large pool once; then the hot ones again and again, each time by another client.
    let once = clusters / TOGETHER;
    let turns = once + HOT * TIMES;
    for from in (0..turns).step_by(usize::try_from(BATCH).unwrap_or(1)) {
        runtime.block_on(all(port, CONNECTIONS, BATCH.min(turns - from), move |turn| {
            let turn = from + turn;
            let client = turn * 7 % CLIENTS_OF_LARGE;
            vec![match turn.checked_sub(once) {
                None => wishes(LARGE, client, turn * TOGETHER..(turn + 1) * TOGETHER),
                Some(again) => submission(LARGE, client, Some(&wish(again % HOT))),
            }]
        }));
        settle();
    }
    for number in 1..=WAITING {
        for (turn, said) in SAID.as_flattened().iter().enumerate() {
            let client = u64::try_from(turn).unwrap_or_default() % 5;
            runtime.block_on(all(port, 1, 1, move |_| vec![submission(number, client, Some(said))]));
            settle();
        }
    }
}

fn submission(scenario: u64, client: u64, other: Option<&str>) -> String {
    let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
    if let Some(other) = other {
        payload["other"] = json!(other);
    }
    let body = json!({"schema_id": format!("s{scenario}_v1"), "payload": payload});
    with_body("/v1/submissions", client, &body)
}

fn wishes(scenario: u64, client: u64, numbers: std::ops::Range<u64>) -> String {
    let said: Vec<String> = numbers.map(wish).collect();
    with_body(
        &format!("/v1/scenarios/s{scenario}/extensions"),
        client,
        &json!({"wishes": said}),
    )
}

fn read(port: u16, path: &str) -> Value {
    let mut answer = ureq::get(format!("http://127.0.0.1:{port}{path}"))
        .call()
        .expect("an answer");
    answer.body_mut().read_json().expect("JSON")
}

/// The calls of the views by their names, as requests. One that is of a scenario asks the large one.
fn calls(port: u16) -> Vec<(String, String)> {
    let pool = read(port, "/v1/scenarios/s0/pool?limit=1");
    let cluster = &pool["clusters"][0]["id"];
    println!(
        "  {} clusters in the large pool, {} of {} fragments",
        pool["total"], pool["pending"], pool["demand"]
    );
    let approvals = read(port, "/v1/approvals?limit=1");
    println!("  {} keys wait", approvals["waiting"]);
    let patch = approvals["approvals"][0]["patch_id"]
        .as_str()
        .unwrap_or("none")
        .to_owned();
    let word = wish(HOT / 2);
    let word = word.split(' ').find(|word| word.starts_with(MADE)).unwrap_or_default();
    let paths = [
        "/v1/me".to_owned(),
        "/readyz".to_owned(),
        "/v1/scenarios?limit=200".to_owned(),
        "/v1/scenarios?stats=true&sort=waiting&limit=50".to_owned(),
        "/v1/scenarios?stats=true&sort=other_ratio&limit=50".to_owned(),
        "/v1/scenarios?stats=true&sort=payloads&limit=50".to_owned(),
        "/v1/scenarios?stats=true&sort=name&limit=50".to_owned(),
        "/v1/scenarios?stats=true&sort=name&limit=50&after=s5".to_owned(),
        "/v1/scenarios?stats=true&q=book%20a%20flight&limit=50".to_owned(),
        "/v1/approvals?limit=1".to_owned(),
        "/v1/approvals?limit=50".to_owned(),
        "/v1/approvals?limit=50&sort=clients".to_owned(),
        "/v1/approvals?limit=1&scenario=s1".to_owned(),
        "/v1/audits?limit=20".to_owned(),
        format!("/v1/patches/{patch}"),
        format!("/v1/patches/{patch}/evidence"),
        "/v1/scenarios/s0/pool?words=true&limit=50".to_owned(),
        "/v1/scenarios/s0/pool?words=true&limit=50&sort=growth".to_owned(),
        "/v1/scenarios/s0/pool?words=true&limit=50&sort=clients".to_owned(),
        "/v1/scenarios/s0/pool?words=true&limit=50&state=open".to_owned(),
        format!("/v1/scenarios/s0/pool?words=true&limit=50&q={word}"),
        format!("/v1/scenarios/s0/pool/{cluster}"),
        "/v1/scenarios/s0/ledger".to_owned(),
        "/v1/scenarios/s0/stats?days=30".to_owned(),
        "/v1/scenarios/s0/patches".to_owned(),
        "/v1/scenarios/s0/decision-log?limit=50".to_owned(),
        "/v1/scenarios/s0/versions".to_owned(),
        "/v1/scenarios/s0/clients?limit=50".to_owned(),
        "/v1/scenarios/s0/diff?from=1&to=s0_v1".to_owned(),
        "/v1/scenarios/s0/template".to_owned(),
        "/v1/scenarios/s0/template?format=json-schema".to_owned(),
        "/metrics".to_owned(),
    ];
    let called = paths.into_iter().map(|path| {
        let request = format!("GET {path} HTTP/1.1\r\nOtherwise-Client: olga\r\nOtherwise-Receipt: none\r\n");
        (path, request)
    });
    let answers = |(path, _): &(String, String)| {
        let answer = ureq::get(format!("http://127.0.0.1:{port}{path}")).call();
        answer
            .inspect_err(|error| println!("  left out: {path}: {error}"))
            .is_ok()
    };
    let validated = submission(LARGE, 1, None).replacen("/v1/submissions", "/v1/submissions:validate", 1);
    called
        .filter(answers)
        .chain([("/v1/submissions:validate".to_owned(), validated)])
        .collect()
}

/// Each view as a real browser opens it: milliseconds from its address until its rows are drawn, nothing of it held before.
fn open_all(port: u16) {
    let Some(browser) = Browser::start() else { return };
    let base = format!("http://127.0.0.1:{port}/console/");
    browser.open(&base);
    browser.script("sessionStorage.setItem('otherwise.who', '{\"name\":\"olga\"}')", &[]);
    browser.tool("Network.enable", &json!({}));
    browser.tool("Network.setCacheDisabled", &json!({"cacheDisabled": true}));
    for slower in [1, 4] {
        browser.tool("Emulation.setCPUThrottlingRate", &json!({"rate": slower}));
        for (view, selector) in VIEWS {
            let watch = WATCH.replace("SELECTOR", &json!(selector).to_string());
            let watched = browser.tool("Page.addScriptToEvaluateOnNewDocument", &json!({"source": watch}));
            let times = (0..OPENED).map(|_| {
                browser.open("about:blank");
                browser.open(&format!("{base}#/{view}"));
                browser.until("window.thereAt");
                browser.script("return window.thereAt", &[]).as_f64().expect("a number")
            });
            let mut times: Vec<f64> = times.collect();
            times.sort_by(f64::total_cmp);
            browser.tool(
                "Page.removeScriptToEvaluateOnNewDocument",
                &json!({"identifier": watched["identifier"]}),
            );
            let (median, worst) = (times[OPENED / 2], times[OPENED - 1]);
            println!("page {view}, {slower} times slower | {median:.0}, at most {worst:.0}");
        }
    }
}
