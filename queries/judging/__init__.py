"""Judge many lines in subprocesses, one answer a line."""
