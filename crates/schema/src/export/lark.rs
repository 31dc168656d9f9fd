//! `lark`: the grammar as llguidance takes it.
//!
//! A rule that no recursion leads to is written as a terminal, with its name in upper case: one automaton runs over it, where rules
//! would be parsed character by character. The longest terminal wins, so that none begins as a comma between members does. `root` is
//! called `start`.

use std::collections::BTreeSet;

use crate::export::grammar;
use crate::export::grammar::AFTER;
use crate::export::grammar::Token;
use crate::export::loss::Losses;
use crate::export::sheet::Sheet;

/// The rule that a text begins with.
const START: &str = "start";

/// The grammar's text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let rules = grammar::rules(sheet, losses);
    let terminals = terminals(&rules);
    // Said at its head, so that a reader of several dialects takes it for this one.
    let mut text = "%llguidance {}\n\n".to_owned();
    for (name, body) in &rules {
        let body: String = grammar::tokens(body)
            .into_iter()
            .map(|token| match token {
                Token::Literal(spelt) => format!("\"{spelt}\""),
                Token::Class(class) => format!("/{}/", class.replace('/', "\\/")),
                Token::Name(name) => spelt(name, &terminals),
                Token::Count(text) => text.to_owned(),
                Token::Sign(sign) => sign.to_string(),
            })
            .collect();
        text.push_str(&format!("{}: {body}\n", spelt(name, &terminals)));
    }
    text
}

/// The names of the rules that lead to none of themselves, but for the first, which is what the text is, and for those that begin
/// with a comma.
fn terminals(rules: &[(String, String)]) -> BTreeSet<&str> {
    let mut terminals = BTreeSet::new();
    loop {
        let before = terminals.len();
        for (name, body) in rules.iter().skip(1) {
            if !name.contains(AFTER) && grammar::names(body).all(|name| terminals.contains(name)) {
                terminals.insert(name.as_str());
            }
        }
        if terminals.len() == before {
            return terminals;
        }
    }
}

fn spelt(name: &str, terminals: &BTreeSet<&str>) -> String {
    let plain = match name {
        "root" => START.to_owned(),
        name => name.replace('-', "_"),
    };
    match terminals.contains(name) {
        true => plain.to_ascii_uppercase(),
        false => plain,
    }
}
