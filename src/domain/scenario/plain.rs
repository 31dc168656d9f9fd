//! Induction of a triggered cluster by what clients said alone: gathered from state and texts, ended in a command.

use crate::domain::evolution::affinity::Relation;
use crate::domain::evolution::plain;
use crate::domain::evolution::plain::Said;
use crate::domain::evolution::question::Consulted;
use crate::domain::evolution::screen::Screen;
use crate::domain::evolution::screen::told::Multilingual;
use crate::domain::evolution::screen::told::Told;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::heads::Heads;
use crate::domain::pool::micro::FragmentId;
use crate::domain::pool::state::ClusterId;
use crate::domain::pool::sum::Sum;
use crate::domain::pool::vector::Vector;
use crate::domain::scenario::command::Command;
use crate::domain::scenario::command::Induced;
use crate::domain::scenario::inducement::Source;
use crate::domain::scenario::inducement::Wanted;
use crate::domain::scenario::inducement::published;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::State;
use crate::domain::template::name::ClientId;

/// Everything that induction sees, owned, so that it can run elsewhere.
#[derive(Clone, Debug)]
pub struct Work {
    cluster: ClusterId,
    audience: Audience,
    members: Vec<Source>,
    background: Vec<Source>,
    /// What the publisher wrote.
    published: Vec<String>,
    language: String,
    is_english: bool,
    example_clients_min: u64,
    fragments_min: usize,
}

/// Puts texts and state together. `source` gives a fragment's text; one that is not to be had is left out.
pub fn gather(
    state: &State,
    wanted: &Wanted,
    source: &dyn Fn(FragmentId) -> Option<Source>,
    policy: &Policy,
) -> Option<Work> {
    let base = state.base_in_force()?;
    Some(Work {
        cluster: wanted.cluster,
        audience: wanted.audience.clone(),
        members: wanted.members.iter().filter_map(|id| source(*id)).collect(),
        background: wanted.background.iter().filter_map(|id| source(*id)).collect(),
        published: published(&base.template),
        is_english: state.pool.languages.is_english(),
        language: state.pool.languages.most().unwrap_or_default().to_owned(),
        example_clients_min: policy.evolution.example_clients_min,
        fragments_min: usize::try_from(policy.pool.mature_members_min).unwrap_or(usize::MAX),
    })
}

impl Work {
    /// Texts to embed: what the members say.
    pub fn texts(&self) -> Vec<String> {
        self.members.iter().map(|said| said.text.clone()).collect()
    }

    /// Makes the candidate with the vectors of [`Work::texts`], in order; without them each fragment is as near as any other.
    pub fn settle(self, vectors: Option<&[Vector]>, heads: Option<&Heads>, multilingual: Multilingual) -> Command {
        let vectors = vectors
            .filter(|vectors| vectors.len() == self.members.len())
            .unwrap_or_default();
        let mut sum = Sum::default();
        for vector in vectors {
            sum.add(vector);
        }
        let centre = sum.centroid();
        let near = |at: usize| {
            let (vector, centre) = (vectors.get(at)?, centre.as_ref()?);
            Some(vector.cosine(centre).value())
        };
        let members: Vec<Said<'_>> = self
            .members
            .iter()
            .enumerate()
            .map(|(at, said)| Said {
                text: &said.text,
                client: said.client.as_ref(),
                near: near(at).unwrap_or_default(),
            })
            .collect();
        let personal = matches!(self.audience, Audience::Client(_));
        let mut screen = self.screen(personal);
        let proposed = plain::propose(&plain::Cluster {
            said: &members,
            language: &self.language,
            is_english: self.is_english,
            shares: &|word| screen.shares(word),
            personal,
            fragments_min: self.fragments_min,
        });
        screen.told.extend(heads.map(|heads| Told::by(heads, vectors)));
        match multilingual {
            Multilingual::Absent => {}
            Multilingual::Unread => screen.unread = true,
            Multilingual::Read(told) => screen.told.push(told),
        }
        let outcome = proposed.map(|proposal| screen.pass_plain(proposal));
        let outcome = outcome.map(|proposal| {
            Box::new(Induced {
                proposal,
                relation: Relation::default(),
                meaning: None,
                centroid: None,
                meanings: std::collections::BTreeMap::new(),
                consulted: Consulted::default(),
                backtest: None,
            })
        });
        Command::Induce {
            cluster: self.cluster,
            audience: self.audience,
            outcome,
        }
    }

    fn screen(&self, personal: bool) -> Screen {
        let texts = |said: &[Source]| -> Vec<(String, Option<ClientId>)> {
            said.iter()
                .map(|said| (said.text.clone(), said.client.clone()))
                .collect()
        };
        let (members, around) = (texts(&self.members), texts(&self.background));
        Screen::of(members, around, &self.published, self.example_clients_min, personal)
    }
}
