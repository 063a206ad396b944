"""Commands that record, keep or bring back."""
