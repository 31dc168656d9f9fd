//! `otherwise audit`: a person works through the values that a running service wants looked at (Z-137).
//!
//! Knows the service's HTTP interface and nothing else of it. Shows and asks on standard error, reads one answer a line from
//! standard input, so that a pipe can answer as well. Invariant: what the service sends cannot steer the terminal.

use std::io::BufRead;
use std::io::Read;
use std::time::Duration;

use clap::Args;
use hyper::HeaderMap;
use hyper::Uri;
use hyper::header::AUTHORIZATION;
use hyper::header::CONTENT_TYPE;
use hyper::header::HeaderValue;
use serde_json::Value;
use serde_json::json;

use crate::domain::evolution::audit::Verdict;
use crate::domain::template::name::ClientId;
use crate::edge::cli;
use crate::edge::cli::Ending;
use crate::edge::cli::address::base;
use crate::edge::cli::address::encoded;
use crate::edge::cli::plain::plain;
use crate::edge::cli::voice::Voice;
use crate::edge::outbound::Outbound;
use crate::edge::outbound::bearer;
use crate::edge::wire::doors::NAME_HEADER;

/// How long one call may take, and how much of an answer is read.
const PATIENCE: Duration = Duration::from_secs(30);
const ANSWER_BYTES_MAX: usize = 32 * 1_024 * 1_024;
/// Values of one page, and how many are listed for a program at most.
const PAGE: usize = 20;
const LISTED_MAX: usize = 10_000;
/// Bytes of one line of an answer.
const LINE_BYTES_MAX: u64 = 8_192;

/// Why a name is refused here that a person bears.
const NO_NAME: &str = "--name: the name travels in a header, as every client's does, so that it is 1 to 128 visible ASCII \
                       characters: write kaethe for käthe";

const QUESTION: &str = "[a]ligned, [n]ot aligned, [c]annot tell, [s]kip, [q]uit (and, if you like, why): ";

/// Whose queue, and who looks.
#[derive(Clone, Debug, Args)]
pub struct AuditArguments {
    /// Where the service listens.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// Environment variable that holds the key of an operator or an auditor.
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// Your name, for the record, where the service runs open: visible ASCII, since it travels in a header, as every client's
    /// does; without it the record says `anonymous`. With a key, the key's own name stands on record.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Only this scenario's values.
    #[arg(long, value_name = "SCENARIO")]
    scenario: Option<String>,
    /// List what waits as one JSON document, and ask nothing.
    #[arg(long)]
    json: bool,
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    Verdict(Verdict, Option<String>),
    Skip,
    Quit,
}

/// Why there is no answer to go on with.
#[derive(Debug, PartialEq, Eq)]
struct Trouble {
    ending: Ending,
    why: String,
}

/// How it went so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    answered: u64,
    skipped: u64,
    /// Answered by somebody else, erased or fallen out meanwhile.
    missed: u64,
}

/// A service at the other end.
struct Service {
    runtime: tokio::runtime::Runtime,
    outbound: Outbound,
    base: String,
    headers: HeaderMap,
}

/// Works through the queue, or lists it.
pub fn run(arguments: &AuditArguments) -> Ending {
    let voice = Voice::new("audit", arguments.json);
    let scenario = arguments.scenario.as_deref();
    let ended = Service::open(arguments).and_then(|service| {
        if arguments.json {
            list(&service, scenario).map(|members| {
                voice.document(Ending::Well, members);
            })
        } else {
            work(&service, scenario, &mut std::io::stdin().lock()).map(|tally| cli::answer(&told(tally)))
        }
    });
    match ended {
        Ok(()) => Ending::Well,
        Err(Trouble { ending, why }) => voice.end(ending, &plain(&why)),
    }
}

/// `{"waiting", "audits"}`, page by page.
fn list(service: &Service, scenario: Option<&str>) -> Result<Value, Trouble> {
    let mut audits: Vec<Value> = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = service.page(scenario, after.as_deref())?;
        audits.extend(items(&page));
        after = page["next"].as_str().map(str::to_owned);
        if after.is_none() || audits.len() >= LISTED_MAX {
            return Ok(json!({"waiting": page["waiting"], "audits": audits}));
        }
    }
}

