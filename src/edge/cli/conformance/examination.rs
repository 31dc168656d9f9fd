//! A whole examination: sends what the chosen checks need, in order, judges, and takes back what was published.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::time::Duration;

use hyper::Uri;
use hyper::header::HeaderValue;
use ring::rand::SecureRandom;
use ring::rand::SystemRandom;

use crate::edge::cli::Ending;
use crate::edge::cli::address;
use crate::edge::cli::conformance::caller::Caller;
use crate::edge::cli::conformance::check;
use crate::edge::cli::conformance::check::Check;
use crate::edge::cli::conformance::check::Finding;
use crate::edge::cli::conformance::check::Group;
use crate::edge::cli::conformance::probe;
use crate::edge::cli::conformance::probe::Probe;
use crate::edge::cli::conformance::probe::Request;
use crate::edge::cli::conformance::report::Report;
use crate::edge::cli::conformance::report::Told;
use crate::edge::cli::conformance::scene::Exchange;
use crate::edge::cli::conformance::scene::Outcome;
use crate::edge::cli::conformance::scene::Scene;
use crate::edge::cli::conformance::scratch;
use crate::edge::cli::conformance::scratch::DEFECTS;
use crate::edge::cli::conformance::subject::Subject;
use crate::edge::wire::loopback;
use schema::name::ScenarioKey;

/// Requests in a row without an answer after which the server is left alone.
const SILENT_MAX: u32 = 3;
/// Listed scenarios that one is chosen of.
const LOOKED_AT_MAX: usize = 8;
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

/// Why there is nothing to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub ending: Ending,
    pub why: String,
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

/// Examines a server.
///
/// # Errors
/// What is wrong with what was asked, or that the server cannot be reached at all.
pub fn examine(ask: &Ask) -> Result<Report, Trouble> {
    let chosen = chosen(&ask.only)?;
    let (base, secure) = address::base(&ask.url, ask.key.is_some()).map_err(usage)?;
    let uri: Option<Uri> = base.parse().ok();
    let here = uri
        .as_ref()
        .and_then(Uri::authority)
        .is_some_and(|authority| loopback::host(authority.as_str()));
    let scratch = if ask.publish {
        Some(scratch_name(ask.scenario.as_deref())?)
    } else {
        None
    };
    let mut scene = Scene {
        base: base.clone(),
        secure,
        here,
        named: ask.scenario.clone().filter(|_| !ask.publish),
        earnest: ask.submit || ask.publish,
        scratch,
        richest: None,
        outcomes: BTreeMap::new(),
    };
    let mut caller = Caller::new(&base, secure, ask.key.clone(), ask.timeout).map_err(fault)?;
    let wanted = wanted(chosen.iter().map(|(_, check)| *check), ask.publish);
    let mut silent = 0;
    for probe in probe::all().into_iter().filter(|probe| wanted.contains(probe)) {
        let outcome = match probe.request(&scene) {
            Err(finding) => Outcome::Skipped(finding),
            Ok(_) if silent >= SILENT_MAX => Outcome::Silent("the server does not answer any more".to_owned()),
            Ok(request) => match asked(probe, request, &mut scene, &mut caller)? {
                Ok(exchange) => {
                    silent = 0;
                    Outcome::Answered(Box::new(exchange))
                }
                Err(why) => {
                    silent += 1;
                    if caller.requests == 1 {
                        return Err(fault(format!("the server at {base}: {why}")));
                    }
                    Outcome::Silent(why)
                }
            },
        };
        scene.outcomes.insert(probe, outcome);
        if probe == Probe::Listing {
            scene.richest = richest(&scene, &mut caller);
        }
        // Nothing is to be judged there, and nothing was left there.
        if scene.scratch.is_none()
            && let Some(trouble) = stranger(&scene)
        {
            return Err(trouble);
        }
    }
    let left = clear(&scene, &mut caller);
    let told: Vec<Told> = chosen
        .iter()
        .map(|(group, check)| judged(group, check, &scene))
        .collect();
    Ok(Report {
        trouble: trouble(&scene),
        scenario: scene.scenario().map(str::to_owned),
        listed: scene.listed().len(),
        published: took(&scene, Probe::Publish),
        url: base,
        requests: caller.requests,
        left,
        told,
    })
}

