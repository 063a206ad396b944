"""The append-only log: the live tail, sealed segments, and what proves that nothing of them is missing."""
