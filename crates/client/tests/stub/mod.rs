//! A server that answers a script, request by request in its order, and holds each request against it.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::Mutex;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::net::TcpStream;

/// Why a value is not what is expected of it: objects hold member by member, lists of one length item by item, anything else is equal,
/// and null stands for what is missing too.
pub fn misfit(expect: &Value, came: &Value) -> Option<String> {
    match (expect, came) {
        (Value::Object(members), Value::Object(_)) => members.iter().find_map(|(name, expect)| {
            misfit(expect, came.get(name).unwrap_or(&Value::Null)).map(|why| format!("{name}: {why}"))
        }),
        (Value::Array(items), Value::Array(came)) if items.len() == came.len() => {
            items.iter().zip(came).find_map(|(expect, came)| misfit(expect, came))
        }
        _ => (expect != came).then(|| format!("{came} is not {expect}")),
    }
}

struct Request {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: Value,
}

#[derive(Default)]
struct Script {
    steps: VecDeque<Value>,
    templates: Value,
    /// Values by the names that the script gives them.
    names: BTreeMap<String, String>,
    wrong: Vec<String>,
}

impl Script {
    /// Holds a request against the script's next one, and gives the response.
    fn take(&mut self, request: &Request) -> Option<Value> {
        let Some(step) = self.steps.pop_front() else {
            self.wrong
                .push(format!("{} {} was not expected", request.method, request.path));
            return None;
        };
        let asked = &step["request"];
        let line = format!("{} {}", request.method, request.path);
        if asked["method"] != request.method.as_str() || asked["path"] != request.path.as_str() {
            self.wrong.push(format!("{line} came instead of {asked}"));
        }
        for (place, given) in [("query", &request.query), ("headers", &request.headers)] {
            for (name, expect) in asked[place].as_object().into_iter().flatten() {
                let given = given.get(&name.to_lowercase()).cloned();
                if !self.fits(expect.as_str(), given.as_deref()) {
                    self.wrong
                        .push(format!("{line}: {place} {name} is {given:?}, not {expect}"));
                }
            }
        }
        if let Some(why) = asked.get("body").and_then(|body| misfit(body, &request.body)) {
            self.wrong.push(format!("{line}: body {why}"));
        }
        let mut response = step["response"].clone();
        if let Some(of) = response["of"].as_str() {
            let template = &self.templates[of];
            let mut headers = template["headers"].clone();
            for (name, value) in response["headers"].as_object().into_iter().flatten() {
                headers[name] = value.clone();
            }
            response["headers"] = headers;
            if response["status"] == 200 && response.get("body").is_none() && response.get("text").is_none() {
                response["body"] = template["body"].clone();
            }
        }
        Some(response)
    }

    fn fits(&mut self, expect: Option<&str>, given: Option<&str>) -> bool {
        let (Some(expect), Some(given)) = (expect, given) else {
            return expect.is_none() && given.is_none();
        };
        match expect.split_at_checked(1) {
            Some(("*", "")) => true,
            Some(("=", name)) => self.names.entry(name.to_owned()).or_insert_with(|| given.to_owned()) == given,
            Some(("!", name)) => self.names.get(name).map_or(name, String::as_str) != given,
            _ => expect == given,
        }
    }
}

/// A server on loopback.
pub struct Stub {
    pub base: String,
    script: Arc<Mutex<Script>>,
}

impl Stub {
    /// Answers this script until the runtime ends.
    pub async fn start(steps: Value, templates: Value) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let script = Script {
            steps: steps.as_array().cloned().unwrap_or_default().into(),
            templates,
            ..Script::default()
        };
        let script = Arc::new(Mutex::new(script));
        let shared = Arc::clone(&script);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&shared)));
            }
        });
        Stub { base, script }
    }

    /// Holds that every request so far was the script's.
    pub fn hold(&self, case: &str) {
        let wrong = &self.script.lock().expect("no panic").wrong;
        assert!(wrong.is_empty(), "{case}: {wrong:#?}");
    }

    /// Holds that every request of the script came.
    pub fn end(&self, case: &str) {
        self.hold(case);
        let left = &self.script.lock().expect("no panic").steps;
        assert!(left.is_empty(), "{case}: these did not come: {left:#?}");
    }
}

async fn answer(mut stream: TcpStream, script: Arc<Mutex<Script>>) {
    let Some(request) = read(&mut stream).await else { return };
    let response = script.lock().expect("no panic").take(&request);
    let Some(response) = response.filter(|response| response["close"] != true) else {
        return;
    };
    let body = match (response["text"].as_str(), response.get("body")) {
        (Some(text), _) => text.to_owned(),
        (None, Some(body)) => body.to_string(),
        (None, None) => String::new(),
    };
    let mut head = format!("HTTP/1.1 {} Said\r\nConnection: close\r\n", response["status"]);
    let headers = response["headers"].as_object().cloned().unwrap_or_default();
    for (name, value) in &headers {
        head.push_str(&format!("{name}: {}\r\n", value.as_str().expect("a header")));
    }
    if !headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")) && response.get("body").is_some() {
        head.push_str("Content-Type: application/json\r\n");
    }
    let holds = response["hold"] == true;
    if !holds && response["status"] != 304 {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes()).await;
    if holds {
        // Until the client closes it.
        let _ = stream.read(&mut [0; 64]).await;
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8(bytes[..head].to_vec()).ok()?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers
        .get("content-length")
        .map_or(Some(0), |length| length.parse().ok())?;
    let mut body = bytes.split_off(head + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Request {
        method,
        path: decoded(path),
        query: pairs.map(|(name, value)| (decoded(name), decoded(value))).collect(),
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    })
}
