//! The real program in a process of its own: started, asked, killed.

use std::fs::File;
use std::io::BufRead;
use std::io::BufReader;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::ChildStdout;
use std::process::Command;
use std::process::ExitStatus;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::server::Reply;

/// How long a call may take before it counts as lost.
const CALL: Duration = Duration::from_secs(20);

/// A running program; killed when it is dropped.
pub struct Program {
    child: Child,
    base: String,
    /// Held open: the program may still write to it.
    _output: BufReader<ChildStdout>,
    log: PathBuf,
}

/// A folder with data, schemas and a log, for a program that is started more than once; gone when it is dropped.
pub struct Folder(TempDir);

impl Folder {
    /// With these schemas: name of the file, document.
    pub fn new(schemas: &[(&str, &Value)]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        std::fs::create_dir(folder.path("schemas")).expect("the shelf");
        for (name, document) in schemas {
            std::fs::write(folder.path("schemas").join(name), document.to_string()).expect("the schema");
        }
        folder
    }

    /// A place in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Serves it, with these environment variables.
    pub fn serve(&self, settings: &[(&str, &str)]) -> Program {
        Program::serve(&self.path("data"), &self.path("schemas"), &self.path("log"), settings)
    }
}

/// Someone who calls; each has connections of its own.
pub struct Caller {
    agent: ureq::Agent,
    base: String,
}

/// The program with these arguments and no settings from outside.
pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_otherwise"));
    command
        .args(arguments)
        .env_remove("OTHERWISE_CONFIG")
        .stdin(Stdio::null());
    command
}

impl Program {
    /// Serves a data folder and a folder of schemas on a free port; returns once it is ready. The log is appended to
    /// `log`. `settings` are environment variables.
    pub fn serve(data: &Path, schemas: &Path, log: &Path, settings: &[(&str, &str)]) -> Program {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let [data, schemas, models] = [data, schemas, &models].map(|path| path.display().to_string());
        let errors = File::options().create(true).append(true).open(log).expect("a log file");
        let arguments = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--data",
            &data,
            "--schemas",
            &schemas,
            "--models",
            &models,
        ];
        let mut child = program(&arguments)
            .envs(settings.iter().copied())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        let base = line.trim().strip_prefix("ready ").map(str::to_owned);
        let program = Program {
            child,
            base: base.unwrap_or_default(),
            _output: output,
            log: log.to_owned(),
        };
        assert!(!program.base.is_empty(), "it did not start: {line:?} {}", program.log());
        program
    }

    /// Someone who calls it.
    pub fn caller(&self) -> Caller {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(CALL));
        Caller {
            agent: config.build().into(),
            base: self.base.clone(),
        }
    }

    /// Where it listens: `http://…`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Everything it and its forerunners logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// SIGKILL, as `kill -9` does.
    pub fn kill(mut self) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it ends");
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal by its name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.id().to_string()])
            .status();
        assert!(sent.is_ok_and(|sent| sent.success()));
    }

    /// Waits until it has ended by itself.
    pub fn wait(mut self) -> ExitStatus {
        self.child.wait().expect("it ends")
    }

    /// SIGTERM, and waits until it has ended in order.
    pub fn stop(mut self) -> ExitStatus {
        self.signal("TERM");
        self.child.wait().expect("it ends")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Caller {
    /// Makes one call; `None` when no whole answer came. An empty body is none.
    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Option<Reply> {
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
        .ok()?;
        let text = response.body_mut().read_to_string().ok()?;
        Some(Reply {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
        })
    }
}