/// Shows one value after another and sends what is answered, until nothing waits or nobody answers.
fn work(service: &Service, scenario: Option<&str>, input: &mut dyn BufRead) -> Result<Tally, Trouble> {
    let mut tally = Tally::default();
    let mut after: Option<String> = None;
    loop {
        let page = service.page(scenario, after.as_deref())?;
        for item in items(&page) {
            if item["gone"] == true {
                continue;
            }
            shown(&item).iter().for_each(|line| cli::tell(line));
            match ask(input)? {
                Choice::Quit => return Ok(tally),
                Choice::Skip => tally.skipped += 1,
                Choice::Verdict(verdict, reason) => match service.answer(&item, verdict, reason.as_deref())? {
                    None => tally.answered += 1,
                    Some(why) => {
                        cli::tell(&format!("not taken: {}", plain(&why)));
                        tally.missed += 1;
                    }
                },
            }
        }
        match page["next"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => return Ok(tally),
        }
    }
}

fn told(tally: Tally) -> String {
    let Tally {
        answered,
        skipped,
        missed,
    } = tally;
    format!("{answered} answered, {skipped} skipped, {missed} not taken")
}

fn items(page: &Value) -> Vec<Value> {
    page["audits"].as_array().cloned().unwrap_or_default()
}

/// Asks until a line is understood; the end of input is the end.
fn ask(input: &mut dyn BufRead) -> Result<Choice, Trouble> {
    loop {
        cli::tell(QUESTION);
        let mut line = String::new();
        let read = Read::take(&mut *input, LINE_BYTES_MAX).read_line(&mut line);
        let read = read.map_err(|error| fault(format!("the answer cannot be read: {error}")))?;
        if read == 0 {
            return Ok(Choice::Quit);
        }
        if let Some(choice) = choice(&line) {
            return Ok(choice);
        }
        cli::tell("a, n, c, s or q, please");
    }
}

/// Reads one line: a letter or the word itself, and behind it why.
fn choice(line: &str) -> Option<Choice> {
    let line = line.trim();
    let (word, why) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let why = why.trim();
    let verdict = |verdict| Some(Choice::Verdict(verdict, (!why.is_empty()).then(|| why.to_owned())));
    match word.to_ascii_lowercase().as_str() {
        "a" | "aligned" => verdict(Verdict::Aligned),
        "n" | "not_aligned" => verdict(Verdict::NotAligned),
        "c" | "cannot_tell" => verdict(Verdict::CannotTell),
        "s" | "skip" => Some(Choice::Skip),
        "q" | "quit" => Some(Choice::Quit),
        _ => None,
    }
}

/// A value as a person sees it.
fn shown(item: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    };
    let key = &item["key"];
    let mut lines = vec![
        String::new(),
        format!(
            "{}  ({}, {})",
            text(&item["id"]),
            text(&item["stage"]),
            text(&item["said_at"])
        ),
        format!("  key    {} ({})", text(&key["key_name"]), text(&key["key_type"])),
        format!("         {}", text(&key["semantic_description"])),
        format!("  value  {}", text(&item["value"])),
        format!("  said   {}", text(&item["utterance"])),
    ];
    for said in item["other"].as_array().into_iter().flatten() {
        lines.push(format!("  other  {}", text(said)));
    }
    let judged = &item["judged"];
    lines.push(match judged["aligned"].as_bool() {
        Some(aligned) => format!(
            "  judge  {} ({})",
            if aligned { "aligned" } else { "not aligned" },
            text(&judged["basis"])
        ),
        None => "  judge  said nothing".to_owned(),
    });
    lines
}

fn usage(why: String) -> Trouble {
    Trouble {
        ending: Ending::Usage,
        why,
    }
}

fn fault(why: String) -> Trouble {
    Trouble {
        ending: Ending::Fault,
        why,
    }
}

