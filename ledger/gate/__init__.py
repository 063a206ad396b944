"""May this call run: settings, the judgement, approvals, the circuit breaker, and the words of a refusal."""
