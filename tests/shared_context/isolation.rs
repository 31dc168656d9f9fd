//! Random principals make random calls on random sessions: nobody ever reads what is not theirs, no version repeats, no size is
//! exceeded, and what was written last is what is read.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::Agent;
use super::PRINCIPALS;
use super::closed;
use crate::support::random::Random;
use crate::support::server::Reply;

const CALLS: u64 = 1_500;
const SESSIONS: [&str; 4] = ["s0", "s1", "s2", "s3"];
const KEYS: [&str; 5] = ["k0", "k1", "k2", "k3", "k4"];
/// What begins every value; what stands behind it says whose it is.
const MARK: &str = "belongs-to";

/// A session as it should be.
#[derive(Default)]
struct Known {
    owner: String,
    members: BTreeSet<String>,
    values: BTreeMap<&'static str, (u64, String)>,
}

struct World {
    sessions: BTreeMap<&'static str, Known>,
    /// The last incarnation and version of a key, whichever session had the id.
    last: BTreeMap<(&'static str, &'static str), (u64, u64)>,
}

impl World {
    fn takes_part(&self, who: &str, session: &str) -> bool {
        let known = self.sessions.get(session);
        known.is_some_and(|known| known.owner == who || known.members.contains(who))
    }

    fn given(&mut self, session: &'static str, key: &'static str, stamp: (u64, u64)) {
        let last = self.last.insert((session, key), stamp).unwrap_or((0, 0));
        assert!(stamp > last, "{session} {key}: {stamp:?} after {last:?}");
    }
}

/// What an answer says without what is of this one request.
fn told(reply: &Reply) -> (u16, Value) {
    let mut body = reply.body.clone();
    if let Some(members) = body.as_object_mut() {
        members.retain(|name, _| name != "instance" && name != "request_id");
    }
    (reply.status, body)
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    let place = random.below(from.len() as u64);
    from[usize::try_from(place).unwrap_or(0)]
}

/// What every answer must be true of.
fn check(world: &World, who: &str, session: &'static str, reply: &Reply, of_nowhere: &Reply) {
    if !world.takes_part(who, session) {
        assert_eq!(told(reply), told(of_nowhere), "{who} learns something of {session}");
    }
    let text = reply.body.to_string();
    for (place, _) in text.match_indices(MARK) {
        let whose = &text[place + MARK.len() + 1..][..2];
        assert_eq!(whose, session, "{who} reads of {whose} in {session}: {text}");
        assert!(world.takes_part(who, whose), "{who} reads what is in {whose}");
    }
}

