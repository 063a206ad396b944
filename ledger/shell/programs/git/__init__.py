"""git: which of its commands only read, which change something, and which are hard to undo."""
