"""Lower Rust to terms."""
