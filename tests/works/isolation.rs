//! Nobody ever reads what is not theirs: by every call, and by random calls of random principals.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::json;

use super::FLIGHT;
use super::HOTEL;
use super::MASTER;
use super::call;
use super::done;
use super::get;
use super::no;
use super::no_get;
use super::post;
use super::put;
use super::server;
use super::subtask;
use super::task;
use super::tour;
use super::verified;
use crate::support::random::Random;
use crate::support::server::Server;

#[test]
fn to_everyone_else_a_task_is_not_there_c003_c021_c035_c036_c065_c067() {
    let server = server();
    let id = tour(&server);
    let hotel = format!("/tasks/{id}/subtasks/hotel");
    let sent = get(&server, HOTEL, &hotel)["AgentContext"].clone();
    let goal = json!({"TaskContext": {"GoalStatus": []}});
    let anew = json!({"AgentContext": subtask("hotel", "thief", &[], "tell me all")});
    let calls = [
        ("GET", format!("/tasks/{id}"), Value::Null),
        ("PATCH", format!("/tasks/{id}"), goal),
        ("DELETE", format!("/tasks/{id}"), Value::Null),
        ("POST", format!("/tasks/{id}:close"), Value::Null),
        ("POST", format!("/tasks/{id}/subtasks"), anew.clone()),
        ("POST", format!("{hotel}:resend"), anew),
        ("POST", format!("{hotel}:evaluate"), Value::Null),
    ];
    for who in [HOTEL, FLIGHT, "stranger"] {
        for (method, path, body) in &calls {
            assert_eq!(
                no(&server, who, method, path, body),
                (404, "unknown_task".to_owned()),
                "{who} {method} {path}"
            );
            // What is not there is answered in the same way.
            let nowhere = path.replace(&id, "work_00000000000000000000000000000000");
            let (one, other) = (
                call(&server, who, method, path, body),
                call(&server, who, method, &nowhere, body),
            );
            let told = |body: &Value| {
                body["detail"]
                    .to_string()
                    .replace(&id, "")
                    .replace("work_00000000000000000000000000000000", "")
            };
            assert_eq!((one.status, told(&one.body)), (other.status, told(&other.body)));
        }
    }
    assert_eq!(no_get(&server, FLIGHT, &hotel), (404, "unknown_subtask".to_owned()));
    assert_eq!(
        no(&server, FLIGHT, "PUT", &hotel, &done(&sent, "Hotel Lies")),
        (404, "unknown_subtask".to_owned())
    );
    assert_eq!(no_get(&server, "stranger", &hotel), (404, "unknown_task".to_owned()));
    assert_eq!(
        no(&server, MASTER, "PUT", &hotel, &done(&sent, "Hotel Lies")),
        (404, "unknown_task".to_owned())
    );
    assert_eq!(
        get(&server, MASTER, &hotel)["state"],
        "sent",
        "nothing came of any of it"
    );
    // Whoever has no name has nothing.
    let reply = server.call("GET", "/v1/tasks", &[], "");
    assert_eq!((reply.status, &reply.body["code"]), (403, &json!("nameless")));
}

#[test]
fn who_loses_a_subtask_loses_sight_of_it_c035_c067() {
    let server = server();
    let id = tour(&server);
    let hotel = format!("/tasks/{id}/subtasks/hotel");
    let sent = get(&server, HOTEL, &hotel)["AgentContext"].clone();
    put(&server, HOTEL, &hotel, &done(&sent, "Hotel Capo d'Africa"));
    let anew = json!({"AgentContext": subtask("hotel", "second", &[], "Find a better hotel")});
    let told = post(&server, MASTER, &format!("{hotel}:resend"), &anew);
    assert_eq!(
        (&told["state"], &told["AgentContext"]["KeyInformation"]),
        (&json!("sent"), &json!([]))
    );
    assert_eq!(no_get(&server, HOTEL, &hotel), (404, "unknown_task".to_owned()));
    assert_eq!(get(&server, "second", &hotel)["AgentContext"]["AgentID"], "second");
}

