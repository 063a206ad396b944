"""What an agent runs at each of its events: read the payload, decide, record, answer."""
