"""What there is to see: a module for each view, which returns a value, and beside it a template that shows it."""
