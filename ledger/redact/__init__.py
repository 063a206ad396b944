"""Take secrets out of text before a byte of it reaches the disk."""
