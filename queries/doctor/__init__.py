"""What `linetrail doctor` checks: the ledger, the disk, and the way from each agent to the ledger."""
