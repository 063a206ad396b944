"""Import older ledgers and Agent Trace records."""
