"""Turn answers into text: tables, colours, pages, progress."""
