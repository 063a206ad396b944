"""Several agents at work: what may run together, a worktree for each, what comes back, and how it lands."""
