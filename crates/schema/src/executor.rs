//! The member `executor` of a template (Z-007): the server agent's own address, which is called with what was accepted.
//!
//! Reads and checks its form. What this service allows of it (hosts, longest times) is a setting of the operator's, and
//! whether its name leads to an inner address is known only when it is called. Invariant: an [`ExecutorSpec`] names an
//! https address, or one on this machine, without credentials.

use core::net::IpAddr;

use serde_json::Map;
use serde_json::Value;

use crate::defect::Defect;
use crate::defect::pointer_to;
use crate::nearest::nearest;
use crate::report::Report;

/// The member of a template.
pub const MEMBER: &str = "executor";

/// Bytes of an address.
pub const URL_BYTES_MAX: usize = 2_048;
/// Milliseconds for a whole call, attempts and pauses included; what is allowed at most is a setting below this.
pub const TIMEOUT_MS: u64 = 10_000;
pub const TIMEOUT_MS_MIN: u64 = 100;
pub const TIMEOUT_MS_CEILING: u64 = 600_000;
/// Attempts of a call.
pub const ATTEMPTS: u64 = 3;
pub const ATTEMPTS_CEILING: u64 = 10;

const MEMBERS: [&str; 4] = ["url", "timeout_ms", "attempt_timeout_ms", "attempts"];
const REQUIREMENT: &str = "Z-007";

/// Where what was accepted is executed, and with how much patience.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorSpec {
    /// As published.
    pub url: String,
    /// Lower case, an IPv6 address without brackets.
    pub host: String,
    pub port: u16,
    /// For the whole call.
    pub timeout_ms: u64,
    /// For one attempt; never more than the whole.
    pub attempt_timeout_ms: u64,
    pub attempts: u64,
}

impl ExecutorSpec {
    /// Reads the member of a template that was published; `None` where it is absent, or was published before it had a
    /// meaning and has none.
    pub fn of(members: &Map<String, Value>) -> Option<ExecutorSpec> {
        read(members.get(MEMBER)?, &mut Report::default())
    }

    /// The host as it stands in a list of hosts, with its port.
    pub fn place(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

/// Reports what is wrong with the member, where it is there.
pub(crate) fn check(members: &Map<String, Value>, report: &mut Report) {
    if let Some(document) = members.get(MEMBER) {
        let _ = read(document, report);
    }
}

/// A defect of one member, for rules that only the service knows.
pub fn defect(member: &str, message: String) -> Defect {
    Defect {
        pointer: pointer_to(&pointer_to("", MEMBER), member),
        requirement: REQUIREMENT.to_owned(),
        message,
    }
}

fn read(document: &Value, report: &mut Report) -> Option<ExecutorSpec> {
    let at = pointer_to("", MEMBER);
    let Value::Object(members) = document else {
        report.defect(&at, REQUIREMENT, "`executor` is an object with a `url`");
        return None;
    };
    for name in members.keys().filter(|name| !MEMBERS.contains(&name.as_str())) {
        let absent = MEMBERS.into_iter().filter(|known| !members.contains_key(*known));
        let meant = nearest(name, absent)
            .map(|known| format!("; `{known}` may have been meant"))
            .unwrap_or_default();
        let message = format!("an executor has {}, and nothing else{meant}", MEMBERS.join(", "));
        report.defect(&pointer_to(&at, name), REQUIREMENT, message);
    }
    let mut object = |at: &str, message: String| {
        report.defect(at, REQUIREMENT, message);
        None
    };
    let url_at = pointer_to(&at, "url");
    let address = match members.get("url") {
        None => object(&at, "`url` is missing".to_owned()),
        Some(Value::String(url)) => match address(url) {
            Ok(found) => Some((url.clone(), found)),
            Err(must) => object(&url_at, format!("`url` must {must}")),
        },
        Some(_) => object(&url_at, "`url` is a string".to_owned()),
    };
    let whole = |name: &str, default: u64, low: u64, high: u64, report: &mut Report| {
        let Some(value) = members.get(name) else {
            return Some(default);
        };
        let number = value.as_u64().filter(|number| (low..=high).contains(number));
        if number.is_none() {
            let message = format!("`{name}` is a whole number, {low} to {high}");
            report.defect(&pointer_to(&at, name), REQUIREMENT, message);
        }
        number
    };
    let timeout_ms = whole("timeout_ms", TIMEOUT_MS, TIMEOUT_MS_MIN, TIMEOUT_MS_CEILING, report);
    let attempt_timeout_ms = whole(
        "attempt_timeout_ms",
        timeout_ms.unwrap_or(TIMEOUT_MS),
        TIMEOUT_MS_MIN,
        timeout_ms.unwrap_or(TIMEOUT_MS_CEILING),
        report,
    );
    let attempts = whole("attempts", ATTEMPTS, 1, ATTEMPTS_CEILING, report);
    let known = members.keys().all(|name| MEMBERS.contains(&name.as_str()));
    let (url, (host, port)) = address.filter(|_| known)?;
    Some(ExecutorSpec {
        url,
        host,
        port,
        timeout_ms: timeout_ms?,
        attempt_timeout_ms: attempt_timeout_ms?,
        attempts: attempts?,
    })
}

/// Host and port of an address; otherwise what it must do. The address is not repeated: it may hold a secret.
fn address(url: &str) -> Result<(String, u16), String> {
    if url.len() > URL_BYTES_MAX || !url.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("have at most {URL_BYTES_MAX} visible ASCII characters"));
    }
    if url.contains('#') {
        return Err("have no fragment".to_owned());
    }
    let (plain, rest) = if let Some(rest) = url.strip_prefix("https://") {
        (false, rest)
    } else if let Some(rest) = url.strip_prefix("http://") {
        (true, rest)
    } else {
        return Err("begin with https://, or with http:// on this machine".to_owned());
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(
            "hold no credentials: whoever may read the schema would see them; the operator names a token".to_owned(),
        );
    }
    let (host, port) = host_and_port(authority).ok_or("name a host, and a port from 1 to 65535 if any")?;
    if plain && !is_loopback(&host) {
        return Err(
            "begin with https://: over http what clients said would travel in the clear; http is for this machine alone"
                .to_owned(),
        );
    }
    Ok((host, port.unwrap_or(if plain { 80 } else { 443 })))
}

