//! How long what brings a submission may be; the rule of every way in.
//!
//! Knows no transport. Invariant: what is over the limit is never read, so that nothing is learned from it.

/// Bytes that a body may have (`server.body_bytes_max`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimit(pub usize);

/// A body is over the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a body may have {0} bytes")]
pub struct TooLong(pub usize);

impl BodyLimit {
    /// Whether a body of so many bytes may come in.
    ///
    /// # Errors
    /// [`TooLong`] where it has more.
    pub fn admit(self, bytes: u64) -> Result<(), TooLong> {
        if bytes > self.0 as u64 {
            return Err(TooLong(self.0));
        }
        Ok(())
    }

    /// What is said of a body that was broken off because it is longer.
    pub fn exceeded(self) -> TooLong {
        TooLong(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::BodyLimit;

    #[test]
    fn a_body_of_the_limit_is_the_longest() {
        assert_eq!(BodyLimit(10).admit(10), Ok(()));
        let told = BodyLimit(10).admit(11).expect_err("too long").to_string();
        assert_eq!(told, "a body may have 10 bytes");
    }
}
