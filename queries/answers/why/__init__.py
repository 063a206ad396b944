"""The reasons behind a line or a definition: its intent, its prompt, what was said, and how all that is shown."""
