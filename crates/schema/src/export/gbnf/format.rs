//! Formats as grammars: those whose texts a grammar can tell apart.
//!
//! Leap years are counted; a leap second is written in UTC alone, since beside an offset its hour and minute follow from it.
//! What is not here is written as any string and lost.

/// RFC 3339 full-date, on the proleptic Gregorian calendar.
pub const DATE: &str = "[0-9]{4} \"-\" ((\"01\" | \"03\" | \"05\" | \"07\" | \"08\" | \"10\" | \"12\") \"-\" (\"0\" [1-9] | [12] [0-9] | \"3\" [01]) | (\"04\" | \"06\" | \"09\" | \"11\") \"-\" (\"0\" [1-9] | [12] [0-9] | \"30\") | \"02-\" (\"0\" [1-9] | \"1\" [0-9] | \"2\" [0-8])) | ([0-9]{2} (\"0\" [48] | [2468] [048] | [13579] [26]) | ([02468] [048] | [13579] [26]) \"00\") \"-02-29\"";
/// RFC 3339 full-time.
pub const TIME: &str = "([01] [0-9] | \"2\" [0-3]) \":\" [0-5] [0-9] \":\" [0-5] [0-9] (\".\" [0-9]{1,19})? ([Zz] | [-+] ([01] [0-9] | \"2\" [0-3]) \":\" [0-5] [0-9]) | \"23:59:60\" (\".\" [0-9]{1,19})? ([Zz] | [-+] \"00:00\")";
/// RFC 3339, appendix A.
pub const DURATION: &str = "\"P\" ([0-9]{1,19} \"W\" | ([0-9]{1,19} \"Y\" ([0-9]{1,19} \"M\" ([0-9]{1,19} \"D\")?)? | [0-9]{1,19} \"M\" ([0-9]{1,19} \"D\")? | [0-9]{1,19} \"D\") (\"T\" ([0-9]{1,19} \"H\" ([0-9]{1,19} \"M\" ([0-9]{1,19} \"S\")?)? | [0-9]{1,19} \"M\" ([0-9]{1,19} \"S\")? | [0-9]{1,19} \"S\"))? | \"T\" ([0-9]{1,19} \"H\" ([0-9]{1,19} \"M\" ([0-9]{1,19} \"S\")?)? | [0-9]{1,19} \"M\" ([0-9]{1,19} \"S\")? | [0-9]{1,19} \"S\"))";
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
        "date-time" => Some(&["date", "[Tt]", "time"]),
        "duration" => Some(&["duration"]),
        "uuid" => Some(&["uuid"]),
        "ipv4" => Some(&["ipv4"]),
        _ => None,
    }
}

/// Whether some texts of a written format are not, however long their numbers are: leap seconds beside an offset.
pub fn is_narrowed(format: &str) -> bool {
    matches!(format, "time" | "date-time")
}
