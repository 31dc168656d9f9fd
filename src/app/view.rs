//! What a scenario looks like from outside, compiled: read without waiting, replaced whole when a template changes.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::OnceLock;

use crate::api::templates::LeftOut;
use crate::app::compiled_template::CompiledTemplate;
use crate::app::compiled_template::Shown;
use crate::app::lock::locked;
use engine::evolution::patch::Patch;
use engine::pool::cohort::Addressee;
use engine::pool::gate::Audience;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::state::Base;
use engine::scenario::state::Deprecation;
use engine::scenario::state::Standings;
use engine::scenario::state::State;
use schema::difference;
use schema::effective::EffectiveTemplate;
use schema::effective::LayeredChange;
use schema::effective::Standing;
use schema::exchange::other::OtherLimits;
use schema::executor::ExecutorSpec;
use schema::name::ClientId;
use schema::name::CohortId;
use schema::name::KeyName;
use schema::name::SchemaId;
use schema::response_schema::ResponseSchema;
use schema::staleness::Missed;

use schema::template::SchemaTemplate;

/// Templates of earlier that are kept for those who hold them, of each kind.
const EARLIER_MAX: usize = 64;

/// Older versions whose names of keys are known: each is compared key by key whenever a template changes.
const FORMER_MAX: usize = 16;

/// One thing for each client and each cohort that has keys of its own.
struct Apart<T> {
    clients: BTreeMap<ClientId, T>,
    cohorts: BTreeMap<CohortId, T>,
}

impl<T> Default for Apart<T> {
    fn default() -> Self {
        Apart {
            clients: BTreeMap::new(),
            cohorts: BTreeMap::new(),
        }
    }
}

impl<T> Apart<T> {
    /// What there is for a client: its own, else its cohort's.
    fn get(&self, to: Addressee<'_>) -> Option<&T> {
        let own = to.client.and_then(|client| self.clients.get(client));
        own.or_else(|| self.cohorts.get(to.cohort?))
    }

    /// Puts something in for an audience; what is for everyone has no place here.
    fn put(&mut self, audience: &Audience, one: T) {
        match audience {
            Audience::Global => {}
            Audience::Cohort(cohort) => {
                self.cohorts.insert(cohort.clone(), one);
            }
            Audience::Client(client) => {
                self.clients.insert(client.clone(), one);
            }
        }
    }

    /// The audience whose thing a client gets; everyone where it has none apart.
    fn audience(&self, to: Addressee<'_>) -> Audience {
        let own = to.client.filter(|client| self.clients.contains_key(*client));
        let cohort = || to.cohort.filter(|cohort| self.cohorts.contains_key(*cohort));
        own.cloned()
            .map(Audience::Client)
            .or_else(|| cohort().cloned().map(Audience::Cohort))
            .unwrap_or(Audience::Global)
    }
}

/// A base schema and what it is for each client or cohort that has keys of its own.
pub struct BaseView {
    pub template: SchemaTemplate,
    /// Journal sequence of its publication, or of its last retirement or restoration.
    pub revision: u64,
    /// Journal sequence of its publication.
    pub published: u64,
    pub retired: bool,
    pub deprecated: Option<Deprecation>,
    pub executor: Option<ExecutorSpec>,
    response: OnceLock<Option<ResponseSchema>>,
    former_names: BTreeMap<String, KeyName>,
    global: Arc<CompiledTemplate>,
    apart: Apart<OnceLock<Arc<CompiledTemplate>>>,
}

impl BaseView {
    /// What an executor's result must be, where the template says so.
    pub fn response(&self) -> Option<&ResponseSchema> {
        let compiled = || ResponseSchema::of(&self.template.unknown);
        self.response.get_or_init(compiled).as_ref()
    }
}

/// A template of earlier: of which schema, for whom, and by which change it came about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    schema_id: SchemaId,
    /// Those who are served alike: everyone who has no keys apart, or whoever has them.
    audience: Audience,
    revision: u64,
}

/// What was made of templates of earlier, for those who hold them.
#[derive(Default)]
struct Earlier {
    pinned: Kept<CompiledTemplate>,
    missed: Kept<Missed>,
}

type Kept<T> = Mutex<BTreeMap<Moment, Arc<T>>>;

