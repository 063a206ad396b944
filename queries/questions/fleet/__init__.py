"""Questions of an organisation, over counts that no person can be told from."""
