//! A whole examination: sends what the chosen checks need, in order, judges, and takes back what was published.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::hash::RandomState;
use std::time::Duration;

use http::HeaderValue;
use otherwise_client::address::Address;

use crate::check::Check;
use crate::checks;
use crate::client::Client;
use crate::exit_status::Failure;
use crate::exit_status::fault;
use crate::exit_status::usage;
use crate::probe;
use crate::probe::Probe;
use crate::report::CheckResult;
use crate::report::Report;
use crate::request;
use crate::scratch;
use crate::scratch::DEFECTS;
use crate::transcript::Transcript;
use crate::verdict::Finding;
use crate::verdict::not_tried;

/// Requests in a row without an answer after which the server is left alone.
const SILENT_MAX: u32 = 3;
/// What the name of a scratch scenario begins with.
const SCRATCH: &str = "otherwise_conformance_";

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The address under which the server's paths lie.
    pub url: String,
    /// The scenario to look at, where none is published.
    pub scenario: Option<String>,
    /// Value of the header `Authorization`.
    pub key: Option<HeaderValue>,
    /// For each request.
    pub timeout: Duration,
    /// Publishes a scratch schema, and sends it real submissions.
    pub publish: bool,
    /// Sends real submissions to the scenario.
    pub submit: bool,
    /// Ids of checks or requirements; none for all.
    pub only: Vec<String>,
}

/// Examines a server.
///
/// # Errors
/// What is wrong with what was asked, or that the server cannot be reached at all.
pub fn examine(ask: &Ask) -> Result<Report, Failure> {
    let chosen = chosen(&ask.only)?;
    let server = Address::parse(&ask.url, ask.key.is_some()).map_err(|why| usage(format!("--url {why}")))?;
    let mut client = Client::new(server.clone(), ask.key.clone(), ask.timeout).map_err(fault)?;
    let mut transcript = Transcript {
        server,
        named: ask.scenario.clone().filter(|_| !ask.publish),
        submits: ask.submit || ask.publish,
        scratch: ask.publish.then(scratch_name),
        outcomes: BTreeMap::new(),
        silence: None,
    };
    send_all(&wanted(&chosen, ask.publish), &mut transcript, &mut client)?;
    let left = clear(&transcript, &mut client);
    let results = chosen.into_iter().map(|check| CheckResult {
        check,
        finding: check.verdict(&transcript).err(),
        evidence: check
            .rule
            .probes
            .iter()
            .filter_map(|probe| transcript.exchange(*probe).cloned())
            .collect(),
    });
    Ok(Report {
        results: results.collect(),
        failure: failure(&transcript),
        scenario: transcript.scenario().map(str::to_owned),
        listed: transcript.listed().len(),
        published: transcript.took(Probe::Publish),
        requests: client.requests,
        left,
        url: transcript.server.base,
    })
}

/// Sends what is wanted, in order, and writes down what comes back.
fn send_all(wanted: &BTreeSet<Probe>, transcript: &mut Transcript, client: &mut Client) -> Result<(), Failure> {
    let mut silent = 0;
    for probe in probe::all().into_iter().filter(|probe| wanted.contains(probe)) {
        let outcome = match request::make(probe, transcript) {
            Err(finding) => Err(finding),
            Ok(_) if silent >= SILENT_MAX => not_tried("no answer: the server does not answer any more"),
            Ok(request) => match reconnected(probe, client).and_then(|client| client.send(&request)) {
                Ok(exchange) => {
                    silent = 0;
                    Ok(exchange)
                }
                Err(why) if client.requests == 1 => {
                    return Err(fault(format!("the server at {}: {why}", transcript.server.base)));
                }
                Err(why) => {
                    silent += 1;
                    let outcome = not_tried(format!("no answer: {why}"));
                    transcript.silence.get_or_insert(why);
                    outcome
                }
            },
        };
        transcript.outcomes.insert(probe, outcome);
        // Nothing is to be judged there, and nothing was left there.
        if transcript.scratch.is_none()
            && let Some(failure) = unfit(transcript)
        {
            return Err(failure);
        }
    }
    Ok(())
}

/// The client; without the connections of before where the request is about one of its own.
fn reconnected(probe: Probe, client: &mut Client) -> Result<&mut Client, String> {
    if probe == Probe::Fresh {
        client.reconnect()?;
    }
    Ok(client)
}

/// The checks that were asked for.
fn chosen(only: &[String]) -> Result<Vec<&'static Check>, Failure> {
    let meant = |word: &String| checks::all().any(|check| check.is_meant_by(word));
    if let Some(unknown) = only.iter().find(|word| !meant(word)) {
        let unknown: String = unknown.chars().take(64).collect();
        return Err(usage(format!("no check is about {unknown:?}; --list names them all")));
    }
    let chosen = checks::all().filter(|check| only.is_empty() || only.iter().any(|word| check.is_meant_by(word)));
    Ok(chosen.collect())
}