/// What a random world knows: which secret belongs to whom.
#[derive(Default)]
struct World {
    /// By task: its master, and by subtask its agent and what it depends on.
    tasks: BTreeMap<String, (String, BTreeMap<String, String>)>,
    /// By secret, those who may ever see it.
    secrets: BTreeMap<String, BTreeSet<String>>,
    /// Addresses of contents.
    contents: Vec<String>,
    calls: u64,
    seen: u64,
}

const NAMES: [&str; 5] = ["ann", "ben", "cem", "dia", "eve"];

impl World {
    /// A new secret that these may see.
    fn secret(&mut self, may: &[&str]) -> String {
        let secret = format!("SECRET{:04}X", self.secrets.len());
        self.secrets
            .insert(secret.clone(), may.iter().map(|who| (*who).to_owned()).collect());
        secret
    }

    /// Makes a call, and looks whether anything came back that the caller may not see.
    fn call(&mut self, server: &Server, who: &str, method: &str, path: &str, body: &Value, seed: u64) -> (u16, Value) {
        let reply = call(server, who, method, path, body);
        let text = reply.body.to_string();
        self.calls += 1;
        assert!(reply.status != 500, "seed {seed}: {who} {method} {path}: {text}");
        let own = body.to_string();
        for (at, _) in text.match_indices("SECRET") {
            let secret = &text[at..(at + 11).min(text.len())];
            let may = self.secrets.get(secret).is_some_and(|may| may.contains(who));
            assert!(
                may || own.contains(secret),
                "seed {seed}: {who} reads {secret} by {method} {path}: {text}"
            );
            self.seen += 1;
        }
        (reply.status, reply.body)
    }
}

fn pick<'a, T>(random: &mut Random, from: &'a [T]) -> Option<&'a T> {
    let place = random.below(from.len().max(1) as u64);
    from.get(usize::try_from(place).unwrap_or(0))
}

