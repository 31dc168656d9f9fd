//! The ledger's counts against their definitions, and against a naive recount.

use super::*;

use proptest::prelude::Strategy;
use proptest::prelude::any;
use proptest::prop_assert_eq;
use proptest::proptest;

use schema::name::KeyName;
use schema::name::ScenarioKey;
use schema::time::DAY_MS;

fn patch(n: u64) -> PatchId {
    PatchId::numbered(&ScenarioKey::parse("s").expect("a scenario"), n)
}

fn client(name: &str) -> ClientId {
    ClientId::parse(name).expect("a client")
}

fn key(name: &str) -> KeyName {
    KeyName::parse(name).expect("a name")
}

fn saw(n: u64, type_ok: bool) -> Vec<Observed> {
    vec![Observed {
        patch_id: patch(n),
        key: key("seat"),
        type_ok,
    }]
}

fn day(n: i64) -> At {
    At(n * DAY_MS)
}

fn opened() -> Ledger {
    let mut ledger = Ledger::default();
    ledger.open(&patch(1), At(0));
    ledger
}

fn read(ledger: &Ledger) -> KeyReading {
    ledger.read(&patch(1), At(1), 30)
}

#[test]
fn undefined_ratios_are_none_and_never_zero_z160() {
    let reading = read(&opened());
    assert_eq!(reading, KeyReading::default());
    let ratios = [
        reading.usage_frequency,
        reading.usage_among_recipients,
        reading.semantic_alignment_accuracy,
        reading.value_type_correctness,
        reading.client_adoption_rate,
    ];
    assert_eq!(ratios, [None; 5]);
    assert_eq!(Ledger::default().totals(At(0), 30), (0, 0, None));
    assert_eq!(Ledger::default().read(&patch(9), At(0), 30), KeyReading::default());
}

#[test]
fn a_keys_window_starts_when_its_ledger_opens_even_within_a_day_z158() {
    let mut ledger = Ledger::default();
    for _ in 0..5 {
        ledger.submitted(At(10), Some(&client("a")), false, true, &[], &[]);
    }
    ledger.submitted(day(0), Some(&client("a")), false, true, &[], &[]);
    ledger.open(&patch(1), At(20));
    ledger.submitted(At(30), Some(&client("a")), false, true, &saw(1, true), &[]);
    ledger.submitted(At(40), Some(&client("a")), false, true, &[], &[patch(1)]);
    let reading = ledger.read(&patch(1), At(50), 30);
    assert_eq!((reading.payloads, reading.usage_frequency), (2, Some(0.5)));
    let later = ledger.read(&patch(1), day(30), 30);
    assert_eq!(
        later.payloads, 0,
        "the opening day has left the window, and so has what came before it"
    );
    ledger.judged(&patch(1), At(10), None, true, Basis::Proxy);
    // Judged late, said before the opening.
    assert_eq!(ledger.read(&patch(1), At(50), 30).judged, 0);
}

#[test]
fn a_revival_starts_anew_and_remembers_who_received_z158_z139() {
    let mut ledger = opened();
    ledger.submitted(At(1), Some(&client("a")), false, true, &saw(1, true), &[]);
    ledger.judged(&patch(1), At(1), None, true, Basis::Lexical);
    ledger.open(&patch(1), At(2));
    let reading = ledger.read(&patch(1), At(3), 30);
    assert_eq!((reading.payloads, reading.payloads_with_key, reading.judged), (0, 0, 0));
    assert_eq!((reading.received, reading.used), (1, 0));
    ledger.submitted(At(3), Some(&client("a")), false, true, &[], &[patch(1)]);
    assert_eq!(ledger.read(&patch(1), At(3), 30).payloads_of_recipients, 1);
}

#[test]
fn a_patch_named_twice_in_one_submission_counts_once_z135_z138() {
    let mut ledger = opened();
    let mut twice = saw(1, true);
    twice.extend(saw(1, false));
    ledger.submitted(At(1), Some(&client("a")), false, true, &twice, &[patch(1), patch(1)]);
    let reading = read(&ledger);
    assert_eq!(
        (
            reading.payloads_with_key,
            reading.payloads_of_recipients,
            reading.type_ok
        ),
        (1, 1, 0)
    );
}

