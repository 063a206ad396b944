"""Two agents on one ledger: what `linetrail demo --gate` plays, and how it is held against the ledger afterwards."""
