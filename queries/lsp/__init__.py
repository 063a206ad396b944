"""A language server: why a line is as it is, in every editor that speaks the Language Server Protocol (3.17)."""