#[test]
fn clients_beyond_the_cap_are_counted_and_not_named_z139() {
    let mut ledger = opened();
    for n in 0..CLIENTS_TRACKED_MAX {
        ledger.received(&client(&n.to_string()), &[patch(1)]);
    }
    ledger.submitted(At(1), Some(&client("late")), false, true, &saw(1, true), &[]);
    ledger.received(&client("0"), &[patch(1)]);
    let named = ledger.keys.get(&patch(1)).map(|ledger| ledger.received.len());
    assert_eq!(named, Some(CLIENTS_TRACKED_MAX));
    let reading = read(&ledger);
    assert_eq!(reading.received, CLIENTS_TRACKED_MAX as u64 + 1);
    assert_eq!((reading.used, reading.payloads_with_key), (0, 1));
    assert_eq!(reading.client_adoption_rate, Some(0.0));
}

#[test]
fn days_before_one_are_forgotten_and_that_one_kept_z133() {
    let mut ledger = opened();
    for n in 0..3 {
        ledger.submitted(day(n), Some(&client("a")), false, true, &saw(1, true), &[]);
    }
    ledger.forget_before(Day(1));
    let reading = ledger.read(&patch(1), day(2), 30);
    assert_eq!((reading.payloads, reading.payloads_with_key), (2, 2));
}

fn source(name: &str) -> Source {
    Source::of(Some(&client(name)))
}

#[test]
fn beside_the_ratios_stands_the_mean_over_clients_of_each_ones_own_z135_z136_z138() {
    let mut ledger = opened();
    // One client sends ten payloads with the key, all of them wrong; four send two each, one with the key, and right.
    for _ in 0..10 {
        ledger.submitted(At(1), Some(&client("loud")), false, true, &saw(1, false), &[]);
        ledger.judged(&patch(1), At(1), Some(&source("loud")), false, Basis::Lexical);
    }
    for name in ["a", "b", "c", "d"] {
        ledger.submitted(At(1), Some(&client(name)), false, true, &saw(1, true), &[]);
        ledger.submitted(At(1), Some(&client(name)), false, true, &[], &[patch(1)]);
        ledger.judged(&patch(1), At(1), Some(&source(name)), true, Basis::Lexical);
    }
    // The anonymous ones are one client, who received nothing.
    for _ in 0..5 {
        ledger.submitted(At(1), None, false, true, &[], &[]);
    }
    let reading = read(&ledger);
    assert_eq!((reading.payloads, reading.usage_frequency), (23, Some(14.0 / 23.0)));
    assert_eq!(reading.semantic_alignment_accuracy, Some(4.0 / 14.0));
    let mean = ClientMean {
        clients: 6,
        usage_frequency: Some(0.5),
        usage_among_recipients: Some(0.6),
        semantic_alignment_accuracy: Some(0.8),
        value_type_correctness: Some(0.8),
        semantic_alignment_but_lowest: Some(1.0),
        value_type_but_lowest: Some(1.0),
    };
    assert_eq!(reading.client_mean, mean);
    ledger.unjudged(&patch(1), At(1), Some(&source("a")), true, Basis::Lexical);
    ledger.judged(&patch(1), At(1), Some(&source("a")), false, Basis::Audit);
    assert_eq!(read(&ledger).client_mean.semantic_alignment_accuracy, Some(0.6));
}

#[test]
fn a_day_tells_so_many_clients_apart_and_counts_all_of_them_z135() {
    let mut ledger = opened();
    for n in 0..=CLIENTS_AVERAGED_MAX {
        ledger.submitted(At(1), Some(&client(&n.to_string())), false, true, &saw(1, true), &[]);
    }
    ledger.submitted(At(1), None, false, true, &[], &[]);
    ledger.submitted(At(1), Some(&client("0")), false, true, &[], &[]);
    let reading = read(&ledger);
    let told_apart = CLIENTS_AVERAGED_MAX as u64;
    assert_eq!(reading.payloads, told_apart + 3);
    assert_eq!(reading.payloads_with_key, told_apart + 1);
    assert_eq!(reading.client_mean.clients, told_apart + 1, "with the anonymous ones");
    let named = ledger.keys.get(&patch(1)).and_then(|ledger| ledger.days.get(&Day(0)));
    assert_eq!(named.map(|day| day.by_client.len()), Some(CLIENTS_AVERAGED_MAX));
}

