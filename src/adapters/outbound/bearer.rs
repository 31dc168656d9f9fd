//! A bearer token read from where the settings say: an environment variable, or a file. Shown to nobody.

use std::path::Path;

use hyper::header::HeaderValue;

/// Bytes of a token.
pub const BYTES_MAX: usize = 8_192;

/// What an environment variable holds.
pub fn of_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What a file holds, if it is no larger than a token may be.
pub fn of_file(file: &Path) -> Option<String> {
    let small = std::fs::metadata(file).ok()?.len() <= 2 * BYTES_MAX as u64;
    small.then(|| std::fs::read_to_string(file).ok()).flatten()
}

/// The value of the header `Authorization`, marked as a secret.
///
/// # Errors
/// That the place holds no key, in a sentence that does not repeat what it holds.
pub fn authorization(place: &str, text: Option<String>) -> Result<HeaderValue, String> {
    let wrong = || format!("{place} holds no key: a line of visible ASCII characters, and nothing else");
    let text = text.ok_or_else(wrong)?;
    let key = text.trim();
    let visible = !key.is_empty() && key.len() <= BYTES_MAX && key.bytes().all(|byte| byte.is_ascii_graphic());
    let mut value = HeaderValue::from_str(&format!("Bearer {key}"))
        .ok()
        .filter(|_| visible)
        .ok_or_else(wrong)?;
    value.set_sensitive(true);
    Ok(value)
}
