//! Formats as grammars: those whose texts a grammar can tell apart.
//!
//! Leap years are counted; leap seconds are not written. What is not here is written as any string and lost.

/// RFC 3339 full-date, on the proleptic Gregorian calendar.
pub const DATE: &str = "[0-9]{4} \"-\" ((\"01\" | \"03\" | \"05\" | \"07\" | \"08\" | \"10\" | \"12\") \"-\" (\"0\" [1-9] | [12] [0-9] | \"3\" [01]) | (\"04\" | \"06\" | \"09\" | \"11\") \"-\" (\"0\" [1-9] | [12] [0-9] | \"30\") | \"02-\" (\"0\" [1-9] | \"1\" [0-9] | \"2\" [0-8])) | ([0-9]{2} (\"0\" [48] | [2468] [048] | [13579] [26]) | ([02468] [048] | [13579] [26]) \"00\") \"-02-29\"";
/// RFC 3339 full-time.
pub const TIME: &str = "([01] [0-9] | \"2\" [0-3]) \":\" [0-5] [0-9] \":\" [0-5] [0-9] (\".\" [0-9]{1,9})? (\"Z\" | [-+] ([01] [0-9] | \"2\" [0-3]) \":\" [0-5] [0-9])";
/// RFC 3339, appendix A.
pub const DURATION: &str = "\"P\" ([0-9]{1,9} \"W\" | ([0-9]{1,9} \"Y\" ([0-9]{1,9} \"M\" ([0-9]{1,9} \"D\")?)? | [0-9]{1,9} \"M\" ([0-9]{1,9} \"D\")? | [0-9]{1,9} \"D\") (\"T\" ([0-9]{1,9} \"H\" ([0-9]{1,9} \"M\" ([0-9]{1,9} \"S\")?)? | [0-9]{1,9} \"M\" ([0-9]{1,9} \"S\")? | [0-9]{1,9} \"S\"))? | \"T\" ([0-9]{1,9} \"H\" ([0-9]{1,9} \"M\" ([0-9]{1,9} \"S\")?)? | [0-9]{1,9} \"M\" ([0-9]{1,9} \"S\")? | [0-9]{1,9} \"S\"))";
/// RFC 4122.
pub const UUID: &str =
    "[0-9a-fA-F]{8} \"-\" [0-9a-fA-F]{4} \"-\" [0-9a-fA-F]{4} \"-\" [0-9a-fA-F]{4} \"-\" [0-9a-fA-F]{12}";
/// RFC 2673, section 3.2.
pub const IPV4: &str = "(\"25\" [0-5] | \"2\" [0-4] [0-9] | \"1\" [0-9]{2} | [1-9]? [0-9]) (\".\" (\"25\" [0-5] | \"2\" [0-4] [0-9] | \"1\" [0-9]{2} | [1-9]? [0-9])){3}";

/// The parts of a format's text, in order: names of shared rules, or literals.
pub fn rule(format: &str) -> Option<&'static [&'static str]> {
    match format {
        "date" => Some(&["date"]),
        "time" => Some(&["time"]),
        "date-time" => Some(&["date", "\"T\"", "time"]),
        "duration" => Some(&["duration"]),
        "uuid" => Some(&["uuid"]),
        "ipv4" => Some(&["ipv4"]),
        _ => None,
    }
}
