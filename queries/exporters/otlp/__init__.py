"""Export to OpenTelemetry."""
