//! Sentences and list items of a text: the pieces that are read each by itself (Z-101).
//!
//! Cuts where every reader would: at the end of a sentence, at a line, a semicolon or a dash between blanks. Clauses stay together: on
//! services that nothing was written for, cutting them where both halves ask for something was a tie.

use unicode_segmentation::UnicodeSegmentation;

use crate::languages::WORDS;

/// The sentences of a text as they stand there, each without blanks around it.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(['\n', '\r']).flat_map(of_line).map(str::trim);
    pieces.filter(|piece| piece.chars().any(char::is_alphanumeric))
}

fn of_line(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    for (at, sentence) in line.split_sentence_bound_indices() {
        let end = at + sentence.len();
        if end == line.len() || !is_abbreviated(&line[begin..end]) {
            pieces.push(&line[begin..end]);
            begin = end;
        }
    }
    pieces
}

/// The sentences and list items of a text, without what marks them as items, at most `max`.
pub fn sentences(text: &str, max: usize) -> Vec<String> {
    let parts = text
        .split(';')
        .flat_map(|part| part.split(" - "))
        .flat_map(|part| part.split(" – "));
    let items = parts.flat_map(pieces).map(without_bullet);
    let said = items.filter(|item| item.chars().any(char::is_alphanumeric));
    said.take(max).map(str::to_owned).collect()
}

/// Whether what was read so far ends in a word that a full stop more likely shortens than ends a sentence: of two letters, without a
/// vowel, with a stop in it, or one of those that are known: "Dr.", "ca.", "St.", "p.m.".
fn is_abbreviated(text: &str) -> bool {
    let Some(text) = text.trim_end().strip_suffix('.') else {
        return false;
    };
    let word = text
        .rsplit(|c: char| !c.is_alphabetic() && c != '.')
        .next()
        .unwrap_or_default();
    let has_vowel = word.to_lowercase().contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let is_latin = word.is_ascii() && !word.is_empty();
    is_latin && (word.len() <= 2 || !has_vowel || word.contains('.') || WORDS.holds("shortened", &word.to_lowercase()))
}

/// A list item without what marks it as one: "- ", "* ", "1) ", "2. ".
fn without_bullet(piece: &str) -> &str {
    let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < piece.len() && piece.len() - rest.len() <= 2;
    let marked = if is_numbered {
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
    } else {
        ["- ", "* ", "• ", "– ", "+ "]
            .iter()
            .find_map(|mark| piece.strip_prefix(mark))
    };
    marked.unwrap_or(piece).trim_start()
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[track_caller]
    fn assert_pieces(text: &str, pieces: &[&str]) {
        assert_eq!(sentences(text, 16), pieces, "{text}");
    }

    #[test]
    fn sentences_lines_and_items_are_read_each_by_itself_z101() {
        assert_pieces(
            "Vegan meal please. A window seat!",
            &["Vegan meal please.", "A window seat!"],
        );
        assert_pieces("- vegan meal\n- window seat\n", &["vegan meal", "window seat"]);
        assert_pieces("1) no nuts\n2) extra pillow", &["no nuts", "extra pillow"]);
        assert_pieces("no nuts; extra pillow", &["no nuts", "extra pillow"]);
        assert_pieces("请不要放香菜。谢谢", &["请不要放香菜。", "谢谢"]);
        assert_pieces(
            "ring twice - leave it at the door",
            &["ring twice", "leave it at the door"],
        );
    }

    #[test]
    fn what_only_looks_like_an_end_is_none() {
        assert_pieces("with Dr. Chen please", &["with Dr. Chen please"]);
        assert_pieces("at 7.30 p.m. sharp", &["at 7.30 p.m. sharp"]);
        assert_pieces("um ca. 3 Uhr", &["um ca. 3 Uhr"]);
        assert_pieces("vegan meal and a window seat", &["vegan meal and a window seat"]);
        assert_pieces("2.5 kg", &["2.5 kg"]);
    }

    #[test]
    fn what_says_nothing_is_no_piece_and_no_more_are_kept_than_asked_for() {
        assert_pieces("...\n--\n", &[]);
        assert_pieces("", &[]);
        assert_eq!(sentences("One. Two. Three.", 2), ["One.", "Two."]);
    }
}
