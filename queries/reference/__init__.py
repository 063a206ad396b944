"""Pages that are generated from the code: the schema of events, the dictionary, the cookbook."""
