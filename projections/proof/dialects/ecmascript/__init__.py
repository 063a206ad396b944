"""Lower JavaScript and TypeScript to terms."""
