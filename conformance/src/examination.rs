//! A whole examination: sends what the chosen checks need, in order, judges, and takes back what was published.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::hash::RandomState;
use std::time::Duration;

use ureq::http::HeaderValue;

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
use crate::request::Request;
use crate::scratch;
use crate::scratch::DEFECTS;
use crate::server_url::ServerUrl;
use crate::transcript::Exchange;
use crate::transcript::Transcript;
use crate::verdict::Finding;
use crate::verdict::not_tried;
use schema::name::ScenarioKey;

/// Requests in a row without an answer after which the server is left alone.
const SILENT_MAX: u32 = 3;
/// What the name of a scratch scenario begins with.
const SCRATCH: &str = "otherwise_conformance_";

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The address under which the server's paths lie.
    pub url: String,
    /// The scenario to look at; with `publish`, what the scratch one's name ends with.
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
    let server = ServerUrl::parse(&ask.url, ask.key.is_some()).map_err(usage)?;
    let scratch = match (ask.publish, &ask.scenario) {
        (false, _) => None,
        (true, Some(end)) => Some(scratch_name(end)?),
        (true, None) => Some(scratch_name(&random_name())?),
    };
    let mut client = Client::new(server.clone(), ask.key.clone(), ask.timeout).map_err(fault)?;
    let mut transcript = Transcript {
        server,
        named: ask.scenario.clone().filter(|_| !ask.publish),
        submits: ask.submit || ask.publish,
        scratch,
        outcomes: BTreeMap::new(),
        silence: None,
    };
    send_all(&wanted(&chosen, ask.publish), &mut transcript, &mut client)?;
    let left = clear(&transcript, &mut client);
    let results = chosen.iter().map(|(group, check)| CheckResult {
        group,
        check,
        finding: check.verdict(&transcript).err(),
        evidence: check
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
            Ok(request) => match send(probe, &request, transcript, client) {
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

/// Sends a request. A scratch name that was used up by an examination before is given up for one that is free.
fn send(probe: Probe, request: &Request, transcript: &mut Transcript, client: &mut Client) -> Result<Exchange, String> {
    let answered = client.send(request)?;
    let used_up = probe == Probe::Publish && matches!(answered.status, 409 | 410);
    let Some(used) = transcript.scratch.clone().filter(|_| used_up) else {
        return Ok(answered);
    };
    transcript.scratch = Some(format!("{used}_{}", random_name()));
    match request::make(probe, transcript) {
        Ok(again) => client.send(&again),
        Err(_) => Ok(answered),
    }
}

/// A check and the title of its group.
type Chosen = (&'static str, &'static Check);

/// The checks that were asked for.
fn chosen(only: &[String]) -> Result<Vec<Chosen>, Failure> {
    let meant = |word: &String| checks::all().any(|check| check.is_meant_by(word));
    if let Some(unknown) = only.iter().find(|word| !meant(word)) {
        let unknown: String = unknown.chars().take(64).collect();
        return Err(usage(format!("no check is about {unknown:?}; --list names them all")));
    }
    let all = checks::GROUPS
        .iter()
        .flat_map(|(title, checks)| checks.iter().map(move |check| (*title, check)));
    Ok(all
        .filter(|(_, check)| only.is_empty() || only.iter().any(|word| check.is_meant_by(word)))
        .collect())
}

/// What must be sent for these checks, and what that needs in turn; what is published is retired.
fn wanted(checks: &[Chosen], publish: bool) -> BTreeSet<Probe> {
    let mut open: Vec<Probe> = checks
        .iter()
        .flat_map(|(_, check)| check.probes.iter().copied())
        .collect();
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

/// The scratch scenario's name by its own end.
fn scratch_name(end: &str) -> Result<String, Failure> {
    let key = ScenarioKey::parse(&format!("{SCRATCH}{end}"));
    let key = key.ok_or_else(|| {
        usage("--scenario ends the name of a scratch scenario: lower-case letters, digits and single underscores")
    })?;
    Ok(key.as_str().to_owned())
}

/// The end of a name that is free: the standard library seeds each of these by the system's own chance.
fn random_name() -> String {
    format!("x{:08x}", RandomState::new().hash_one(()) & 0xffff_ffff)
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
    if matches!(exchange.status, 429 | 500..=599) {
        let request = &exchange.request;
        return Some(fault(format!("the server at {base} answered {summary} to {request}")));
    }
    if probe == Probe::Publish {
        // What was answered then stands where it is judged.
        return None;
    }
    Some(usage(match exchange.status {
        401 => format!("the server at {base} wants a key ({summary}): give a client's with --key-file or --key-env"),
        403 => format!(
            "the server at {base} does not allow this with the key that was given ({summary}): give one of a client"
        ),
        200..=499 if exchange.body.is_null() => {
            format!("another web server answers at {base}: {summary}, and not in JSON")
        }
        404 if matches!(exchange.code(), Some("not_found")) => {
            format!(
                "nothing of the draft lies under {base} ({summary}): give the address under which the paths /v1/… lie"
            )
        }
        404 if probe == Probe::Negotiate && transcript.named.is_some() => {
            format!("the scenario that --scenario names is not hosted at {base} ({summary})")
        }
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::chosen;
    use super::random_name;
    use super::scratch_name;
    use super::wanted;
    use crate::checks;
    use crate::exit_status::ExitStatus;
    use crate::probe;
    use crate::probe::Probe;

    fn ids(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let chosen = chosen(&words).expect("known words");
        chosen.into_iter().map(|(_, check)| check.id).collect()
    }

    #[test]
    fn checks_are_chosen_by_their_own_id_or_by_a_requirement() {
        assert_eq!(ids(&[]).len(), checks::all().count());
        assert_eq!(ids(&["Z-019-each"]), ["Z-019-each"]);
        assert_eq!(ids(&["Z-019"]), ["Z-019", "Z-019-each", "Z-019-only"]);
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
        assert_eq!(scratch_name("night").as_deref(), Ok("otherwise_conformance_night"));
        assert!(scratch_name("../x").is_err());
        let one = random_name();
        assert!(one != random_name() && scratch_name(&one).is_ok(), "{one}");
    }
}
