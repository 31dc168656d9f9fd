//! The program: everything is in the library.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Many threads ask for small pieces at once, and one frees what another asked for: what the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    otherwise::cli::main()
}
