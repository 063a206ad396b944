"""Code that a program is given as text: where it may write, and which calls of it only read."""
