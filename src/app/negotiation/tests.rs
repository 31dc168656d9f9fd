//! The moments that an earlier template is asked for by.

use super::Until;
use schema::time::At;

#[test]
fn as_of_is_a_revision_or_a_moment_z105() {
    assert_eq!(Until::parse("17"), Some(Until::Revision(17)));
    assert_eq!(Until::parse("1970-01-01T00:00:02Z"), Some(Until::Second(At(2_000))));
    assert_eq!(
        Until::parse("1970-01-01T01:00:02+01:00"),
        Some(Until::Second(At(2_000)))
    );
    assert_eq!(Until::parse("1970-01-01T00:00:02.000Z"), Some(Until::Moment(At(2_000))));
    for wrong in ["", "-1", "yesterday", "1970-01-01", "99999999999999999999999"] {
        assert_eq!(Until::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn a_moment_and_a_revision_include_themselves_z105() {
    assert!(Until::Moment(At(5)).includes(9, At(5)) && !Until::Moment(At(5)).includes(9, At(6)));
    let second = Until::Second(At(2_000));
    assert!(second.includes(9, At(2_999)) && !second.includes(9, At(3_000)));
    assert!(Until::Revision(5).includes(5, At(9)) && !Until::Revision(5).includes(6, At(0)));
}
