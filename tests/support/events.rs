//! A client of Server-Sent Events: reads a stream line by line, as it comes.

use std::io::BufRead;
use std::io::BufReader;
use std::time::Duration;

use serde_json::Value;

/// How long a stream may be silent or a test may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a stream said.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    Event {
        name: String,
        id: Option<u64>,
        data: Value,
    },
    /// A comment: it lives.
    Alive,
    /// How long to wait before coming back, in milliseconds.
    Retry(u64),
    /// It ended.
    End,
}

/// An open stream; dropping it closes the connection.
pub struct Events {
    lines: BufReader<ureq::BodyReader<'static>>,
}

/// Opens a stream; the status and, when it is 200, the stream.
pub fn open(base: &str, path: &str, headers: &[(&str, &str)]) -> (u16, Option<String>, Option<Events>) {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(PATIENCE))
        .build()
        .into();
    let mut request = ureq::http::Request::get(format!("{base}{path}")).header("Accept", "text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = agent.run(request.body(()).expect("a request")).expect("an answer");
    let status = response.status().as_u16();
    let retry = response.headers().get("Retry-After");
    let retry = retry.and_then(|value| value.to_str().ok()).map(str::to_owned);
    if status != 200 {
        return (status, retry, None);
    }
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let lines = BufReader::new(response.into_body().into_reader());
    (status, retry, Some(Events { lines }))
}

impl Events {
    /// The next event: its name, its id, its data; waits for it.
    pub fn told(&mut self) -> (String, Option<u64>, Value) {
        loop {
            match self.next() {
                Said::Event { name, id, data } => return (name, id, data),
                Said::Alive | Said::Retry(_) => {}
                Said::End => panic!("the stream ended"),
            }
        }
    }

    /// The next block; waits for it.
    pub fn next(&mut self) -> Said {
        let (mut name, mut id, mut data, mut comment, mut retry) = (String::new(), None, None, false, None);
        loop {
            let mut line = String::new();
            match self.lines.read_line(&mut line) {
                Ok(0) | Err(_) => return Said::End,
                Ok(_) => {}
            }
            let line = line.trim_end_matches(['\r', '\n']);
            if line.is_empty() {
                if let Some(data) = data {
                    return Said::Event { name, id, data };
                }
                if let Some(retry) = retry {
                    return Said::Retry(retry);
                }
                if comment {
                    return Said::Alive;
                }
                continue;
            }
            let (field, value) = line.split_once(": ").unwrap_or((line, ""));
            match field {
                "" => comment = true,
                "event" => name = value.to_owned(),
                "id" => id = value.parse().ok(),
                "retry" => retry = value.parse().ok(),
                "data" => data = Some(serde_json::from_str(value).expect("one line of JSON")),
                other => assert!(other.starts_with(':'), "unknown field {line:?}"),
            }
            comment |= line.starts_with(':');
        }
    }

    /// The next event; whatever else is said is passed over.
    pub fn event(&mut self) -> (u64, Value) {
        loop {
            match self.next() {
                Said::Event { name, id, data } => {
                    assert_eq!(name, "update");
                    return (id.expect("an id"), data);
                }
                Said::Alive | Said::Retry(_) => {}
                Said::End => panic!("the stream ended"),
            }
        }
    }

    /// Whether nothing is said until the stream says that it lives.
    pub fn is_quiet(&mut self) -> bool {
        loop {
            match self.next() {
                Said::Alive => return true,
                Said::Retry(_) => {}
                Said::Event { .. } | Said::End => return false,
            }
        }
    }
}
