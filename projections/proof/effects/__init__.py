"""What evaluating a term reads, writes and does."""
