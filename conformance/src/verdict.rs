//! What a rule says of the answers: it holds, or why not.

/// Why a check did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    Fails(String),
    /// What it is about does not occur there.
    NotApplicable(String),
    /// It occurs, or may occur, and could not be asked for.
    NotTried(String),
}

/// What a rule says.
pub type Verdict = Result<(), Finding>;

impl Finding {
    /// Its name in a report.
    pub fn name(&self) -> &'static str {
        match self {
            Finding::Fails(_) => "fail",
            Finding::NotApplicable(_) => "not_applicable",
            Finding::NotTried(_) => "not_tried",
        }
    }

    /// The sentence in it.
    pub fn why(&self) -> &str {
        let (Finding::Fails(why) | Finding::NotApplicable(why) | Finding::NotTried(why)) = self;
        why
    }
}

/// The check fails.
pub fn fails<T>(why: impl Into<String>) -> Result<T, Finding> {
    Err(Finding::Fails(why.into()))
}

/// What the check is about does not occur.
pub fn not_applicable<T>(why: impl Into<String>) -> Result<T, Finding> {
    Err(Finding::NotApplicable(why.into()))
}

/// What the check is about could not be asked for.
pub fn not_tried<T>(why: impl Into<String>) -> Result<T, Finding> {
    Err(Finding::NotTried(why.into()))
}

/// Passes where it holds, and fails with these words where it does not.
pub fn holds(held: bool, why: impl Into<String>) -> Verdict {
    if held { Ok(()) } else { fails(why) }
}

/// Passes where nothing is wrong; names the first few of what is.
pub fn none_wrong<'a>(wrong: impl IntoIterator<Item = &'a str>, what: &str) -> Verdict {
    // One line of a report holds so many names.
    const NAMED_MAX: usize = 5;
    let wrong: Vec<&str> = wrong.into_iter().collect();
    let named = wrong.chunks(NAMED_MAX).next().unwrap_or_default().join(", ");
    match wrong.len().saturating_sub(NAMED_MAX) {
        0 => holds(wrong.is_empty(), format!("{what}: {named}")),
        more => fails(format!("{what}: {named} and {more} more")),
    }
}

#[cfg(test)]
mod tests {
    use super::Finding;
    use super::none_wrong;

    #[test]
    fn the_first_few_are_named_and_the_others_counted() {
        let names = ["k0", "k1", "k2", "k3", "k4", "k5"];
        let fails = |why: &str| Err(Finding::Fails(why.to_owned()));
        assert_eq!(none_wrong([], "twice"), Ok(()));
        assert_eq!(none_wrong(["k0"], "twice"), fails("twice: k0"));
        let five = names.into_iter().take(5);
        assert_eq!(none_wrong(five, "twice"), fails("twice: k0, k1, k2, k3, k4"));
        assert_eq!(
            none_wrong(names, "twice"),
            fails("twice: k0, k1, k2, k3, k4 and 1 more")
        );
    }
}
