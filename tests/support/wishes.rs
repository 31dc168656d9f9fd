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

/// The same of another wish.
pub const SUITCASE: [&str; 8] = [
    "two suitcases to check in",
    "I have two suitcases to check in",
    "check in three suitcases",
    "please add one suitcase to check in",
    "I want to check in two suitcases",
    "one suitcase to check in please",
    "three suitcases to check in",
    "I'd like to check in two suitcases",
];
