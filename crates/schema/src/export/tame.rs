//! Templates without the patterns that hang clients: an older schema may hold one, which the service checks and no client should.
//!
//! Invariant: every pattern that is taken out is listed as lost.

use std::borrow::Cow;

use serde_json::Value;

use crate::backtracking;
use crate::effective::EffectiveTemplate;
use crate::export::loss::Losses;
use crate::json_schema::Says;
use crate::json_schema::Schema;
use crate::keyword::Keyword;

/// The template without such patterns, which are noted.
pub fn tamed<'t>(template: &'t EffectiveTemplate, losses: &mut Losses) -> Cow<'t, EffectiveTemplate> {
    let mut tamed = Cow::Borrowed(template);
    for (place, key) in template.keys.iter().enumerate() {
        losses.enter(key.definition.key_name.as_str());
        let mut constraints = key.definition.constraints.clone();
        if take_out(&mut constraints, losses) {
            tamed.to_mut().keys[place].definition.constraints = constraints;
        }
    }
    tamed
}

/// Takes them out of a schema and of those below it, and says whether there was one.
fn take_out(schema: &mut Schema, losses: &mut Losses) -> bool {
    let mut found = schema.text(Keyword::Pattern).is_some_and(backtracking::is_exponential);
    if found {
        schema.shift_remove(Keyword::Pattern.name());
        losses.unenforced(Keyword::Pattern.name());
    }
    for keyword in [Keyword::Items, Keyword::AdditionalProperties, Keyword::Properties] {
        let Some(Value::Object(below)) = schema.get_mut(keyword.name()) else {
            continue;
        };
        if keyword != Keyword::Properties {
            let before = losses.descend(keyword, None);
            found |= take_out(below, losses);
            losses.ascend(before);
            continue;
        }
        for (name, member) in below {
            let before = losses.descend(keyword, Some(name));
            found |= member.as_object_mut().is_some_and(|member| take_out(member, losses));
            losses.ascend(before);
        }
    }
    found
}
