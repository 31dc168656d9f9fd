//! The two scenarios of the draft with real processes as agents.
