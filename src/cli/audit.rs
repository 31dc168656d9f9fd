//! `otherwise audit`: a person works through the values that a running service wants looked at (Z-137).
//!
//! Knows the service's HTTP interface and nothing else of it. Shows and asks on standard error, reads one answer a line from
//! standard input, so that a pipe can answer as well. Invariant: what the service sends cannot steer the terminal.

use std::io::BufRead;
use std::io::Read;

use clap::Args;
use otherwise_client::address::segment;
use serde_json::Value;
use serde_json::json;

use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::remote::Service;
use crate::cli::remote::Whom;
use crate::cli::remote::detail;
use crate::cli::remote::items;
use crate::cli::remote::line;
use crate::cli::remote::plain;
use crate::cli::remote::refused;
use crate::cli::remote::text;
use engine::evolution::audit::Verdict;

/// Values of one page.
const PAGE: usize = 20;
/// Bytes of one line of an answer.
const LINE_BYTES_MAX: u64 = 8_192;

const QUESTION: &str = "[a]ligned, [n]ot aligned, [c]annot tell, [s]kip, [q]uit (and, if you like, why): ";

/// Whose queue, and who looks.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("json", |json| json.help("List what waits as one JSON document, and ask nothing")))]
pub struct AuditArguments {
    #[command(flatten)]
    whom: Whom,
    /// Only this scenario's values.
    #[arg(long, value_name = "SCENARIO")]
    scenario: Option<String>,
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    Verdict(Verdict, Option<String>),
    Skip,
    Quit,
}

/// Works through the queue, or with `--json` lists it and asks nothing.
pub fn run(arguments: &AuditArguments) -> ExitStatus {
    let scenario = arguments
        .scenario
        .as_deref()
        .map(|name| format!("&scenario={}", segment(name)));
    let path = format!("/v1/audits?limit={PAGE}{}", scenario.unwrap_or_default());
    let ask = |service: &Service| match arguments.whom.json {
        true => service.listed(&path, "audits"),
        false => work(service, &path, &mut std::io::stdin().lock()),
    };
    let tally = "{answered} answered, {skipped} skipped, {missed} not taken";
    arguments.whom.tell("audit", ask, |ended| vec![line(tally, ended)])
}

/// Shows one value after another and sends what is answered, until nothing waits or nobody answers.
///
/// `{"answered", "skipped", "missed"}`; missed is what somebody else answered, or what was erased or fell out meanwhile.
fn work(service: &Service, path: &str, input: &mut dyn BufRead) -> Result<Value, Trouble> {
    let (mut answered, mut skipped, mut missed) = (0, 0, 0);
    let mut after = String::new();
    'pages: loop {
        let page = service.get(&format!("{path}{after}"))?;
        for item in items(&page, "audits") {
            if item["gone"] == true {
                continue;
            }
            shown(&item).iter().for_each(|line| cli::tell(line));
            match ask(input)? {
                Choice::Quit => break 'pages,
                Choice::Skip => skipped += 1,
                Choice::Verdict(verdict, reason) => match answer(service, &item, verdict, reason.as_deref())? {
                    None => answered += 1,
                    Some(why) => {
                        cli::tell(&format!("not taken: {}", plain(&why)));
                        missed += 1;
                    }
                },
            }
        }
        match page["next"].as_str() {
            Some(next) => after = format!("&after={}", segment(next)),
            None => break,
        }
    }
    Ok(json!({"answered": answered, "skipped": skipped, "missed": missed}))
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
    let form = concat!(
        "\n{id}  ({stage}, {said_at})\n",
        "  key    {/key/key_name} ({/key/key_type})\n",
        "         {/key/semantic_description}\n",
        "  value  {value}\n",
        "  said   {utterance}",
    );
    let mut told = vec![line(form, item)];
    told.extend(
        items(item, "other")
            .iter()
            .map(|said| format!("  other  {}", text(said))),
    );
    told.push(match item["judged"]["aligned"].as_bool() {
        Some(true) => line("  judge  aligned ({/judged/basis})", item),
        Some(false) => line("  judge  not aligned ({/judged/basis})", item),
        None => "  judge  said nothing".to_owned(),
    });
    told
}

/// Sends a verdict; why it was not taken, where another was faster or the value does not wait any more.
fn answer(service: &Service, item: &Value, verdict: Verdict, reason: Option<&str>) -> Result<Option<String>, Trouble> {
    let address = format!("/v1/audits/{}", segment(item["id"].as_str().unwrap_or_default()));
    let mut said = json!({"verdict": verdict.name()});
    if let Some(reason) = reason {
        said["reason"] = json!(reason);
    }
    let (status, body) = service.call(&address, said.to_string(), None)?;
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