impl Service {
    fn open(arguments: &AuditArguments) -> Result<Service, Trouble> {
        let AuditArguments {
            url,
            key_env,
            name,
            scenario: _,
            json: _,
        } = arguments;
        let (base, secure) = base(url, key_env.is_some()).map_err(usage)?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(variable) = key_env {
            let place = format!("the environment variable {variable}");
            let key = bearer::authorization(&place, bearer::of_environment(variable)).map_err(usage)?;
            headers.insert(AUTHORIZATION, key);
        }
        if let Some(name) = name {
            ClientId::parse(name).ok_or_else(|| usage(NO_NAME.to_owned()))?;
            let value = HeaderValue::from_str(name).map_err(|_| usage(NO_NAME.to_owned()))?;
            headers.insert(NAME_HEADER, value);
        }
        let outbound = if secure { Outbound::https() } else { Outbound::plain() };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| fault(error.to_string()))?;
        Ok(Service {
            runtime,
            outbound: outbound.map_err(fault)?,
            base,
            headers,
        })
    }

    fn page(&self, scenario: Option<&str>, after: Option<&str>) -> Result<Value, Trouble> {
        let mut address = format!("{}/v1/audits?limit={PAGE}", self.base);
        for (name, value) in [("scenario", scenario), ("after", after)] {
            if let Some(value) = value {
                address.push_str(&format!("&{name}={}", encoded(value)));
            }
        }
        let (status, body) = self.call(&address, None)?;
        match status {
            200 => Ok(body),
            status => Err(refused(status, &body)),
        }
    }

    /// Sends a verdict; why it was not taken, where another was faster or the value does not wait any more.
    fn answer(&self, item: &Value, verdict: Verdict, reason: Option<&str>) -> Result<Option<String>, Trouble> {
        let address = format!(
            "{}/v1/audits/{}",
            self.base,
            encoded(item["id"].as_str().unwrap_or_default())
        );
        let mut said = json!({"verdict": verdict.name()});
        if let Some(reason) = reason {
            said["reason"] = json!(reason);
        }
        let (status, body) = self.call(&address, Some(said.to_string()))?;
        match status {
            200 => Ok(None),
            // Another was faster, the value fell out, or the reason is too long.
            400 | 404 | 409 => Ok(Some(detail(&body))),
            status => Err(refused(status, &body)),
        }
    }

    fn call(&self, address: &str, body: Option<String>) -> Result<(u16, Value), Trouble> {
        let address: Uri = address.parse().map_err(|_| usage("--url is no address".to_owned()))?;
        let headers = self.headers.clone();
        let answered = self.runtime.block_on(async {
            let call = async {
                match body {
                    Some(body) => {
                        let body = body.into_bytes();
                        self.outbound.post(&address, headers, body, ANSWER_BYTES_MAX).await
                    }
                    None => self.outbound.get(&address, headers, ANSWER_BYTES_MAX).await,
                }
            };
            tokio::time::timeout(PATIENCE, call).await
        });
        let answer = match answered {
            Err(_) => {
                return Err(fault(format!(
                    "the service did not answer within {} s",
                    PATIENCE.as_secs()
                )));
            }
            Ok(Err(error)) => return Err(fault(format!("the service at {}: {error}", self.base))),
            Ok(Ok(answer)) => answer,
        };
        let body = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        Ok((answer.status, body))
    }
}

fn refused(status: u16, body: &Value) -> Trouble {
    let why = format!("the service answered {status}: {}", detail(body));
    // What the caller can mend is no fault of the world.
    if (400..500).contains(&status) && status != 429 {
        usage(why)
    } else {
        fault(why)
    }
}

fn detail(body: &Value) -> String {
    let said = body["detail"].as_str().or_else(|| body["title"].as_str());
    said.unwrap_or("it does not say why").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::AuditArguments;
    use super::Choice;
    use super::Service;
    use super::choice;
    use super::shown;
    use crate::domain::evolution::audit::Verdict;

    #[test]
    fn a_line_is_a_letter_or_a_word_and_may_say_why_z137() {
        let verdict = |verdict, why: Option<&str>| Some(Choice::Verdict(verdict, why.map(str::to_owned)));
        for (line, read) in [
            ("a\n", verdict(Verdict::Aligned, None)),
            (" N \r\n", verdict(Verdict::NotAligned, None)),
            (
                "n the aisle was asked for",
                verdict(Verdict::NotAligned, Some("the aisle was asked for")),
            ),
            (
                "cannot_tell  nothing was said ",
                verdict(Verdict::CannotTell, Some("nothing was said")),
            ),
            ("s", Some(Choice::Skip)),
            ("q", Some(Choice::Quit)),
            ("", None),
            ("yes", None),
            ("an", None),
        ] {
            assert_eq!(choice(line), read, "{line:?}");
        }
    }

    #[test]
    fn what_the_service_sends_steers_no_terminal() {
        let item = json!({"id": "a.p1.7", "key": {"key_name": "seat"}, "value": "win\u{1b}[2Jdow\n", "utterance": null,
            "other": ["\u{202e}x"], "judged": null});
        let lines = shown(&item).join("\n");
        assert!(
            lines.contains("  value  win [2Jdow ") && lines.contains("  judge  said nothing"),
            "{lines}"
        );
        assert!(lines.chars().all(|c| c == '\n' || !c.is_control()) && !lines.contains('\u{202e}'));
    }

    #[test]
    fn a_name_that_no_header_carries_is_refused_with_the_reason() {
        let named = |name: &str| AuditArguments {
            url: "http://127.0.0.1:1".to_owned(),
            key_env: None,
            name: Some(name.to_owned()),
            scenario: None,
            json: false,
        };
        for name in ["käthe", "two words", ""] {
            let why = Service::open(&named(name)).err().map(|trouble| trouble.why);
            assert!(why.is_some_and(|why| why.contains("visible ASCII")), "{name}");
        }
        assert!(Service::open(&named("kaethe")).is_ok());
    }
}
