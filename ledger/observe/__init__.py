"""What changed on disk: states of files, and the transition from one to the next."""
