"""Programs as terms: one vocabulary for all languages, with names resolved."""
