//! Which patterns are taken, and that each means here what ECMA-262 says; the texts were asked of V8.

use super::to_rust;
use crate::json_schema::engine_pattern;

fn matches(pattern: &str, text: &str) -> bool {
    let written = to_rust(pattern).unwrap_or_else(|fault| panic!("{pattern}: {fault}"));
    regex::Regex::new(&written)
        .unwrap_or_else(|error| panic!("{pattern}: {error}"))
        .is_match(text)
}

#[test]
fn a_pattern_means_what_ecma_262_says_z048() {
    for (pattern, texts, others) in [
        (
            "^.$",
            &["a", "é", "😀", "\u{85}", "\u{B}"][..],
            &["\n", "\r", "\u{2028}", "\u{2029}", ""][..],
        ),
        (r"\bcat", &["cat", "a cat", "écat"], &["acat", "_cat", "1cat"]),
        (r"cat\B", &["cats"], &["cat", "caté"]),
        (r"^\d$", &["7"], &["٣", "a"]),
        (r"^\D$", &["٣", "a"], &["7"]),
        (r"^\w$", &["a", "Z", "0", "_"], &["é", "-"]),
        (r"^\W$", &["é", "-"], &["a"]),
        (
            r"^\s$",
            &[" ", "\u{A0}", "\u{FEFF}", "\u{2029}", "\u{B}"],
            &["\u{85}", "\u{200B}", "a"],
        ),
        (r"^\S$", &["\u{85}", "a"], &["\u{FEFF}"]),
        ("a$", &["a", "ba"], &["a\n", "a\nb"]),
        ("^b", &["b"], &["a\nb"]),
        ("^[]$", &[], &["", "a"]),
        ("^[^]$", &["a", "\n", "😀"], &[""]),
        ("^[a&&b]$", &["a", "&", "b"], &["c", "a&"]),
        ("^[a~~b]$", &["a", "~", "b"], &["c"]),
        ("^[[a]$", &["[", "a"], &["]"]),
        ("^[a-]$", &["a", "-"], &["b"]),
        ("^[-a]$", &["a", "-"], &["b"]),
        ("^[+--]$", &["+", ",", "-"], &["."]),
        (r"^[\w-]$", &["a", "-"], &["+"]),
        (r"^[\]\\\-^]$", &["]", "\\", "-", "^"], &["a"]),
        (r"^[\b]$", &["\u{8}"], &["b"]),
        (r"^[\D]$", &["a", "é"], &["5"]),
        (r"^[^\s\d]$", &["a"], &[" ", "5"]),
        (r"^[\p{Lu}\d]$", &["A", "Ä", "5"], &["a"]),
        (r"^\P{L}$", &["5"], &["a"]),
        (r"^\p{Script=Greek}$", &["α"], &["a"]),
        (r"^\p{gc=Nd}$", &["7", "٣"], &["a"]),
        (r"^\u0041\x42\u{1F600}\uD83D\uDE00$", &["AB😀😀"], &["AB"]),
        (r"^\t\n\v\f\r\0\cJ$", &["\t\n\u{B}\u{C}\r\0\n"], &["t"]),
        (r"^\/\.\*\{\}\|$", &["/.*{}|"], &[""]),
        ("^(?<year>[0-9]{4})-(?:0[1-9]|1[0-2])$", &["2026-11"], &["2026-13"]),
        ("^a{2}b{1,}c{0,2}?d*?$", &["aabcc", "aabbd"], &["abcc"]),
        ("^a{0}$", &[""], &["a"]),
        ("^(a|)$", &["a", ""], &["b"]),
        ("^# x$", &["# x"], &["x"]),
        ("", &["", "anything"], &[]),
    ] {
        for text in texts {
            assert!(matches(pattern, text), "{pattern} {text:?}");
        }
        for text in others {
            assert!(!matches(pattern, text), "{pattern} {text:?}");
        }
    }
}

