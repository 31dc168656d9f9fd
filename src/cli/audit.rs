//! `otherwise audit`: a person works through the values that a running service wants looked at (Z-137).
//!
//! Knows the service's HTTP interface and nothing else of it. Shows and asks on standard error, reads one answer a line from
//! standard input, so that a pipe can answer as well. Invariant: what the service sends cannot steer the terminal.

use std::io::BufRead;
use std::io::Read;

use clap::Args;
use serde_json::Value;
use serde_json::json;

use crate::cli;
use crate::cli::Ending;
use crate::cli::address::encoded;
use crate::cli::output::Voice;
use crate::cli::plain::plain;
use crate::cli::remote::Service;
use crate::cli::remote::Trouble;
use crate::cli::remote::Whom;
use crate::cli::remote::detail;
use crate::cli::remote::fault;
use crate::cli::remote::refused;
use engine::evolution::audit::Verdict;

/// Values of one page, and how many are listed for a program at most.
const PAGE: usize = 20;
const LISTED_MAX: usize = 10_000;
/// Bytes of one line of an answer.
const LINE_BYTES_MAX: u64 = 8_192;

const QUESTION: &str = "[a]ligned, [n]ot aligned, [c]annot tell, [s]kip, [q]uit (and, if you like, why): ";

/// Whose queue, and who looks.
#[derive(Clone, Debug, Args)]
pub struct AuditArguments {
    #[command(flatten)]
    whom: Whom,
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

/// How it went so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    answered: u64,
    skipped: u64,
    /// Answered by somebody else, erased or fallen out meanwhile.
    missed: u64,
}

/// Works through the queue, or lists it.
pub fn run(arguments: &AuditArguments) -> Ending {
    let voice = Voice::new("audit", arguments.json);
    let scenario = arguments.scenario.as_deref();
    let ended = Service::open(&arguments.whom).and_then(|service| {
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
        let page = page(service, scenario, after.as_deref())?;
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
        let page = page(service, scenario, after.as_deref())?;
        for item in items(&page) {
            if item["gone"] == true {
                continue;
            }
            shown(&item).iter().for_each(|line| cli::tell(line));
            match ask(input)? {
                Choice::Quit => return Ok(tally),
                Choice::Skip => tally.skipped += 1,
                Choice::Verdict(verdict, reason) => match answer(service, &item, verdict, reason.as_deref())? {
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

fn page(service: &Service, scenario: Option<&str>, after: Option<&str>) -> Result<Value, Trouble> {
    let mut address = format!("/v1/audits?limit={PAGE}");
    for (name, value) in [("scenario", scenario), ("after", after)] {
        if let Some(value) = value {
            address.push_str(&format!("&{name}={}", encoded(value)));
        }
    }
    service.get(&address)
}

/// Sends a verdict; why it was not taken, where another was faster or the value does not wait any more.
fn answer(service: &Service, item: &Value, verdict: Verdict, reason: Option<&str>) -> Result<Option<String>, Trouble> {
    let address = format!("/v1/audits/{}", encoded(item["id"].as_str().unwrap_or_default()));
    let mut said = json!({"verdict": verdict.name()});
    if let Some(reason) = reason {
        said["reason"] = json!(reason);
    }
    let (status, body) = service.call(&address, Some(said.to_string()), None)?;
    match status {
        200 => Ok(None),
        // Another was faster, the value fell out, or the reason is too long.
        400 | 404 | 409 => Ok(Some(detail(&body))),
        status => Err(refused(status, &body)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Choice;
    use super::choice;
    use super::shown;
    use engine::evolution::audit::Verdict;

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
}
