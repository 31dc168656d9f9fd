//! `gbnf`: the grammar as llama.cpp takes it.

use crate::export::grammar;
use crate::export::loss::Losses;
use crate::export::sheet::Sheet;

/// The grammar's text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let rules = grammar::rules(sheet, losses).into_iter();
    rules.map(|(name, body)| format!("{name} ::= {body}\n")).collect()
}
