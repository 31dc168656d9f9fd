//! What clients say that no key holds.

/// The same wish eight times, in other words.
pub const SEAT: [&str; 8] = [
    "a window seat please",
    "I would like a window seat",
    "window seat if possible",
    "please book me a window seat",
    "a seat at the window please",
    "I prefer a window seat",
    "window seat again",
    "I'd like to have a window seat",
];
