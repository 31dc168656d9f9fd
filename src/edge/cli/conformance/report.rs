//! What an examination found, for a person and for a program.
//!
//! Evidence is shortened, and what a server said steers no terminal. Invariant: it ends with 1 exactly where a MUST fails,
//! whatever else went wrong.

use serde_json::Value;
use serde_json::json;

use crate::edge::cli::Ending;
use crate::edge::cli::conformance::check::Check;
use crate::edge::cli::conformance::check::Finding;
use crate::edge::cli::conformance::check::Level;
use crate::edge::cli::conformance::examination::Trouble;
use crate::edge::cli::conformance::scene::Exchange;
use crate::edge::cli::plain::plain;

/// Characters of a text in the evidence.
const EVIDENCE_CHARS_MAX: usize = 400;
/// Characters of a reason, which may hold a server's words.
const WHY_CHARS_MAX: usize = 600;

/// One check and what became of it.
#[derive(Clone, Debug)]
pub struct Told {
    pub group: &'static str,
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
    pub told: Vec<Told>,
    /// Why it says little, where it does.
    pub trouble: Option<Trouble>,
}

/// How many checks ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub pass: usize,
    pub fail: usize,
    /// Those of `fail` that are MUST.
    pub must_fail: usize,
    pub not_applicable: usize,
    pub not_tried: usize,
}

impl Told {
    /// `pass`, `fail`, `not_applicable` or `not_tried`.
    pub fn verdict(&self) -> &'static str {
        match &self.finding {
            None => "pass",
            Some(Finding::Fails(_)) => "fail",
            Some(Finding::NotApplicable(_)) => "not_applicable",
            Some(Finding::NotTried(_)) => "not_tried",
        }
    }

    fn why(&self) -> Option<String> {
        match self.finding.as_ref()? {
            Finding::Fails(why) | Finding::NotApplicable(why) | Finding::NotTried(why) => {
                Some(shortened(why, WHY_CHARS_MAX))
            }
        }
    }

    fn document(&self) -> Value {
        let mut told = json!({
            "id": self.check.id,
            "requirements": self.check.requirements(),
            "level": self.check.level.name(),
            "group": self.group,
            "title": self.check.title,
            "verdict": self.verdict(),
        });
        if let Some(why) = self.why() {
            told["why"] = json!(why);
        }
        told["evidence"] = self.evidence.iter().map(shown).collect();
        told
    }

    /// A line, and behind it why and by what, where it did not pass.
    fn lines(&self) -> Vec<String> {
        let verdict = self.verdict().replace('_', " ");
        let verdict = if verdict == "fail" { "FAIL".to_owned() } else { verdict };
        let mut lines = vec![format!(
            "  {verdict:<14}  {:<6}  {:<15}  {}",
            self.check.level.name(),
            self.check.id,
            self.check.title
        )];
        lines.extend(self.why().map(|why| format!("                  {why}")));
        if matches!(self.finding, Some(Finding::Fails(_))) {
            for exchange in &self.evidence {
                let sent = exchange.sent.as_deref().unwrap_or_default();
                let sent = shortened(sent, EVIDENCE_CHARS_MAX);
                let answered = shortened(&exchange.text, EVIDENCE_CHARS_MAX);
                lines.push(format!(
                    "                  > {} {sent}",
                    shortened(&exchange.asked, EVIDENCE_CHARS_MAX)
                ));
                lines.push(format!("                  < {} {answered}", exchange.status));
            }
        }
        lines
    }
}

