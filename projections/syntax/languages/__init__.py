"""One TOML file per language: its grammar, its definitions."""
