"""Syntax trees of each language as terms."""
