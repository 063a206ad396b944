"""Tables that SQL alone cannot make: worked out in Python from the ledger and git, kept as Parquet."""
