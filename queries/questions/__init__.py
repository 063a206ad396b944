"""The named questions, one file of SQL each."""
