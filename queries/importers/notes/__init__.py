"""Import notes on commits, and trailers in them."""
