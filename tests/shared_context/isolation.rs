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
use super::read;
use super::written_by;
use crate::support::random::Random;
use crate::support::server::Reply;
use crate::support::server::Server;

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

struct World<'a> {
    server: &'a Server,
    sessions: BTreeMap<&'static str, Known>,
    /// The last incarnation and version of a key, whichever session had the id.
    last: BTreeMap<(&'static str, &'static str), (u64, u64)>,
    read: u32,
    refused: u32,
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

impl World<'_> {
    fn takes_part(&self, who: &str, session: &str) -> bool {
        let known = self.sessions.get(session);
        known.is_some_and(|known| known.owner == who || known.members.contains(who))
    }

    /// Makes a call below the session, and holds its answer to what is true of every answer.
    fn call(&self, who: &str, session: &str, method: &str, rest: &str, body: &Value) -> Reply {
        let agent = Agent::new(self.server, who);
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let reply = agent.call(method, &format!("/v1/sessions/{session}{rest}"), &body);
        if !self.takes_part(who, session) {
            let nowhere = agent.call(method, &format!("/v1/sessions/nowhere{rest}"), &body);
            assert_eq!(told(&reply), told(&nowhere), "{who} learns something of {session}");
        }
        let text = reply.body.to_string();
        for (place, _) in text.match_indices(MARK) {
            let whose = &text[place + MARK.len() + 1..][..2];
            assert_eq!(whose, session, "{who} reads of {whose} in {session}: {text}");
            assert!(self.takes_part(who, whose), "{who} reads what is in {whose}");
        }
        reply
    }

    fn act(&self, who: &str, session: &str, action: &Value) -> Reply {
        self.call(who, session, "POST", "/context", action)
    }

    /// A session to which something was done that its creator alone may do.
    fn own(&mut self, who: &str, session: &str, reply: &Reply) -> Option<&mut Known> {
        let known = self.sessions.get_mut(session).filter(|_| reply.status == 200)?;
        assert_eq!(known.owner, who);
        Some(known)
    }

    fn write(&mut self, who: &str, session: &'static str, key: &'static str, value: String) {
        let reply = self.act(who, session, &json!({"action": "write", "key": key, "value": value}));
        if reply.status != 200 {
            self.refused += 1;
            assert!(matches!(reply.status, 404 | 409 | 422), "{}", reply.body);
            return;
        }
        assert!(value.chars().count() <= 4_000);
        let number = |member: &str| reply.body[member].as_u64().expect("a number");
        let stamp = (number("incarnation"), number("version"));
        let last = self.last.insert((session, key), stamp).unwrap_or((0, 0));
        assert!(stamp > last, "{session} {key}: {stamp:?} after {last:?}");
        let known = self.sessions.get_mut(session).expect("a session");
        let by = if known.owner == who {
            "orchestrator".to_owned()
        } else {
            format!("subagent:{who}")
        };
        assert_eq!(written_by(&reply.body), by);
        known.values.insert(key, (stamp.1, value));
        let sizes = known
            .values
            .values()
            .map(|(_, value)| value.chars().count().div_ceil(4));
        assert!(sizes.sum::<usize>() <= 10_000);
    }

    fn read(&mut self, who: &str, session: &str, key: &str) {
        let reply = self.act(who, session, &read(key));
        if !self.takes_part(who, session) {
            return;
        }
        match self.sessions[session].values.get(key) {
            Some((version, value)) => {
                let found = (&reply.body["version"], &reply.body["value"]);
                assert_eq!(found, (&json!(version), &json!(value)));
                self.read += 1;
            }
            None => assert_eq!(reply.body["code"], "key_not_found"),
        }
    }

    fn look_around(&self, who: &str, session: &str, action: &Value) {
        self.act(who, session, action);
        for rest in ["", "/prompt", "/keys"] {
            self.call(who, session, "GET", rest, &Value::Null);
        }
        let own = Agent::new(self.server, who).get("/v1/sessions");
        let rows = own["sessions"].as_array().expect("rows").iter();
        let told: BTreeSet<&str> = rows.filter_map(|row| row["session_id"].as_str()).collect();
        let expected = SESSIONS
            .into_iter()
            .filter(|session| self.takes_part(who, session))
            .collect();
        assert_eq!(told, expected, "{who}");
    }

    fn step(&mut self, random: &mut Random, number: u64) {
        let names: Vec<&str> = PRINCIPALS[..4].iter().map(|(name, _)| *name).collect();
        let (who, other) = (pick(random, &names), pick(random, &names));
        let (session, key) = (pick(random, &SESSIONS), pick(random, &KEYS));
        match random.below(20) {
            0 | 1 => {
                let body = json!({"session_id": session, "config": {"history_versions": 3}});
                let told = Agent::new(self.server, who).told("POST", "/v1/sessions", &body);
                let is_there = self.sessions.contains_key(session);
                assert_eq!(told, if is_there { "409 session_exists" } else { "201 " });
                let known = self.sessions.entry(session).or_default();
                if !is_there {
                    known.owner = who.to_owned();
                }
            }
            2 | 3 => {
                let body = json!({"principal": other, "roles": [format!("subagent:{other}")]});
                let reply = self.call(who, session, "POST", "/participants", &body);
                self.own(who, session, &reply)
                    .map(|known| known.members.insert(other.to_owned()));
            }
            4 => {
                let reply = self.call(who, session, "DELETE", &format!("/participants/{other}"), &Value::Null);
                self.own(who, session, &reply).map(|known| known.members.remove(other));
            }
            5 if random.one_in(3) => {
                let reply = self.call(who, session, "DELETE", "", &Value::Null);
                if self.own(who, session, &reply).is_some() {
                    self.sessions.remove(session);
                }
            }
            5..=10 => {
                let much = "x".repeat(usize::try_from(random.below(5_000)).unwrap_or(0));
                self.write(who, session, key, format!("{MARK}:{session}:{key}:{number}:{much}"));
            }
            11 | 12 => {
                let reply = self.act(who, session, &json!({"action": "delete", "key": key}));
                if reply.status == 200 {
                    let known = self.sessions.get_mut(session).expect("a session");
                    let (version, _) = known.values.remove(key).expect("a key");
                    assert_eq!(reply.body["previous_version"], version);
                }
            }
            13..=17 => self.read(who, session, key),
            _ => {
                let action = match random.below(4) {
                    0 => json!({"action": "list_keys"}),
                    1 => json!({"action": "read_batch", "keys": KEYS}),
                    2 => json!({"action": "read_history", "key": key}),
                    _ => json!({"action": "list_snapshots"}),
                };
                self.look_around(who, session, &action);
            }
        }
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
        server: &server,
        sessions: BTreeMap::new(),
        last: BTreeMap::new(),
        read: 0,
        refused: 0,
    };
    for number in 0..CALLS {
        world.step(&mut random, number);
        if number % 300 == 299 {
            server.tick();
        }
    }
    assert!(
        world.read > 30 && world.refused > 30,
        "{} {}",
        world.read,
        world.refused
    );
}
