//! Nobody ever reads what is not theirs, by every call and by random calls of random principals; nor gives back what is not its own.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::json;

use super::Agent;
use super::FLIGHT;
use super::HOTEL;
use super::MASTER;
use super::done;
use super::id;
use super::subtask;
use super::task;
use super::tour;
use super::word;
use crate::support::random::Random;
use crate::support::server::Server;

const NOWHERE: &str = "work_00000000000000000000000000000000";

#[test]
fn to_everyone_else_a_task_is_not_there_c003_c021_c035_c036_c065_c067() {
    let server = Server::with(&[]);
    let path = tour(&server);
    let id = path.trim_start_matches("/tasks/");
    let hotel = format!("{path}/subtasks/hotel");
    let lies = done(&Agent::new(&server, HOTEL).get(&hotel)["AgentContext"], "Hotel Lies");
    let anew = json!({"AgentContext": subtask("hotel", "thief", &[])});
    let calls = [
        (format!("GET {path}"), &Value::Null),
        (format!("PATCH {path}"), &json!({"TaskContext": {"GoalStatus": []}})),
        (format!("DELETE {path}"), &Value::Null),
        (format!("POST {path}:close"), &Value::Null),
        (format!("POST {path}/subtasks"), &anew),
        (format!("POST {hotel}:resend"), &anew),
        (format!("POST {hotel}:evaluate"), &Value::Null),
    ];
    for who in [HOTEL, FLIGHT, "stranger"] {
        let agent = Agent::new(&server, who);
        for (request, body) in &calls {
            // What is not there is answered in the same way.
            let told = [request.clone(), request.replace(id, NOWHERE)].map(|request| {
                let reply = agent.call(&request, body);
                let detail = reply.body["detail"].to_string().replace(id, "").replace(NOWHERE, "");
                (reply.status, reply.body["code"].clone(), detail)
            });
            assert_eq!(
                (told[0].0, &told[0].1),
                (404, &json!("unknown_task")),
                "{who} {request}"
            );
            assert_eq!(told[0], told[1], "{who} {request}");
        }
    }
    for (who, code) in [
        (FLIGHT, "404 unknown_subtask"),
        ("stranger", "404 unknown_task"),
        (MASTER, "404 unknown_task"),
    ] {
        let agent = Agent::new(&server, who);
        assert_eq!(agent.no(&format!("PUT {hotel}"), &lies), code, "{who}");
        if who != MASTER {
            assert_eq!(agent.no(&format!("GET {hotel}"), &Value::Null), code, "{who}");
        }
    }
    let master = Agent::new(&server, MASTER);
    assert_eq!(master.get(&hotel)["state"], "sent", "nothing came of any of it");
    // Who loses a subtask loses sight of it.
    let again = json!({"AgentContext": subtask("hotel", "second", &[])});
    master.post(&format!("{hotel}:resend"), &again);
    assert_eq!(
        Agent::new(&server, HOTEL).no(&format!("GET {hotel}"), &Value::Null),
        "404 unknown_task"
    );
    assert_eq!(
        Agent::new(&server, "second").get(&hotel)["AgentContext"]["AgentID"],
        "second"
    );
    let nameless = server.call("GET", "/v1/tasks", &[], "");
    assert_eq!((nameless.status, &nameless.body["code"]), (403, &json!("nameless")));
}

#[test]
fn an_agent_gives_back_its_own_context_and_nothing_else_c035_c036_c049_c053() {
    let server = Server::with(&[]);
    let hotel = Agent::new(&server, HOTEL);
    let path = format!("{}/subtasks/hotel", tour(&server));
    let sent = hotel.get(&path);
    let members: Vec<&String> = sent.as_object().expect("a subtask").keys().collect();
    assert_eq!(members, ["AgentContext", "state"], "nothing of the task is told");
    let good = done(&sent["AgentContext"], "Hotel Capo d'Africa");
    for (place, value) in [
        ("/AgentContext/AgentID", json!(FLIGHT)),
        (
            "/AgentContext/todoItems",
            json!([{"itemId": "1", "description": "do nothing"}]),
        ),
        ("/AgentContext/KeyInformation/0/itemId", json!("9")),
        ("/AgentContext/ItemstateUpdates/0/state", json!(2)),
    ] {
        let mut odd = good.clone();
        *odd.pointer_mut(place).expect("a member") = value;
        let told = &hotel.violations(&format!("PUT {path}"), &odd)[0];
        assert!(place.starts_with(told.as_str()), "{place}: {told}");
    }
}

