//! A server as a process of its own, and answers as bytes.

use std::io::BufRead;
use std::io::BufReader;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;

/// Starts a server and waits until it says that it is ready.
pub fn start(command: &mut Command) -> (Child, u16) {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a server starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let line = lines.next().expect("a line").expect("readable");
    let port = line
        .rsplit(':')
        .next()
        .and_then(|port| port.trim().parse().ok())
        .expect("a port");
    (child, port)
}

/// The length of the response once it is all there.
pub fn whole(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&bytes[..head]).ok()?.to_ascii_lowercase();
    let length: usize = text
        .split("content-length:")
        .nth(1)?
        .lines()
        .next()?
        .trim()
        .parse()
        .ok()?;
    (bytes.len() >= head + length).then_some(head + length)
}
