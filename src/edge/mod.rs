//! Everything that touches the world.
