//! The two scenarios of the draft and the cycle of shared context, with real processes as agents that talk through the real
//! program, and what each measure saves.
//!
//! The table of `docs/task-context.md` is what the examples say today; `UPDATE_DOCS=1` rewrites it.

use std::path::Path;
use std::process::Command;
use std::process::Stdio;

/// Where the table stands in the page.
const BEGIN: &str = "<!-- tokens -->\n";
const END: &str = "<!-- end of tokens -->\n";

/// What an example printed, once it has ended well.
fn run(arguments: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("python3")
        .arg(root.join("examples/context/run.py"))
        .args(["--program", env!("CARGO_BIN_EXE_otherwise")])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("python3 runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{errors}");
    said
}

/// The lines that some role said, without its name.
fn said<'a>(output: &'a str, role: &str) -> Vec<&'a str> {
    let lines = output
        .lines()
        .filter(|line| line.split_whitespace().next() == Some(role));
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(_, said)| said.trim())
        .collect()
}

#[test]
fn a_tour_is_planned_by_independent_agents_c002_c006_c009_c015_c018_c019() {
    let output = run(&["tour_plan"]);
    let master = said(&output, "tour-master");
    assert_eq!(
        master.first(),
        Some(&"begins 'tour plan', asynchronous: flight+hotel+weather")
    );
    assert_eq!(master.last(), Some(&"closes the task: completed"));
    for (goal, plan) in [
        (
            "find a hotel",
            "Hotel Capo d'Africa, 300 m from the Colosseum, 164 EUR a night",
        ),
        ("book the flights", "from BER to FCO on 2026-05-08"),
        ("know the weather", "rain likeliest on May 8"),
    ] {
        assert!(
            master
                .iter()
                .any(|line| line.starts_with(&format!("goal '{goal}' is reached"))),
            "{output}"
        );
        assert!(
            master
                .iter()
                .any(|line| line.starts_with("plan: ") && line.contains(plan)),
            "{output}"
        );
    }
    // The flight agent gives back one item after the other, and the master finds the second unfinished at first.
    assert!(
        master.contains(&"finds flight item 2 unfinished: its state is 0"),
        "{output}"
    );
    assert_eq!(said(&output, "flight-agent").len(), 2);
}

#[test]
fn a_doctor_is_seen_by_agents_that_build_on_each_other_c002_c004_c007_c016_c017_c059() {
    let output = run(&["see_a_doctor"]);
    let steps: Vec<&str> = output
        .lines()
        .filter(|line| line.contains(" did item ") || line.contains(" is reached"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let master = "doctor-master";
    let order = [
        "diagnosis-agent",
        master,
        "prescription-agent",
        master,
        "pharmacy-agent",
        master,
    ];
    assert_eq!(steps, order, "strictly one after another");
    let plan: Vec<&str> = said(&output, master)
        .into_iter()
        .filter(|line| line.starts_with("plan: "))
        .collect();
    let [disease, prescribed, bought] = plan.as_slice() else {
        panic!("{output}")
    };
    assert!(disease.contains("The disease is influenza"), "{disease}");
    // The patient must not have penicillin or aspirin; what was prescribed is what was bought.
    assert!(
        prescribed.contains("oseltamivir") && prescribed.contains("75 mg twice a day"),
        "{prescribed}"
    );
    assert!(
        bought.contains("oseltamivir") && bought.contains("lowest price in stock"),
        "{bought}"
    );
    assert_eq!(said(&output, master).last(), Some(&"closes the task: completed"));
}

#[test]
fn an_incident_is_worked_on_by_an_orchestrator_and_two_subagents_s018_s107() {
    let output = run(&["incident"]);
    // What each does, without the versions and texts behind it.
    let did = |role: &str| -> Vec<String> {
        let words = said(&output, role).into_iter().map(|line| {
            let words: Vec<&str> = line.split([' ', ',']).take(2).collect();
            words.join(" ")
        });
        words.collect()
    };
    assert_eq!(
        did("incident-lead"),
        [
            "begins the",
            "writes current_phase",
            "writes problem_summary",
            "writes scope",
            "writes constraints",
            "lets analysis-subagent",
            "lists 6",
            "reads open_questions",
            "writes decisions_made",
            "deletes open_questions",
            "writes current_phase",
            "lets remediation-subagent",
            "reads deliverables_status",
            "archives the",
        ]
    );
    assert_eq!(
        did("analysis-subagent"),
        [
            "lists 4",
            "reads problem_summary",
            "reads scope",
            "reads constraints",
            "writes findings_summary",
            "writes open_questions",
        ]
    );
    let remediation = said(&output, "remediation-subagent");
    assert!(remediation[0].starts_with("lists 6 keys"), "{output}");
    assert!(
        remediation[1].starts_with("reads findings_summary, version 1 by subagent:analysis: The connection pool"),
        "{output}"
    );
    assert!(remediation[2].starts_with("reads decisions_made, version 1 by orchestrator: "));
    assert!(remediation[3].ends_with("version 1 as subagent:remediation"));
}

#[test]
fn each_measure_saves_tokens_and_the_page_says_how_many_c009_c031_c051_c052_c054_c058() {
    let table = run(&["--tokens"]);
    let totals: Vec<(String, u64)> = table
        .lines()
        .skip(2)
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let total = cells
                .last()
                .map(|cell| cell.replace(',', ""))
                .and_then(|cell| cell.parse().ok());
            (cells[0].to_owned(), total.expect("a number"))
        })
        .collect();
    assert_eq!(totals.len(), 8, "{table}");
    for scenario in totals.chunks(4) {
        assert!(
            scenario.windows(2).all(|pair| pair[1].1 < pair[0].1),
            "each measure saves something: {table}"
        );
        assert!(
            scenario[3].1 * 3 < scenario[0].1,
            "together they save two thirds at least: {table}"
        );
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/task-context.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the mark before the table");
    let (kept, after) = rest.split_once(END).expect("the mark after the table");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).expect("written");
        return;
    }
    assert_eq!(
        kept, table,
        "rewrite docs/task-context.md with UPDATE_DOCS=1 cargo test --test otherwise works::examples"
    );
}
