"""One module per agent, with all that is known of it; adapter.py has what each offers, and what all of them share."""