fn kept<T>(all: &Kept<T>, moment: &Moment) -> Option<Arc<T>> {
    locked(all).get(moment).cloned()
}

fn keep<T>(all: &Kept<T>, moment: Moment, one: &Arc<T>) {
    let mut all = locked(all);
    if all.len() >= EARLIER_MAX {
        all.clear();
    }
    all.insert(moment, Arc::clone(one));
}

/// The patches that concern one client or cohort with keys of its own.
struct Layer {
    changes: Vec<LayeredChange>,
    revision: u64,
    shown: Shown,
}

/// One scenario, as of one moment.
pub struct ScenarioView {
    pub policy: Policy,
    pub in_force: Option<SchemaId>,
    pub bases: BTreeMap<SchemaId, BaseView>,
    /// Every patch that was ever in force, in order.
    pub patches: Vec<Patch>,
    layers: Apart<BTreeMap<SchemaId, Layer>>,
    standings: Standings,
    earlier: Earlier,
    limits: OtherLimits,
}

impl ScenarioView {
    /// Compiles a state. `policy` is the service's; the template in force may override single settings.
    pub fn build(state: &State, policy: &Policy, limits: OtherLimits) -> ScenarioView {
        let in_force = state.base_in_force().map(|base| base.template.schema_id.clone());
        let overrides = state.base_in_force().and_then(|base| base.template.policy());
        let policy = overrides.map_or_else(|| policy.clone(), |overrides| policy.under(overrides));
        let patches: Vec<Patch> = state
            .patches
            .iter()
            .filter(|patch| layer::was_in_force(patch))
            .cloned()
            .collect();
        let audiences: BTreeSet<&Audience> = patches
            .iter()
            .map(|patch| &patch.audience)
            .filter(|audience| **audience != Audience::Global)
            .collect();
        let mut bases = BTreeMap::new();
        let nobody = Addressee::default();
        for (id, base) in &state.bases {
            let shown = shown(state, &base.template, nobody);
            let former_names = former_names(state, base);
            let effective = layer::effective(state, base, nobody);
            let global = Arc::new(CompiledTemplate::new(effective, shown, limits, &former_names));
            let mut apart = Apart::default();
            for audience in &audiences {
                apart.put(audience, OnceLock::new());
            }
            let template = base.template.clone();
            bases.insert(
                id.clone(),
                BaseView {
                    template,
                    revision: base.revision,
                    published: base.published,
                    retired: base.retired.is_some(),
                    deprecated: base.deprecated.clone(),
                    executor: ExecutorSpec::of(&base.template.unknown),
                    response: OnceLock::new(),
                    former_names,
                    global,
                    apart,
                },
            );
        }
        let mut layers = Apart::default();
        for audience in audiences {
            let to = policy.cohorts.addressed(audience);
            let of_base = |(id, base): (&SchemaId, &Base)| {
                let own = Layer {
                    changes: layer::layer(state, &base.template, to),
                    revision: layer::revision(state, base, to),
                    shown: self::shown(state, &base.template, to),
                };
                (id.clone(), own)
            };
            layers.put(audience, state.bases.iter().map(of_base).collect());
        }
        ScenarioView {
            policy,
            in_force,
            bases,
            patches,
            layers,
            standings: state.standings.clone(),
            earlier: Earlier::default(),
            limits,
        }
    }

    /// What is taken of `other`.
    pub fn limits(&self) -> OtherLimits {
        self.limits
    }

    /// The effective template of a schema for a client.
    pub fn compiled(&self, schema_id: &SchemaId, client: Option<&ClientId>) -> Option<Arc<CompiledTemplate>> {
        let base = self.bases.get(schema_id)?;
        let to = self.addressee(client);
        let slot = base.apart.get(to);
        let own = self.layers.get(to).and_then(|of_base| of_base.get(schema_id));
        let (Some(slot), Some(own)) = (slot, own) else {
            return Some(Arc::clone(&base.global));
        };
        let compiled = slot.get_or_init(|| {
            let effective = EffectiveTemplate::compose(&base.template, &own.changes, own.revision);
            Arc::new(CompiledTemplate::new(
                effective,
                own.shown.clone(),
                self.limits,
                &base.former_names,
            ))
        });
        Some(Arc::clone(compiled))
    }

