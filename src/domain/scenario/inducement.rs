//! What induction needs of a triggered cluster, gathered from state and texts, and the command it ends in.

use std::collections::BTreeMap;

use crate::domain::evolution::affinity::Choices;
use crate::domain::evolution::affinity::Relation;
use crate::domain::evolution::conflict::learned;
use crate::domain::evolution::induction;
use crate::domain::evolution::induction::Draft;
use crate::domain::evolution::induction::Inducement;
use crate::domain::evolution::induction::Member;
use crate::domain::evolution::induction::meanings::Meanings;
use crate::domain::evolution::question::Consulted;
use crate::domain::evolution::screen::Screen;
use crate::domain::evolution::screen::told::Multilingual;
use crate::domain::evolution::screen::told::Told;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::heads::Heads;
use crate::domain::pool::micro::FragmentId;
use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::reading;
use crate::domain::pool::state::ClusterId;
use crate::domain::pool::vector::Vector;
use crate::domain::scenario::command::Command;
use crate::domain::scenario::command::Induced;
use crate::domain::scenario::consultation::Consultation;
use crate::domain::scenario::decide::induce;
use crate::domain::scenario::decide::refine;
use crate::domain::scenario::digest;
use crate::domain::scenario::layer;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::State;
use crate::domain::template::closed_list;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::ClientId;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::OTHER;
use crate::domain::template::schema::SchemaTemplate;
use crate::domain::time::At;

/// Fragments of other clusters that are read beside: what this service's clients say anyway.
const BACKGROUND_MAX: usize = 200;

/// Which texts are needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub cluster: ClusterId,
    pub audience: Audience,
    pub members: Vec<FragmentId>,
    pub background: Vec<FragmentId>,
}

/// A fragment's text with what stands open beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub text: String,
    pub client: Option<ClientId>,
    pub at: At,
}

/// Everything that induction sees, owned, so that it can run elsewhere.
#[derive(Clone, Debug)]
pub struct Work {
    cluster: ClusterId,
    audience: Audience,
    members: Vec<Source>,
    background: Vec<Source>,
    /// What the publisher wrote.
    published: Vec<String>,
    /// Words of the service itself.
    words: Vec<String>,
    scenario: String,
    description: String,
    /// Keys in force for the audience.
    keys: Vec<EffectiveKey>,
    /// Keys that a candidate could collide with.
    incumbents: Vec<EffectiveKey>,
    /// What those of them that were learned and list nothing yet take one of.
    choices: Choices,
    centroid: Option<Vector>,
    example_clients_min: u64,
    /// Whether the cluster has its key already.
    has_key: bool,
}

/// Names the fragments to fetch for a cluster.
pub fn wanted(state: &State, cluster: ClusterId, audience: &Audience, policy: &Policy) -> Wanted {
    let max = policy.evolution.induction_fragments_max;
    let members = match audience {
        Audience::Global => state.pool.examples(cluster, max),
        Audience::Cohort(_) | Audience::Client(_) => {
            let mut own: Vec<FragmentId> = state
                .pool
                .micros_of(cluster)
                .flat_map(|micro| micro.arrivals.iter())
                .filter(|arrival| policy.cohorts.reaches(audience, arrival.client.as_ref()))
                .map(|arrival| arrival.fragment)
                .collect();
            own.sort();
            own.truncate(max);
            own
        }
    };
    let others = state.pool.clusters.keys().filter(|id| **id != cluster).count().max(1);
    let each = (BACKGROUND_MAX / others).max(1);
    let mut background = Vec::new();
    for id in state.pool.clusters.keys().filter(|id| **id != cluster) {
        background.extend(state.pool.examples(*id, each));
        if background.len() >= BACKGROUND_MAX {
            break;
        }
    }
    background.truncate(BACKGROUND_MAX);
    Wanted {
        cluster,
        audience: audience.clone(),
        members,
        background,
    }
}