/// Takes `host`, `host:port` or `[v6]:port` apart; the host in lower case and without brackets or a dot at its end.
pub fn host_and_port(authority: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let (host, port) = rest.split_once(']')?;
        let IpAddr::V6(address) = host.parse().ok()? else {
            return None;
        };
        (address.to_string(), port)
    } else {
        let end = authority.find(':').unwrap_or(authority.len());
        let (host, port) = authority.split_at(end);
        let named = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
        let host = host.strip_suffix('.').unwrap_or(host);
        if host.is_empty() || !host.bytes().all(named) || is_odd_number(host) {
            return None;
        }
        (host.to_ascii_lowercase(), port)
    };
    if port.is_empty() {
        return Some((host, None));
    }
    let digits = port.strip_prefix(':')?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    let port = digits.parse::<u16>().ok().filter(|port| plain && *port > 0)?;
    Some((host, Some(port)))
}

/// Whether a host is an address in a spelling that some resolvers read and [`IpAddr`] does not, such as `0x7f.1`, `2130706433`
/// or `127.1`: no name ends in a number (URL Standard, "ends in a number").
pub fn is_odd_number(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or(host);
    let hex = last.strip_prefix("0x").or_else(|| last.strip_prefix("0X"));
    let number = match hex {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None => !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()),
    };
    number && host.parse::<IpAddr>().is_err()
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ExecutorSpec;
    use super::TIMEOUT_MS_CEILING;
    use super::TIMEOUT_MS_MIN;
    use super::URL_BYTES_MAX;
    use super::check;
    use crate::report::Report;
    use serde_json::Value;

    fn read(executor: &Value) -> Result<ExecutorSpec, Vec<String>> {
        let document = json!({"executor": executor});
        let members = document.as_object().expect("an object");
        let mut report = Report::default();
        check(members, &mut report);
        let told = report.defects.into_iter();
        let defects: Vec<String> = told
            .map(|told| format!("{} {} {}", told.pointer, told.requirement, told.message))
            .collect();
        let spec = ExecutorSpec::of(members);
        assert_eq!(spec.is_some(), defects.is_empty(), "{defects:?}");
        spec.ok_or(defects)
    }

    fn url(url: &str) -> Result<String, Vec<String>> {
        read(&json!({"url": url})).map(|spec| spec.place())
    }

    #[test]
    fn an_executor_is_an_https_address_or_one_on_this_machine_z007_z166() {
        for (text, place) in [
            ("https://Agent.Example/book", "agent.example:443"),
            ("https://agent.example:8443", "agent.example:8443"),
            ("https://agent.example.?q=1", "agent.example:443"),
            ("http://localhost:9000/x", "localhost:9000"),
            ("http://127.0.0.1/x", "127.0.0.1:80"),
            ("http://[::1]:9/x", "[::1]:9"),
            ("https://[2001:DB8:0::1]/x", "[2001:db8::1]:443"),
        ] {
            assert_eq!(url(text).as_deref(), Ok(place), "{text}");
        }
        for wrong in [
            "http://agent.example/book",
            "http://127.0.0.1.agent.example/",
            "ftp://agent.example",
            "agent.example",
            "https://",
            "https:///book",
            "https://user:secret@agent.example/",
            "https://agent.example/#secret",
            "https://agent.example:0/",
            "https://0x7f.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0177.0.0.1/",
            "https://agent.0x/",
            "https://agent.example:65536/",
            "https://agent.example:+1/",
            "https://agent .example/",
            "https://[::1/",
            "https://[127.0.0.1]/",
            "https://ägent.example/",
            "",
        ] {
            let said = url(wrong).expect_err(wrong);
            assert!(said[0].starts_with("/executor/url Z-007 `url` must "), "{said:?}");
            assert!(!said[0].contains("secret"), "{said:?}");
        }
        let long = |bytes: usize| format!("https://a.example/{}", "x".repeat(bytes - 18));
        assert!(url(&long(URL_BYTES_MAX)).is_ok() && url(&long(URL_BYTES_MAX + 1)).is_err());
    }

    #[test]
    fn every_number_of_an_executor_is_bounded_at_its_edge_z007() {
        for row in [
            json!(["timeout_ms", TIMEOUT_MS_MIN, true]),
            json!(["timeout_ms", TIMEOUT_MS_MIN - 1, false]),
            json!(["timeout_ms", TIMEOUT_MS_CEILING, true]),
            json!(["timeout_ms", TIMEOUT_MS_CEILING + 1, false]),
            json!(["timeout_ms", null, false]),
            json!(["attempt_timeout_ms", 5_000, true]),
            json!(["attempt_timeout_ms", 5_001, false]),
            json!(["attempts", 1, true]),
            json!(["attempts", 10, true]),
            json!(["attempts", 0, false]),
            json!(["attempts", 11, false]),
            json!(["attempts", "3", false]),
        ] {
            let mut document = json!({"url": "https://a.example", "timeout_ms": 5_000});
            let name = row[0].as_str().unwrap_or_default();
            document[name] = row[1].clone();
            let said = read(&document)
                .err()
                .map(|said| said[0].starts_with(&format!("/executor/{name} Z-007")));
            assert_eq!(said, (row[2] == false).then_some(true), "{row}");
        }
        let plain = read(&json!({"url": "https://a.example", "timeout_ms": 700})).expect("an executor");
        assert_eq!(
            [plain.timeout_ms, plain.attempt_timeout_ms, plain.attempts],
            [700, 700, 3]
        );
    }

    #[test]
    fn what_is_no_executor_is_named_z007() {
        for (wrong, expected) in [
            (
                json!("https://a.example"),
                &["/executor Z-007 `executor` is an object with a `url`"][..],
            ),
            (json!({}), &["/executor Z-007 `url` is missing"]),
            (json!({"url": 1}), &["/executor/url Z-007 `url` is a string"]),
        ] {
            assert_eq!(read(&wrong).expect_err("a defect"), expected);
        }
        let said = read(&json!({"url": "https://a.example", "timeout": 5, "token": "secret"})).expect_err("two more");
        assert!(
            said.len() == 2 && said[0].contains("`timeout_ms` may have been meant"),
            "{said:?}"
        );
        assert!(said[1].starts_with("/executor/token"), "{said:?}");
    }
}
