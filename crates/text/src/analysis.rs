//! One analysis a text: splits it into words once, for whoever reads it.
//!
//! Knows no language and no class of words. Other modules read the same words: `language`, `number`, and `phrase` for what is content.

use std::cell::OnceCell;

use unicode_segmentation::UnicodeSegmentation;

/// A word as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    pub text: &'t str,
    /// In small letters, with plain apostrophes.
    pub lower: String,
    /// Bytes of the text before it.
    pub start: usize,
}

impl Word<'_> {
    /// Bytes of the text up to its end.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// A text with its words.
#[derive(Clone, Debug)]
pub struct Analysis<'t> {
    pub text: &'t str,
    /// Filled when they are first asked for.
    words: OnceCell<Vec<Word<'t>>>,
}

impl<'t> Analysis<'t> {
    /// Wraps a text; splits nothing yet.
    pub fn of(text: &'t str) -> Analysis<'t> {
        Analysis {
            text,
            words: OnceCell::new(),
        }
    }

    /// Its words, in order.
    pub fn words(&self) -> &[Word<'t>] {
        self.words.get_or_init(|| {
            let words = self.text.unicode_word_indices().map(|(start, text)| Word {
                text,
                lower: text.to_lowercase().replace('’', "'"),
                start,
            });
            words.collect()
        })
    }

    /// Its words in small letters.
    pub fn lower(&self) -> Vec<&str> {
        self.words().iter().map(|word| word.lower.as_str()).collect()
    }
}
