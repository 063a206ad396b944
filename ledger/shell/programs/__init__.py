"""What each program would do with its arguments."""