#[test]
fn contexts_and_order_are_refused_with_their_place_c021_c030_c042_c058_c067() {
    let server = Server::with(&[]);
    let master = Agent::new(&server, MASTER);
    let foreign = format!("see /v1/contents/{}", "0f".repeat(32));
    let with = |member: &str, value: Value| {
        let mut context = subtask("a", "x", &[]);
        context[member] = value;
        context
    };
    for (contexts, place) in [
        (
            json!([subtask("a", "x", &["b"]), subtask("b", "y", &["a"])]),
            "0/Dependencies",
        ),
        (json!([subtask("a", "x", &["z"])]), "0/Dependencies/0"),
        (
            json!([subtask("b", "x", &[]), with("Dependencies", json!("none"))]),
            "1/Dependencies",
        ),
        (json!([with("Context", json!(foreign))]), "0/Context"),
        (
            json!([with("todoItems", json!([{"itemId": "1", "description": foreign}]))]),
            "0/todoItems/0/description",
        ),
        (
            json!([with(
                "KeyInformation",
                json!([{"itemId": "1", "outputabstract": foreign}])
            )]),
            "0/KeyInformation/0/outputabstract",
        ),
    ] {
        let body = json!({"TaskContext": task(&["g"]), "AgentContexts": contexts});
        assert_eq!(
            master.violations("POST /tasks", &body),
            [format!("/AgentContexts/{place}")]
        );
    }
    let mut lacks = task(&["g"]);
    lacks["Optional"] = json!(["EndTime"]);
    assert_eq!(
        master.violations("POST /tasks", &json!({"TaskContext": lacks})),
        ["/TaskContext/StartTime"]
    );
    for (body, says) in [
        (json!([]), "JSON object"),
        (json!({}), "missing field `TaskContext`"),
        (
            json!({"TaskContext": task(&[]), "mode": "fast"}),
            "mode (synchronous or asynchronous)",
        ),
        (
            json!({"TaskContext": task(&[]), "release": "structural"}),
            "unknown field `release`",
        ),
        (
            json!({"TaskContext": task(&[]), "AgentContexts": {}}),
            "AgentContexts (an array)",
        ),
        (
            json!({"TaskContext": task(&[]), "agents": []}),
            "unknown field `agents`",
        ),
    ] {
        let reply = master.call("POST /tasks", &body);
        let detail = reply.body["detail"].as_str().unwrap_or_default().to_owned();
        assert_eq!((reply.status, detail.contains(says)), (400, true), "{body}: {detail}");
        assert!(!detail.contains("fast") && !detail.contains("at once"), "{detail}");
    }
    assert_eq!(master.get("/tasks")["tasks"], json!([]), "nothing was begun");
}

/// What a random world knows: which secret belongs to whom.
struct World<'a> {
    server: &'a Server,
    seed: u64,
    random: Random,
    /// By task: its master, and by subtask its agent.
    tasks: BTreeMap<String, (String, BTreeMap<String, String>)>,
    /// By secret, those who may ever see it.
    secrets: BTreeMap<String, BTreeSet<String>>,
    /// Addresses of contents.
    contents: Vec<String>,
    seen: u64,
}

const NAMES: [&str; 5] = ["ann", "ben", "cem", "dia", "eve"];

