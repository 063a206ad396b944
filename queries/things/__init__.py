"""What can be asked about: a file of SQL for each thing, read by things.py."""
