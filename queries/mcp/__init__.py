"""Answer agents over the Model Context Protocol: the same rules, the same ledger, as tools instead of commands."""