impl World<'_> {
    /// A new secret that these may see.
    fn secret(&mut self, may: &[&str]) -> String {
        let secret = format!("SECRET{:04}X", self.secrets.len());
        let may = may.iter().map(|who| (*who).to_owned()).collect();
        self.secrets.insert(secret.clone(), may);
        secret
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let place = self.random.below(from.len().max(1) as u64);
        from.get(usize::try_from(place).unwrap_or(0)).cloned()
    }

    /// Makes a call, and looks whether anything came back that the caller may not see.
    fn call(&mut self, who: &str, request: &str, body: &Value) -> (u16, Value) {
        let reply = Agent::new(self.server, who).call(request, body);
        let (text, own) = (reply.body.to_string(), body.to_string());
        assert!(reply.status != 500, "seed {}: {who} {request}: {text}", self.seed);
        for (at, _) in text.match_indices("SECRET") {
            let secret = &text[at..(at + 11).min(text.len())];
            let may = self.secrets.get(secret).is_some_and(|may| may.contains(who));
            let seed = self.seed;
            assert!(
                may || own.contains(secret),
                "seed {seed}: {who} reads {secret} by {request}: {text}"
            );
            self.seen += 1;
        }
        (reply.status, reply.body)
    }

    fn step(&mut self) {
        let who = self.pick(&NAMES).expect("a name");
        let other = self.pick(&NAMES).expect("a name");
        let ids: Vec<String> = self.tasks.keys().cloned().collect();
        let id = self.pick(&ids).unwrap_or_else(|| NOWHERE.to_owned());
        let (master, subtasks) = self.tasks.get(&id).cloned().unwrap_or_default();
        let names: Vec<String> = subtasks.into_keys().collect();
        let name = self.pick(&names).unwrap_or_else(|| "s0".to_owned());
        let at = format!("/tasks/{id}/subtasks/{name}");
        match self.random.below(10) {
            0 => self.begin(who),
            1 | 2 => self.send(who, other, &id, &names),
            3 | 4 => {
                let (status, body) = self.call(who, &format!("GET {at}"), &Value::Null);
                if status == 200 && self.random.one_in(2) {
                    let secret = self.secret(&[who, &master]);
                    let back = done(&body["AgentContext"], &format!("it is found out: {secret}"));
                    self.call(who, &format!("PUT {at}"), &back);
                }
            }
            5 => {
                self.call(who, &format!("GET /tasks/{id}"), &Value::Null);
                let role = if self.random.one_in(2) { "master" } else { "agent" };
                let (_, body) = self.call(who, &format!("GET /tasks?role={role}&limit=200"), &Value::Null);
                for row in body["tasks"]
                    .as_array()
                    .into_iter()
                    .chain(body["subtasks"].as_array())
                    .flatten()
                {
                    let (master, agents) = &self.tasks[row["TaskID"].as_str().expect("an id")];
                    let agent = row["SubTaskID"].as_str().map(|name| &agents[name]);
                    assert_eq!(agent.unwrap_or(master), who, "seed {}: {row}", self.seed);
                }
            }
            6 => {
                self.call(who, &format!("POST {at}:evaluate"), &word(true));
            }
            7 => {
                let secret = self.secret(&[who]);
                let (_, body) = self.call(who, "POST /contents", &json!({"content": secret}));
                self.contents.extend(body["ContextURI"].as_str().map(str::to_owned));
            }
            8 => {
                if let Some(uri) = self.pick(&self.contents.clone()) {
                    self.call(who, &format!("GET {}", uri.trim_start_matches("/v1")), &Value::Null);
                }
            }
            _ if self.random.one_in(8) => {
                let (status, _) = self.call(who, &format!("DELETE /tasks/{id}"), &Value::Null);
                assert_eq!(status == 200, master == who, "seed {}", self.seed);
                if status == 200 {
                    self.tasks.remove(&id);
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, who: &str) {
        let mut context = task(&["g"]);
        context["UserQuery"] = json!(self.secret(&[who]));
        let (_, body) = self.call(who, "POST /tasks", &json!({"TaskContext": context}));
        self.tasks.insert(id(&body), (who.to_owned(), BTreeMap::new()));
    }

    fn send(&mut self, who: &str, agent: &str, id: &str, names: &[String]) {
        let after: Vec<&str> = names
            .iter()
            .take(usize::from(self.random.one_in(2)))
            .map(String::as_str)
            .collect();
        let new = format!("s{}", names.len());
        let mut context = subtask(&new, agent, &after);
        let secret = self.secret(&[who, agent]);
        let uri = self.pick(&self.contents.clone()).filter(|_| self.random.one_in(3));
        context["Context"] = json!(format!("{secret} {}", uri.as_deref().unwrap_or_default()));
        let request = format!("POST /tasks/{id}/subtasks");
        let (status, _) = self.call(who, &request, &json!({"AgentContext": context}));
        let own = self.tasks.get_mut(id).filter(|task| task.0 == who);
        assert_eq!(status == 201, own.is_some() && status != 422, "seed {}", self.seed);
        if let (201, Some(task)) = (status, own) {
            task.1.insert(new, agent.to_owned());
            // Whoever is told of a content may read what is in it.
            if let Some(uri) = uri {
                let (_, told) = self.call(who, &format!("GET {}", uri.trim_start_matches("/v1")), &Value::Null);
                let secret = told["content"].as_str().expect("a text").to_owned();
                self.secrets.entry(secret).or_default().insert(agent.to_owned());
            }
        }
    }
}

#[test]
fn random_principals_never_read_what_is_not_theirs_c035_c036_c058_c065_c067() {
    for seed in 1..=6 {
        let server = Server::with(&[]);
        let mut world = World {
            server: &server,
            seed,
            random: Random::new(seed),
            tasks: BTreeMap::new(),
            secrets: BTreeMap::new(),
            contents: Vec::new(),
            seen: 0,
        };
        (0..250).for_each(|_| world.step());
        assert!(world.seen > 20, "seed {seed}: {}", world.seen);
    }
}
