//! The form of a text that is embedded and remembered.
//!
//! The model does not tell upper from lower case, nor one space from many; the form leaves out what it does not see.
//! The form itself is embedded, so that two texts of one form have one vector whichever came first.

use unicode_normalization::UnicodeNormalization;

/// Bytes of a text that are looked at: far more than the model's tokens hold.
pub const BYTES_MAX: usize = 16 << 10;

/// Composed (NFC), in lower case, without space at its ends, with single spaces inside, cut at [`BYTES_MAX`].
pub fn form(text: &str) -> String {
    let mut end = text.len().min(BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let composed = text[..end].nfc().flat_map(char::to_lowercase).collect::<String>();
    let mut form = String::with_capacity(composed.len());
    for word in composed.split_whitespace() {
        if !form.is_empty() {
            form.push(' ');
        }
        form.push_str(word);
    }
    form
}

#[cfg(test)]
mod tests {
    use super::BYTES_MAX;
    use super::form;

    #[test]
    fn what_the_model_does_not_see_is_left_out() {
        assert_eq!(form("  Window\tseat,\n please "), "window seat, please");
        assert_eq!(form("cafe\u{301}"), "caf\u{e9}");
        assert_eq!(form(" \n"), "");
        assert_eq!(form(&form("İstanbul")), form("İstanbul"));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = format!("{}é", "x".repeat(BYTES_MAX - 1));
        assert_eq!(form(&text).len(), BYTES_MAX - 1);
        assert_eq!(form(&text[..BYTES_MAX - 1]).len(), BYTES_MAX - 1);
    }
}
