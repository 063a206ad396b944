"""What each type of event says in its `data`: one model per shape, the published half of schema.py.

A field that may be null may also be left out; both mean that it is not known. Names never change, and a field
is only ever added.
"""
