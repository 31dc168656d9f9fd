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
use unicode_normalization::is_nfkc;

use crate::defect::Defect;
use crate::defect::pointer_to;

/// Why a text is refused, as it is published.
pub const SPEAKS_TO_MODEL: &str = "speaks_to_model";
pub const HIDDEN_CHARACTERS: &str = "hidden_characters";

/// What the pattern may take, compiled: words of any script make it larger than the library's own bound.
const PATTERN_BYTES_MAX: usize = 64 << 20;
/// What its automaton may keep: with the library's own bound of two it is thrown away again and again, and 4,000 characters take 14 ms
/// and not 7 µs.
const AUTOMATON_BYTES_MAX: usize = 10 << 20;
/// Levels of a document that are looked at; a template's own form ends far above.
const DEPTH_MAX: usize = 64;

/// Words that stand in several patterns, in the languages that are written with spaces and that the models read.
const WORDS: [(&str, &str); 10] = [
    (
        "<reply>",
        r"answer|respond|reply|antworte\w*|respond[ea]\w*|contest[ae]\w*|répond\w*|rispond\w*|antwoord\w*|odpowiadaj\w*|отвечай\w*|yanıtla|cevapla",
    ),
    (
        "<speak>",
        r"speak|talk|write|sprich|sprechen|schreib\w*|rede\w*|habl[ae]\w*|escrib\w*|parle[rz]?|écri\w*|parla\w*|scriv\w*|fal[ae]r?|escrev\w*|spreek|schrijf|praat|pisz|mów|пиши\w*|говори\w*|konuş",
    ),
    (
        "<always>",
        r"always|only|exclusively|immer|stets|nur|ausschließlich|siempre|s[oó]lo|solamente|toujours|uniquement|seulement|sempre|soltanto|só|somente|apenas|altijd|alleen|uitsluitend|zawsze|tylko|wyłącznie|всегда|только|исключительно|her\s+zaman|daima|sadece",
    ),
    (
        "<now>",
        r"from\s+(?:now|this\s+(?:point|moment)|here)\s+on(?:wards?)?|henceforth|as\s+of\s+now|ab\s+(?:jetzt|sofort|nun)|von\s+(?:nun|jetzt)\s+an|a\s+partir\s+de\s+(?:ahora|agora)|de\s+(?:ahora\s+en\s+adelante|agora\s+em\s+diante)|desde\s+ahora|à\s+partir\s+de\s+maintenant|désormais|dorénavant|d['’]ora\s+in\s+(?:poi|avanti)|da\s+(?:ora|adesso)\s+in\s+(?:poi|avanti)|vanaf\s+nu|od\s+teraz|отныне|с\s+этого\s+момента|bundan\s+(?:sonra|böyle)",
    ),
    (
        "<tongue>",
        r"latin\w*|latein\w*|latín|latim|latijn|łaci\w+|latince|латин\w+|engl\w+|ingl\w+|anglais\w*|angielsk\w+|ingiliz\w+|англий\w+|germ[aâ]n\w*|deutsch\w*|duits\w*|alem[aã]\w+|allemand\w*|tedesc\w+|niemieck\w+|almanca|немец\w+|french|franc[eé]s\w*|franç\w+|französ\w+|frans|fransız\w*|француз\w+|spanis[ch]\w+|español\w*|espagnol\w*|espanhol\w*|spagnol\w*|spaans\w*|hiszpańsk\w+|ispanyol\w*|испан\w+|itali[aeë]n\w*|итальян\w+|portug\w+|russ\w+|rosyjsk\w+|русск\w+|chin\w+|japan\w+|japon\w+|klingon\w*|pirat\w*|rhym\w+|reimen|vers(?:en?|es?|os?|i)|rim[ae]s?",
    ),
    (
        "<before>",
        r"bevor\s+(?:du|sie|ihr)\s+antwort\w*|antes\s+de\s+(?:responder|contestar)|avant\s+de\s+répondre|prima\s+di\s+rispondere|voordat\s+(?:je|u)\s+antwoordt?|zanim\s+odpowie\w*|прежде\s+чем\s+ответить|перед\s+ответом|(?:cevap\s+vermeden|yanıtlamadan)\s+önce|قبل\s+(?:الرد|الإجابة)",
    ),
    (
        "<tool>",
        "werkzeug|tool|funktion|herramienta|función|outil|fonction|strument|funzion|ferramenta|função|functie|narzędzi|funkcj|инструмент|функци|ara[cç]|fonksiyon|أداة|الأداة",
    ),
    (
        "<model>",
        r"(?:the|this)\s+(?:ai|llm|chat\s?bot|assistant|language\s+model)|der\s+(?:ki-)?assistent|die\s+ki|das\s+sprachmodell|el\s+asistente\s+(?:virtual|de\s+ia)|la\s+ia|el\s+modelo\s+de\s+lenguaje|l['’](?:assistant|assistente|ia)|le\s+modèle\s+de\s+langage|il\s+modello\s+linguistico|o\s+assistente|a\s+ia|o\s+modelo\s+de\s+linguagem|de\s+assistent|het\s+taalmodel|asystent|model\s+językowy|ассистент|языковая\s+модель|asistan|yapay\s+zeka",
    ),
    (
        "<must>",
        r"shall|must|should|may|is\s+to|has\s+to|darf|soll(?:te)?|muss|debe(?:rá|ría)?|puede|tiene\s+que|doit|devra|peut|deve|dovrà|può|deverá|pode|moet|mag|musi|może|powinien|долж(?:ен|на)|может",
    ),
    (
        "<never>",
        "not|never|always|only|nicht|niemals|immer|nur|keine?[mnrs]?|nunca|siempre|solo|sólo|jamais|toujours|pas|mai|sempre|soltanto|só|niet|nooit|altijd|alleen|nie|nigdy|zawsze|tylko|не|никогда|всегда|только",
    ),
];

static ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    let rows = [
        // What was said before is to count no more.
        r"\b(?:ignore|disregard|forget|discard|(?:do\s+not|don['’]t|never|stop)\s+(?:follow|obey|heed|listen(?:ing)?\s+to)(?:ing)?)\s+(?:(?:all|any|every|everything|each|of|the|your|my|these|those|that|what|and|about)\s+){0,5}(?:previous|prior|above|earlier|preceding|foregoing|former|initial|original)\b[^.!?\n]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directives?|orders?|commands?|messages?|context|conversation|training)\b",
        r"\b(?:ignore|disregard|forget|discard|override|bypass)\s+(?:all\s+)?(?:of\s+)?your\s+(?:\w+\s+)?(?:instructions?|prompts?|rules?|guidelines?|directives?|guardrails?|training|programming|restrictions?|polic(?:y|ies))\b",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all)\s+(?:that\s+)?(?:you\s+(?:were|have\s+been|know)|(?:above|before)\b(?:\s*[.!,;]|\s+and\b|\s*$))",
        r"\b(?:ignore|disregard|forget)\s+all\s+(?:the\s+)?(?:instructions?|prompts?|directives?)\s*(?:[.!,;]|and\b|$)",
        r"\b(?:ignore|disregard|forget|discard|(?:do\s+not|don['’]t|never|stop)\s+(?:follow|obey|heed)(?:ing)?)\s+(?:(?:all|any|of|the|your|these|those|my)\s+){0,4}(?:instructions?|prompts?|rules?|guidelines?|directives?|orders?)\s+(?:above|so\s+far|given\s+(?:above|before|earlier))\b",
        // How a model is to speak, or what it is.
        r"\b(?:answer|respond|reply|speak|talk)\s+(?:only|exclusively|solely)\s+(?:in|like|as)\b",
        r"\b(?:only|exclusively)\s+(?:answer|respond|reply|speak|talk)\s+(?:in|like|as)\b",
        r"\byou\s*(?:are|['’]re)\s+(?:now\s+(?:an?|in|the|bound|free|called|known|unrestricted)|no\s+longer\s+(?:an?|bound|restricted|limited))\b",
        r"\bpretend\s+(?:that\s+)?you(?:\s+are|['’]re)\b",
        r"\b(?:<now>)\b[^.!?\n]{0,40}\b(?:<reply>|<speak>|act|behave|you\s+(?:are|must|will|shall|should)|verhalte?\w*|du\s+bist|bist\s+du|sie\s+sind|actú\w*|eres|agis\w*|tu\s+es|vous\s+êtes|comport\w*|sei|aja|você\s+é|je\s+bent|ben\s+j(?:e|ij)|jesteś|ты|sen)\b",
        r"(?:从现在(?:开始|起)|從現在(?:開始|起))[^。！？\n]{0,8}你(?:是|叫|就是|要|必|只)|今から(?:あなた|君|お前)は|지금부터\s*(?:너|당신)(?:는|은)",
        r"\b(?:<reply>|<speak>|behave)\b[^.!?\n]{0,40}\b(?:<now>)\b",
        r"\b(?:(?:<always>)\s+(?:<reply>)|(?:<reply>)\s+(?:sie\s+|du\s+)?(?:<always>))\s+(?:\w+\s+)?(?:in|auf|en|em|op|po|na|на)\s+(?:het\s+)?(?:<tongue>)\b",
        "(?:始终|始終|一律|只能|必须|必須)[^。！？\n]{0,8}[语語文][^。！？\n]{0,4}(?:回答|回复|回覆|答复|答覆)",
        "(?:常に|必ず|いつも)[^。！？\n]{0,12}[語文]で[^。！？\n]{0,8}(?:答え|回答し|返答し|話し)",
        r"(?:항상|언제나|반드시|오직)[^.!?\n]{0,12}어로(?:만)?\s*(?:대답|답변|답하|말하)",
        // What a model is to do before it answers, and what it may never do.
        r"\bbefore\s+you\s+(?:answer|respond|reply)\s*[,:]\s*(?:\w+\s+){0,3}(?:call|invoke|use|run|execute|read|fetch|open|send|post)\b",
        r"\b(?:<before>)\s*[,:،][^.!?\n]{0,40}\b(?:<tool>)",
        "(?:回答(?:する)?(?:之?前|前に)|답변하기 ?전에|ก่อนตอบ)[^.!?。！？\n]{0,30}(?:工具|函[数數]|ツール|関数|도구|함수|เครื่องมือ)",
        r"\b(?:<model>)\s+(?:(?:\w+\s+)?(?:no|n[eo]n?|não|nie|не)\s+(?:<must>)|(?:<must>)\b[^.!?\n]{0,40}\b(?:<never>))\b",
        "(?:助手|助理|语言模型|語言模型|人工智能)(?:不得|不应|不應|不能|必须|必須|只能)|(?:アシスタント|言語モデル)は[^。\n]{0,30}(?:ならない|いけない)|(?:어시스턴트|언어 ?모델)[는은][^.\n]{0,30}(?:안 ?된다|안 ?됩니다|말아야|해야 ?한다|해야 ?합니다)",
        // What it holds is to be carried out.
        r"\b(?:copy|put|write|insert|paste|include|dump|append|add|send|place|store|repeat|pass|move|enter|fill)\b[^.!?\n]{0,30}\b(?:whole|entire|full|complete|all\s+of\s+the|all\s+the)\b[^.!?\n]{0,20}\b(?:conversation|chat|dialog(?:ue)?|transcript|message\s+history|context\s+window|system\s+(?:prompt|message))\b[^.!?\n]{0,10}\b(?:(?:in|into|to|inside|within|as)\s+(?:this|that|here)|here)\b",
        r"\b(?:copy|dump|repeat|duplicate|paste|leak|mirror)\b[^.!?\n]{0,20}\b(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:other|remaining)\b[^.!?\n]{0,10}\b(?:keys?|fields?|parameters?|propert(?:y|ies)|values?|arguments?|members?|inputs?)\b",
        r"\b(?:put|write|include|add|send|insert)\s+(?:the\s+)?(?:contents?|values?)\s+of\s+(?:all|every|each)\s+(?:the\s+)?other\b",
        r"\b(?:reveal|leak|print|output|repeat|disclose|include|send|show)\b[^.!?\n]{0,20}\byour\s+(?:\w+\s+)?(?:system\s+)?(?:prompt|instructions|system\s+message)\b",
        // The same in other languages.
        r"\b(?:schreib|kopier|füg|setz|trag|gib|pack)\w*\b[^.!?\n]{0,30}\b(?:ganze|gesamte|komplette|vollständige)\w*\b[^.!?\n]{0,20}\b(?:gespräch|unterhaltung|konversation|chat|verlauf|dialog)\w*[^.!?\n]{0,15}\b(?:dies\w*|hier\w*)\b",
        r"\b(?:kopier|übertrag|schreib)\w*\b[^.!?\n]{0,20}\balle\s+(?:anderen|übrigen)\s+(?:felder|schlüssel|werte|angaben)\b",
        r"\b(?:copia|pon|escribe|incluye|pega|mete|copie|ponga)\w*\b[^.!?\n]{0,20}\b(?:toda|entera|completa)\b[^.!?\n]{0,15}\b(?:conversación|charla)\s+(?:\w+\s+)?(?:est[ea]|aquí)\b",
        r"\b(?:copie|mets|mettez|colle|écris|insère|recopie)\w*\b[^.!?\n]{0,20}\b(?:toute|entière|intégralité|complète)\b[^.!?\n]{0,15}\b(?:conversation|discussion)\s+(?:\w+\s+)?(?:ce|cette|ici)\b",
    ];
    any_of(&rows)
});

