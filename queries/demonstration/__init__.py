"""Two agents on one ledger: what `linetrail demo --gate` plays, and how the ledger is checked afterwards."""
