"""The tables that follow from the ledger: build them, keep them, open them, verify what they are made of."""
