//! What the app layer asks of the world, done: models, other services, the clock, files of text.
//!
//! Each folder implements a trait of `app::ports` or one that its user names; none decides anything, and none knows a transport.

pub mod clock;
pub mod text_file;

pub mod embed;
pub mod execute;
pub mod model;
pub mod outbound;
pub mod webhook;