/// Sends a request. A scratch name that was used up by an examination before is given up for one that is free.
fn asked(
    probe: Probe,
    request: Request,
    scene: &mut Scene,
    caller: &mut Caller,
) -> Result<Result<Exchange, String>, Trouble> {
    let answered = caller.ask(&request);
    let used_up = answered
        .as_ref()
        .is_ok_and(|answered| matches!(answered.status, 409 | 410));
    if probe != Probe::Publish || !used_up {
        return Ok(answered);
    }
    let Some(used) = scene.scratch.take() else {
        return Ok(answered);
    };
    let end = used.strip_prefix(SCRATCH).unwrap_or(&used);
    scene.scratch = Some(scratch_name(Some(&format!("{end}_{}", by_chance()?)))?);
    let again = probe.request(scene);
    Ok(match again {
        Ok(again) => caller.ask(&again),
        Err(_) => answered,
    })
}

/// Of several listed scenarios, the one whose template shows most: patches above all, then keys that may be left out, defaults
/// and languages. `None` where there is none to choose.
fn richest(scene: &Scene, caller: &mut Caller) -> Option<String> {
    if scene.scratch.is_some() || scene.named.is_some() {
        return None;
    }
    let listed: Vec<String> = scene
        .listed()
        .into_iter()
        .take(LOOKED_AT_MAX)
        .map(str::to_owned)
        .collect();
    if listed.len() < 2 {
        return None;
    }
    let mut best: Option<(usize, String)> = None;
    for name in listed {
        let answered = caller.ask(&probe::message(&name, None, false)).ok()?;
        let shows = Subject::of(&answered.body).map_or(0, |subject| subject.shows());
        // The first of equals.
        if best.as_ref().is_none_or(|(most, _)| shows > *most) {
            best = Some((shows, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Whether a request was answered with success.
fn took(scene: &Scene, probe: Probe) -> bool {
    scene.answer(probe).is_ok_and(Exchange::is_success)
}

/// The checks that were asked for, with their groups.
fn chosen(only: &[String]) -> Result<Vec<(&'static Group, &'static Check)>, Trouble> {
    let meant = |word: &String| check::all().any(|check| check.is_meant_by(word));
    if let Some(stranger) = only.iter().find(|word| !meant(word)) {
        return Err(usage(format!(
            "no check is about {:?}; --list names them all",
            stranger.chars().take(64).collect::<String>()
        )));
    }
    Ok(check::GROUPS
        .iter()
        .flat_map(|group| group.checks.iter().map(move |check| (group, check)))
        .filter(|(_, check)| only.is_empty() || only.iter().any(|word| check.is_meant_by(word)))
        .collect())
}

/// What must be sent for these checks, and what that needs in turn; what is published is retired.
fn wanted<'a>(checks: impl Iterator<Item = &'a Check>, publish: bool) -> BTreeSet<Probe> {
    let mut open: Vec<Probe> = checks.flat_map(|check| check.probes.iter().copied()).collect();
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

/// The scratch scenario's name: its own end, or one by chance.
fn scratch_name(end: Option<&str>) -> Result<String, Trouble> {
    let end = match end {
        Some(end) => end.to_owned(),
        None => by_chance()?,
    };
    let name = format!("{SCRATCH}{end}");
    let key = ScenarioKey::parse(&name).ok_or_else(|| {
        usage(
            "--scenario ends the name of a scratch scenario: lower-case letters, digits and single underscores"
                .to_owned(),
        )
    })?;
    Ok(key.as_str().to_owned())
}

/// The end of a name that is free.
fn by_chance() -> Result<String, Trouble> {
    let mut bytes = [0; 4];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| fault("this machine gives no random numbers".to_owned()))?;
    Ok(format!("x{:08x}", u32::from_le_bytes(bytes)))
}

/// Retires what was taken with a defect; the schemas that stay behind.
fn clear(scene: &Scene, caller: &mut Caller) -> Vec<String> {
    let mut left = Vec::new();
    let Some(scenario) = scene.scratch.as_deref() else {
        return left;
    };
    if took(scene, Probe::Publish) && !took(scene, Probe::Retire) {
        left.push(scratch::schema_id(scenario));
    }
    for defect in DEFECTS
        .into_iter()
        .filter(|defect| took(scene, Probe::Defective(*defect)))
    {
        let id = scratch::defective_id(scenario, defect);
        let retired = caller.ask(&probe::retire(&id));
        if !retired.is_ok_and(|answered| answered.is_success()) {
            left.push(id);
        }
    }
    left
}

/// Why the examination as a whole says little, where it does.
fn trouble(scene: &Scene) -> Option<Trouble> {
    let silent = scene.outcomes.values().find_map(|outcome| match outcome {
        Outcome::Silent(why) => Some(fault(format!("a request was not answered: {why}"))),
        Outcome::Answered(_) | Outcome::Skipped(_) => None,
    });
    silent
        .or_else(|| stranger(scene))
        .or_else(|| {
            scene.outcomes.get(&Probe::Negotiate)?;
            match scene.answer(Probe::Negotiate) {
                Err(Finding::NotTried(why)) => Some(usage(why)),
                Err(Finding::Fails(_) | Finding::NotApplicable(_)) | Ok(_) => None,
            }
        })
        .or_else(|| {
            scene.outcomes.get(&Probe::Least)?;
            match scene.submission(Probe::Least) {
                Err(Finding::NotTried(why)) => Some(usage(format!("no submission could be tried: {why}"))),
                Err(Finding::Fails(_) | Finding::NotApplicable(_)) | Ok(_) => None,
            }
        })
}

/// What the first answers say of an address that cannot be examined: a key is wanted, nothing of the draft lies there, another
/// web server answers, or the scenario is none of its own.
fn stranger(scene: &Scene) -> Option<Trouble> {
    let first = [Probe::Listing, Probe::Publish, Probe::Negotiate];
    let mut answered = first.into_iter().filter_map(|probe| {
        let Outcome::Answered(exchange) = scene.outcomes.get(&probe)? else {
            return None;
        };
        Some((probe, exchange))
    });
    // Whoever was answered once knows where it is.
    let first = answered.next();
    let (probe, exchange) = first.filter(|(_, exchange)| !exchange.is_success() || exchange.body.is_null())?;
    let (base, told) = (&scene.base, exchange.told());
    if matches!(exchange.status, 429 | 500..=599) {
        return Some(fault(format!(
            "the server at {base} answered {told} to {}",
            exchange.asked
        )));
    }
    if probe == Probe::Publish {
        // What was answered then stands where it is judged.
        return None;
    }
    Some(usage(match exchange.status {
        401 => format!("the server at {base} wants a key ({told}): give a client's with --key-file or --key-env"),
        403 => format!(
            "the server at {base} does not allow this with the key that was given ({told}): give one of a client"
        ),
        200..=499 if exchange.body.is_null() => {
            format!("another web server answers at {base}: {told}, and not in JSON")
        }
        404 if matches!(exchange.code(), Some("not_found")) => {
            format!("nothing of the draft lies under {base} ({told}): give the address under which the paths /v1/… lie")
        }
        404 if probe == Probe::Negotiate && scene.named.is_some() => {
            format!("the scenario that --scenario names is not hosted at {base} ({told})")
        }
        _ => return None,
    }))
}

fn judged(group: &'static Group, check: &'static Check, scene: &Scene) -> Told {
    let evidence = check.probes.iter().filter_map(|probe| match scene.outcomes.get(probe) {
        Some(Outcome::Answered(exchange)) => Some((**exchange).clone()),
        Some(Outcome::Skipped(_) | Outcome::Silent(_)) | None => None,
    });
    Told {
        group: group.title,
        check,
        finding: (check.judge)(scene).err(),
        evidence: evidence.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::chosen;
    use super::scratch_name;
    use super::wanted;
    use crate::edge::cli::Ending;
    use crate::edge::cli::conformance::check;
    use crate::edge::cli::conformance::probe;
    use crate::edge::cli::conformance::probe::Probe;

    fn ids(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let chosen = chosen(&words).expect("known words");
        chosen.into_iter().map(|(_, check)| check.id).collect()
    }

    #[test]
    fn checks_are_chosen_by_their_own_id_or_by_a_requirement() {
        assert_eq!(ids(&[]).len(), check::all().count());
        assert_eq!(ids(&["Z-019-each"]), ["Z-019-each"]);
        assert_eq!(ids(&["Z-019"]), ["Z-019", "Z-019-each", "Z-019-only"]);
        let refused = chosen(&["Z-999".to_owned()]).expect_err("no such check");
        assert_eq!(refused.ending, Ending::Usage);
    }

    #[test]
    fn only_what_is_needed_is_sent_and_what_is_published_is_retired() {
        let of = |words: &[&str], publish| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let chosen = chosen(&words).expect("known words");
            wanted(chosen.into_iter().map(|(_, check)| check), publish)
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
        assert_eq!(
            scratch_name(Some("night")).as_deref(),
            Ok("otherwise_conformance_night")
        );
        let one = scratch_name(None).expect("a name");
        assert_ne!(Ok(one), scratch_name(None));
        assert!(scratch_name(Some("../x")).is_err());
    }
}
