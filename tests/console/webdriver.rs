//! A real Chromium over W3C WebDriver: its own small client, blocking like the tests themselves.
//!
//! Where no chromedriver is found the tests are skipped with one sentence, unless `OTHERWISE_BROWSER=required` says that one must be.

use std::io::BufRead;
use std::io::BufReader;
use std::process::Child;
use std::process::ChildStdout;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

/// The member under which WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How often something is looked for, with a pause between: longer than a machine takes that does much else.
const LOOKS: u32 = 400;
const PAUSE: Duration = Duration::from_millis(50);

/// Keys by the names that WebDriver has for them.
pub const ENTER: &str = "\u{e007}";
pub const TAB: &str = "\u{e004}";
pub const ESCAPE: &str = "\u{e00c}";
pub const BACK: &str = "\u{e003}";

/// A browser with one driver; both end when it is dropped.
pub struct Browser {
    agent: ureq::Agent,
    session: String,
    driver: Child,
    /// Held open: the driver may still write to it.
    _output: BufReader<ChildStdout>,
}

/// Attempts at a driver: it picks a port by itself, and ends where another program has that one of the other family of addresses.
const STARTS_MAX: u32 = 10;

/// A driver that listens, with what it writes and its port; none where it ended at once.
fn listening(mut driver: Child) -> Option<(Child, BufReader<ChildStdout>, String)> {
    let mut output = BufReader::new(driver.stdout.take().expect("its output"));
    let mut line = String::new();
    while !line.contains("successfully on port ") {
        line.clear();
        if output.read_line(&mut line).expect("a line") == 0 {
            driver.wait().expect("its end");
            return None;
        }
    }
    let port = line.rsplit("on port ").next().expect("a port");
    let port = port.chars().filter(char::is_ascii_digit).collect();
    Some((driver, output, port))
}

impl Browser {
    /// Starts one; none where there is no driver and none is required.
    pub fn start() -> Option<Browser> {
        let driver = || {
            Command::new("chromedriver")
                .arg("--port=0")
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
        };
        let found = match driver() {
            Ok(first) => listening(first).or_else(|| (1..STARTS_MAX).find_map(|_| listening(driver().ok()?))),
            Err(error) => {
                let is_required = std::env::var("OTHERWISE_BROWSER").is_ok_and(|said| said == "required");
                assert!(
                    !is_required,
                    "a browser is required, and chromedriver does not start: {error}"
                );
                println!("skipped: chromedriver is not installed, so that no browser looked at the console");
                return None;
            }
        };
        let (driver, output, port) = found.expect("a driver that says its port");
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut browser = Browser {
            agent,
            session: format!("http://127.0.0.1:{port}/session"),
            driver,
            _output: output,
        };
        let mut arguments = vec![
            "--headless=new",
            "--disable-gpu",
            "--no-first-run",
            "--window-size=1280,1000",
        ];
        // As root Chromium refuses to start with its sandbox.
        if std::fs::metadata("/proc/self").is_ok_and(|about| std::os::unix::fs::MetadataExt::uid(&about) == 0) {
            arguments.push("--no-sandbox");
        }
        let asked = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let begun = browser.call("POST", "", &asked);
        let id = begun["sessionId"]
            .as_str()
            .unwrap_or_else(|| panic!("a session: {begun}"));
        browser.session = format!("{}/{id}", browser.session);
        Some(browser)
    }

