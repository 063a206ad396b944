"""Pages that are made from the code: the schema of events, the dictionary, the cookbook."""