#[test]
fn what_is_not_ecma_262_is_refused_with_its_place_z048() {
    for (pattern, place, why) in [
        ("(?i)abc", 1, "flags"),
        ("(?x) a", 1, "flags"),
        ("a(?-u:b)", 2, "flags"),
        (r"\Aabc", 1, "`^`"),
        (r"^a\z", 3, "`$`"),
        (r"^a\Z", 3, "`$`"),
        ("^a++$", 4, "possessive"),
        ("^a*+$", 4, "possessive"),
        ("^a{2}{3}$", 6, "repetition of a repetition"),
        ("^[[:alpha:]]$", 12, "`[[:alpha:]]`"),
        ("^[a-z&&[^b]]$", 12, "classes within classes"),
        (r"\h", 1, "no escape"),
        (r"\a", 1, "no escape"),
        (r"\-", 1, "no escape"),
        (r"\_", 1, "no escape"),
        (r"\é", 1, "no escape"),
        (r"\<", 1, "no escape"),
        (r"[\B]", 2, "no escape"),
        (r"\Qa.b\E", 1, "quoting"),
        ("(?P<n>a)", 1, "`(?<name>…)`"),
        ("(?>a)", 1, "atomic"),
        ("(?#x)a", 1, "comments"),
        ("(?|a)", 1, "no such group"),
        ("(?=a)b", 1, "look-around"),
        ("(?!a)b", 1, "look-around"),
        ("(?<=a)b", 1, "look-around"),
        ("(?<!a)b", 1, "look-around"),
        (r"(a)\1", 4, "back-references"),
        (r"(?<n>a)\k<n>", 8, "back-references"),
        ("(?<1>a)", 1, "identifier"),
        ("(?<n", 1, "identifier"),
        ("(?<n>a)|(?<n>b)", 9, "same name"),
        (r"\012", 1, "base of 8"),
        (r"\p{greek}", 1, "no property"),
        (r"\p{Greek}", 1, "no property"),
        (r"\p{lu}", 1, "no property"),
        (r"\p{^L}", 1, "no property"),
        (r"\p{L", 1, "no property"),
        (r"\pL", 1, "braces"),
        (r"\x4", 1, "hexadecimal"),
        (r"\u{110000}", 1, "hexadecimal"),
        (r"\u{}", 1, "hexadecimal"),
        (r"\uD83D", 1, "surrogate"),
        (r"\uDE00", 1, "surrogate"),
        (r"\c1", 1, "letter"),
        ("a{,3}", 2, "begins no count"),
        ("a{ 3}", 2, "begins no count"),
        ("a{", 2, "begins no count"),
        ("x}", 2, "`\\}`"),
        ("x]", 2, "opened"),
        ("a{3,2}", 2, "least is above"),
        ("a{99999999999}", 2, "too large"),
        ("^*", 2, "a place"),
        (r"\b+", 3, "a place"),
        ("[b-a]", 2, "comes before"),
        (r"[\w-z]", 2, "class"),
        (r"[a-\d]", 2, "class"),
        ("^[A-Z$", 2, "a `[` that no `]` closes"),
        ("^(a|b$", 2, "a `(` that no `)` closes"),
        ("^ab)$", 4, "a `)` that closes no `(`"),
        ("*a", 1, "a repetition of nothing"),
        ("a|?", 3, "a repetition of nothing"),
        ("(?", 1, "no such group"),
        ("\\", 1, "nothing follows"),
        ("[\\", 2, "nothing follows"),
        ("[a-", 1, "no `]` closes"),
    ] {
        let fault = to_rust(pattern).expect_err(pattern);
        assert_eq!(fault.place, place, "{pattern}: {fault}");
        assert!(fault.message.contains(why), "{pattern}: {fault}");
    }
    assert_eq!(
        to_rust("^(a|b$").expect_err("open").to_string(),
        "a `(` that no `)` closes, at character 2 (`(a|b$`)"
    );
}

#[test]
fn groups_nest_to_a_bound_z048() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(matches(&nested(super::DEPTH_MAX), "a"));
    assert!(to_rust(&nested(super::DEPTH_MAX + 1)).is_err());
}

#[test]
fn a_stored_pattern_of_another_dialect_keeps_its_meaning_z048() {
    assert_eq!(engine_pattern("(?i)^[a-z]{2}$"), "(?i)^[a-z]{2}$");
    assert_eq!(engine_pattern(r"\Aabc"), r"\Aabc");
}
