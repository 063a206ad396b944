"""Commands that record, keep and restore."""
