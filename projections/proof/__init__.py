"""Prove that a change of a program leaves its behaviour as it was."""
