"""Restore files from recovery points, and segments from git."""
