"""What became of lines: differences, deletions, how long each survived."""
