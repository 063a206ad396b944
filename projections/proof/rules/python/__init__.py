"""Rules of Python."""
