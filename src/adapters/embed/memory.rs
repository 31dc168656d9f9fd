//! Gives memory that was freed back to the system.
//!
//! Knows no session. ONNX Runtime takes its memory from the C library, everything else from mimalloc; both keep what is freed for the
//! next that asks, so that after a burst a process at rest would stay as large as it ever was.

// Links the allocator into every target that calls it here.
use mimalloc as _;

#[expect(unsafe_code, reason = "mimalloc's crate has no name for it")]
unsafe extern "C" {
    fn mi_collect(force: bool);
}

/// Gives back what both allocators can spare; some milliseconds.
#[expect(unsafe_code, reason = "allocators are asked through C, which takes no pointers here")]
pub fn give_back() {
    // SAFETY: both calls may come at any time on any thread.
    unsafe {
        #[cfg(target_env = "gnu")]
        libc::malloc_trim(0);
        mi_collect(true);
    }
}
