//! Texts that a template may not hold: orders to whatever model reads it, and characters that a person does not see (Z-169, Z-170).
//!
//! Looks at every text of a document, since every one of them may reach a prompt. A description may say how its own key, another
//! key or `other` is used (Z-179, Z-180), and when a tool is to be called: only what turns against earlier instructions, changes
//! how a model speaks, or carries a conversation or all other values out is refused. Invariant: linear in the document.

use std::sync::LazyLock;

use regex::Regex;
use regex::RegexBuilder;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use crate::domain::template::defect::Defect;
use crate::domain::template::defect::pointer_to;

/// Why a text is refused, as it is published.
pub const SPEAKS_TO_MODEL: &str = "speaks_to_model";
pub const HIDDEN_CHARACTERS: &str = "hidden_characters";

/// What the pattern may take, compiled: words of any script make it larger than the library's own bound.
const PATTERN_BYTES_MAX: usize = 64 << 20;
/// Levels of a document that are looked at; a template's own form ends far above.
const DEPTH_MAX: usize = 64;

static ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    let rows = [
        // What was said before is to count no more.
        r"\b(?:ignore|disregard|forget|discard)\s+(?:(?:all|any|every|everything|each|of|the|your|my|these|those|that|what|and|about)\s+){0,5}(?:previous|prior|above|earlier|preceding|foregoing|former|initial|original)\b[^.!?\n]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directives?|orders?|commands?|messages?|context|conversation|training)\b",
        r"\b(?:ignore|disregard|forget|discard|override|bypass)\s+(?:all\s+)?(?:of\s+)?your\s+(?:\w+\s+)?(?:instructions?|prompts?|rules?|guidelines?|directives?|guardrails?|training|programming|restrictions?|polic(?:y|ies))\b",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all)\s+(?:that\s+)?(?:you\s+(?:were|have\s+been|know)|(?:above|before)\b(?:\s*[.!,;]|\s+and\b|\s*$))",
        r"\b(?:ignore|disregard|forget)\s+all\s+(?:the\s+)?(?:instructions?|prompts?|directives?)\s*(?:[.!,;]|and\b|$)",
        // How a model is to speak, or what it is.
        r"\b(?:from\s+(?:now|this\s+(?:point|moment))\s+on(?:wards?)?|from\s+here\s+on|henceforth|as\s+of\s+now)\b[^.!?\n]{0,40}\b(?:answer|respond|reply|speak|talk|act|behave|write|you\s+(?:are|must|will|shall|should))\b",
        r"\b(?:answer|respond|reply|speak|talk|behave|write)\b[^.!?\n]{0,40}\b(?:from\s+(?:now|this\s+point)\s+on(?:wards?)?|henceforth)\b",
        r"\b(?:answer|respond|reply|speak|talk)\s+(?:only|exclusively|solely)\s+(?:in|like|as)\b",
        r"\b(?:only|exclusively)\s+(?:answer|respond|reply|speak|talk)\s+(?:in|like|as)\b",
        r"\byou\s*(?:are|['’]re)\s+(?:now\s+(?:an?|in|the|bound|free|called|known|unrestricted)|no\s+longer\s+(?:an?|bound|restricted|limited))\b",
        r"\bpretend\s+(?:that\s+)?you(?:\s+are|['’]re)\b",
        // What it holds is to be carried out.
        r"\b(?:copy|put|write|insert|paste|include|dump|append|add|send|place|store|repeat|pass|move|enter|fill)\b[^.!?\n]{0,30}\b(?:whole|entire|full|complete|all\s+of\s+the|all\s+the)\b[^.!?\n]{0,20}\b(?:conversation|chat|dialog(?:ue)?|transcript|message\s+history|context\s+window|system\s+(?:prompt|message))\b[^.!?\n]{0,10}\b(?:(?:in|into|to|inside|within|as)\s+(?:this|that|here)|here)\b",
        r"\b(?:copy|dump|repeat|duplicate|paste|leak|mirror)\b[^.!?\n]{0,20}\b(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:other|remaining)\b[^.!?\n]{0,10}\b(?:keys?|fields?|parameters?|propert(?:y|ies)|values?|arguments?|members?|inputs?)\b",
        r"\b(?:put|write|include|add|send|insert)\s+(?:the\s+)?(?:contents?|values?)\s+of\s+(?:all|every|each)\s+(?:the\s+)?other\b",
        r"\b(?:reveal|leak|print|output|repeat|disclose|include|send|show)\b[^.!?\n]{0,20}\byour\s+(?:\w+\s+)?(?:system\s+)?(?:prompt|instructions|system\s+message)\b",
        // The same in other languages.
        r"\b(?:ignorier\w*|vergiss|vergessen\s+sie|missachte\w*|beachte\w*\s+nicht)\b[^.!?\n]{0,30}\b(?:vorherig|vorangehend|vorangegangen|bisherig|obig|früher|vorig|all)\w*[^.!?\n]{0,25}\b(?:anweisung|befehl|regel|vorgabe|instruktion|prompt|eingabe)\w*",
        r"\b(?:ab\s+(?:jetzt|sofort|nun)|von\s+(?:nun|jetzt)\s+an)\b[^.!?\n]{0,40}\b(?:antwort\w*|sprich|sprechen|schreib\w*|rede\w*|verhalte?\w*|du\s+bist|sie\s+sind)\b",
        r"\b(?:schreib|kopier|füg|setz|trag|gib|pack)\w*\b[^.!?\n]{0,30}\b(?:ganze|gesamte|komplette|vollständige)\w*\b[^.!?\n]{0,20}\b(?:gespräch|unterhaltung|konversation|chat|verlauf|dialog)\w*[^.!?\n]{0,15}\b(?:dies\w*|hier\w*)\b",
        r"\b(?:kopier|übertrag|schreib)\w*\b[^.!?\n]{0,20}\balle\s+(?:anderen|übrigen)\s+(?:felder|schlüssel|werte|angaben)\b",
        r"\b(?:ignor[ae]\w*|olvid[ae]\w*|haz\s+caso\s+omiso|haga\s+caso\s+omiso)\b[^.!?\n]{0,30}\b(?:instrucciones|indicaciones|órdenes|reglas)\b[^.!?\n]{0,20}\b(?:anterior|previa)\w*",
        r"\b(?:ignor[ae]\w*|olvid[ae]\w*)\b[^.!?\n]{0,15}\btodas\s+(?:las|tus|sus)\s+(?:\w+\s+)?(?:instrucciones|órdenes|reglas)\b",
        r"\b(?:a\s+partir\s+de\s+ahora|de\s+ahora\s+en\s+adelante|desde\s+ahora)\b[^.!?\n]{0,40}\b(?:respond\w*|contest\w*|habl\w*|actú\w*|eres|escrib\w*)\b",
        r"\b(?:copia|pon|escribe|incluye|pega|mete|copie|ponga)\w*\b[^.!?\n]{0,20}\b(?:toda|entera|completa)\b[^.!?\n]{0,15}\b(?:conversación|charla)\s+(?:\w+\s+)?(?:est[ea]|aquí)\b",
        r"\b(?:ignore[rz]?|oublie[rz]?)\b[^.!?\n]{0,30}\b(?:instructions|consignes|règles|ordres)\b[^.!?\n]{0,20}\b(?:précédent|antérieur|ci-dessus)\w*",
        r"\b(?:à\s+partir\s+de\s+maintenant|désormais|dorénavant)\b[^.!?\n]{0,40}\b(?:répond\w*|parle[rz]?|agis\w*|écri\w*|tu\s+es|vous\s+êtes)\b",
        r"\b(?:copie|mets|mettez|colle|écris|insère|recopie)\w*\b[^.!?\n]{0,20}\b(?:toute|entière|intégralité|complète)\b[^.!?\n]{0,15}\b(?:conversation|discussion)\s+(?:\w+\s+)?(?:ce|cette|ici)\b",
        r"\b(?:ignora\w*|dimentica\w*|ignori)\b[^.!?\n]{0,30}\b(?:istruzioni|regole|indicazioni|ordini)\b[^.!?\n]{0,20}\b(?:precedent|anterior)\w*",
        r"\b(?:d['’]ora\s+in\s+(?:poi|avanti)|da\s+(?:ora|adesso)\s+in\s+(?:poi|avanti))\b[^.!?\n]{0,40}\b(?:rispond\w*|parla\w*|comport\w*|sei|scriv\w*)\b",
        r"\b(?:ignor[ae]\w*|esqueç\w*|esquec\w*|desconsider\w*)\b[^.!?\n]{0,30}\b(?:instruções|regras|ordens|indicações)\b[^.!?\n]{0,20}\b(?:anterior|prévi)\w*",
        r"\b(?:a\s+partir\s+de\s+agora|de\s+agora\s+em\s+diante)\b[^.!?\n]{0,40}\b(?:respond\w*|fal[ae]\w*|aja|você\s+é|escrev\w*)\b",
        r"\b(?:negeer|vergeet)\b[^.!?\n]{0,20}\b(?:vorige|eerdere|bovenstaande|voorgaande|alle)\b[^.!?\n]{0,20}\b(?:instructies|opdrachten|regels)\b",
        r"\bvanaf\s+nu\b[^.!?\n]{0,40}\b(?:antwoord\w*|spreek|praat|je\s+bent)\b",
    ];
    let built = RegexBuilder::new(&format!("(?i){}", rows.join("|")))
        .size_limit(PATTERN_BYTES_MAX)
        .build();
    built.expect("a constant that a test compiles")
});

