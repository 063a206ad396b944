"""Lower Go to terms."""
