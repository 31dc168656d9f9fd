//! What is wrong within the array or object of a key, place by place, and what would put it right there.
//!
//! Knows one key's tree and one value. Invariant: the repairs of one value, applied together, remove the faults that carry one
//! and bring no other; where they would not, because a list or `uniqueItems` looks at several of them at once, none is offered.

use std::borrow::Cow;

use serde_json::Map;
use serde_json::Value;

use crate::exchange::key_check::Fault;
use crate::exchange::repair;
use crate::exchange::skim::type_name;
use crate::exchange::violation::RepairOperation;
use crate::exchange::violation::VIOLATIONS_MAX;
use crate::nearest::nearest;
use crate::rule::TreeRule;
use crate::tree::Breach;
use crate::tree::Node;
use crate::tree::Others;
use crate::tree::Problem;

/// Breaches of one value that are compared before and after its repairs; where there are more, no repair is offered.
const COMPARED_MAX: usize = 1_000;
/// Undeclared members of one value that a near name is looked for: each costs a comparison with every declared one.
const NAMES_MAX: usize = 64;

/// The value as it is read: a decoder that must write every member says null where it means none, as it does for a key.
pub fn read<'v>(rule: &TreeRule, value: &'v Value) -> Cow<'v, Value> {
    if rule.check(value).is_ok() {
        return Cow::Borrowed(value);
    }
    rule.without_omitted(value).map_or(Cow::Borrowed(value), Cow::Owned)
}

/// Everything that does not hold of a value, in its order.
pub fn faults(rule: &TreeRule, value: &Value) -> Vec<Fault> {
    let read_value = read(rule, value);
    let breaches = rule.root.breaches(&read_value, COMPARED_MAX);
    let mut names_left = NAMES_MAX;
    let told: Vec<&Breach<'_>> = breaches.iter().take(VIOLATIONS_MAX).collect();
    let meant: Vec<Option<Vec<Renamed<'_>>>> = told
        .iter()
        .map(|breach| {
            let (holder, members, _) = breach.member?;
            Some(renames(holder, members, &mut names_left))
        })
        .collect();
    let mut repairs: Vec<Option<Vec<RepairOperation>>> = told
        .iter()
        .zip(&meant)
        .map(|(breach, meant)| offered(breach, meant.as_deref().unwrap_or_default()))
        .collect();
    if breaches.len() == COMPARED_MAX || !remove_exactly(rule, value, &breaches, &repairs) {
        repairs.iter_mut().for_each(|repair| *repair = None);
    }
    let faults = told.iter().zip(repairs).map(|(breach, repair)| fault(breach, repair));
    faults.collect()
}

fn fault(breach: &Breach<'_>, repair: Option<Vec<RepairOperation>>) -> Fault {
    let at_key = breach.pointer.is_empty();
    let name = breach.member.map(|(_, _, name)| name);
    Fault {
        problem: breach.problem,
        received_type: breach.value.map(type_name),
        lacks: name.filter(|_| breach.problem == Problem::Lacks).map(str::to_owned),
        expected: (!at_key && breach.exact).then(|| breach.node.expected.clone()),
        nearest: match (breach.problem, breach.member) {
            (Problem::Undeclared, Some((holder, _, name))) => {
                nearest(name, holder.members.keys().map(String::as_str)).map(str::to_owned)
            }
            _ => None,
        },
        below: breach.pointer.clone(),
        repair,
    }
}

/// A member that is another one misspelt.
struct Renamed<'a> {
    from: &'a str,
    to: &'a str,
    /// Whether the misspelt one may not stand there, and whether the right one must.
    halves: bool,
}

/// The members of an object that are known to be others misspelt, by the same rule as the keys of a payload.
fn renames<'a>(holder: &'a Node, members: &'a Map<String, Value>, names_left: &mut usize) -> Vec<Renamed<'a>> {
    if matches!(holder.others, Others::Like(_)) {
        return Vec::new();
    }
    let mut meant: Vec<(&str, &str)> = Vec::new();
    for name in members.keys().filter(|name| !holder.members.contains_key(*name)) {
        if *names_left == 0 {
            return Vec::new();
        }
        *names_left -= 1;
        meant.extend(nearest(name, holder.members.keys().map(String::as_str)).map(|to| (name.as_str(), to)));
    }
    let is_known = |(from, to): &(&str, &str)| {
        let conforms = holder
            .members
            .get(*to)
            .zip(members.get(*from))
            .is_some_and(|(node, value)| node.accepts(value));
        conforms && !members.contains_key(*to) && meant.iter().filter(|(_, other)| other == to).count() == 1
    };
    let known = meant.iter().copied().filter(is_known);
    let halves = |to: &str| matches!(holder.others, Others::None) && holder.requires(to);
    known
        .map(|(from, to)| Renamed {
            from,
            to,
            halves: halves(to),
        })
        .collect()
}

/// What would remove a breach, where that is determined; paths begin at the key.
fn offered(breach: &Breach<'_>, meant: &[Renamed<'_>]) -> Option<Vec<RepairOperation>> {
    if !breach.exact {
        return None;
    }
    let Some((_, _, name)) = breach.member else {
        let value = repair::of_value(breach.node, breach.value?)?;
        return Some(repair::replace(&breach.pointer, value));
    };
    let (holder, _) = breach.pointer.rsplit_once('/')?;
    let at = |name: &str| repair::pointer_below(holder, name);
    let renamed = meant.iter().find(|renamed| match breach.problem {
        Problem::Lacks => renamed.to == name,
        Problem::Undeclared | Problem::Misfit(_) => renamed.from == name,
    })?;
    let (from, to) = (at(renamed.from), at(renamed.to));
    Some(match (renamed.halves, breach.problem) {
        (false, _) => repair::rename(&from, &to),
        (true, Problem::Lacks) => repair::rename_in_halves(&from, &to).0,
        (true, Problem::Undeclared | Problem::Misfit(_)) => repair::rename_in_halves(&from, &to).1,
    })
}

/// Whether the repairs, applied together, leave exactly the breaches that carry none.
fn remove_exactly(
    rule: &TreeRule,
    value: &Value,
    breaches: &[Breach<'_>],
    repairs: &[Option<Vec<RepairOperation>>],
) -> bool {
    if repairs.iter().all(Option::is_none) {
        return true;
    }
    let mut patched = value.clone();
    if !repairs
        .iter()
        .flatten()
        .flatten()
        .all(|operation| repair::apply(&mut patched, operation))
    {
        return false;
    }
    let patched = read(rule, &patched);
    let told = |breach: &Breach<'_>| (breach.pointer.clone(), breach.problem);
    let mut left: Vec<_> = rule.root.breaches(&patched, COMPARED_MAX).iter().map(told).collect();
    let carries_none = |place: usize| repairs.get(place).is_none_or(Option::is_none);
    let mut kept: Vec<_> = breaches
        .iter()
        .enumerate()
        .filter(|(place, _)| carries_none(*place))
        .map(|(_, breach)| told(breach))
        .collect();
    left.sort_unstable();
    kept.sort_unstable();
    left == kept
}
