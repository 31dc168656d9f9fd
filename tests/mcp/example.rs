//! The example of a host of models that knows no schema, as a shell runs it.

use std::path::Path;
use std::process::Command;

#[test]
fn a_host_without_a_line_about_the_schema_books_a_flight() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/mcp/run.py");
    let mut command = Command::new("python3");
    command.arg(run).args(["--program", env!("CARGO_BIN_EXE_otherwise")]);
    let ended = command.output().expect("python3 runs");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(
        ended.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines[..2],
        ["calls flight_booking -> refused", "calls flight_booking -> done"]
    );
    assert!(lines[2].starts_with("says Booked as flight_booking."), "{said}");
}
