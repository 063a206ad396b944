"""What people type on a command line: moments, ranges of commits and lines, names, prefixes of ids."""
