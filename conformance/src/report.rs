//! What an examination found, for a person and for a program.
//!
//! Evidence is shortened, and what a server said steers no terminal. Invariant: it ends with 1 exactly where a MUST fails,
//! whatever else went wrong.

use serde_json::Value;
use serde_json::json;

use crate::check::Check;
use crate::exit_status::ExitStatus;
use crate::exit_status::Failure;
use crate::transcript::Exchange;
use crate::verdict::Finding;

/// Characters of a text in the evidence: what a person reads of it.
const EVIDENCE_CHARS_MAX: usize = 400;
/// Characters of a reason, which may hold a server's words.
const WHY_CHARS_MAX: usize = 600;
/// Where the second line of a result begins.
const INDENT: &str = "                  ";

/// One check and what became of it.
#[derive(Clone, Debug)]
pub struct CheckResult {
    pub check: &'static Check,
    /// `None` where it passed.
    pub finding: Option<Finding>,
    pub evidence: Vec<Exchange>,
}

/// Everything.
#[derive(Clone, Debug)]
pub struct Report {
    pub url: String,
    pub scenario: Option<String>,
    /// Scenarios that were listed; 0 where it was known by name.
    pub listed: usize,
    /// Whether a scratch schema was published.
    pub published: bool,
    pub requests: u32,
    /// Schemas that were published and could not be retired.
    pub left: Vec<String>,
    pub results: Vec<CheckResult>,
    /// Why it says little, where it does.
    pub failure: Option<Failure>,
}

impl CheckResult {
    /// `pass`, `fail`, `not_applicable` or `not_tried`.
    pub fn verdict(&self) -> &'static str {
        self.finding.as_ref().map_or("pass", Finding::name)
    }

    fn why(&self) -> Option<String> {
        let finding = self.finding.as_ref()?;
        Some(shortened(finding.why(), WHY_CHARS_MAX))
    }

    fn document(&self) -> Value {
        json!({
            "id": self.check.id,
            "requirements": self.check.requirements(),
            "level": self.check.level,
            "group": self.check.group,
            "title": self.check.title,
            "verdict": self.verdict(),
            "why": self.why(),
            "evidence": self.evidence.iter().map(evidence).collect::<Vec<_>>(),
        })
    }

    /// A line, and behind it why and by what, where it did not pass.
    fn lines(&self) -> Vec<String> {
        let Check { id, level, title, .. } = self.check;
        let verdict = match self.verdict() {
            "fail" => "FAIL".to_owned(),
            other => other.replace('_', " "),
        };
        let mut lines = vec![format!("  {verdict:<14}  {level:<6}  {id:<15}  {title}")];
        lines.extend(self.why().map(|why| format!("{INDENT}{why}")));
        if matches!(self.finding, Some(Finding::Fails(_))) {
            let short = |text: &str| shortened(text, EVIDENCE_CHARS_MAX);
            for exchange in &self.evidence {
                let sent = short(exchange.sent.as_deref().unwrap_or_default());
                lines.push(format!("{INDENT}> {} {sent}", short(&exchange.request)));
                lines.push(format!("{INDENT}< {} {}", exchange.status, short(&exchange.text)));
            }
        }
        lines
    }
}

impl Report {
    fn count(&self, verdict: &str) -> usize {
        self.results.iter().filter(|result| result.verdict() == verdict).count()
    }

    /// How many of the checks that fail are a MUST.
    fn must_fail(&self) -> usize {
        let failed = self.results.iter().filter(|result| result.verdict() == "fail");
        failed.filter(|result| result.check.is_must()).count()
    }

    /// How the program ends.
    pub fn status(&self) -> ExitStatus {
        match &self.failure {
            _ if self.must_fail() > 0 => ExitStatus::Findings,
            Some(failure) => failure.status,
            None => ExitStatus::Success,
        }
    }

    /// `{"url", "scenario", "listed", "published", "requests", "summary", "checks", "left_behind"}`; `listed` counts scenarios.
    pub fn document(&self) -> Value {
        json!({
            "url": self.url,
            "scenario": self.scenario.as_deref().map(plain),
            "listed": self.listed,
            "published": self.published,
            "requests": self.requests,
            "summary": {"pass": self.count("pass"), "fail": self.count("fail"), "must_fail": self.must_fail(),
                "not_applicable": self.count("not_applicable"), "not_tried": self.count("not_tried")},
            "checks": self.results.iter().map(CheckResult::document).collect::<Vec<_>>(),
            "left_behind": self.left,
        })
    }

