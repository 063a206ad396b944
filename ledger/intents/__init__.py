"""The registry of intents: read it, check it, edit it, and remember which intent is selected."""
