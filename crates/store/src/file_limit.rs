//! A limit of file sizes is an error of the write, not the end of the process.
//!
//! The system asks with a signal first (`SIGXFSZ`), which ends whoever does not heed it; then the write would have failed with
//! `EFBIG`, which the store takes for a full disk ([`super::fault`]). Knows no store.

/// From now on a write beyond the limit fails, and nothing else. For the program's start: it holds for the whole process.
pub fn survive() {
    // SAFETY: both are plain values, and what is set is to ignore, so that no code of ours runs in a handler.
    #[expect(unsafe_code, reason = "the standard library sets no signals")]
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
