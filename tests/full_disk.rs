//! A store that fails a running service, full or unreadable: what is said to the caller, to whoever routes calls and to
//! whoever watches.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use serde_json::json;
use store::journal::Answer;
use store::journal::Appended;
use store::journal::Draft;
use store::journal::Erased;
use store::journal::Erasure;
use store::journal::Head;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::JournalName;
use store::journal::KeyIndex;
use store::journal::Kind;
use store::journal::RawRecord;
use store::journal::Record;
use store::journal::Snapshot;
use store::journal::Tail;
use store::journal_store::JournalStore;
use store::options::StoreOptions;

use crate::support::appends;
use crate::support::journals::journals;
use crate::support::patience::eventually;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::over;

const SECRET: &str = "/var/lib/otherwise/sled: no space left";

/// Journals whose disk is full for a while, or which fail for good.
struct Disk {
    journals: JournalStore,
    full: AtomicBool,
    failed: AtomicBool,
    /// Whoever appends a decision to a scenario's journal panics.
    cursed: AtomicBool,
    /// The next reading waits for this.
    gate: Mutex<Option<mpsc::Receiver<()>>>,
}

impl Default for Disk {
    fn default() -> Disk {
        Disk {
            journals: journals(),
            full: AtomicBool::default(),
            failed: AtomicBool::default(),
            cursed: AtomicBool::default(),
            gate: Mutex::default(),
        }
    }
}

impl Disk {
    fn fault(&self) -> Option<JournalFault> {
        if self.failed.load(Ordering::SeqCst) {
            return Some(JournalFault::Store(SECRET.to_owned()));
        }
        self.full
            .load(Ordering::SeqCst)
            .then(|| JournalFault::DiskFull(SECRET.to_owned()))
    }
}

impl Journal for Disk {
    fn append(&self, journal: &JournalName, drafts: Vec<Draft>, decided: Option<u64>) -> Answer<Appended> {
        let decides = drafts.iter().any(|draft| draft.kind == Kind::Decision);
        let curse = decides && journal.0.starts_with("scenario/") && self.cursed.load(Ordering::SeqCst);
        assert!(!curse, "a fault of the program");
        match self.fault() {
            Some(fault) => Err(fault),
            None => self.journals.append(journal, drafts, decided),
        }
    }

    fn erase(&self, journal: &JournalName, erasure: Erasure) -> Answer<Erased> {
        self.journals.erase(journal, erasure)
    }

    fn purge(&self) -> Answer<Erased> {
        self.journals.purge()
    }

    fn head(&self, journal: &JournalName) -> Result<Head, JournalFault> {
        self.journals.head(journal)
    }

    fn read(&self, journal: &JournalName, from: u64, max: usize) -> Result<Vec<Record>, JournalFault> {
        let gate = self.gate.lock().expect("the gate").take();
        if let Some(gate) = gate {
            gate.recv().expect("it is opened");
        }
        self.journals.read(journal, from, max)
    }

    fn raw_records(&self, journal: &JournalName, from: u64, bytes_max: usize) -> Result<Vec<RawRecord>, JournalFault> {
        self.journals.raw_records(journal, from, bytes_max)
    }

    fn heads(&self) -> Result<Vec<(JournalName, Head)>, JournalFault> {
        self.journals.heads()
    }

    fn follow(&self, journal: &JournalName, capacity: usize) -> Tail {
        self.journals.follow(journal, capacity)
    }

