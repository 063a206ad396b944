"""The answers as pages of a browser: served on this machine alone, or written into one file."""