/// Words of any language that together turn against earlier instructions, wherever they stand in a sentence: what is to be done with
/// them, which they are, and what they are; of all of them only instructions are meant for a model. Stems, since most are inflected.
static TURNS: LazyLock<Turning> = LazyLock::new(|| Turning {
    ignore: any_of(&[
        r"\b(?:ignorier|vergiss|vergessen\s+sie|missacht|beachte\w*\s+nicht|ignor[aeo]|zignoruj|olvid[ae]|caso\s+omiso|oublie|dimentica|esque[çc]|desconsider)",
        r"\b(?:negeer|vergeet|zapomnij|pomiń|yok\s+say|görmezden\s+gel|unut|dikkate\s+alma|игнорируй|проигнорируй|забудь|تجاهل)",
        "忽略|忽视|忽視|无视|無視|忘记|忘記|忘れ|무시|잊어|잊으|ละเว้น|เพิกเฉย|ไม่ต้องสนใจ|ลืม",
    ]),
    earlier: any_of(&[
        r"\b(?:vorherig|vorangehend|vorangegangen|bisherig|obig|früher|vorig|anterior|previ[ao]s?\b|précédent|antérieur|ci-dessus|precedent|prévi)",
        r"\b(?:eerdere|bovenstaande|voorgaande|poprzedn|wcześniejsz|powyższ|önceki|yukarıdaki|предыдущ|прежн|вышеуказан|السابق|أعلاه)",
        "之前|先前|以前|以上|上述|前面|上面|これまで|前の|이전|앞선|앞의|위의|지금까지|ก่อนหน้า|ข้างต้น",
    ]),
    all: any_of(&[
        r"\b(?:alle[mnrs]?\b|toutes|tous|tutt[ei]|tod[ao]s|wszystki|tüm|bütün|все\b|جميع|كل\b)",
        "所有|全部|すべて|全て|모든|ทั้งหมด",
    ]),
    instructions: any_of(&[
        r"\b(?:anweisung|instru[ckçz]|consigne|istruzion|talimat|инструкц|prompt|(?:ال)?تعليمات)",
        "指令|指示|提示词|プロンプト|지시|프롬프트|คำสั่ง",
    ]),
    rules: any_of(&[
        r"\b(?:befehl|vorgabe|eingabe|indica[cçz]|[óo]rdenes|ordens|ordre|ordini|opdracht|polece|komut|yönerge|указани|команд|(?:ال)?[أا]وامر)",
        r"\b(?:regel|regl[ao]|règle|regol|regra|reguł|zasad|kural|правил|(?:ال)?قواعد)",
        "命令|规则|規則|ルール|명령|지침|규칙|กฎ",
    ]),
});

struct Turning {
    ignore: Regex,
    earlier: Regex,
    all: Regex,
    instructions: Regex,
    rules: Regex,
}

impl Turning {
    /// Whether a sentence turns against what was said before.
    fn is_in(&self, sentence: &str) -> bool {
        let instructions = || self.instructions.is_match(sentence);
        self.ignore.is_match(sentence)
            && (self.all.is_match(sentence) && instructions()
                || self.earlier.is_match(sentence) && (instructions() || self.rules.is_match(sentence)))
    }
}

fn any_of(rows: &[&str]) -> Regex {
    let mut pattern = format!("(?i){}", rows.join("|"));
    for (name, words) in WORDS {
        pattern = pattern.replace(name, words);
    }
    let built = RegexBuilder::new(&pattern)
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(AUTOMATON_BYTES_MAX)
        .build();
    built.expect("a constant that a test compiles")
}

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
    let gives = |text: &str| {
        let mut sentences = text.split(['.', '!', '?', '\n', '。', '！', '？']);
        ORDERS.is_match(text) || sentences.any(|sentence| TURNS.is_in(sentence))
    };
    // Letters of full width and the like are read as what they look like.
    gives(text) || (!is_nfkc(text) && gives(&text.nfkc().collect::<String>()))
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
