"""Many repositories in one object store: their sealed segments, put there once, under names that are their hashes."""
