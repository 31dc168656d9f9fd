//! What has the form of a secret, wherever it stands in a text (M-035, X-02).
//!
//! Rules as data: how published keys begin and go on, and what stands before a secret and how that is written. Knows nothing of the
//! names of members. Words end where letters of ASCII do, since patterns that know all letters are hundreds of times slower in texts
//! that hold others. Invariant: what stands in the place of a secret has no such form, so that taking out twice is taking out once.

use std::sync::LazyLock;

use regex::Captures;
use regex::Regex;

use crate::pattern::exact;
use crate::remembered::Remembered;
use crate::secrets::prose;
use crate::secrets::prose::MARK;

/// Keys that tell what they are: how they begin, and how they go on. Where that holds no line, names such as `hf_model_name` and
/// `npm_config_registry` are none; where it leaves any letter out, it goes up to the end of a word, so that what follows a mark
/// begins none.
const KEYS: [(&str, &str); 8] = [
    (
        "(?:sk|pk|rk|ghp|gho|ghs|ghu|ghr|github_pat|xoxa|xoxb|xoxp|xoxr|xapp|glpat|whsec)[-_]",
        "[A-Za-z0-9_+/=-]{8,}",
    ),
    // Amazon.
    ("(?:AKIA|ASIA)", r"[0-9A-Z]{12,}(?-u:\b)"),
    // Google.
    ("AIza", "[A-Za-z0-9_-]{30,}"),
    // Hugging Face.
    ("hf_", r"[A-Za-z0-9]{20,}(?-u:\b)"),
    ("npm_", r"[A-Za-z0-9]{20,}(?-u:\b)"),
    ("pypi-", "[A-Za-z0-9_-]{40,}"),
    // SendGrid.
    (r"SG\.", r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    // DigitalOcean.
    ("do[opr]_v1_", r"[A-Za-z0-9]{20,}(?-u:\b)"),
];
/// What is sent in a header, and JSON web tokens.
const SENT: &str = r"(?i:(?-u:\b)bearer\s+)(?:[A-Za-z~+/=-]{0,64}[0-9._*][A-Za-z0-9._~+/=*-]{6,}|[A-Za-z~+/=-]{7,64}[0-9][A-Za-z0-9._~+/=*-]*)|(?i:(?-u:\b)basic\s+)[A-Za-z0-9+/]{8,}={1,2}|(?-u:\b)eyJ[A-Za-z0-9_*-]{5,}(?:\.[A-Za-z0-9_*-]+)*";
/// Letters from which on what follows the name of a scheme is no word.
const SENT_MIN: usize = 16;
/// Names before a secret, in words.
const TOKENS: &str =
    "(?:access|refresh|auth|oauth|api|bearer|session|id|private|security|csrf|xsrf|deploy|job|bot|runner)[_-]?token";
const LOCKS: &str = "(?:api|access|secret|private|signing|encryption|session|master)[_-]?key";
const PHRASES: &str = "password|passwd|passphrase";
const OTHERS: &str = r"client[_-]?secret|(?-u:\b)jwt|(?-u:\b)token|(?-u:\b)secret|(?:(?-u:\b)|_)otp";
/// What stands before a secret in the header that lets somebody in.
const SCHEMES: &str =
    "(?:token|api-?key|key|bearer|basic|digest|negotiate|ntlm|hawk|oauth|ssws|bot|genie-?key|sso-key|aws4-hmac-sha256)";
/// Addresses that let in whoever knows their end, and names that speak of a secret in addresses and connection strings alone.
const BEFORE: &str = "hooks\\.slack\\.com/(?:services|workflows|triggers)/|accountkey=|[?&](?:amp;)?(?:x-(?:amz|goog|ms)-)?sig(?:nature)?=";
/// Names before a secret in connection strings, where it ends with the next semicolon.
const CONNECTING: &str = "password|pwd|accountkey|sharedaccesskey";

/// Options of programs that take a name and a password.
const USERS: &str = "-u|-U|--user|--proxy-user";
/// Bytes of one text that are looked at for forms of secrets, all looks together: where one begins within another that never ends, each
/// goes on to the end. Words with blanks between them take two looks a byte; this is sixteen for each byte of the longest body.
const LOOKED_AT_MAX: usize = 4 << 20;

/// What has the form of a secret, wherever it stands in a text. The groups are what stays before it: the name that tells what
/// follows. No value begins or goes on with a bracket, so that a mark is none; none holds a quote or a backslash.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let keys = KEYS.map(|(begins, goes_on)| format!(r"(?-u:\b){begins}{goes_on}"));
    let name = format!("(?i:{TOKENS}|{LOCKS}|{PHRASES}|{OTHERS})");
    let value = r#"[^\s"'\\&,;<>()\[\]{}|]"#;
    // A shell keeps the folder that it is in under `PWD`.
    let no_folder = r#"[^\s"'\\&,;<>()\[\]{}|/~$.]"#;
    let pwd = r"(?i:(?:(?-u:\b)|_)pwd?)";
    // As a header has them: the names go with what they are set to.
    let cookie = format!(r#"[^\s"'\\=;,\[\]]+=(?:{SENT}|[^\s"'\\;\[\]]+)"#);
    let scheme = format!(r"(?:(?i:{SCHEMES})\s+{value}+|{value}*[0-9]{value}*)");
    let rules = [
        (
            "cookies",
            r"(?i:(?-u:\b)(?:set-)?cookie:\s*)".to_owned(),
            format!(r"{cookie}(?:;\s*{cookie})*"),
        ),
        (
            "connecting",
            format!(r"(?i:;\s*(?:{CONNECTING})\s*=\s*)"),
            r#"[^\s;"'\\\[][^\s;"'\\]*"#.to_owned(),
        ),
        ("kept", format!("{name}=|(?i:{BEFORE})"), format!("{value}+")),
        ("header", r"(?i:(?-u:\b)authorization\s*[:=]\s*)".to_owned(), scheme),
        (
            "said",
            format!(r"{name}\s*[:=]\s*|--{name}\s+"),
            format!("{value}*[0-9]{value}*"),
        ),
        ("pwd", format!("{pwd}="), format!("{no_folder}{value}*")),
        (
            "pwd_said",
            format!(r"{pwd}\s*[:=]\s*"),
            format!("(?:{no_folder}{value}*)?[0-9]{value}*"),
        ),
        ("member", format!(r#"(?:{name}|{pwd})"\s*:\s*""#), format!("{value}+")),
        (
            "user",
            format!(r"(?:^|\s)(?:{USERS})(?:\s+|=)"),
            r#"[^\s:"'\\\[\]]+:[^\s/"'\\\[\]][^\s"'\\\[\]]*"#.to_owned(),
        ),
        (
            ADDRESS,
            "://".to_owned(),
            r#"[^\s"'\\/@:\[\]]*:[^\s"'\\/@\[\]]+@"#.to_owned(),
        ),
    ];
    let rules = rules.map(|(group, before, value)| format!("(?P<{group}>{before}){value}"));
    exact(&format!("{SENT}|{}|{}", keys.join("|"), rules.join("|")))
});

/// The group of an address that names who asks and the password: what ends it stays.
const ADDRESS: &str = "address";

/// The same between quotes, and whole keys: what holds quotes, backslashes and ends of lines, and so is looked for in plain text
/// alone. Words between quotes are a secret only where people make secrets of words. What stays around a secret are the groups,
/// two and two.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    let name = format!("(?:{TOKENS}|{LOCKS}s?|{OTHERS})");
    let phrase = format!(r"(?:passwords|{PHRASES}|pwd|(?-u:\b)pw)");
    let says = r#"\\?["']?\s*[:=]\s*"#;
    let word = r#"[^\s"'\\\[][^\s"'\\]*"#;
    let any = r#"\\?["']"#;
    let rules = [
        (format!("{name}{says}{any}"), word.to_owned(), any),
        (
            format!("authorization{says}{any}"),
            format!(r"(?:{SCHEMES}\s+)?{word}"),
            any,
        ),
        (
            format!(r"(?:^|\s)(?:{USERS})[\s=]{any}"),
            r#"[^\s:"'\\\[]+:[^"'\\\n]+"#.to_owned(),
            any,
        ),
        (
            format!(r#"{phrase}{says}\\["']"#),
            r#"[^"'\\\[\n][^"'\\\n]*"#.to_owned(),
            r#"\\["']"#,
        ),
        (
            format!("{phrase}{says}\""),
            r#"(?:[^"\\\[\n]|\\.)(?:[^"\\\n]|\\.)*"#.to_owned(),
            "\"",
        ),
        (
            format!("{phrase}{says}'"),
            r"(?:[^'\\\[\n]|\\.)(?:[^'\\\n]|\\.)*".to_owned(),
            "'",
        ),
    ];
    let key = r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\z)";
    let rules = rules.map(|(before, value, after)| format!("({before}){value}({after})"));
    exact(&format!("(?i){key}|{}", rules.join("|")))
});