    /// Revision of the effective template of a schema for a client, without compiling it.
    pub fn revision(&self, schema_id: &SchemaId, client: Option<&ClientId>) -> Option<u64> {
        let base = self.bases.get(schema_id)?;
        let layers = self.layers.get(self.addressee(client));
        let own = layers.and_then(|of_base| of_base.get(schema_id));
        Some(own.map_or(base.global.effective.revision, |own| own.revision))
    }

    /// Whether a schema was published at a revision.
    pub fn existed(&self, schema_id: &SchemaId, revision: u64) -> bool {
        self.bases.get(schema_id).is_some_and(|base| base.published <= revision)
    }

    /// The effective template of a schema for a client, as of an earlier revision: without what is newer. What has gone since
    /// does not come back, and what stands otherwise now stands so here.
    pub fn pinned(
        &self,
        schema_id: &SchemaId,
        client: Option<&ClientId>,
        revision: u64,
    ) -> Option<Arc<CompiledTemplate>> {
        let base = self.bases.get(schema_id)?;
        let moment = self.moment(schema_id, client, revision)?;
        if let Some(kept) = kept(&self.earlier.pinned, &moment) {
            return Some(kept);
        }
        let mut changes = self.layer_at(client, revision);
        changes.retain_mut(|change| {
            let now = self.standings.at(&change.patch_id, u64::MAX);
            change.standing = now.unwrap_or(change.standing);
            now.is_some()
        });
        let effective = EffectiveTemplate::compose(&base.template, &changes, moment.revision);
        let compiled = Arc::new(CompiledTemplate::new(
            effective,
            Shown::default(),
            self.limits,
            &base.former_names,
        ));
        keep(&self.earlier.pinned, moment, &compiled);
        Some(compiled)
    }

    /// What a client does not know that holds the template of a schema at a revision, against the one that it would fetch
    /// now. `None` where it holds what is in force. A schema that is younger than the revision stands for those that were served then;
    /// where more than one may have been, the change that asks most is told.
    pub fn missed(&self, schema_id: &SchemaId, client: Option<&ClientId>, held: u64) -> Option<Missed> {
        let in_force = self.in_force.as_ref()?;
        if in_force == schema_id && self.revision(schema_id, client)? <= held {
            return None;
        }
        let told = self
            .held_at(schema_id, held)
            .into_iter()
            .filter_map(|schema_id| self.missed_of(schema_id, in_force, client, held))
            .max_by_key(|told| told.class)?;
        Some(Missed {
            since: held,
            ..Missed::clone(&told)
        })
    }

    /// The effective template that a client was served at a revision, of the schema that was in force then as far as that is known;
    /// `None` before the first.
    pub fn served_at(&self, client: Option<&ClientId>, revision: u64) -> Option<EffectiveTemplate> {
        let schema_id = self.newest_at(revision, None).into_iter().next()?;
        self.served_of(schema_id, client, revision)
    }

    fn served_of(&self, schema_id: &SchemaId, client: Option<&ClientId>, revision: u64) -> Option<EffectiveTemplate> {
        let since = self.moment(schema_id, client, revision)?.revision;
        let base = self.bases.get(schema_id)?;
        let layer = self.layer_at(client, revision);
        Some(EffectiveTemplate::compose(&base.template, &layer, since))
    }

    /// How much changed from the template of one schema at a revision to the one in force, and what.
    fn missed_of(
        &self,
        schema_id: &SchemaId,
        in_force: &SchemaId,
        client: Option<&ClientId>,
        held: u64,
    ) -> Option<Arc<Missed>> {
        let moment = self.moment(schema_id, client, held)?;
        if let Some(told) = kept(&self.earlier.missed, &moment) {
            return Some(told);
        }
        let then = self.served_of(schema_id, client, held)?;
        let now = self.compiled(in_force, client)?;
        let told = Arc::new(Missed::between(&then, &now.effective, held));
        keep(&self.earlier.missed, moment, &told);
        Some(told)
    }

