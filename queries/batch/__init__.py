"""Judge a file of JSON lines in subprocesses, one answer a line."""
