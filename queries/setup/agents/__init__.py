"""Every agent that linetrail knows: where its settings are, what is put there, and what it lets a hook do."""