#[test]
fn a_ledger_of_a_time_before_clients_were_told_apart_is_read_z160() {
    let mut ledger = opened();
    ledger.submitted(At(1), Some(&client("a")), false, true, &saw(1, true), &[]);
    let mut kept = serde_json::to_value(&ledger).expect("a ledger");
    let forget = |day: &mut serde_json::Value| {
        day.as_object_mut()
            .and_then(|day| day.remove("by_client"))
            .expect("it was kept");
    };
    forget(&mut kept["days"]["0"]);
    forget(&mut kept["keys"]["s.p1"]["days"]["0"]);
    let ledger: Ledger = serde_json::from_value(kept).expect("an older ledger");
    let reading = read(&ledger);
    assert_eq!(reading.usage_frequency, Some(1.0));
    assert_eq!(reading.client_mean, ClientMean::default());
}

/// One submission as the naive recount keeps it.
#[derive(Clone, Debug)]
struct Line {
    at: At,
    client: Option<u8>,
    accepted: bool,
    /// `Some(type_ok)` when the key is in the payload.
    seen: Option<bool>,
    active: bool,
    fetched: bool,
    judged: Option<bool>,
}

fn line() -> impl Strategy<Value = Line> {
    (
        (0_i64..6, 0_i64..DAY_MS),
        proptest::option::of(0_u8..5),
        any::<bool>(),
        proptest::option::of(any::<bool>()),
        any::<bool>(),
        any::<bool>(),
        proptest::option::of(any::<bool>()),
    )
        .prop_map(|((day, ms), client, accepted, seen, active, fetched, judged)| Line {
            at: At(day * DAY_MS + ms),
            client,
            accepted,
            seen,
            active,
            fetched,
            // Only a value that was sent is judged.
            judged: judged.filter(|_| seen.is_some()),
        })
}

/// Counts again from the list, by the definitions.
fn recount(lines: &[Line], opened: At, now: At, window_days: i64) -> KeyReading {
    let mut reading = KeyReading::default();
    let mut received: Vec<u8> = Vec::new();
    let mut used: Vec<u8> = Vec::new();
    let mut recipients_with_key = 0;
    // Sent, with the key, of the right type, aligned, judged, by client.
    let mut own: BTreeMap<Option<u8>, [u64; 5]> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.at >= opened) {
        let inside = line.at.day().0 > now.day().0 - window_days;
        if let Some(client) = line.client
            && (line.fetched || line.seen.is_some())
        {
            received.push(client);
        }
        let recipient = line.client.is_some_and(|client| received.contains(&client));
        if line.seen == Some(true) && line.accepted {
            used.extend(line.client);
        }
        if !inside {
            continue;
        }
        reading.payloads += 1;
        let own = own.entry(line.client).or_default();
        own[0] += 1;
        if let Some(type_ok) = line.seen {
            own[1] += 1;
            own[2] += u64::from(type_ok);
            if let Some(aligned) = line.judged {
                own[3] += u64::from(aligned);
                own[4] += 1;
            }
        }
        if recipient && (line.active || line.seen.is_some()) {
            reading.payloads_of_recipients += 1;
            recipients_with_key += u64::from(line.seen.is_some());
        }
        reading.payloads_with_key += u64::from(line.seen.is_some());
        reading.type_ok += u64::from(line.seen == Some(true));
        if let Some(aligned) = line.judged {
            reading.judged += 1;
            reading.aligned += u64::from(aligned);
            *reading.basis.entry(Basis::Proxy).or_default() += 1;
        }
    }
    for set in [&mut received, &mut used] {
        set.sort_unstable();
        set.dedup();
    }
    let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    reading.received = received.len() as u64;
    reading.used = used.len() as u64;
    reading.usage_frequency = ratio(reading.payloads_with_key, reading.payloads);
    reading.usage_among_recipients = ratio(recipients_with_key, reading.payloads_of_recipients);
    reading.semantic_alignment_accuracy = ratio(reading.aligned, reading.judged);
    reading.value_type_correctness = ratio(reading.type_ok, reading.payloads_with_key);
    reading.client_adoption_rate = ratio(reading.used, reading.received);
    let mean = |of: &dyn Fn(&[u64; 5]) -> (u64, u64)| share::mean(own.values().map(of));
    let recipients = own
        .iter()
        .filter(|(client, _)| client.is_some_and(|client| received.contains(&client)));
    reading.client_mean = ClientMean {
        clients: own.len() as u64,
        usage_frequency: mean(&|own| (own[1], own[0])),
        usage_among_recipients: share::mean(recipients.map(|(_, own)| (own[1], own[0]))),
        semantic_alignment_accuracy: mean(&|own| (own[3], own[4])),
        value_type_correctness: mean(&|own| (own[2], own[1])),
        semantic_alignment_but_lowest: share::mean_but_lowest(own.values().map(|own| (own[3], own[4]))),
        value_type_but_lowest: share::mean_but_lowest(own.values().map(|own| (own[2], own[1]))),
    };
    reading
}