/// Texts that hold no secret; no other is remembered.
static REMEMBERED: LazyLock<Remembered<Option<String>>> = LazyLock::new(Remembered::default);

/// A text without what has the form of a secret, wherever it stands; `None` where there is none.
pub fn scrubbed_words(text: &str) -> Option<String> {
    REMEMBERED.of_some(text, Option::is_none, scrub)
}

fn scrub(text: &str) -> Option<String> {
    let instead = |found: &Captures<'_>| {
        let around: Vec<&str> = found.iter().skip(1).flatten().map(|kept| kept.as_str()).collect();
        [around.first().unwrap_or(&""), MARK, around.last().unwrap_or(&"")].concat()
    };
    // A quick look whether there are quotes or keys at all.
    let may_quote = text.contains(['"', '\'']) || text.contains("-----");
    let quoted = (may_quote && QUOTED.is_match(text)).then(|| QUOTED.replace_all(text, instead).into_owned());
    let plain = scrubbed_plain(quoted.as_deref().unwrap_or(text)).or(quoted);
    let told = prose::scrubbed(plain.as_deref().unwrap_or(text));
    told.or(plain)
}

/// The same where quotes and backslashes may be those of JSON.
pub(super) fn scrubbed_plain(text: &str) -> Option<String> {
    let mut found = String::new();
    let (mut at, mut copied) = (0, 0);
    let mut looks_left = LOOKED_AT_MAX;
    let is_found = TOKEN.is_match(text);
    while let Some(hit) = is_found.then(|| TOKEN.captures_at(text, at)).flatten() {
        let Some(whole) = hit.get(0) else { break };
        // No form of a secret goes on behind a blank, a quote or a backslash.
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
        let looked_to = text[whole.end()..]
            .find(ends)
            .map_or(text.len(), |end| whole.end() + end);
        looks_left = looks_left.saturating_sub(looked_to - at);
        if looks_left == 0 {
            // Nobody writes so; what is left may hold secrets, and is shown to nobody.
            return Some(found + &text[copied..whole.start()] + MARK);
        }
        let before = TOKEN
            .capture_names()
            .flatten()
            .find_map(|group| Some((group, hit.name(group)?)));
        if let Some((group, name)) = before
            && !is_meant(
                group,
                name.as_str(),
                &text[name.end()..whole.end()],
                &text[whole.end()..],
            )
        {
            // What follows the name may be a secret by itself.
            at = name.end();
            continue;
        }
        found.push_str(&text[copied..before.map_or(whole.start(), |(_, name)| name.end())]);
        found.push_str(MARK);
        if hit.name(ADDRESS).is_some() {
            found.push('@');
        }
        (at, copied) = (whole.end(), whole.end());
    }
    (copied > 0).then(|| found + &text[copied..])
}

