"""Ask a repository: a named question, SQL, or plain words."""
