//! Nobody reads what is not theirs: random principals, random calls, and a model of who may see what.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::json;

use super::Talk;
use super::call;
use super::each;
use super::server;
use crate::support::random::Random;

const PEOPLE: [&str; 4] = ["ada", "ben", "hotel", "flights"];
const CALLS: u64 = 600;
const SEEDS: u64 = 3;

/// Who may see what in a conversation.
struct Known {
    id: String,
    owner: &'static str,
    declared: BTreeSet<&'static str>,
    /// Marks that were said in it.
    marks: BTreeSet<String>,
}

/// Every mark in a text: each conversation has marks that no other one has.
fn marks(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .filter(|word| word.starts_with("mark"))
        .map(str::to_owned)
        .collect()
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    let at = random.below(from.len() as u64);
    from[usize::try_from(at).expect("small")]
}

fn play(seed: u64) {
    let server = server();
    let mut random = Random::new(seed);
    let mut all: Vec<Known> = Vec::new();
    let mut read = 0;
    for step in 0..CALLS {
        let who = pick(&mut random, &PEOPLE);
        let mark = format!("mark{seed}x{step}");
        let at = match all.len() as u64 {
            0 => None,
            count => usize::try_from(random.below(count)).ok(),
        };
        let (Some(at), false) = (at, random.one_in(12)) else {
            let body = json!({"role": "user", "content": format!("first {mark}")});
            let begun = call(&server, who, "POST", "/v1/conversations", &body);
            assert_eq!(begun.status, 201, "{}", begun.body);
            all.push(Known {
                id: begun.body["context_id"].as_str().expect("an id").to_owned(),
                owner: who,
                declared: BTreeSet::new(),
                marks: [mark].into(),
            });
            continue;
        };
        let known = &mut all[at];
        let base = format!("/v1/conversations/{}", known.id);
        let mine = known.owner == who;
        let agent = pick(&mut random, &PEOPLE);
        let (reply, may, may_see): (_, bool, BTreeSet<String>) = match random.below(8) {
            0 | 1 => {
                let user = json!({"data": {"userProfile": {"location": mark}},
                    "metadata": {"type": "UserContext", "schemaVersion": "1.0"}});
                let body = json!({"role": "user", "parts": [{"text": format!("word {mark}")}, user]});
                let reply = call(&server, who, "POST", &format!("{base}/turns"), &body);
                if mine {
                    known.marks.insert(mark);
                }
                (reply, mine, BTreeSet::new())
            }
            2 => {
                let body = json!({"types": ["ConversationHistory", "UserContext"], "last_turns": 100});
                let reply = call(&server, who, "PUT", &format!("{base}/recipients/{agent}"), &body);
                if mine {
                    known.declared.insert(agent);
                }
                (reply, mine, BTreeSet::new())
            }
            3 => {
                let path = format!("{base}/recipients/{agent}");
                let reply = call(&server, who, "DELETE", &path, &Value::Null);
                let there = known.declared.contains(agent);
                if mine {
                    known.declared.remove(agent);
                }
                (reply, mine && there, BTreeSet::new())
            }
            4 => {
                let reply = call(&server, who, "GET", &base, &Value::Null);
                (reply, mine, known.marks.clone())
            }
            5 => {
                let reply = call(&server, who, "GET", &format!("{base}/context"), &Value::Null);
                (reply, known.declared.contains(who), known.marks.clone())
            }
            6 => {
                let body = json!({"agent": agent, "text": "go on"});
                let reply = call(&server, who, "POST", &format!("{base}:embed"), &body);
                (reply, mine && known.declared.contains(agent), known.marks.clone())
            }
            _ => {
                let reply = call(&server, who, "GET", "/v1/conversations?limit=1000", &Value::Null);
                let listed = each(&reply.body["conversations"], "context_id").into_iter();
                let listed: BTreeSet<&str> = listed.filter_map(Value::as_str).collect();
                let own = all.iter().filter(|known| known.owner == who);
                let expected: BTreeSet<&str> = own.map(|known| known.id.as_str()).collect();
                assert_eq!(listed, expected, "seed {seed}, step {step}: what {who} has");
                continue;
            }
        };
        let what = format!("seed {seed}, step {step}: {who}: {}", reply.body);
        assert_eq!(reply.status < 300, may, "{what}");
        if !may {
            assert_eq!(reply.status, 404, "{what}");
        }
        let seen = marks(&reply.body.to_string());
        assert!(seen.is_subset(&may_see), "{what} shows what is none of its business");
        read += usize::from(!seen.is_empty());
    }
    assert!(read > 15, "seed {seed}: something was read at all: {read}");
}

#[test]
fn nobody_ever_reads_what_is_not_theirs_p024_p035() {
    for seed in 1..=SEEDS {
        play(seed);
    }
}

#[test]
fn an_unknown_conversation_and_another_ones_look_alike_p024() {
    let server = server();
    let talk = Talk::begin(&server);
    let (at, id) = (&talk.at, talk.id());
    for (method, rest, body) in [
        ("GET", "", Value::Null),
        ("DELETE", "", Value::Null),
        ("POST", "/turns", json!({"role": "user", "content": "a"})),
        ("POST", ":embed", json!({"agent": "a", "text": "b"})),
        ("GET", "/context", Value::Null),
        ("PUT", "/recipients/a", json!({"types": []})),
        ("DELETE", "/recipients/a", Value::Null),
    ] {
        let nowhere = "ctx_00000000000000000000000000000000";
        let other = call(&server, "ben", method, &format!("{at}{rest}"), &body);
        let none = call(
            &server,
            "ben",
            method,
            &format!("/v1/conversations/{nowhere}{rest}"),
            &body,
        );
        let said = |reply: &crate::support::server::Reply| {
            let mut body = reply.body.clone();
            if let Some(members) = body.as_object_mut() {
                members.shift_remove("request_id");
                members.shift_remove("instance");
            }
            (reply.status, body.to_string().replace(id, nowhere))
        };
        assert_eq!(said(&other), said(&none), "{method} {rest}");
        assert_eq!(other.status, 404, "{method} {rest}");
    }
}
