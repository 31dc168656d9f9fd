//! The program as a shell starts it: its help, its list, and how it ends without an address.
//!
//! Tests of a package build its programs, so that `cargo test --workspace` has the kit that the service's journeys start.

use std::process::Command;
use std::process::Output;

fn kit(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_otherwise-conformance");
    Command::new(program).args(arguments).output().expect("the kit starts")
}

#[test]
fn without_an_address_it_ends_as_wrong_usage() {
    let ended = kit(&[]);
    assert_eq!(ended.status.code(), Some(2));
    assert!(ended.stdout.is_empty());
    let said = String::from_utf8(ended.stderr).expect("text");
    assert!(said.contains("--url"), "{said}");
}

#[test]
fn the_list_names_each_check_with_its_requirement() {
    let ended = kit(&["--list", "--json"]);
    assert_eq!(ended.status.code(), Some(0));
    let said = String::from_utf8(ended.stdout).expect("text");
    assert!(said.contains("Z-030"), "{said}");
}

#[test]
fn a_server_that_is_not_there_ends_as_that() {
    // Port 9 of loopback is bound by nobody: it is kept for a service that discards.
    let ended = kit(&["--url", "http://127.0.0.1:9"]);
    assert_eq!(ended.status.code(), Some(3));
}
