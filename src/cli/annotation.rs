//! Annotations of GitHub Actions: workflow commands that a runner shows at the lines of a file.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A file and where its keys stand.
pub struct Place<'a> {
    file: &'a str,
    /// The name and the line of each key, in their order.
    keys: Vec<(String, usize)>,
}

#[derive(Deserialize)]
struct Template<'a> {
    #[serde(borrow)]
    keys: Vec<&'a RawValue>,
}

impl<'a> Place<'a> {
    /// Looks where the keys of a template stand; of what is no template all is at the first line.
    pub fn new(file: &'a str, text: &'a str) -> Place<'a> {
        let keys = serde_json::from_str::<Template>(text).map(|template| template.keys);
        let keys = keys.unwrap_or_default().into_iter().map(|key| {
            // The raw value is a piece of the text.
            let before = key.get().as_ptr().addr() - text.as_ptr().addr();
            let line = text.bytes().take(before).filter(|byte| *byte == b'\n').count() + 1;
            let key: Value = serde_json::from_str(key.get()).unwrap_or_default();
            (key["key_name"].as_str().unwrap_or_default().to_owned(), line)
        });
        Place {
            file,
            keys: keys.collect(),
        }
    }

    /// The line of what a JSON pointer names.
    pub fn of_pointer(&self, pointer: &str) -> usize {
        let index = pointer.strip_prefix("/keys/").and_then(|rest| rest.split('/').next());
        let key = index.and_then(|index| self.keys.get(index.parse::<usize>().ok()?));
        key.map_or(1, |(_, line)| *line)
    }

    /// The line of a key.
    pub fn of_key(&self, name: &str) -> usize {
        let key = self.keys.iter().find(|(key, _)| key == name);
        key.map_or(1, |(_, line)| *line)
    }

    /// A command of this kind: `error` for what has to be mended, `warning` for what should be looked at.
    pub fn command(&self, kind: &str, line: usize, title: &str, message: &str) -> String {
        let (file, title, message) = (property(self.file), property(title), data(message));
        format!("::{kind} file={file},line={line},title={title}::{message}")
    }
}

/// A text behind the second pair of colons.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn a_key_is_found_at_its_line_and_what_would_end_a_command_is_encoded() {
        let text = "{\n \"keys\": [\n  {\"key_name\": \"a\",\n   \"constraints\": {}},\n  {\"key_name\": \"b\"}\n ]\n}";
        let place = Place::new("a:b,c.json", text);
        assert_eq!(
            [0, 1, 2].map(|key| place.of_pointer(&format!("/keys/{key}/constraints"))),
            [3, 5, 1]
        );
        assert_eq!(
            (place.of_key("b"), place.of_key("c"), place.of_pointer("/version")),
            (5, 1, 1)
        );
        let said = place.command("error", 5, "x", "100 %\nwrong: y, z");
        assert_eq!(
            said,
            "::error file=a%3Ab%2Cc.json,line=5,title=x::100 %25%0Awrong: y, z"
        );
        assert_eq!(Place::new("f", "no JSON").of_key("a"), 1);
    }
}
