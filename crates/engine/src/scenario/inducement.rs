//! What induction needs of a triggered cluster, gathered from state and texts, and the command it ends in.

use crate::evolution::induction;
use crate::evolution::induction::Said;
use crate::evolution::induction::read;
use crate::evolution::review::material;
use crate::evolution::screen::Screen;
use crate::evolution::screen::Text;
use crate::evolution::screen::told::Multilingual;
use crate::evolution::screen::told::Told;
use crate::pool::gate::Audience;
use crate::pool::heading::Wish;
use crate::pool::heads::Heads;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::scenario::command::Command;
use crate::scenario::command::Induced;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::closed_list;
use schema::name::ClientId;
use schema::template::SchemaTemplate;
use schema::time::At;
use text::vector::Sum;
use text::vector::Vector;

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

/// Names the fragments to fetch for a cluster.
pub fn wanted(state: &State, cluster: ClusterId, audience: &Audience, policy: &Policy) -> Wanted {
    let max = policy.evolution.induction_fragments_max;
    let members = match audience {
        Audience::Global => state.pool.examples(cluster, max),
        Audience::Cohort(_) | Audience::Client(_) => {
            let arrivals = state.pool.micros_of(cluster).flat_map(|micro| &micro.arrivals);
            let own = arrivals.filter(|arrival| policy.cohorts.reaches(audience, arrival.client.as_ref()));
            let mut own: Vec<FragmentId> = own.map(|arrival| arrival.fragment).collect();
            own.sort();
            own.truncate(max);
            own
        }
    };
    let background = match state.wish(cluster) {
        // A reader may have taken a word from any text that it was given.
        Some(_) => {
            let known = material::known(&state.pool).into_keys();
            known.filter(|fragment| !members.contains(fragment)).collect()
        }
        None => background(state, cluster),
    };
    Wanted {
        cluster,
        audience: audience.clone(),
        members,
        background,
    }
}

/// Some fragments of each other cluster.
fn background(state: &State, cluster: ClusterId) -> Vec<FragmentId> {
    let others = state.pool.clusters.keys().filter(|id| **id != cluster);
    let each = (BACKGROUND_MAX / others.clone().count().max(1)).max(1);
    let examples = others.flat_map(|id| state.pool.examples(*id, each));
    examples.take(BACKGROUND_MAX).collect()
}

/// Everything that induction sees, owned, so that it can run elsewhere.
#[derive(Clone, Debug)]
pub struct Work {
    cluster: ClusterId,
    audience: Audience,
    members: Vec<Text>,
    /// Of each member, what a reader found of it.
    denied: Vec<Option<bool>>,
    background: Vec<Text>,
    /// What the publisher wrote.
    published: Vec<String>,
    language: String,
    is_english: bool,
    example_clients_min: u64,
    fragments_min: usize,
    /// What a reader says that it is.
    wish: Option<Box<Wish>>,
}

/// Puts texts and state together. `source` gives a fragment's text; one that is not to be had is left out.
pub fn gather(
    state: &State,
    wanted: &Wanted,
    source: &dyn Fn(FragmentId) -> Option<Source>,
    policy: &Policy,
) -> Option<Work> {
    let base = state.base_in_force()?;
    let wish = state.wish(wanted.cluster);
    let text = |id: &FragmentId| source(*id).map(|source| (source.text, source.client));
    let is_denied =
        |id: &FragmentId| Some(wish?.denied.contains(id)).filter(|_| wish.is_some_and(|wish| wish.ids.contains(id)));
    let members = wanted.members.iter().filter_map(|id| Some((text(id)?, is_denied(id))));
    let (members, denied) = members.unzip();
    Some(Work {
        cluster: wanted.cluster,
        audience: wanted.audience.clone(),
        members,
        denied,
        background: wanted.background.iter().filter_map(text).collect(),
        published: published(&base.template),
        is_english: state.pool.languages.is_english(),
        language: state.pool.languages.most().unwrap_or_default().to_owned(),
        example_clients_min: policy.evolution.example_clients_min,
        fragments_min: usize::try_from(policy.pool.mature_members_min).unwrap_or(usize::MAX),
        wish: wish.map(|wish| Box::new(wish.clone())),
    })
}

impl Work {
    /// Texts to embed: what the members say.
    pub fn texts(&self) -> Vec<String> {
        self.members.iter().map(|(text, _)| text.clone()).collect()
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
        let said = self.members.iter().zip(&self.denied).enumerate();
        let said = said.map(|(at, ((text, client), is_denied))| Said {
            text,
            client: client.as_ref(),
            near: near(at).unwrap_or_default(),
            is_denied: *is_denied,
        });
        let said: Vec<Said<'_>> = said.collect();
        let personal = matches!(self.audience, Audience::Client(_));
        let (members, around) = (self.members.clone(), self.background);
        let mut screen = Screen::of(members, around, &self.published, self.example_clients_min, personal);
        let cluster = induction::Cluster {
            said: &said,
            language: &self.language,
            is_english: self.is_english,
            shares: &|word| screen.heard.shares(word),
            personal,
            fragments_min: self.fragments_min,
        };
        let proposed = match &self.wish {
            Some(wish) => read::propose_read(&cluster, wish, &|word| screen.heard.is_few(word)),
            None => induction::propose(&cluster),
        };
        screen.told.extend(heads.map(|heads| Told::by(heads, vectors)));
        match multilingual {
            Multilingual::Absent => {}
            Multilingual::Unread => screen.unread = true,
            Multilingual::Read(told) => screen.told.push(told),
        }
        let outcome = proposed.map(|proposal| {
            Box::new(Induced {
                proposal: screen.pass(proposal),
                backtest: None,
                served: 0,
            })
        });
        Command::Induce {
            cluster: self.cluster,
            audience: self.audience,
            outcome,
        }
    }
}

/// The texts of a template that everybody reads anyway.
fn published(template: &SchemaTemplate) -> Vec<String> {
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

#[cfg(test)]
mod tests;