proptest! {
    #[test]
    fn each_ratio_has_its_own_denominator_z104_z132_z133_z134_z135_z136_z137_z138_z139_z158_z161_z162_z163(
        mut lines in proptest::collection::vec(line(), 0..60),
        opened_before in 0_usize..60,
        window_days in 1_i64..8,
    ) {
        lines.sort_by_key(|line| line.at);
        let split = opened_before.min(lines.len());
        let opening = lines.get(split).map_or(At(6 * DAY_MS), |line| line.at);
        // Lines at the opening's very moment belong to the key; the split falls before the first of them.
        let split = lines.partition_point(|line| line.at < opening);
        let mut ledger = Ledger::default();
        for (n, line) in lines.iter().enumerate() {
            if n == split {
                ledger.open(&patch(1), opening);
            }
            let name = line.client.map(|n| client(&n.to_string()));
            if let (Some(name), true) = (&name, line.fetched) {
                ledger.received(name, &[patch(1)]);
            }
            let seen = line.seen.map_or(Vec::new(), |type_ok| saw(1, type_ok));
            let active = if line.active { vec![patch(1)] } else { Vec::new() };
            ledger.submitted(line.at, name.as_ref(), false, line.accepted, &seen, &active);
            if let Some(aligned) = line.judged {
                ledger.judged(&patch(1), line.at, Some(&Source::of(name.as_ref())), aligned, Basis::Proxy);
            }
        }
        if split >= lines.len() {
            ledger.open(&patch(1), opening);
        }
        let now = lines.last().map_or(opening, |line| line.at).max(opening);
        let read = ledger.read(&patch(1), now, window_days);
        prop_assert_eq!(read, recount(&lines, opening, now, window_days));
    }

    /// Whatever the order of the days, and whatever was read out of a snapshot of before the clients' last days were kept.
    #[test]
    fn a_client_counts_once_in_a_window_however_many_days_it_came_on(
        came in proptest::collection::vec((0_i64..6, 0_u8..4), 0..40),
        unkept_before in 0_usize..40,
        forgotten in 0_i64..3,
        end in 0_i64..7,
        window_days in 1_i64..7,
    ) {
        let mut ledger = Ledger::default();
        for (n, (on, name)) in came.iter().enumerate() {
            if n == unkept_before {
                ledger.days.values_mut().for_each(|totals| totals.clients_last = None);
            }
            ledger.submitted(day(*on), Some(&client(&name.to_string())), false, true, &[], &[]);
        }
        ledger.forget_before(Day(forgotten));
        let first = forgotten.max(end - window_days + 1);
        let within = came.iter().filter(|(on, _)| (first..=end).contains(on));
        let clients: BTreeSet<u8> = within.map(|(_, name)| *name).collect();
        prop_assert_eq!(ledger.totals(day(end), window_days).1, clients.len() as u64);
    }
}