/// Why a document may not be published: each of its texts that speaks to a model or hides characters, a name of a member as well.
pub fn defects(document: &Value) -> Vec<Defect> {
    let mut found = Vec::new();
    look(document, "", 0, &mut found);
    found
}

fn look(value: &Value, pointer: &str, depth: usize, found: &mut Vec<Defect>) {
    if depth > DEPTH_MAX {
        return;
    }
    match value {
        Value::String(text) => found.extend(defect(text, pointer)),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                look(item, &format!("{pointer}/{at}"), depth + 1, found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let pointer = pointer_to(pointer, name);
                found.extend(defect(name, &pointer));
                look(member, &pointer, depth + 1, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn defect(text: &str, pointer: &str) -> Option<Defect> {
    let (code, message) = if hides(text) {
        (
            HIDDEN_CHARACTERS,
            "holds characters that a person does not see: control, direction, invisible or tag characters",
        )
    } else if orders(text) {
        (
            SPEAKS_TO_MODEL,
            "gives orders to whatever model reads it; say what the key means and how it is used",
        )
    } else {
        return None;
    };
    Some(Defect {
        pointer: pointer.to_owned(),
        requirement: "Z-170".to_owned(),
        message: format!("{code}: {message}"),
    })
}

/// Whether a text gives orders to a model that have nothing to do with a key.
pub fn orders(text: &str) -> bool {
    // Letters of full width and the like are read as what they look like.
    ORDERS.is_match(text) || (!text.is_ascii() && ORDERS.is_match(&text.nfkc().collect::<String>()))
}

/// Whether a text holds what is not seen but read.
pub fn hides(text: &str) -> bool {
    !text.is_ascii() && hidden(text).next().is_some() || text.chars().any(is_control)
}

/// What is seen of a text.
pub fn shown(text: &str) -> String {
    let hidden: Vec<usize> = hidden(text).collect();
    let seen = text
        .char_indices()
        .filter(|(at, c)| !is_control(*c) && hidden.binary_search(at).is_err());
    seen.map(|(_, c)| c).collect()
}

/// Where characters stand that show nothing. A joiner within an emoji, or between letters of scripts that are written with it,
/// shows; so do marks of direction within a text that has letters from right to left, and the tags of a flag.
fn hidden(text: &str) -> impl Iterator<Item = usize> {
    let rtl = text.chars().any(is_rtl);
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let near = |at: usize| chars.get(at).map_or(' ', |(_, c)| *c);
    let mut in_flag = false;
    let mut found = Vec::new();
    for (place, (at, c)) in chars.iter().enumerate() {
        in_flag = *c == '\u{1F3F4}' || (in_flag && is_tag(*c));
        let before = place.checked_sub(1).map_or(' ', near);
        let joins = |c: char| u32::from(c) > 0x2000 || is_joined(c) || c == '\u{FE0F}';
        let is_hidden = match c {
            '\u{200C}' | '\u{200D}' => !(joins(before) && joins(near(place + 1))),
            '\u{200E}' | '\u{200F}' | '\u{061C}' => !rtl,
            '\u{00AD}'
            | '\u{034F}'
            | '\u{180E}'
            | '\u{200B}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' => true,
            '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0100}'..='\u{E01EF}' => {
                true
            }
            c if is_tag(*c) => !in_flag,
            _ => false,
        };
        if is_hidden {
            found.push(*at);
        }
    }
    found.into_iter()
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t' | '\r')
}

/// Tags, of which flags of regions are made and nothing else is.
fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0000}'..='\u{E007F}')
}

/// Letters of Hebrew, Arabic and their neighbours.
fn is_rtl(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}')
}

/// Letters of scripts that are written with joiners: Arabic, and those of India and its neighbours.
fn is_joined(c: char) -> bool {
    is_rtl(c) || matches!(c, '\u{0900}'..='\u{0DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

#[cfg(test)]
mod tests;
