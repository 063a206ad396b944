"""Lower Python to terms."""
