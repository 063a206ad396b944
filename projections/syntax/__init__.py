"""Grammars, and the definitions in a file by its syntax tree."""
