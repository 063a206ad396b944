"""Which path a name leads to, and which patterns it fits."""
