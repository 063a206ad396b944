"""Lower Java to terms."""