/// Puts texts and state together, and reads nothing yet: the state may be held meanwhile. `source` gives a fragment's text; one that is not to be had is left out.
pub fn gather(
    state: &State,
    wanted: &Wanted,
    source: &dyn Fn(FragmentId) -> Option<Source>,
    policy: &Policy,
) -> Option<Work> {
    let base = state.base_in_force()?;
    let mut effective = layer::effective(state, base, policy.cohorts.addressed(&wanted.audience));
    let words = digest::service_words(&effective);
    // A cluster that has its key already is read as if it had none, so that it may be called and listed as that is.
    let owner = refine::owner(state, wanted.cluster, &wanted.audience);
    effective
        .keys
        .retain(|key| owner.as_ref() != Some(&key.definition.key_name));
    let members = wanted.members.iter().filter_map(|id| source(*id)).collect();
    let background = wanted.background.iter().filter_map(|id| source(*id)).collect();
    let incumbents = induce::incumbents(state, &wanted.audience, policy);
    Some(Work {
        cluster: wanted.cluster,
        audience: wanted.audience.clone(),
        members,
        background,
        published: published(&base.template),
        words,
        scenario: base.template.scenario.clone(),
        description: base.template.description.clone().unwrap_or_default(),
        keys: effective.keys,
        choices: learned::choices(&incumbents, state.patches.iter()),
        incumbents,
        centroid: state.pool.centroid(wanted.cluster),
        example_clients_min: policy.evolution.example_clients_min,
        has_key: owner.is_some(),
    })
}

/// A candidate by words alone, with the texts that must be embedded before it is settled and conflicts can be looked for.
#[derive(Clone, Debug)]
pub struct Candidate {
    work: Work,
    screen: Screen,
    draft: Draft,
    proposal: Proposal,
    relation: Relation,
    /// What the candidate would be called by itself, then `name: description` of each incumbent, then what
    /// [`Draft::texts`] asks for, then what the cluster's fragments say.
    pub texts: Vec<String>,
}

impl Work {
    /// Induces.
    ///
    /// # Errors
    /// The command that says why there is no candidate.
    pub fn induce(self) -> Result<Candidate, Box<Command>> {
        let members: Vec<Member> = self
            .members
            .iter()
            .filter_map(|said| member(said, &self.words))
            .collect();
        let background: Vec<String> = self.background.iter().map(|said| said.text.clone()).collect();
        let drafted = induction::draft(&Inducement {
            members: &members,
            background: &background,
            scenario: &self.scenario,
            description: &self.description,
            keys: &self.keys,
            personal: matches!(self.audience, Audience::Client(_)),
            example_clients_min: self.example_clients_min,
        });
        let outcome = drafted.and_then(|draft| {
            let proposal = draft.propose(&Meanings::default())?;
            Ok((draft, proposal))
        });
        match outcome {
            Ok((draft, proposal)) => {
                let relation = draft.relate(self.compared(), &self.choices);
                let mut texts = vec![relation.free.clone()];
                texts.extend(self.compared().map(meaning));
                texts.extend(draft.texts());
                texts.extend(self.members.iter().map(|said| said.text.clone()));
                Ok(Candidate {
                    screen: self.screen(),
                    work: self,
                    draft,
                    proposal,
                    relation,
                    texts,
                })
            }
            Err(abstention) => Err(Box::new(Command::Induce {
                cluster: self.cluster,
                audience: self.audience,
                outcome: Err(abstention),
            })),
        }
    }

    /// What may be shown of what was said, and what has to be looked at first.
    fn screen(&self) -> Screen {
        let texts = |said: &[Source]| {
            said.iter()
                .map(|said| (said.text.clone(), said.client.clone()))
                .collect()
        };
        let personal = matches!(self.audience, Audience::Client(_));
        Screen::of(
            texts(&self.members),
            texts(&self.background),
            &self.published,
            self.example_clients_min,
            personal,
        )
    }

    fn compared(&self) -> impl Iterator<Item = &KeyDefinition> {
        self.incumbents
            .iter()
            .map(|key| &key.definition)
            .filter(|key| key.key_name.as_str() != OTHER)
    }
}

