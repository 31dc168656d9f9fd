//! What a replay notes on its way, and the report that it makes of it at the end.
//!
//! Decides nothing and changes no state. Invariant: lines are those of the stream, 0-based, each once in a list.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::app::replay::Replay;
use crate::app::replay::report::Report;
use crate::app::replay::report::ReportedCluster;
use crate::app::replay::report::ReportedDecision;
use crate::app::replay::report::ReportedFragment;
use crate::app::replay::report::ReportedKey;
use crate::app::replay::report::Seconds;
use crate::app::replay::stream;
use crate::app::replay::stream::Refused;
use crate::app::replay::stream::told;
use engine::evolution::patch::Patch;
use engine::pool::assignment::Assignment;
use engine::pool::cohort::Cohorts;
use engine::pool::heat::MICRO;
use engine::pool::micro::ClusterId;
use engine::pool::micro::FragmentId;
use engine::pool::micro::MicroId;
use engine::pool::policy::PoolPolicy;
use engine::scenario::blocking_reason;
use engine::scenario::decision_log;
use engine::scenario::event::Entry;
use engine::scenario::state::State;
use schema::exchange::verdict::Verdict;
use schema::name::ClientId;
use schema::name::KeyName;

/// Notes of a replay.
#[derive(Debug, Default)]
pub struct Tally {
    /// Submission -> line.
    line_of: BTreeMap<u64, usize>,
    /// Who submitted each line.
    client_of: BTreeMap<usize, ClientId>,
    /// Line, what of it was read, and where that went.
    micro_of: Vec<(ReportedFragment, MicroId)>,
    credited: Vec<(usize, KeyName)>,
    heat_max: BTreeMap<ClusterId, i64>,
    decisions: Vec<ReportedDecision>,
    accepted: usize,
    refused: Refused,
}

impl Tally {
    /// A line was submitted.
    pub fn submitted(&mut self, seq: u64, line: usize, client: Option<&ClientId>, verdict: &Verdict) {
        self.line_of.insert(seq, line);
        if let Some(client) = client {
            self.client_of.insert(line, client.clone());
        }
        if verdict.accepted() {
            self.accepted += 1;
        } else {
            self.refused.note(line, || stream::why(verdict));
        }
    }

    /// The line of a submission.
    pub fn line(&self, submission: u64) -> Option<usize> {
        self.line_of.get(&submission).copied()
    }

    /// The submission of a line.
    pub fn submission(&self, line: usize) -> Option<u64> {
        let mut lines = self.line_of.iter();
        lines.find_map(|(submission, at)| (*at == line).then_some(*submission))
    }

    /// A line was not even taken.
    pub fn turned_away(&mut self, line: usize, why: String) {
        self.refused.note(line, || why);
    }

    /// The lines that were refused so far.
    pub fn refused(&self) -> &Refused {
        &self.refused
    }

    /// A submission was digested; `state` is the one afterwards.
    pub fn digested(
        &mut self,
        of: u64,
        placements: &[Assignment],
        fragments: &[String],
        state: &State,
        policy: &PoolPolicy,
    ) {
        let text = |id: &FragmentId| {
            let at = usize::try_from(id.ordinal).ok();
            at.and_then(|at| fragments.get(at)).cloned().unwrap_or_default()
        };
        let Some(line) = self.line_of.get(&of).copied() else {
            return;
        };
        for placement in placements {
            match placement {
                Assignment::Joined { micro, fragment, .. } => {
                    let said = ReportedFragment {
                        line,
                        text: text(fragment),
                        value: None,
                    };
                    self.micro_of.push((said, *micro));
                    if let Some(cluster) = state.pool.cluster_of(*micro) {
                        let gate = state.pool.gate(cluster, state.at, policy);
                        let highest = self.heat_max.entry(cluster).or_default();
                        *highest = (*highest).max(gate.heat_micro);
                    }
                }
                Assignment::Covered { fragment: _, key } => self.credited.push((line, key.clone())),
                Assignment::Dropped { .. } | Assignment::Failed { .. } => {}
            }
        }
    }

