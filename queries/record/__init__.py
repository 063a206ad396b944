"""Record what people say and decide: intents, decisions, lessons, classifications."""
