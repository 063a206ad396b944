"""Who wrote each line of a content: ledger and git asked side by side, the answer remembered."""
