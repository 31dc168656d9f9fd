//! The real service in this process, on a free port, with folders of its own.

use std::sync::Arc;

use otherwise::app::application::App;
use otherwise::bootstrap;
use otherwise::bootstrap::Running;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use store::journal::Journal;
use tempfile::TempDir;

use crate::support::clock::VirtualClock;

/// A running service; stops and removes its folders when it is dropped.
pub struct Server {
    running: Option<Running>,
    agent: ureq::Agent,
    base: String,
    _folder: TempDir,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    /// `null` when the body is no JSON.
    pub body: Value,
}

impl Reply {
    /// Status and code, which is empty where all went well.
    pub fn told(&self) -> (u16, &str) {
        (self.status, self.body["code"].as_str().unwrap_or_default())
    }

    /// What a problem says of this time; nothing where all went well.
    pub fn detail(&self) -> &str {
        self.body["detail"].as_str().unwrap_or_default()
    }

    /// Asserts the status, and what the body says among other things, see [`has`].
    #[track_caller]
    pub fn has(&self, status: u16, members: Value) {
        assert_eq!(self.status, status, "{}", self.body);
        has(&self.body, members);
    }
}

/// Asserts what a document says among other things, by pointers without their first slash; null stands for what is
/// not there as well.
#[track_caller]
pub fn has(document: &Value, members: Value) {
    for (pointer, value) in members.as_object().expect("members") {
        let said = document.pointer(&format!("/{pointer}")).unwrap_or(&Value::Null);
        assert_eq!(said, value, "{pointer} of {document}");
    }
}

/// The parts of the settings, and this clock.
pub fn under(clock: &Arc<VirtualClock>) -> PartsOverride {
    PartsOverride {
        clock: Some(clock.clone()),
        ..PartsOverride::default()
    }
}

/// The parts of the settings, and this journal.
pub fn over<J: Journal + 'static>(journal: &Arc<J>) -> PartsOverride {
    PartsOverride {
        journal: Some(journal.clone()),
        ..PartsOverride::default()
    }
}

impl Server {
    /// Starts the service with these schemas and the settings of a test.
    pub fn with(schemas: &[(&str, Value)]) -> Server {
        Server::set(schemas, |_| {})
    }

    /// The same with settings that are changed.
    pub fn set(schemas: &[(&str, Value)], change: impl FnOnce(&mut Settings)) -> Server {
        Server::start(schemas, change, PartsOverride::default())
    }

    /// Starts the service with these schemas (name of the file, document), after `change` has had its say on the
    /// settings. Data and schemas lie in a folder of their own, models in the repository's.
    pub fn start(schemas: &[(&str, Value)], change: impl FnOnce(&mut Settings), parts: PartsOverride) -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        let shelf = folder.path().join("schemas");
        std::fs::create_dir(&shelf).expect("the shelf is made");
        for (name, document) in schemas {
            std::fs::write(shelf.join(name), document.to_string()).expect("the schema is written");
        }
        let mut settings = Settings::default();
        settings.server.listen = "127.0.0.1:0".to_owned();
        settings.server.workers = 1;
        settings.server.shutdown_s = 1;
        settings.data.folder = folder.path().join("data").display().to_string();
        settings.schemas.folder = shelf.display().to_string();
        settings.models.folder = format!("{}/models", env!("CARGO_MANIFEST_DIR"));
        change(&mut settings);
        let running = bootstrap::start(&settings, parts).expect("the service starts");
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build()
            .into();
        Server {
            base: format!("http://{}", running.address()),
            running: Some(running),
            agent,
            _folder: folder,
        }
    }

    /// The service behind it.
    pub fn service(&self) -> &App {
        self.running().service()
    }

    /// Where it listens: `http://…`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Waits until nothing is outstanding.
    pub fn settle(&self) {
        self.running().block_on(self.service().settle());
    }

    /// Lets everything happen that is due.
    pub fn tick(&self) {
        self.running().block_on(self.service().tick());
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("it runs until it is dropped")
    }

    /// The text at a path.
    pub fn page(&self, path: &str) -> String {
        let request = ureq::http::Request::get(format!("{}{path}", self.base));
        let mut response = self.agent.run(request.body(()).expect("a request")).expect("an answer");
        response.body_mut().read_to_string().unwrap_or_default()
    }

    /// What a client reads there.
    pub fn get(&self, client: &str, path: &str) -> Reply {
        let reply = self.call("GET", path, &[("Otherwise-Client", client)], "");
        self.settle();
        reply
    }

    /// Puts a document there; nobody is named.
    pub fn put(&self, path: &str, document: &Value) -> Reply {
        self.call("PUT", path, &[], &document.to_string())
    }

    /// Deletes what is there; nobody is named.
    pub fn delete(&self, path: &str) -> Reply {
        self.call("DELETE", path, &[], "")
    }

    /// Whether the page of metrics has this line.
    pub fn measured(&self, line: &str) -> bool {
        self.page("/metrics").lines().any(|said| said == line)
    }

    /// Makes one call with these headers; an empty body is none.
    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        self.call_with_text(method, path, headers, body).0
    }

    /// The same, with the body as text.
    pub fn call_with_text(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (Reply, String) {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = if body.is_empty() {
            self.agent.run(request.body(()).expect("a request"))
        } else {
            let request = request.header("Content-Type", "application/json");
            self.agent.run(request.body(body.to_owned()).expect("a request"))
        }
        .expect("an answer");
        let text = response.body_mut().read_to_string().unwrap_or_default();
        let reply = Reply {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
        };
        (reply, text)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }
}