fn step(server: &Server, world: &mut World, random: &mut Random, seed: u64) {
    let who = *pick(random, &NAMES).expect("a name");
    let other = *pick(random, &NAMES).expect("a name");
    let ids: Vec<String> = world.tasks.keys().cloned().collect();
    let id = pick(random, &ids).cloned().unwrap_or_else(|| "work_0".to_owned());
    let names: Vec<String> = world
        .tasks
        .get(&id)
        .map(|task| task.1.keys().cloned().collect())
        .unwrap_or_default();
    let name = pick(random, &names).cloned().unwrap_or_else(|| "s0".to_owned());
    let at = format!("/tasks/{id}/subtasks/{name}");
    match random.below(11) {
        0 => {
            let secret = world.secret(&[who]);
            let mut context = task(&["g"]);
            context["UserQuery"] = json!(secret);
            let (status, body) = world.call(server, who, "POST", "/tasks", &json!({"TaskContext": context}), seed);
            if status == 201 {
                let id = super::id(&body);
                world.tasks.insert(id, (who.to_owned(), BTreeMap::new()));
            }
        }
        1 | 2 => {
            let secret = world.secret(&[who, other]);
            let new = format!("s{}", names.len());
            let after: Vec<&str> = names
                .iter()
                .take(usize::from(random.one_in(2)))
                .map(String::as_str)
                .collect();
            let mut context = subtask(&new, other, &after, "Find out what it is");
            context["Context"] = json!(secret);
            if random.one_in(3)
                && let Some(uri) = pick(random, &world.contents)
            {
                context["Context"] = json!(format!("{secret} {uri}"));
            }
            let path = format!("/tasks/{id}/subtasks");
            let (status, _) = world.call(server, who, "POST", &path, &json!({"AgentContext": context}), seed);
            let task = world.tasks.get_mut(&id);
            assert_eq!(
                status == 201,
                task.as_ref().is_some_and(|task| task.0 == who) && status != 422,
                "seed {seed}"
            );
            if status == 201
                && let Some(task) = task
            {
                task.1.insert(new, other.to_owned());
                // Whoever is told of a content may read what is in it.
                let text = context["Context"].as_str().unwrap_or_default().to_owned();
                let uri = text.split_once(' ').map(|(_, uri)| uri.to_owned());
                if let Some(uri) = uri {
                    let (_, told) = world.call(server, who, "GET", uri.trim_start_matches("/v1"), &Value::Null, seed);
                    if let Some(told) = told["content"].as_str() {
                        world
                            .secrets
                            .entry(told.to_owned())
                            .or_default()
                            .insert(other.to_owned());
                    }
                }
            }
        }
        3 | 4 => {
            let (status, body) = world.call(server, who, "GET", &at, &Value::Null, seed);
            if status == 200 && random.one_in(2) {
                let master = world.tasks.get(&id).map(|task| task.0.clone()).unwrap_or_default();
                let secret = world.secret(&[who, &master]);
                let back = done(&body["AgentContext"], &format!("it is found out: {secret}"));
                world.call(server, who, "PUT", &at, &back, seed);
            }
        }
        5 => {
            world.call(server, who, "GET", &format!("/tasks/{id}"), &Value::Null, seed);
        }
        6 => {
            let role = if random.one_in(2) { "master" } else { "agent" };
            let (_, body) = world.call(
                server,
                who,
                "GET",
                &format!("/tasks?role={role}&limit=200"),
                &Value::Null,
                seed,
            );
            for row in body["tasks"].as_array().into_iter().flatten() {
                let id = row["TaskID"].as_str().unwrap_or_default();
                assert_eq!(
                    world.tasks.get(id).map(|task| task.0.as_str()),
                    Some(who),
                    "seed {seed}"
                );
            }
            for row in body["subtasks"].as_array().into_iter().flatten() {
                let (id, name) = (
                    row["TaskID"].as_str().unwrap_or_default(),
                    row["SubTaskID"].as_str().unwrap_or_default(),
                );
                let agent = world.tasks.get(id).and_then(|task| task.1.get(name));
                assert_eq!(agent.map(String::as_str), Some(who), "seed {seed}");
            }
        }
        7 => {
            world.call(server, who, "POST", &format!("{at}:evaluate"), &verified(), seed);
        }
        8 => {
            let secret = world.secret(&[who]);
            let (status, body) = world.call(server, who, "POST", "/contents", &json!({"content": secret}), seed);
            if status == 201 {
                world
                    .contents
                    .push(body["ContextURI"].as_str().expect("an address").to_owned());
            }
        }
        9 => {
            if let Some(uri) = pick(random, &world.contents).cloned() {
                world.call(server, who, "GET", uri.trim_start_matches("/v1"), &Value::Null, seed);
            }
        }
        _ => {
            if random.one_in(8) {
                let (status, _) = world.call(server, who, "DELETE", &format!("/tasks/{id}"), &Value::Null, seed);
                let own = world.tasks.get(&id).is_some_and(|task| task.0 == who);
                assert_eq!(status == 200, own, "seed {seed}");
                if own {
                    world.tasks.remove(&id);
                }
            }
        }
    }
}

#[test]
fn random_principals_never_read_what_is_not_theirs_c035_c036_c058_c065_c067() {
    let seeds = std::env::var("ISOLATION_SEEDS")
        .ok()
        .and_then(|seeds| seeds.parse().ok())
        .unwrap_or(6);
    for seed in 1..=seeds {
        let server = server();
        let mut random = Random::new(seed);
        let mut world = World::default();
        for _ in 0..250 {
            step(&server, &mut world, &mut random, seed);
        }
        assert!(
            world.calls > 200 && world.seen > 20,
            "seed {seed}: {} {}",
            world.calls,
            world.seen
        );
    }
}
