//! The embedder: texts become vectors by the model in `models/`, on this machine, without a network.
//!
//! [`minilm`] is what the service uses. Finding the shared library ([`runtime`]) and reading the model
//! ([`model`]) come first, so that what is missing is said in one sentence before anything can panic; then every
//! [`worker`] has a session of its own.
//!
//! Knows nothing of fragments, pools or scenarios. Invariant: a text's vector is a function of the text alone: not of
//! the texts beside it, not of the worker, not of what came before.

pub mod options;

pub mod runtime;

pub mod model;

pub mod text;

pub mod queue;

pub mod worker;

pub mod minilm;
