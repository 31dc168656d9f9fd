//! Messages that carry a token, as they were sent, for whom they are addressed to (M-029, X-02).
//!
//! On disk a part lies without its secrets; here it is held in memory alone, from when it was sent until its conversation ends or a later
//! part of its type takes its place. After a restart, and beyond so many bytes, what is handed over is what lies on disk. Invariant:
//! nothing of this is written, shown or logged.

use std::collections::BTreeMap;

/// Parts as they were sent, by conversation and type.
#[derive(Default)]
pub struct Carried {
    parts: BTreeMap<(String, String), Sent>,
    bytes: usize,
}

struct Sent {
    /// The record of the same part without its secrets.
    record: u64,
    data: String,
}

impl Carried {
    /// Holds a part whose record is this; of more than so many bytes, the oldest go.
    pub fn hold(&mut self, context: &str, type_name: &str, record: u64, data: String, bytes_max: usize) {
        self.let_go(context, Some(type_name));
        self.bytes += data.len();
        self.parts
            .insert((context.to_owned(), type_name.to_owned()), Sent { record, data });
        while self.bytes > bytes_max {
            let oldest = self.parts.iter().min_by_key(|(_, sent)| sent.record);
            let Some((context, type_name)) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.let_go(&context, Some(&type_name));
        }
    }

    /// The part that this record has without its secrets.
    pub fn of(&self, context: &str, type_name: &str, record: u64) -> Option<&str> {
        let sent = self.parts.get(&(context.to_owned(), type_name.to_owned()))?;
        (sent.record == record).then_some(sent.data.as_str())
    }

    /// Lets go of the part of a type, or of all of a conversation.
    pub fn let_go(&mut self, context: &str, type_name: Option<&str>) {
        let mut bytes = 0;
        self.parts.retain(|(of, name), sent| {
            let goes = of == context && type_name.is_none_or(|gone| gone == name);
            bytes += if goes { sent.data.len() } else { 0 };
            !goes
        });
        self.bytes -= bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::Carried;

    #[test]
    fn a_part_is_held_until_its_conversation_ends_or_another_takes_its_place_m029_x02() {
        let mut carried = Carried::default();
        carried.hold("c", "T", 1, "one".to_owned(), 10);
        assert_eq!(carried.of("c", "T", 1), Some("one"));
        assert_eq!((carried.of("c", "T", 2), carried.of("d", "T", 1)), (None, None));
        carried.hold("c", "T", 2, "two".to_owned(), 10);
        assert_eq!((carried.of("c", "T", 1), carried.of("c", "T", 2)), (None, Some("two")));
        carried.hold("d", "T", 3, "1234567".to_owned(), 10);
        assert_eq!(
            (carried.of("c", "T", 2), carried.bytes),
            (Some("two"), 10),
            "at the bound"
        );
        carried.hold("e", "T", 4, "x".to_owned(), 10);
        assert_eq!((carried.of("c", "T", 2), carried.bytes), (None, 8), "the oldest goes");
        carried.let_go("d", None);
        assert_eq!((carried.of("d", "T", 3), carried.bytes), (None, 1));
        carried.hold("f", "T", 5, "more than there is room for".to_owned(), 10);
        assert_eq!(carried.bytes, 0, "what is too large is not held");
    }
}