    /// Something happened that may be a decision; `state` is the one afterwards.
    pub fn decided(&mut self, entry: &Entry, state: &State) {
        if let Some(says) = decision_log::tell(&entry.event, state) {
            self.decisions.push(ReportedDecision {
                line: self.line_of.values().next_back().copied(),
                at: entry.at.rfc3339(),
                patch_id: entry.event.patch_id().cloned(),
                says,
                because: decision_log::tell_why(&entry.event, state),
            });
        }
    }

    /// The lines in a cluster as it is now.
    pub fn members(&self, state: &State, cluster: ClusterId) -> BTreeSet<usize> {
        let inside = |micro: MicroId| state.pool.cluster_of(micro) == Some(cluster);
        let joined = self.micro_of.iter().filter(|(_, micro)| inside(*micro));
        joined.map(|(said, _)| said.line).collect()
    }

    /// The report at the end.
    pub fn report(self, state: &State, replay: &Replay<'_>, seconds: Seconds) -> Report {
        let mut said_in: BTreeMap<ClusterId, BTreeSet<&ReportedFragment>> = BTreeMap::new();
        for (said, micro) in &self.micro_of {
            if let Some(cluster) = state.pool.cluster_of(*micro) {
                said_in.entry(cluster).or_default().insert(said);
            }
        }
        let said = |cluster: ClusterId| said_in.get(&cluster).into_iter().flatten().copied();
        let lines = |cluster: ClusterId| said(cluster).map(|said| said.line).collect::<BTreeSet<usize>>();
        let first_said = |text: &str| {
            let saying = self.micro_of.iter().filter(|(said, _)| said.text.contains(text));
            saying.map(|(said, _)| said.line).min()
        };
        let keys = state.patches.iter().map(|patch| {
            let members = self.asked(patch, &replay.policy.cohorts, lines(patch.cluster).into_iter());
            let fragments = said(patch.cluster).filter(|said| members.binary_search(&said.line).is_ok());
            let fragments = fragments.cloned().collect();
            ReportedKey::of(state, patch, members, fragments, &first_said)
        });
        let policy = replay.policy;
        let clusters = state.pool.clusters.iter().map(|(id, cluster)| {
            let gate = state.pool.gate(*id, state.at, &policy.pool);
            let waits_for = blocking_reason::of(state, cluster, &gate, state.at, policy);
            let heat = self.heat_max.get(id).copied().unwrap_or_default();
            #[expect(clippy::cast_precision_loss, reason = "shown to people")]
            let heat_max = (heat as f64 / MICRO as f64 * 1_000.0).round() / 1_000.0;
            ReportedCluster {
                id: id.0,
                members: lines(*id).into_iter().collect(),
                heat_max,
                waits_for,
            }
        });
        Report {
            scenario: replay.template.scenario.clone(),
            lines: told(replay.lines).count(),
            accepted: self.accepted,
            refused: self.refused.count,
            keys: keys.collect(),
            clusters: clusters.collect(),
            refusals: self.refused.told,
            decisions: self.decisions,
            seconds,
        }
    }

    /// The lines that ask for a patch's key: those of its cluster and those credited to the key; of one cohort or client
    /// alone where the key is.
    fn asked(&self, patch: &Patch, cohorts: &Cohorts, of_cluster: impl Iterator<Item = usize>) -> Vec<usize> {
        let name = patch.change.key_name();
        let credited = self.credited.iter().filter(|(_, key)| key == name);
        let all: BTreeSet<usize> = of_cluster.chain(credited.map(|(line, _)| *line)).collect();
        all.into_iter()
            .filter(|line| cohorts.reaches(&patch.audience, self.client_of.get(line)))
            .collect()
    }
}
