"""Pair the items of two programs, and prove that each pair says the same."""
