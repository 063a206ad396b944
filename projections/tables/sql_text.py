"""Write names and texts into SQL where a statement takes no parameters."""


def quoted(name: str) -> str:
    """Return a name as SQL takes it, whatever it is made of."""
    return '"{}"'.format(name.replace('"', '""'))


def literal(text: str) -> str:
    """Return a text as SQL takes it.

    >>> literal("it's")
    "'it''s'"
    """
    return "'{}'".format(text.replace("'", "''"))
