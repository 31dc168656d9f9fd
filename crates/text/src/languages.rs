//! The languages, a file each: the words that each brings, of every sort that this crate asks for; `languages/README.md` lists the sorts.
//!
//! To add one: its file, and its line in [`LANGUAGES`]. A language without a file is told from the others and brings no words.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use whatlang::Lang;

use crate::table::Table;

/// Languages that votes are given to, with their two letters and their words: those that a model reads, and those that short texts in
/// them would be taken for or that would be taken for them.
pub const LANGUAGES: [(Lang, &str, &str); 32] = [
    (Lang::Eng, "en", include_str!("languages/en.tsv")),
    (Lang::Deu, "de", include_str!("languages/de.tsv")),
    (Lang::Spa, "es", include_str!("languages/es.tsv")),
    (Lang::Fra, "fr", include_str!("languages/fr.tsv")),
    (Lang::Ita, "it", include_str!("languages/it.tsv")),
    (Lang::Por, "pt", include_str!("languages/pt.tsv")),
    (Lang::Nld, "nl", include_str!("languages/nl.tsv")),
    (Lang::Pol, "pl", include_str!("languages/pl.tsv")),
    (Lang::Tur, "tr", include_str!("languages/tr.tsv")),
    (Lang::Rus, "ru", include_str!("languages/ru.tsv")),
    (Lang::Cmn, "zh", include_str!("languages/zh.tsv")),
    (Lang::Jpn, "ja", include_str!("languages/ja.tsv")),
    (Lang::Kor, "ko", include_str!("languages/ko.tsv")),
    (Lang::Ara, "ar", include_str!("languages/ar.tsv")),
    (Lang::Tha, "th", include_str!("languages/th.tsv")),
    (Lang::Swe, "sv", include_str!("languages/sv.tsv")),
    (Lang::Dan, "da", include_str!("languages/da.tsv")),
    (Lang::Nob, "nb", include_str!("languages/nb.tsv")),
    (Lang::Fin, "fi", include_str!("languages/fi.tsv")),
    (Lang::Ces, "cs", include_str!("languages/cs.tsv")),
    (Lang::Slk, "sk", ""),
    (Lang::Hun, "hu", ""),
    (Lang::Ron, "ro", ""),
    (Lang::Hrv, "hr", ""),
    (Lang::Ukr, "uk", ""),
    (Lang::Bul, "bg", ""),
    (Lang::Ell, "el", ""),
    (Lang::Heb, "he", include_str!("languages/he.tsv")),
    (Lang::Hin, "hi", ""),
    (Lang::Vie, "vi", ""),
    (Lang::Ind, "id", ""),
    (Lang::Cat, "ca", ""),
];

/// What belongs to no language.
const ANY: &str = include_str!("languages/any.tsv");

/// The words of each language, by its two letters.
pub static TABLES: LazyLock<BTreeMap<&str, Table>> = LazyLock::new(|| {
    LANGUAGES
        .into_iter()
        .map(|(_, code, words)| (code, Table::read([words])))
        .collect()
});

/// The words of all languages at once, since one client's sentence may mix several.
pub static WORDS: LazyLock<Table> =
    LazyLock::new(|| Table::read(LANGUAGES.into_iter().map(|(.., words)| words).chain([ANY])));

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_page_lists_the_sorts_that_the_files_hold_and_each_line_is_a_sort_and_its_words() {
        let page = include_str!("languages/README.md");
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        let listed: BTreeSet<&str> = rows
            .filter_map(|row| row.split('|').nth(1))
            .flat_map(|sorts| sorts.split('`').skip(1).step_by(2))
            .collect();
        let mut held = BTreeSet::new();
        for (text, code) in LANGUAGES
            .iter()
            .map(|(_, code, text)| (*text, *code))
            .chain([(ANY, "any")])
        {
            for line in text.lines().filter(|line| !line.starts_with("# ")) {
                let (sort, words) = line.split_once('\t').unwrap_or_else(|| panic!("{code}: {line}"));
                assert!(
                    words.split(", ").all(|word| !word.is_empty() && word.trim() == word),
                    "{code}: {line}"
                );
                held.insert(sort);
            }
        }
        assert_eq!(listed, held);
    }
}
