//! What a server takes as a template and what it does not (Z-030 … Z-062); only where a scratch one may be published.

use crate::checks;
use crate::checks::errors::refused;
use crate::checks::submissions::taken;
use crate::probe::Probe;
use crate::scratch;
use crate::scratch::STRANGER;
use crate::template::Template;
use crate::transcript::Transcript;
use crate::verdict::Verdict;
use crate::verdict::holds;
use crate::verdict::not_applicable;

checks! {
    Should "Z-037-publish" ["Z-005" "Z-045" "Z-079"] "a template with a key of each type is published, a default of null being none"
        (Publish) taken;
    Should "Z-030-again" [] "the same template under the same id is taken once more, and changes nothing"
        (Publish PublishAgain) |t, probe| {
            if !t.answer(Probe::Publish)?.is_success() {
                return not_applicable("it was not taken the first time");
            }
            taken(t, probe)
        };
    Must "Z-030-immutable" ["Z-105"] "another template under the same id is refused"
        (Publish PublishChanged) refused;
    May "Z-050" [] "members that the draft does not know are kept and served, on the template and on a key"
        (Publish Negotiate) |t, _| {
            t.answer(Probe::Publish)?;
            let template = t.template()?;
            let on_key = template.key("article").is_some_and(|key| key.get(STRANGER).is_some());
            holds(template.members.contains_key(STRANGER) && on_key, "they were dropped")
        };
    Must "Z-105" ["Z-030"] "what is read back under a schema_id is what was published under it"
        (Publish Stored) what_was_published_comes_back;
    Must "Z-031-publish" [] "a template without scenario is refused"
        (Defective:NoScenario) refused;
    Must "Z-032-publish" [] "a template without keys is refused"
        (Defective:NoKeys) refused;
    Must "Z-033-publish" [] "a key without key_name is refused"
        (Defective:NoName) refused;
    Must "Z-034-publish" [] "a key_name that is not snake_case is refused"
        (Defective:BadName) refused;
    Must "Z-035-publish" [] "two keys of one name are refused"
        (Defective:TwinNames) refused;
    Must "Z-036-publish" [] "a key without key_type is refused"
        (Defective:NoType) refused;
    Must "Z-036-unknown" [] "a key_type that JSON Schema does not know is refused"
        (Defective:BadType) refused;
    Must "Z-054-publish" [] "a key without semantic_description is refused"
        (Defective:NoDescription) refused;
    Must "Z-042-publish" [] "a key that does not say required is refused"
        (Defective:NoRequired) refused;
    Must "Z-058-publish" [] "a required other is refused"
        (Defective:RequiredOther) refused;
    Must "Z-059-publish" [] "an other that is declared as a number is refused"
        (Defective:NumericOther) refused;
    May "Z-047-publish" [] "a default_value of another type than its key's is refused"
        (Defective:MisfitDefault) refused;
}

fn what_was_published_comes_back(transcript: &Transcript, probe: Probe) -> Verdict {
    transcript.answer(Probe::Publish)?;
    let answered = transcript.answer(probe)?;
    if answered.is_absent() {
        return not_applicable(format!("schemas cannot be read: answered {}", answered.summary()));
    }
    let Some(name) = transcript.scratch.as_deref() else {
        return not_applicable("nothing was published");
    };
    let members = [
        "key_name",
        "key_type",
        "required",
        "default_value",
        "semantic_description",
    ];
    let published = scratch::template(name);
    let published = Template::find(&published).map(|template| template.contract(&members));
    let stored = answered.template().map(|template| template.contract(&members));
    holds(
        stored.is_some() && stored == published,
        format!("answered {}, and not with what was published", answered.summary()),
    )
}
