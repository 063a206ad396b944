"""Commands that check: may this be done, and was it done by the rules."""