    /// A line for each check below the title of its group, and a line with the sum.
    pub fn lines(&self) -> Vec<String> {
        let scenario = self.scenario.as_deref().map_or("no scenario".to_owned(), |name| {
            let of = match self.listed {
                0 | 1 => String::new(),
                listed => format!(" (of {listed}, the first; --scenario names another)"),
            };
            format!("scenario {}{of}", shortened(name, EVIDENCE_CHARS_MAX))
        });
        let mut lines = vec![format!("{}, {scenario}, {} requests", self.url, self.requests)];
        let mut group = "";
        for result in &self.results {
            if result.check.group != group {
                group = result.check.group;
                lines.extend([String::new(), group.to_owned()]);
            }
            lines.extend(result.lines());
        }
        lines.push(String::new());
        lines.push(format!(
            "{} pass, {} fail ({} of them MUST), {} not applicable, {} not tried",
            self.count("pass"),
            self.count("fail"),
            self.must_fail(),
            self.count("not_applicable"),
            self.count("not_tried")
        ));
        if !self.left.is_empty() {
            let left = self.left.join(", ");
            lines.push(format!("left behind, published and not retired: {left}"));
        }
        lines
    }
}

/// One exchange of the evidence.
fn evidence(exchange: &Exchange) -> Value {
    let short = |text: &str| shortened(text, EVIDENCE_CHARS_MAX);
    json!({"asked": short(&exchange.request), "sent": exchange.sent.as_deref().map(short), "status": exchange.status,
        "answered": short(&exchange.text)})
}

/// A text in one line that steers no terminal: control characters and marks that turn the reading direction are spaces.
pub fn plain(text: &str) -> String {
    let unfit = |c: char| {
        c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.replace(unfit, " ")
}

/// A plain text, cut after so many characters.
fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => plain(&format!("{}…", text.get(..end).unwrap_or_default())),
        None => plain(text),
    }
}

#[cfg(test)]
mod tests {
    use super::CheckResult;
    use super::EVIDENCE_CHARS_MAX;
    use super::Report;
    use super::shortened;
    use crate::checks;
    use crate::exit_status::ExitStatus;
    use crate::exit_status::Failure;
    use crate::verdict::Finding;

    fn report(results: &[(&str, Option<Finding>)], failure: Option<ExitStatus>) -> Report {
        let results = results.iter().map(|(level, finding)| CheckResult {
            check: checks::all()
                .find(|check| check.level == *level)
                .expect("one of each level"),
            finding: finding.clone(),
            evidence: Vec::new(),
        });
        Report {
            url: "http://127.0.0.1:1".to_owned(),
            scenario: None,
            listed: 0,
            published: false,
            requests: 1,
            left: Vec::new(),
            results: results.collect(),
            failure: failure.map(|status| Failure {
                status,
                why: "so".to_owned(),
            }),
        }
    }

    #[test]
    fn a_must_that_fails_ends_with_findings_and_nothing_else_does() {
        let fails = || Some(Finding::Fails("so".to_owned()));
        let not_tried = Some(Finding::NotTried("so".to_owned()));
        let not_applicable = Some(Finding::NotApplicable("so".to_owned()));
        for (results, failure, status) in [
            (vec![("MUST", None)], None, ExitStatus::Success),
            (vec![("SHOULD", fails()), ("MAY", fails())], None, ExitStatus::Success),
            (vec![("MUST", fails())], None, ExitStatus::Findings),
            (vec![("MUST", fails())], Some(ExitStatus::Fault), ExitStatus::Findings),
            (vec![("SHOULD", fails())], Some(ExitStatus::Usage), ExitStatus::Usage),
            (
                vec![("MUST", not_tried), ("MUST", not_applicable)],
                None,
                ExitStatus::Success,
            ),
        ] {
            assert_eq!(report(&results, failure).status(), status, "{results:?}");
        }
        let lines = report(&[("MUST", fails()), ("MAY", None)], None).lines();
        let sum = "1 pass, 1 fail (1 of them MUST), 0 not applicable, 0 not tried";
        assert_eq!(lines.last().map(String::as_str), Some(sum));
    }

    #[test]
    fn evidence_is_cut_and_steers_no_terminal() {
        let long = "x".repeat(EVIDENCE_CHARS_MAX);
        assert_eq!(shortened(&long, EVIDENCE_CHARS_MAX), long);
        assert_eq!(shortened(&format!("{long}x"), EVIDENCE_CHARS_MAX), format!("{long}…"));
        assert_eq!(shortened("a\u{1b}[2Jb\nc\u{202e}é", 80), "a [2Jb c é");
    }
}
