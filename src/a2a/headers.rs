//! What a request says of itself: which version of the protocol it speaks (A2A §3.6), and which extensions it asks for (§4.6): ours is
//! activated where it is named, any other is ignored.

use crate::app::application::contract::CONTRACT;

/// The version that is served.
pub const SERVED: &str = "1.0";
/// The version that a request speaks which says nothing.
pub const UNSAID: &str = "0.3";
/// The header and the query parameter that say the version.
pub const VERSION: &str = "A2A-Version";
/// The header of extensions, both ways.
pub const EXTENSIONS: &str = "A2A-Extensions";

/// Checks which version a request says that it speaks; its patch number does not matter.
///
/// # Errors
/// The version that it speaks.
pub fn check_version<'a>(said: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut versions: Vec<&str> = said.map(str::trim).filter(|version| !version.is_empty()).collect();
    versions.dedup();
    match versions.as_slice() {
        [] => Err(UNSAID.to_owned()),
        [version] if is_served(version) => Ok(()),
        versions => {
            // The caller's own text: cut, and of one line.
            let said = versions.join(", ");
            Err(said.chars().filter(|c| !c.is_control()).take(32).collect())
        }
    }
}

fn is_served(version: &str) -> bool {
    let Some(rest) = version.strip_prefix(SERVED) else {
        return false;
    };
    let patch = rest.strip_prefix('.');
    rest.is_empty() || patch.is_some_and(|patch| !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether the schema contract extension is among those that are asked for.
pub fn asks_for_contract<'a>(mut values: impl Iterator<Item = &'a str>) -> bool {
    values.any(|value| value.split(',').any(|uri| uri.trim() == CONTRACT))
}

#[cfg(test)]
mod tests {
    use super::CONTRACT;
    use super::asks_for_contract;
    use super::check_version;

    #[test]
    fn one_version_is_served_and_silence_is_an_older_one() {
        for (said, spoken) in [
            (&["1.0"][..], None),
            (&[" 1.0 "], None),
            (&["1.0.1"], None),
            (&["1.0", "1.0"], None),
            (&["", "1.0"], None),
            (&[], Some("0.3")),
            (&[""], Some("0.3")),
            (&["1.1"], Some("1.1")),
            (&["1.00"], Some("1.00")),
            (&["1.0."], Some("1.0.")),
            (&["1.0", "0.3"], Some("1.0, 0.3")),
        ] {
            let checked = check_version(said.iter().copied());
            assert_eq!(checked.err().as_deref(), spoken, "{said:?}");
        }
    }

    #[test]
    fn ours_is_found_among_other_extensions_and_by_its_whole_name_alone() {
        for (value, asked) in [
            (format!("https://example.com/v1 , {CONTRACT}"), true),
            (format!("{CONTRACT}0"), false),
            ("https://otherwise.dev/a2a/schema-contract".to_owned(), false),
        ] {
            assert_eq!(asks_for_contract(std::iter::once(value.as_str())), asked, "{value}");
        }
    }
}