impl Report {
    /// How many ended how.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for told in &self.told {
            match &told.finding {
                None => tally.pass += 1,
                Some(Finding::Fails(_)) => {
                    tally.fail += 1;
                    tally.must_fail += usize::from(told.check.level == Level::Must);
                }
                Some(Finding::NotApplicable(_)) => tally.not_applicable += 1,
                Some(Finding::NotTried(_)) => tally.not_tried += 1,
            }
        }
        tally
    }

    /// How the command ends.
    pub fn ending(&self) -> Ending {
        if self.tally().must_fail > 0 {
            return Ending::Findings;
        }
        self.trouble.as_ref().map_or(Ending::Well, |trouble| trouble.ending)
    }

    /// `{"url", "scenario", "listed", "published", "requests", "summary", "checks", "left_behind"?}`; `listed` counts scenarios.
    pub fn document(&self) -> Value {
        let tally = self.tally();
        let mut document = json!({
            "url": self.url,
            "scenario": self.scenario.as_deref().map(plain),
            "listed": self.listed,
            "published": self.published,
            "requests": self.requests,
            "summary": {"pass": tally.pass, "fail": tally.fail, "must_fail": tally.must_fail,
                "not_applicable": tally.not_applicable, "not_tried": tally.not_tried},
            "checks": self.told.iter().map(Told::document).collect::<Vec<_>>(),
        });
        if !self.left.is_empty() {
            document["left_behind"] = json!(self.left);
        }
        document
    }

    /// A line for each check below the title of its group, and a line with the sum.
    pub fn lines(&self) -> Vec<String> {
        let scenario = self.scenario.as_deref().map_or("no scenario".to_owned(), |name| {
            let of = match self.listed {
                0 | 1 => String::new(),
                listed => format!(" (of {listed}, the one that shows most; --scenario names another)"),
            };
            format!("scenario {}{of}", shortened(name, EVIDENCE_CHARS_MAX))
        });
        let mut lines = vec![format!("{}, {scenario}, {} requests", self.url, self.requests)];
        let mut group = "";
        for told in &self.told {
            if told.group != group {
                group = told.group;
                lines.extend([String::new(), group.to_owned()]);
            }
            lines.extend(told.lines());
        }
        let Tally {
            pass,
            fail,
            must_fail,
            not_applicable,
            not_tried,
        } = self.tally();
        lines.push(String::new());
        lines.push(format!(
            "{pass} pass, {fail} fail ({must_fail} of them MUST), {not_applicable} not applicable, {not_tried} not tried"
        ));
        if !self.left.is_empty() {
            lines.push(format!(
                "left behind, published and not retired: {}",
                self.left.join(", ")
            ));
        }
        lines
    }
}

/// One exchange of the evidence.
fn shown(exchange: &Exchange) -> Value {
    let mut shown = json!({ "asked": shortened(&exchange.asked, EVIDENCE_CHARS_MAX) });
    if let Some(sent) = &exchange.sent {
        shown["sent"] = json!(shortened(sent, EVIDENCE_CHARS_MAX));
    }
    shown["status"] = json!(exchange.status);
    shown["answered"] = json!(shortened(&exchange.text, EVIDENCE_CHARS_MAX));
    shown
}

/// A text in one line, cut after so many characters.
fn shortened(text: &str, chars_max: usize) -> String {
    let mut chars = text.chars();
    let mut kept: String = chars.by_ref().take(chars_max).collect();
    if chars.next().is_some() {
        kept.push('…');
    }
    plain(&kept)
}

#[cfg(test)]
mod tests {
    use super::EVIDENCE_CHARS_MAX;
    use super::Report;
    use super::Told;
    use super::shortened;
    use crate::edge::cli::Ending;
    use crate::edge::cli::conformance::check;
    use crate::edge::cli::conformance::check::Check;
    use crate::edge::cli::conformance::check::Finding;
    use crate::edge::cli::conformance::check::Level;
    use crate::edge::cli::conformance::examination::Trouble;

    fn first(level: Level) -> &'static Check {
        check::all()
            .find(|check| check.level == level)
            .expect("one of each level")
    }

    fn report(told: &[(Level, Option<Finding>)], trouble: Option<Ending>) -> Report {
        let told = told.iter().map(|(level, finding)| Told {
            group: "Templates",
            check: first(*level),
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
            told: told.collect(),
            trouble: trouble.map(|ending| Trouble {
                ending,
                why: "so".to_owned(),
            }),
        }
    }

    #[test]
    fn a_must_that_fails_ends_with_findings_and_nothing_else_does() {
        let fails = || Some(Finding::Fails("so".to_owned()));
        for (told, trouble, ending) in [
            (vec![(Level::Must, None)], None, Ending::Well),
            (
                vec![(Level::Should, fails()), (Level::May, fails())],
                None,
                Ending::Well,
            ),
            (vec![(Level::Must, fails())], None, Ending::Findings),
            (vec![(Level::Must, fails())], Some(Ending::Fault), Ending::Findings),
            (vec![(Level::Should, fails())], Some(Ending::Usage), Ending::Usage),
            (
                vec![
                    (Level::Must, Some(Finding::NotTried("so".to_owned()))),
                    (Level::Must, Some(Finding::NotApplicable("so".to_owned()))),
                ],
                None,
                Ending::Well,
            ),
        ] {
            assert_eq!(report(&told, trouble).ending(), ending, "{told:?}");
        }
        let lines = report(&[(Level::Must, fails()), (Level::May, None)], None).lines();
        let sum = "1 pass, 1 fail (1 of them MUST), 0 not applicable, 0 not tried";
        assert_eq!(lines.last().map(String::as_str), Some(sum));
    }

    #[test]
    fn evidence_is_cut_and_steers_no_terminal() {
        let long = "x".repeat(EVIDENCE_CHARS_MAX);
        assert_eq!(shortened(&long, EVIDENCE_CHARS_MAX), long);
        assert_eq!(shortened(&format!("{long}x"), EVIDENCE_CHARS_MAX), format!("{long}…"));
        assert_eq!(shortened("a\u{1b}[2Jb\nc", 80), "a [2Jb c");
    }
}
