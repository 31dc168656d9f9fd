//! Which version of the protocol a request speaks (A2A §3.6).

/// The one that is served.
pub const SERVED: &str = "1.0";
/// What a request speaks that says nothing.
pub const UNSAID: &str = "0.3";
/// The header and the query parameter that say it.
pub const HEADER: &str = "A2A-Version";

/// Checks what the requests says; its patch number does not matter.
///
/// # Errors
/// The version that it speaks.
pub fn check<'a>(said: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut versions: Vec<&str> = said.map(str::trim).filter(|version| !version.is_empty()).collect();
    versions.dedup();
    match versions.as_slice() {
        [] => Err(UNSAID.to_owned()),
        [version] if is_served(version) => Ok(()),
        versions => {
            // The caller's own text: cut, and of one line.
            let said: String = versions
                .join(", ")
                .chars()
                .filter(|c| !c.is_control())
                .take(32)
                .collect();
            Err(said)
        }
    }
}

fn is_served(version: &str) -> bool {
    let patch = version.strip_prefix(SERVED).map(|rest| rest.strip_prefix('.'));
    match patch {
        Some(Some(patch)) => !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit()),
        Some(None) => version == SERVED,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::check;

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
            (&["0.3"], Some("0.3")),
            (&["1.1"], Some("1.1")),
            (&["1.00"], Some("1.00")),
            (&["1.0."], Some("1.0.")),
            (&["1"], Some("1")),
            (&["99.0"], Some("99.0")),
            (&["1.0", "0.3"], Some("1.0, 0.3")),
        ] {
            let checked = check(said.iter().copied());
            assert_eq!(checked.err().as_deref(), spoken, "{said:?}");
        }
    }
}
