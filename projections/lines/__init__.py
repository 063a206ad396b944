"""Replay the recorded changes of a file into states, and align contents with them."""
