"""What an intent may demand of a change: size, words, libraries."""
