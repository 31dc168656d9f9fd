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
fn what_is_not_ecma_262_or_takes_more_than_linear_time_is_refused_z048() {
    let none = r"(?x) a|a(?-u:b)|\Aabc|^a\z|^a\Z|^a++$|^a*+$|^a{2}{3}$|^[[:alpha:]]$|^[a-z&&[^b]]$|\h|\a|\-|\_|\é|\<|[\B]|\Qa.b\E|(?P<n>a)|(?>a)|(?#x)a|(?<1>a)|(?<n|\012|\p{greek}|\p{Greek}|\p{lu}|\p{^L}|\p{L|\pL|\x4|\u{110000}|\u{}|\c1|a{,3}|a{ 3}|a{|x}|x]|a{3,2}|^*|\b+|[b-a]|[\w-z]|[a-\d]|^[A-Z$|^(a|^ab)$|*a|(?|[\|[a-";
    for pattern in none.split('|').chain(["(?i)abc", "a|?", "\\"]) {
        to_rust(pattern).expect_err(pattern);
    }
    for (pattern, why) in [
        ("(?=a)b", "look-around"),
        ("(?!a)b", "look-around"),
        ("(?<=a)b", "look-around"),
        ("(?<!a)b", "look-around"),
        (r"(a)\1", "back-references"),
        (r"(?<n>a)\k<n>", "back-references"),
        ("(?i:abc)", "flags"),
        (
            "é(?i)abc",
            "flags within a pattern are not supported: not every reader takes them; both cases of a letter are `[aA]`, at character 2",
        ),
        ("(?<n>a)|(?<n>b)", "same name"),
    ] {
        let fault = to_rust(pattern).expect_err(pattern);
        assert!(fault.to_string().contains(why), "{pattern}: {fault}");
    }
    // Written, and refused by the engine.
    for pattern in [r"\uD83D", r"\uDE00", "a{99999999999}"] {
        let written = to_rust(pattern).unwrap_or_else(|fault| panic!("{pattern}: {fault}"));
        assert!(regex::Regex::new(&written).is_err(), "{pattern}");
    }
}

#[test]
fn a_stored_pattern_of_another_dialect_keeps_its_meaning_z048() {
    assert_eq!(engine_pattern("(?i)^[a-z]{2}$"), "(?i)^[a-z]{2}$");
    assert_eq!(engine_pattern(r"\Aabc"), r"\Aabc");
}
