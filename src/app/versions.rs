//! What a version of a schema is to its scenario, and what is new over it.
//!
//! Lacks the templates themselves, which the view compiles. Invariant: a client is told of patches for all and of its own alone
//! (Z-122), and of none that the template of its version does not show.

use crate::api::submissions::SchemaStatus;
use crate::api::templates::LeftOut;
use crate::api::templates::Suggestion;
use crate::app::view::ScenarioView;
use engine::evolution::patch::Patch;
use engine::scenario::layer;
use schema::effective::ModifiedKey;
use schema::effective::ServedKey;
use schema::effective::Standing;
use schema::name::ClientId;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;

impl ScenarioView {
    /// What a schema is to this scenario, beside what it says.
    pub fn status(&self, schema_id: &SchemaId) -> SchemaStatus {
        let in_force = self.in_force.as_ref().filter(|in_force| *in_force != schema_id);
        let latest = in_force.and_then(|in_force| self.bases.get(in_force));
        let deprecated = self.bases.get(schema_id).and_then(|base| base.deprecated.as_ref());
        SchemaStatus {
            latest: latest.map(|base| base.template.version()),
            deprecated_at: deprecated.map(|deprecated| deprecated.since),
            sunset: deprecated.and_then(|deprecated| deprecated.sunset),
            lenient: false,
        }
    }

    /// Revision of the last patch change that a client sees over a base; 0 when there never was one.
    pub fn patch_revision(&self, schema_id: &SchemaId, client: Option<&ClientId>) -> u64 {
        let changed = self.changed(schema_id, client, 0);
        let shown = changed.filter(|(base, patch)| !self.lacks_its_key(base, patch, client));
        shown.map(|(_, patch)| patch.revision).max().unwrap_or_default()
    }

    /// Revision at which a schema came into force that was not the first one of its scenario; 0 of any other.
    pub fn came(&self, schema_id: &SchemaId) -> u64 {
        let is_later = self.bases.len() > 1 && self.in_force.as_ref() == Some(schema_id);
        let base = self.bases.get(schema_id).filter(|_| is_later);
        base.map_or(0, |base| base.revision)
    }

    /// Adds what the keys of the schema in force say otherwise than those that a client was served at a revision.
    pub fn add_other_keys(&self, new: &mut Suggestion, in_force: &SchemaId, client: Option<&ClientId>, since: u64) {
        let first = self.bases.values().map(|base| base.published).min();
        let held = since.max(first.unwrap_or_default());
        let former = self.newest_at(held, None).into_iter().next();
        let then = former.and_then(|former| self.pinned(former, client, held));
        let (Some(then), Some(now)) = (then, self.compiled(in_force, client)) else {
            return;
        };
        for key in now.effective.keys.iter().filter(|key| key.patch.is_none()) {
            let key = &key.definition;
            match then.effective.key(&key.key_name) {
                None => new.new_keys.push(ServedKey::bare(key.clone())),
                Some(known) if known.definition == *key => {}
                Some(_) => new.modified_keys.push(ModifiedKey {
                    key_name: key.key_name.clone(),
                    semantic_description: key.semantic_description.clone(),
                    added_values: Vec::new(),
                    listed_values: Vec::new(),
                }),
            }
        }
        let names = then.effective.keys.iter().map(|key| &key.definition.key_name);
        let gone = names.filter(|name| now.effective.key(name).is_none());
        new.withdrawn_keys.extend(gone.map(ToString::to_string));
    }

    /// What is new to a client over a base since a revision.
    pub fn since(&self, schema_id: &SchemaId, client: Option<&ClientId>, since: u64) -> Suggestion {
        let mut new = Suggestion {
            revision: self.patch_revision(schema_id, client),
            ..Suggestion::default()
        };
        let changed = self.changed(schema_id, client, since);
        for (_, patch) in changed.filter(|(base, patch)| !self.lacks_its_key(base, patch, client)) {
            match patch.stage.standing() {
                Some(Standing::Experimental | Standing::Stable | Standing::Deprecated) => {
                    let patch = patch.published();
                    new.new_keys.extend(patch.new_keys.iter().cloned());
                    new.modified_keys.extend(patch.modified_keys.iter().cloned());
                    new.patches.push(patch);
                }
                Some(Standing::Withdrawn) | None => new.withdrawn_keys.push(patch.change.key_name().to_string()),
            }
        }
        new
    }

    /// Those patches that changed since a revision and are left out of the template of a base.
    pub fn left_out_since(&self, schema_id: &SchemaId, client: Option<&ClientId>, since: u64) -> Vec<LeftOut> {
        let changed = self.changed(schema_id, client, since);
        let shown = changed.filter(|(_, patch)| !matches!(patch.stage.standing(), Some(Standing::Withdrawn) | None));
        let left_out = shown.filter(|(base, patch)| self.lacks_its_key(base, patch, client));
        left_out.map(|(base, patch)| LeftOut::of(patch, base)).collect()
    }

    /// Patches that changed since a revision and say more to a client than a base does itself, each with that base.
    fn changed<'a>(
        &'a self,
        schema_id: &SchemaId,
        client: Option<&'a ClientId>,
        since: u64,
    ) -> impl Iterator<Item = (&'a SchemaTemplate, &'a Patch)> {
        let base = self.bases.get(schema_id).map(|base| &base.template);
        let over = base.into_iter().flat_map(move |base| {
            let concerning = self.patches_for(client).filter(move |patch| patch.revision > since);
            concerning.map(move |patch| (base, patch))
        });
        over.filter(|(base, patch)| patch.change.adds_to(base))
    }

    fn lacks_its_key(&self, base: &SchemaTemplate, patch: &Patch, client: Option<&ClientId>) -> bool {
        let others = self.patches_for(client);
        layer::lacks_its_key(patch, base, others.filter(|other| other.stage.standing().is_some()))
    }
}
