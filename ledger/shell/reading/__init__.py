"""Read a command as the shell does: words, syntax, values, places."""
