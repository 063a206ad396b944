"""The rows of each answer, and how people are shown them."""
