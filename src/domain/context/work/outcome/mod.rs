//! Does what was said of an item contradict what was asked for, or show nothing of it? (C-056)
//!
//! Owns the rules, one a file, and the words that they go by ([`table`]): what was denied, forbidden, reversed, or done to the other
//! end of a scale, another day, figure or name, a part instead of the whole; and what must be there at all ([`evidence`]). General
//! English with the verbs of three other languages ([`tongue`]), and nothing learned. It does not know items, embeddings or verdicts,
//! nor what sounds like a failure by itself ([`super::failure`]). Invariant: what a rule finds is shown in the words of both texts, and
//! what both texts hold contradicts nothing.

pub mod table;

pub mod tongue;

pub mod wording;

pub mod question;

pub mod denial;

pub mod forbidden;

pub mod privation;

pub mod reversal;

pub mod contrast;

pub mod deadline;

pub mod day;

pub mod measure;

pub mod figure;

pub mod span;

pub mod period;

pub mod lettered;

pub mod another;

pub mod daytime;

pub mod amount;

pub mod naming;

pub mod extent;

pub mod spared;

pub mod listed;

pub mod member;

pub mod complement;

pub mod evidence;

pub mod contradiction;