impl Candidate {
    /// What the cluster's fragments say, in order.
    pub fn members(&self) -> Vec<String> {
        self.work.members.iter().map(|said| said.text.clone()).collect()
    }

    /// Settles the candidate with the vectors of [`Candidate::texts`], in order; without them it stays what words alone
    /// made of it, and conflicts are found by name alone. A model may still be asked. `heads` tell by those vectors what each fragment
    /// is besides, and `multilingual` says what another model tells of [`Candidate::members`]; without either the words alone do.
    ///
    /// # Errors
    /// The command that says why there is no candidate that may be shown.
    pub fn settle(
        mut self,
        vectors: Option<Vec<Vector>>,
        heads: Option<&Heads>,
        multilingual: Multilingual,
    ) -> Result<Consultation, Box<Command>> {
        let names: Vec<KeyName> = self.work.compared().map(|key| key.key_name.clone()).collect();
        let mut vectors = vectors.unwrap_or_default();
        self.texts
            .truncate(self.texts.len().saturating_sub(self.work.members.len()));
        let members = vectors.split_off(self.texts.len().min(vectors.len()));
        self.screen.told.extend(heads.map(|heads| Told::by(heads, &members)));
        match multilingual {
            Multilingual::Absent => {}
            Multilingual::Unread => self.screen.unread = true,
            Multilingual::Read(told) => self.screen.told.push(told),
        }
        let (asked, more) = self
            .texts
            .split_at_checked(1 + names.len())
            .unwrap_or((&self.texts, &[]));
        let of_draft = vectors.split_off(asked.len().min(vectors.len()));
        let mut vectors = vectors.into_iter();
        let meaning = vectors.next();
        let meanings: BTreeMap<KeyName, Vector> = names.into_iter().zip(vectors).collect();
        let mut known = Meanings::of(more, of_draft);
        // Vectors can change what the candidate is, never whether there is one.
        let proposal = self.draft.propose(&known).unwrap_or_else(|_| {
            known = Meanings::default();
            self.proposal.clone()
        });
        let proposal = match self.screen.pass(proposal, false) {
            Ok(proposal) => proposal,
            Err(abstention) => {
                return Err(Box::new(Command::Induce {
                    cluster: self.work.cluster,
                    audience: self.work.audience,
                    outcome: Err(abstention),
                }));
            }
        };
        Ok(Consultation {
            screen: self.screen,
            cluster: self.work.cluster,
            audience: self.work.audience,
            scenario: self.work.scenario,
            description: self.work.description,
            incumbents: self.work.incumbents,
            draft: self.draft,
            known,
            has_key: self.work.has_key,
            induced: Induced {
                proposal,
                relation: self.relation,
                meaning,
                centroid: self.work.centroid,
                meanings,
                consulted: Consulted::default(),
                backtest: None,
            },
        })
    }
}

/// The texts of a template that everybody reads anyway.
pub fn published(template: &SchemaTemplate) -> Vec<String> {
    let mut texts = vec![template.scenario.replace(['_', '-'], " ")];
    texts.extend(template.description.clone());
    for key in &template.keys {
        texts.push(key.key_name.as_str().replace('_', " "));
        texts.push(key.semantic_description.clone());
        texts.extend(key.semantic_descriptions.values().cloned());
        let values = closed_list::values(&key.constraints).unwrap_or_default();
        texts.extend(values.into_iter().map(str::to_owned));
    }
    texts
}

/// A fragment as induction reads it; `None` where it carries no demand.
fn member(said: &Source, words: &[String]) -> Option<Member> {
    Some(Member {
        text: said.text.clone(),
        client: said.client.clone(),
        reading: reading::read(&said.text, words).ok()?,
        at: said.at,
    })
}

fn meaning(key: &KeyDefinition) -> String {
    format!(
        "{}: {}",
        key.key_name.as_str().replace('_', " "),
        key.semantic_description
    )
}

#[cfg(test)]
mod tests;