    /// The schemas whose template may have been served at a revision to who submits by this one now: itself where it was
    /// there already, else the newest of its major and the one in force.
    fn held_at<'a>(&'a self, schema_id: &'a SchemaId, revision: u64) -> Vec<&'a SchemaId> {
        let Some(younger) = self.bases.get(schema_id).filter(|base| base.published > revision) else {
            return vec![schema_id];
        };
        let mut held = self.newest_at(revision, None);
        held.extend(self.newest_at(revision, Some(younger.template.version().major)));
        if held.is_empty() {
            // Nothing was served yet.
            held.push(schema_id);
        }
        held
    }

    /// The newest schema that was open at a revision, of one major or of any; with it every newer one of which it is not known
    /// any more, since it was retired or brought back later.
    pub fn newest_at(&self, revision: u64, major: Option<u32>) -> Vec<&SchemaId> {
        let mut there: Vec<(&SchemaId, &BaseView)> = self
            .bases
            .iter()
            .filter(|(_, base)| base.published <= revision && !(base.retired && base.revision <= revision))
            .filter(|(_, base)| major.is_none_or(|major| base.template.version().major == major))
            .collect();
        there.sort_by_key(|(_, base)| Reverse((base.template.version(), base.published)));
        let known = there
            .iter()
            .position(|(_, base)| !base.retired && base.revision <= revision);
        there.truncate(known.map_or(there.len(), |place| place + 1));
        there.into_iter().map(|(schema_id, _)| schema_id).collect()
    }

    fn layer_at(&self, client: Option<&ClientId>, revision: u64) -> Vec<LayeredChange> {
        layer::layer_at(self.patches.iter(), &self.standings, self.addressee(client), revision)
    }

    /// Which of the different templates of a schema a revision means: all revisions between two changes mean one.
    fn moment(&self, schema_id: &SchemaId, client: Option<&ClientId>, revision: u64) -> Option<Moment> {
        let base = self.bases.get(schema_id)?.revision;
        let since = self
            .patches_for(client)
            .flat_map(|patch| {
                let edited = patch.edits.iter().map(|edited| edited.seq);
                edited
                    .filter(|seq| *seq <= revision)
                    .chain(self.standings.since(&patch.patch_id, revision))
            })
            .chain((base <= revision).then_some(base));
        Some(Moment {
            schema_id: schema_id.clone(),
            audience: self.layers.audience(self.addressee(client)),
            // Before the first there is but the base.
            revision: since.max().unwrap_or(base),
        })
    }

    /// A client with the cohort that it is in.
    pub fn addressee<'a>(&'a self, client: Option<&'a ClientId>) -> Addressee<'a> {
        self.policy.cohorts.addressee(client)
    }

    /// Patches that a client may know of: those for all, its cohort's and its own.
    pub fn patches_for<'a>(&'a self, client: Option<&'a ClientId>) -> impl Iterator<Item = &'a Patch> {
        let to = self.addressee(client);
        self.patches.iter().filter(move |patch| layer::concerns(patch, to))
    }
}

/// The names that keys of a base had in the older versions that are hosted; of a name that became several the latest counts.
fn former_names(state: &State, base: &Base) -> BTreeMap<String, KeyName> {
    let mut older: Vec<&SchemaTemplate> = state
        .bases
        .values()
        .filter(|other| other.retired.is_none())
        .map(|other| &other.template)
        .filter(|other| other.version() < base.template.version())
        .collect();
    older.sort_by_key(|template| template.version());
    let known = older.split_off(older.len().saturating_sub(FORMER_MAX));
    let names = known
        .into_iter()
        .flat_map(|template| difference::former_names(template, &base.template));
    names.map(|(former, now)| (former.to_string(), now)).collect()
}

/// The patches advertised to a client over a base, as they stand in a template: without their keys.
fn shown(state: &State, base: &SchemaTemplate, to: Addressee<'_>) -> Shown {
    let advertised = |patch: &&Patch| patch.stage.standing() != Some(Standing::Withdrawn);
    let patches = layer::laid(state, base, to).filter(advertised);
    let left_out = layer::left_out(state, base, to).filter(advertised);
    let left_out = left_out.filter_map(|patch| Some((patch.stage.standing()?, LeftOut::of(patch, base))));
    Shown {
        patches: patches.map(Patch::head).collect(),
        left_out: left_out.collect(),
    }
}

#[cfg(test)]
mod tests;