/// Whether a text holds a secret by its form.
pub(super) fn has_token(text: &str) -> bool {
    TOKEN.is_match(text) || QUOTED.is_match(text)
}

/// Whether what follows a name is a secret: not all that does is one. `group` tells how it follows, `rest` is what comes then.
fn is_meant(group: &str, name: &str, value: &str, rest: &str) -> bool {
    match group {
        "said" | "pwd_said" => prose::is_value_of(name, value, rest),
        "header" => {
            let mut words = value.split_whitespace();
            let last = words.next_back().unwrap_or_default();
            let is_long = words.next().is_some() && last.len() >= SENT_MIN;
            is_long || prose::is_value_of("token", last, rest)
        }
        "user" => value.split_once(':').is_none_or(|(user, group)| {
            // Numbers are a user and a group, or a time, and so are two names that are one.
            let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
            user != group && !(is_number(user) && is_number(group))
        }),
        // A flag or a count.
        "kept" | "connecting" | "pwd" => value.len() > 1 || !value.starts_with(|c: char| c.is_ascii_digit()),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::MARK;
    use super::scrubbed_words;

    #[test]
    fn well_known_keys_are_taken_out_of_words_m035() {
        let long = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z5";
        for begins in [
            "AIza",
            "hf_",
            "npm_",
            "dop_v1_",
            "doo_v1_",
            "sk-",
            "ghp_",
            "ghu_",
            "xoxr-",
            "SG.aB3dE5fG7hJ9kL1mN3pQ5r.",
        ] {
            let text = format!("use {begins}{long}, please");
            assert_eq!(scrubbed_words(&text), Some(format!("use {MARK}, please")), "{begins}");
        }
        let token = format!("pypi-{long}{long}");
        assert_eq!(scrubbed_words(&token).as_deref(), Some(MARK));
        for harmless in [
            "hf_model_name_or_path_of_the_run",
            "npm_config_registry_of_the_team",
            "AIzawa Station",
            "dop_v1_draft",
            "my half_an_hour_of_exercise_a_day",
        ] {
            assert_eq!(scrubbed_words(harmless), None, "{harmless}");
        }
    }

    #[test]
    fn secrets_of_headers_options_and_addresses_are_taken_out_of_words_m035_x02() {
        for (text, wanted) in [
            ("private_token=abc", "private_token=[redacted]"),
            ("Authorization: Token abc123def456", "Authorization: [redacted]"),
            (
                "-H \"Authorization: Token aB3dE5fG\" -v",
                "-H \"Authorization: [redacted]\" -v",
            ),
            ("Authorization: Token abcdefghijklmnopqrst", "Authorization: [redacted]"),
            (
                r#"{"Authorization": "Token abcdef"}"#,
                r#"{"Authorization": "[redacted]"}"#,
            ),
            ("pw: hunter2", "pw: [redacted]"),
            ("pw: tulip", "pw: [redacted]"),
            ("curl -u ada:hunter2 https://h/x", "curl -u [redacted] https://h/x"),
            ("curl -u \"ada:two words\" h", "curl -u \"[redacted]\" h"),
            ("login --token a1b2c3d4 now", "login --token [redacted] now"),
            (
                "https://h/blob?sv=2024&sig=aB%2F3&se=x",
                "https://h/blob?sv=2024&sig=[redacted]&se=x",
            ),
            ("token: T-77", "token: [redacted]"),
            ("secret: 3, password=x1", "secret: 3, password=[redacted]"),
        ] {
            assert_eq!(scrubbed_words(text).as_deref(), Some(wanted), "{text}");
            assert_eq!(scrubbed_words(wanted), None, "{wanted}");
        }
        for harmless in [
            "secret: 3 eggs",
            "secret: 500g flour, 2nd floor",
            "Authorization: none",
            "authorization: by 9 people",
            "docker run -u 1000:1000 x",
            "sort -u 10:30",
            "the design=modern",
            "pw=0",
            "run with pwd=1, password=0 and token=2",
            "Server=h;Pwd=0;Database=x",
            "opens -u https://h/x",
        ] {
            assert_eq!(scrubbed_words(harmless), None, "{harmless}");
        }
    }

    #[test]
    fn secrets_of_connection_strings_and_addresses_are_taken_out_of_words_m035() {
        for (text, wanted) in [
            (
                "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=aB3/x+Y==;EndpointSuffix=core",
                "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=[redacted];EndpointSuffix=core",
            ),
            (
                "Server=h;Uid=ada;Pwd=/a&b(c,d;Database=x",
                "Server=h;Uid=ada;Pwd=[redacted];Database=x",
            ),
            (
                "Server=h; Password = a&b,c; Port=1",
                "Server=h; Password = [redacted]; Port=1",
            ),
            (
                "Endpoint=sb://x/;SharedAccessKey=aB=;EntityPath=y",
                "Endpoint=sb://x/;SharedAccessKey=[redacted];EntityPath=y",
            ),
            ("pwd=hunter", "pwd=[redacted]"),
            ("pw=4711", "pw=[redacted]"),
            ("pw=0x1", "pw=[redacted]"),
            ("pwd: '2 words'", "pwd: '[redacted]'"),
            (r#"{"db_pwd": "hunter"}"#, r#"{"db_pwd": "[redacted]"}"#),
            ("Your OTP: 482913.", "Your OTP: [redacted]"),
            (
                "sent Cookie: session=abcdef1234; theme=dark with it",
                "sent Cookie: [redacted] with it",
            ),
            ("cookie: auth=Bearer abc.def-123 now", "cookie: [redacted] now"),
            (
                "post to https://hooks.slack.com/services/T0/B0/aB3dE5 now",
                "post to https://hooks.slack.com/services/[redacted] now",
            ),
        ] {
            assert_eq!(scrubbed_words(text).as_deref(), Some(wanted), "{text}");
            assert_eq!(scrubbed_words(wanted), None, "{wanted}");
        }
        for harmless in [
            "PWD=/home/ada",
            "OLDPWD=~/x2",
            "pwd: the folder it is in",
            "https://hooks.slack.com/services/{id}",
            "max_otps=5",
            "cookie: a small cake, x = y",
            "Cookie: none",
        ] {
            assert_eq!(scrubbed_words(harmless), None, "{harmless}");
        }
    }
}
