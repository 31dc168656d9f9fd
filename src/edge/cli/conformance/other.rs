//! The escape valve: what stands in `other` never makes a submission fail (Z-057 … Z-066, Z-169).

use crate::edge::cli::conformance::check::Check;
use crate::edge::cli::conformance::check::Level;
use crate::edge::cli::conformance::check::check;
use crate::edge::cli::conformance::check::fails;
use crate::edge::cli::conformance::check::holds;
use crate::edge::cli::conformance::exchange::taken;
use crate::edge::cli::conformance::probe::Probe;

/// The checks of this group, in the order in which they are told.
pub const CHECKS: &[Check] = &[
    check(
        "Z-060",
        &["Z-057"],
        Level::Must,
        "a string in other never makes a payload fail, whatever it asks for",
        &[Probe::OtherText],
        |scene| taken(scene, Probe::OtherText),
    ),
    check(
        "Z-059",
        &["Z-060", "Z-061"],
        Level::Must,
        "an array of strings in other is taken, whatever type the template declares",
        &[Probe::OtherList],
        |scene| taken(scene, Probe::OtherList),
    ),
    check(
        "Z-059-number",
        &[],
        Level::Must,
        "other is a string or an array of strings: a number is an error",
        &[Probe::OtherNumber],
        |scene| {
            let answered = scene.submission(Probe::OtherNumber)?;
            if answered.is_success() {
                return fails("a number was taken");
            }
            holds(answered.is_refusal(), format!("answered {}", answered.told()))
        },
    ),
    check(
        "Z-063",
        &["Z-060"],
        Level::Should,
        "a long other (16 KiB) does not make a payload fail",
        &[Probe::OtherLong],
        |scene| taken(scene, Probe::OtherLong),
    ),
    check(
        "Z-065",
        &["Z-060"],
        Level::Must,
        "an other that says nothing does not make a payload fail",
        &[Probe::OtherEmpty],
        |scene| taken(scene, Probe::OtherEmpty),
    ),
    check(
        "Z-169",
        &["Z-060", "Z-170"],
        Level::Must,
        "commands, markup and control characters in other do not make a payload fail",
        &[Probe::OtherHostile],
        |scene| taken(scene, Probe::OtherHostile),
    ),
];