    fn keep_snapshot(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<(), JournalFault> {
        self.journals.keep_snapshot(journal, snapshot)
    }

    fn snapshot(&self, journal: &JournalName) -> Result<Option<Snapshot>, JournalFault> {
        self.journals.snapshot(journal)
    }

    fn key_index(&self) -> &dyn KeyIndex {
        self.journals.key_index()
    }

    fn broken(&self) -> Option<JournalFault> {
        self.fault()
    }

    fn free_bytes(&self) -> Option<u64> {
        None
    }

    fn close(&self) {
        self.journals.close();
    }
}

/// A service over these journals, with one scenario.
fn server(journal: &Arc<impl Journal + 'static>) -> Server {
    let template = |id: &str, scenario: &str| {
        json!({"schema_id": id, "scenario": scenario, "keys": [
            {"key_name": "origin", "key_type": "string", "required": true, "semantic_description": "Where from."}]})
    };
    let (train, ferry) = (template("train_v1", "train_booking"), template("ferry_v1", "ferry"));
    Server::start(
        &[("train_v1.json", train), ("ferry_v1.json", ferry)],
        |_| {},
        over(journal),
    )
}

/// A submission: how it was answered.
fn submit(server: &Server) -> Reply {
    let body = json!({"schema_id": "train_v1", "payload": {"origin": "Bern"}}).to_string();
    server.call("POST", "/v1/submissions", &[], &body)
}

/// Holds that these lines are on the metrics page.
fn measured(server: &Server, lines: &[&str]) {
    let page = server.page("/metrics");
    for line in lines {
        assert!(page.lines().any(|said| said == *line), "{line}\n{page}");
    }
}

#[test]
fn a_service_whose_disk_is_full_reads_on_and_writes_again_when_there_is_room_z167() {
    let disk = Arc::new(Disk::default());
    let server = server(&disk);
    let ready = |writes: &str| {
        let ready = server.call("GET", "/readyz", &[], "");
        let expected = json!({"status": "ready", "writes": writes});
        assert_eq!((ready.status, ready.body), (200, expected));
    };
    ready("open");
    assert_eq!(submit(&server).status, 200);

    disk.full.store(true, Ordering::SeqCst);
    let refused = submit(&server);
    assert_eq!((refused.status, &refused.body["code"]), (507, &json!("disk_full")));
    let detail = refused.body["detail"].as_str().unwrap_or_default();
    assert!(detail.contains("store.free_bytes_min"), "{detail}");
    assert!(refused.headers.contains_key("Retry-After"), "it passes");
    assert!(
        !refused.body.to_string().contains(SECRET),
        "where the data lies is for the log"
    );
    ready("disk_full");
    measured(
        &server,
        &[
            "otherwise_ready 1",
            "otherwise_store_writable 0",
            r#"otherwise_submissions_total{outcome="failed",scenario="train_booking"} 1"#,
        ],
    );
    for read in [
        "/healthz",
        "/v1/scenarios/train_booking/template",
        "/v1/scenarios/train_booking/ledger",
    ] {
        assert_eq!(
            server.call("GET", read, &[], "").status,
            200,
            "what only reads is answered: {read}"
        );
    }
    server.settle();

    disk.full.store(false, Ordering::SeqCst);
    assert_eq!(submit(&server).status, 200);
    ready("open");
    server.settle();
    let ledger = server.call("GET", "/v1/scenarios/train_booking/ledger", &[], "");
    assert_eq!(
        ledger.body["payloads"], 2,
        "what was refused was not recorded, what was accepted was"
    );

    disk.failed.store(true, Ordering::SeqCst);
    let ready = server.call("GET", "/readyz", &[], "");
    assert_eq!(
        (ready.status, &ready.body["code"]),
        (503, &json!("not_ready")),
        "it failed for good"
    );
    let detail = ready.body["detail"].as_str().expect("a detail");
    assert!(
        detail.contains("start the service again") && !detail.contains(SECRET),
        "{detail}"
    );
    measured(&server, &["otherwise_ready 0"]);
}

#[test]
fn a_scenario_whose_journal_cannot_be_read_back_is_shown_as_stalled() {
    let disk = Arc::new(Disk::default());
    let server = server(&disk);
    measured(&server, &[r#"otherwise_scenario_stalled{scenario="train_booking"} 0"#]);
    let journal = appends::name("scenario/default/train_booking");
    appends::append(disk.as_ref(), &journal, vec![appends::fact(1, "no event")], None).expect("appended");
    server.settle();
    // Submissions are still recorded and answered.
    measured(
        &server,
        &[
            r#"otherwise_scenario_stalled{scenario="train_booking"} 1"#,
            "otherwise_ready 1",
        ],
    );
}

#[test]
fn a_worker_that_panics_is_a_fault_that_everyone_can_see_z127_z167() {
    let disk = Arc::new(Disk::default());
    let server = server(&disk);
    disk.cursed.store(true, Ordering::SeqCst);
    for (method, path) in [
        ("POST", "/v1/scenarios/train_booking:freeze"),
        ("POST", "/v1/scenarios/train_booking:freeze"),
        ("DELETE", "/v1/schemas/train_v1"),
    ] {
        let reply = server.call(method, path, &[], if method == "POST" { "{}" } else { "" });
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (500, &json!("fault")),
            "{path} {}",
            reply.body
        );
        disk.cursed.store(false, Ordering::SeqCst);
    }
    assert_eq!(submit(&server).status, 200, "on record");
    // The worker's end is noticed a moment after whoever waited for it was answered.
    let degraded = json!({"status": "degraded", "writes": "open", "stalled_scenarios": 1});
    eventually("the stalled scenario is told", || {
        let ready = server.call("GET", "/readyz", &[], "");
        (ready.status, ready.body) == (200, degraded.clone())
    });
    measured(
        &server,
        &[
            r#"otherwise_scenario_stalled{scenario="train_booking"} 1"#,
            r#"otherwise_scenario_stalled{scenario="ferry"} 0"#,
        ],
    );
    let other = server.call("POST", "/v1/scenarios/ferry:freeze", &[], "{}");
    assert_eq!(other.status, 200, "the others go on");
}

#[test]
fn a_service_whose_disk_hangs_says_so_everywhere_ends_in_time_and_is_healed_by_a_start_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&disk);
    let mut options = StoreOptions {
        // A sync hangs for as long as the switch says so.
        before_sync: Some(Arc::new(move || {
            while asked.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(())
        })),
        ..StoreOptions::default()
    };
    options.settings.stall_ms = 300;
    let journal = Arc::new(JournalStore::open(folder.path(), options).expect("a store"));
    let server = server(&journal);
    assert_eq!(submit(&server).status, 200);
    server.settle();
    disk.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        let told = submit(&server);
        assert_eq!((told.status, &told.body["code"]), (503, &json!("store_stalled")));
        assert!(told.headers.contains_key("Retry-After"));
    }
    let ready = server.call("GET", "/readyz", &[], "");
    assert_eq!((ready.status, &ready.body["code"]), (503, &json!("store_stalled")));
    measured(&server, &["otherwise_ready 0", "otherwise_store_writable 0"]);
    let standing = server.call("GET", "/v1/service", &[], "");
    assert_eq!(standing.body["writes"], "stalled", "{}", standing.body);
    let read = server.call("GET", "/v1/scenarios/train_booking/template", &[], "");
    assert_eq!(read.status, 200, "reads go on");
    let began = Instant::now();
    drop((server, journal));
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    disk.store(false, Ordering::SeqCst);
}

#[test]
fn an_earlier_template_is_served_while_a_schema_is_checked_z105() {
    let disk = Arc::new(Disk::default());
    let server = server(&disk);
    assert_eq!(submit(&server).status, 200);
    server.settle();
    let next =
        json!({"schema_id": "train_v2", "scenario": "train_booking", "version": "2.0.0", "keys": []}).to_string();
    let (open, gate) = mpsc::channel();
    *disk.gate.lock().expect("the gate") = Some(gate);
    std::thread::scope(|scope| {
        let check = scope.spawn(|| server.call("POST", "/v1/schemas:check", &[], &next).status);
        eventually("the check reads", || disk.gate.lock().expect("the gate").is_none());
        let earlier = server.call("GET", "/v1/scenarios/train_booking/template?as_of=1", &[], "");
        open.send(()).expect("it waits");
        assert_eq!((earlier.status, check.join().expect("answered")), (200, 200));
    });
}
