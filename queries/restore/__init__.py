"""Bring back files and segments: recovery points, and what git still has."""
