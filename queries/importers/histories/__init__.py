"""One module per agent whose past sessions can be read; Claude Code's transcripts are read one folder up."""