    /// One call of the driver; what it answers.
    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.session));
        let answer = match method {
            "POST" => self.agent.run(
                request
                    .header("Content-Type", "application/json")
                    .body(body.to_string())
                    .expect("a request"),
            ),
            _ => self.agent.run(request.body(()).expect("a request")),
        };
        let mut answer = answer.expect("an answer of the driver");
        let text = answer
            .body_mut()
            .with_config()
            .limit(64 << 20)
            .read_to_string()
            .expect("its text");
        let told: Value = serde_json::from_str(&text).expect("JSON");
        let value = &told["value"];
        assert!(
            value.get("error").is_none(),
            "{method} {path}: {} {}",
            value["error"],
            value["message"]
        );
        value.clone()
    }

    pub fn open(&self, address: &str) {
        self.call("POST", "/url", &json!({"url": address}));
    }

    /// What a script in the page gives back: the body of a function, which finds these as `arguments`.
    pub fn script(&self, body: &str, arguments: &[Value]) -> Value {
        self.call("POST", "/execute/sync", &json!({"script": body, "args": arguments}))
    }

    /// The same of a script that calls its last argument when it is done.
    pub fn script_later(&self, body: &str, arguments: &[Value]) -> Value {
        self.call("POST", "/execute/async", &json!({"script": body, "args": arguments}))
    }

    /// Waits until an expression in the page holds.
    #[track_caller]
    pub fn until(&self, expression: &str) {
        for _ in 0..LOOKS {
            if self.script(&format!("return !!({expression})"), &[]) == true {
                return;
            }
            std::thread::sleep(PAUSE);
        }
        let shown = self.script("return location.href + '\\n' + document.body.innerText", &[]);
        panic!("never true: {expression}\n{}", shown.as_str().unwrap_or_default());
    }

    /// Waits until the page shows a text.
    #[track_caller]
    pub fn sees(&self, text: &str) {
        self.until(&format!("document.body.innerText.includes({})", json!(text)));
    }

    /// Presses keys one after another, whatever has the focus; each character is one, and so is each of the named ones.
    pub fn press(&self, keys: &str) {
        let strokes = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()})));
        let actions = json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes.collect::<Vec<_>>()}]});
        self.call("POST", "/actions", &actions);
    }

    /// Presses a key while the control key is held down.
    pub fn chord(&self, key: &str) {
        const CONTROL: &str = "\u{e009}";
        let stroke = |kind: &str, key: &str| json!({"type": kind, "value": key});
        let strokes = [
            stroke("keyDown", CONTROL),
            stroke("keyDown", key),
            stroke("keyUp", key),
            stroke("keyUp", CONTROL),
        ];
        self.call(
            "POST",
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]}),
        );
    }

    /// Clicks the first that a selector finds.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        self.until(&format!("document.querySelector({})", json!(selector)));
        let found = self.call("POST", "/element", &json!({"using": "css selector", "value": selector}));
        let id = found[ELEMENT].as_str().expect("an element");
        // Away from the foot of the page, which lies over what is at its edge.
        self.script(
            "arguments[0].scrollIntoView({block: 'center'})",
            std::slice::from_ref(&found),
        );
        self.call("POST", &format!("/element/{id}/click"), &json!({}));
    }

    /// What the browser itself is told by the protocol of its developer tools.
    pub fn tool(&self, command: &str, parameters: &Value) -> Value {
        self.call(
            "POST",
            "/goog/cdp/execute",
            &json!({"cmd": command, "params": parameters}),
        )
    }

    /// Light or dark, and how wide the window is; without motion, or colours would be judged while they turn.
    pub fn dress(&self, scheme: &str, width: u32) {
        let features = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", "reduce")];
        self.media("", &features);
        self.size(width, 1000, 1);
    }

    /// What a page is shown on, `screen` where nothing is said, and what whoever looks prefers.
    pub fn media(&self, media: &str, features: &[(&str, &str)]) {
        let features = features
            .iter()
            .map(|(name, value)| json!({"name": name, "value": value}));
        let asked = json!({"media": media, "features": features.collect::<Vec<_>>()});
        self.tool("Emulation.setEmulatedMedia", &asked);
    }

    /// A window of so many pixels of CSS, each of which is so many of the screen.
    pub fn size(&self, width: u32, height: u32, scale: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": false});
        self.tool("Emulation.setDeviceMetricsOverride", &size);
    }

    /// A picture of the page, where `OTHERWISE_PICTURES` names a folder for it.
    pub fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("OTHERWISE_PICTURES") else {
            return;
        };
        let bytes = self.captured(&json!({"captureBeyondViewport": true, "format": "png"}));
        std::fs::create_dir_all(&folder).expect("the folder");
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), bytes).expect("the picture");
    }

    /// What is shown, as a picture.
    pub fn captured(&self, how: &Value) -> Vec<u8> {
        let taken = self.tool("Page.captureScreenshot", how);
        let data = taken["data"].as_str().expect("a picture");
        base64::Engine::decode(&base64::engine::general_purpose::STANDARD, data).expect("base64")
    }

    /// What the browser logged since it was asked last; that the service refused something is the page's to tell.
    pub fn log(&self) -> Vec<String> {
        let entries = self.call("POST", "/se/log", &json!({"type": "browser"}));
        let text = |entry: &Value| entry["message"].as_str().unwrap_or_default().to_owned();
        let is_refusal = |said: &String| said.contains("responded with a status of 4");
        let entries = entries.as_array().map(Vec::as_slice).unwrap_or_default();
        entries.iter().map(text).filter(|said| !is_refusal(said)).collect()
    }

    /// Every address that was asked for since it was asked last.
    pub fn requests(&self) -> Vec<String> {
        let entries = self.call("POST", "/se/log", &json!({"type": "performance"}));
        let entries = entries.as_array().cloned().unwrap_or_default();
        let message = |entry: &Value| serde_json::from_str::<Value>(entry["message"].as_str()?).ok();
        let asked = entries
            .iter()
            .filter_map(message)
            .filter(|told| told["message"]["method"] == "Network.requestWillBeSent");
        asked
            .filter_map(|told| told["message"]["params"]["request"]["url"].as_str().map(str::to_owned))
            .collect()
    }

    /// Opens a further tab and goes on in it.
    pub fn tab(&self) -> String {
        let opened = self.call("POST", "/window/new", &json!({"type": "tab"}));
        let handle = opened["handle"].as_str().expect("a tab").to_owned();
        self.turn_to(&handle);
        handle
    }

    /// The tab that is spoken to.
    pub fn here(&self) -> String {
        self.call("GET", "/window", &Value::Null)
            .as_str()
            .expect("a tab")
            .to_owned()
    }

    pub fn turn_to(&self, handle: &str) {
        self.call("POST", "/window", &json!({"handle": handle}));
    }

    pub fn close_tab(&self) {
        self.call("DELETE", "/window", &Value::Null);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if self.session.rsplit('/').next() != Some("session") {
            let request = ureq::http::Request::builder().method("DELETE").uri(&self.session);
            let _ = self.agent.run(request.body(()).expect("a request"));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
