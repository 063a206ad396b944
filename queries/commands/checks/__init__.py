"""Commands that judge: may this be done, and was it done rightly."""
