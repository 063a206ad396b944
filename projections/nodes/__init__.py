"""Definitions over time: which definition of one version is which of the next, and who changed it."""