/// What must be sent for these checks, and what that needs in turn; what is published is retired.
fn wanted(checks: &[&Check], publish: bool) -> BTreeSet<Probe> {
    let mut open: Vec<Probe> = checks.iter().flat_map(|check| check.rule.probes).copied().collect();
    let mut wanted = BTreeSet::new();
    while let Some(probe) = open.pop() {
        if wanted.insert(probe) {
            open.extend(probe.needs());
        }
    }
    if publish && wanted.contains(&Probe::Publish) {
        wanted.insert(Probe::Retire);
    }
    wanted
}

/// A name that is free: the standard library seeds each of these by the system's own chance.
fn scratch_name() -> String {
    format!("{SCRATCH}x{:08x}", RandomState::new().hash_one(()) & 0xffff_ffff)
}

/// Retires what was taken with a defect; the schemas that stay behind.
fn clear(transcript: &Transcript, client: &mut Client) -> Vec<String> {
    let mut left = Vec::new();
    let Some(scenario) = transcript.scratch.as_deref() else {
        return left;
    };
    if transcript.took(Probe::Publish) && !transcript.took(Probe::Retire) {
        left.push(scratch::schema_id(scenario));
    }
    for defect in DEFECTS {
        let id = scratch::defective_id(scenario, *defect);
        if transcript.took(Probe::Defective(*defect))
            && !client
                .send(&request::retire(&id))
                .is_ok_and(|answered| answered.is_success())
        {
            left.push(id);
        }
    }
    left
}

/// Why the examination as a whole says little, where it does.
fn failure(transcript: &Transcript) -> Option<Failure> {
    let silence = transcript.silence.as_ref();
    let untried = |probe: Probe| {
        transcript.outcomes.get(&probe)?;
        match transcript.answer(probe) {
            Err(Finding::NotTried(why)) => Some(why),
            Err(Finding::Fails(_) | Finding::NotApplicable(_)) | Ok(_) => None,
        }
    };
    silence
        .map(|why| fault(format!("a request was not answered: {why}")))
        .or_else(|| unfit(transcript))
        .or_else(|| untried(Probe::Negotiate).map(usage))
        .or_else(|| untried(Probe::Least).map(|why| usage(format!("no submission could be tried: {why}"))))
}

/// What the first answers say of an address that cannot be examined: a key is wanted, nothing of the draft lies there, another
/// web server answers, or the scenario is none of its own.
fn unfit(transcript: &Transcript) -> Option<Failure> {
    let first = [Probe::Listing, Probe::Publish, Probe::Negotiate].into_iter();
    let mut answered = first.filter_map(|probe| Some((probe, transcript.exchange(probe)?)));
    // Whoever was answered once knows where it is.
    let (probe, exchange) = answered.next()?;
    if exchange.is_success() && !exchange.body.is_null() {
        return None;
    }
    let (base, summary) = (&transcript.server.base, exchange.summary());
    let why = match exchange.status {
        429 | 500..=599 => {
            let request = &exchange.request;
            return Some(fault(format!("the server at {base} answered {summary} to {request}")));
        }
        // What was answered then stands where it is judged.
        _ if probe == Probe::Publish => return None,
        401 | 403 => "wants a key, or one with another role: give a client's with --key-file or --key-env",
        200..=499 if exchange.body.is_null() => "is another web server, which does not answer in JSON",
        404 if exchange.code() == Some("not_found") => {
            "has nothing of the draft there: the paths /v1/… lie under --url"
        }
        404 if probe == Probe::Negotiate && transcript.named.is_some() => {
            "does not host the scenario that --scenario names"
        }
        _ => return None,
    };
    Some(usage(format!("the server at {base} {why} ({summary})")))
}

#[cfg(test)]
mod tests {
    use super::chosen;
    use super::scratch_name;
    use super::wanted;
    use crate::checks;
    use crate::exit_status::ExitStatus;
    use crate::probe;
    use crate::probe::Probe;
    use schema::name::ScenarioKey;

    fn ids(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let chosen = chosen(&words).expect("known words");
        chosen.into_iter().map(|check| check.id).collect()
    }

    #[test]
    fn checks_are_chosen_by_their_own_id_or_by_a_requirement() {
        assert_eq!(ids(&[]).len(), checks::all().count());
        assert_eq!(ids(&["Z-035-publish"]), ["Z-035-publish"]);
        assert_eq!(ids(&["Z-035"]), ["Z-035", "Z-113", "Z-035-publish"]);
        let refused = chosen(&["Z-999".to_owned()]).expect_err("no such check");
        assert_eq!(refused.status, ExitStatus::Usage);
    }

    #[test]
    fn only_what_is_needed_is_sent_and_what_is_published_is_retired() {
        let of = |words: &[&str], publish| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            wanted(&chosen(&words).expect("known words"), publish)
        };
        let template = [Probe::Listing, Probe::Publish, Probe::Negotiate];
        assert_eq!(of(&["Z-062"], false).into_iter().collect::<Vec<_>>(), template);
        assert!(of(&["Z-042"], true).contains(&Probe::Retire));
        assert_eq!(of(&["Z-015"], true).len(), 1);
        // Every request serves a check.
        assert_eq!(of(&[], true).len(), probe::all().len());
    }

    #[test]
    fn a_scratch_scenario_has_a_name_of_its_own() {
        let one = scratch_name();
        assert!(one != scratch_name() && ScenarioKey::parse(&one).is_some(), "{one}");
    }
}