#[test]
fn nobody_ever_reads_what_is_not_theirs_s027_s086_s012_s036() {
    let server = closed(
        |settings| settings.sessions.cache_bytes = 4_096,
        PartsOverride::default(),
    );
    let mut random = Random::new(20_260_501);
    let mut world = World {
        sessions: BTreeMap::new(),
        last: BTreeMap::new(),
    };
    let names: Vec<&str> = PRINCIPALS[..4].iter().map(|(name, _)| *name).collect();
    let (mut read, mut refused) = (0, 0);
    for number in 0..CALLS {
        let who = pick(&mut random, &names);
        let (session, key) = (pick(&mut random, &SESSIONS), pick(&mut random, &KEYS));
        let agent = Agent::new(&server, who);
        let path = format!("/v1/sessions/{session}");
        match random.below(20) {
            0 | 1 => {
                let body = json!({"session_id": session, "config": {"history_versions": 3}}).to_string();
                let reply = agent.call("POST", "/v1/sessions", &body);
                assert_eq!(
                    reply.status,
                    if world.sessions.contains_key(session) { 409 } else { 201 }
                );
                if reply.status == 201 {
                    let known = Known {
                        owner: who.to_owned(),
                        ..Known::default()
                    };
                    world.sessions.insert(session, known);
                }
            }
            2 | 3 => {
                let other = pick(&mut random, &names);
                let body = json!({"principal": other, "roles": [format!("subagent:{other}")]}).to_string();
                let reply = agent.call("POST", &format!("{path}/participants"), &body);
                check(
                    &world,
                    who,
                    session,
                    &reply,
                    &agent.call("POST", "/v1/sessions/nowhere/participants", &body),
                );
                if reply.status == 200
                    && let Some(known) = world.sessions.get_mut(session)
                {
                    assert_eq!(known.owner, who);
                    known.members.insert(other.to_owned());
                }
            }
            4 => {
                let other = pick(&mut random, &names);
                let reply = agent.call("DELETE", &format!("{path}/participants/{other}"), "");
                if reply.status == 200
                    && let Some(known) = world.sessions.get_mut(session)
                {
                    assert_eq!(known.owner, who);
                    known.members.remove(other);
                }
            }
            5 if random.one_in(3) => {
                let reply = agent.call("DELETE", &path, "");
                check(
                    &world,
                    who,
                    session,
                    &reply,
                    &agent.call("DELETE", "/v1/sessions/nowhere", ""),
                );
                if reply.status == 200 {
                    assert_eq!(
                        world.sessions.remove(session).map(|known| known.owner).as_deref(),
                        Some(who)
                    );
                }
            }
            5..=10 => {
                let value = format!(
                    "{MARK}:{session}:{key}:{number}:{}",
                    "x".repeat(usize::try_from(random.below(5_000)).unwrap_or(0))
                );
                let action = json!({"action": "write", "key": key, "value": value});
                let reply = agent.act(session, &action);
                check(&world, who, session, &reply, &agent.act("nowhere", &action));
                if reply.status == 200 {
                    assert!(value.chars().count() <= 4_000);
                    let by = if world.sessions[session].owner == who {
                        "orchestrator".to_owned()
                    } else {
                        format!("subagent:{who}")
                    };
                    assert_eq!(reply.body["written_by"], by);
                    let version = reply.body["version"].as_u64().expect("a version");
                    let incarnation = reply.body["incarnation"].as_u64().expect("an incarnation");
                    world.given(session, key, (incarnation, version));
                    if let Some(known) = world.sessions.get_mut(session) {
                        known.values.insert(key, (version, value));
                        let size: usize = known
                            .values
                            .values()
                            .map(|(_, value)| value.chars().count().div_ceil(4))
                            .sum();
                        assert!(size <= 10_000);
                    }
                } else {
                    refused += 1;
                    assert!(matches!(reply.status, 404 | 409 | 422), "{}", reply.body);
                }
            }
            11 | 12 => {
                let action = json!({"action": "delete", "key": key});
                let reply = agent.act(session, &action);
                check(&world, who, session, &reply, &agent.act("nowhere", &action));
                if reply.status == 200 {
                    let known = world.sessions.get_mut(session).expect("a session");
                    let (version, _) = known.values.remove(key).expect("a key");
                    assert_eq!(reply.body["previous_version"], version);
                }
            }
            13..=17 => {
                let action = json!({"action": "read", "key": key});
                let reply = agent.act(session, &action);
                check(&world, who, session, &reply, &agent.act("nowhere", &action));
                let held = world.sessions.get(session).and_then(|known| known.values.get(key));
                if world.takes_part(who, session) {
                    match held {
                        Some((version, value)) => {
                            assert_eq!(
                                (&reply.body["version"], &reply.body["value"]),
                                (&json!(version), &json!(value))
                            );
                            read += 1;
                        }
                        None => assert_eq!(reply.body["code"], "key_not_found"),
                    }
                }
            }
            _ => {
                let action = match random.below(4) {
                    0 => json!({"action": "list_keys"}),
                    1 => json!({"action": "read_batch", "keys": KEYS}),
                    2 => json!({"action": "read_history", "key": key}),
                    _ => json!({"action": "list_snapshots"}),
                };
                check(
                    &world,
                    who,
                    session,
                    &agent.act(session, &action),
                    &agent.act("nowhere", &action),
                );
                for rest in ["", "/prompt", "/keys"] {
                    let reply = agent.call("GET", &format!("{path}{rest}"), "");
                    check(
                        &world,
                        who,
                        session,
                        &reply,
                        &agent.call("GET", &format!("/v1/sessions/nowhere{rest}"), ""),
                    );
                }
                let own = agent.call("GET", "/v1/sessions", "").body;
                let told: BTreeSet<&str> = own["sessions"]
                    .as_array()
                    .expect("rows")
                    .iter()
                    .filter_map(|row| row["session_id"].as_str())
                    .collect();
                let expected = SESSIONS
                    .iter()
                    .copied()
                    .filter(|session| world.takes_part(who, session))
                    .collect();
                assert_eq!(told, expected, "{who}");
            }
        }
        if number % 300 == 299 {
            server.tick();
        }
    }
    assert!(read > 30 && refused > 30, "{read} {refused}");
}
