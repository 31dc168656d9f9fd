//! Where a text has a word for a secret, such as "password" or the "code" of a gate.
//!
//! Knows the words of the table and what may stand right around them; reads no value.

use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::fixed;
use crate::secrets::prose::lock;
use crate::secrets::prose::table;
use crate::secrets::prose::table::Term;

/// Letters that a word which is declined goes on with.
const ENDING_MAX: usize = 6;

/// Every word for a secret, the longest first; what stands around it is looked at by hand, which costs less.
static TERMS: LazyLock<Regex> = LazyLock::new(|| {
    let mut spelt: Vec<&str> = table::spelt().collect();
    spelt.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let patterns: Vec<String> = spelt
        .into_iter()
        .map(|word| {
            let parts: Vec<String> = word.split([' ', '-']).map(regex::escape).collect();
            parts.join("[ _-]?")
        })
        .collect();
    fixed(&format!("(?:{})", patterns.join("|")))
});

/// The next word for a secret at or after a place: where it begins and ends.
pub fn next_term(text: &str, from: usize) -> Option<(usize, usize, Term)> {
    let mut from = from;
    while let Some(found) = TERMS.find_at(text, from) {
        let term = table::term(found.as_str());
        let whole = term.and_then(|term| Some((whole_end(text, found.start(), found.end(), term)?, term)));
        if let Some((end, term)) = whole
            && (!term.needs_lock || lock::is_beside(text, found.start(), end))
        {
            return Some((found.start(), end, term));
        }
        from = found.start() + found.as_str().chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Where a word ends with which no letter goes on at either side but those of its own ending. Scripts without capitals are written
/// without blanks.
fn whole_end(text: &str, start: usize, end: usize, term: Term) -> Option<usize> {
    let is_cased = |c: char| c.is_lowercase() || c.is_uppercase();
    let before = text[..start].chars().next_back();
    let own = text[start..end].chars().next_back();
    if own.is_some_and(|c| !is_cased(c)) {
        return Some(end);
    }
    let ending = text[end..].chars().take(ENDING_MAX).take_while(|c| c.is_alphabetic());
    let ending: usize = ending.filter(|_| term.is_declined).map(char::len_utf8).sum();
    let is_whole = !text[end + ending..].chars().next().is_some_and(char::is_alphanumeric);
    let begins = term.ends_compounds || !before.is_some_and(char::is_alphanumeric);
    (is_whole && begins).then_some(end + ending)
}

#[cfg(test)]
mod tests {
    use super::next_term;
    use crate::secrets::prose::table::Kind;

    #[test]
    fn a_word_for_a_secret_is_one_only_where_it_stands_alone_x02() {
        let kind = |text: &str| next_term(text, 0).map(|(_, _, term)| term.kind);
        assert_eq!(kind("the PIN-Code"), Some(Kind::Code));
        assert_eq!(kind("das Benutzerpasswort"), Some(Kind::Phrase));
        assert_eq!(kind("API_KEY"), Some(Kind::Key));
        assert_eq!(kind("我的密码是"), Some(Kind::Phrase));
        for other in [
            "pinned",
            "a resenha",
            "secretary",
            "tanning",
            "passwordless",
            "opinion",
            "spin",
            "Motorcode",
            "salasanapolitiikka",
        ] {
            assert_eq!(kind(other), None, "{other}");
        }
    }
}
