"""Registries of intents in both documented variants, as people write them."""

# Statuses DRAFT to BLOCKED, everything in quotes, comments between fields.
FIRST = """\
# Registry of intents.
#
# Kept by hand.

active_intents:
    - id: "INT-001"
      name: "Issue signed tickets"
      description: "Tickets replace the session cookie"
      status: "IN_PROGRESS"
      owner: "door-team"
      created_at: "2026-01-05T09:00:00Z"
      updated_at: "2026-01-06T10:30:00Z"

      # What may be written (globs)
      owned_scope:
          - "src/tickets/**"
          - "src/web/tickets.ts"
          - "docs/tickets.md"

      # What has to stay true
      constraints:
          - "Tickets end after 24 hours"
          - "Never log a ticket (10 req/min: see docs)"

      # Definition of done
      acceptance_criteria:
          - "A forged ticket is refused (401, 403)"
          - "Renewing needs no second login"

      # Optional
      dependencies:
          - "INT-002" # the store has to be there
      references:
          - "https://example.org/tickets"
      blocked_reason: null

    - id: "INT-002"
      name: "Set up the ticket store"
      description: "Where renewals are kept"
      status: "DONE"
      owner: "platform-team"
      created_at: "2026-01-02T09:00:00Z"
      updated_at: "2026-01-03T16:45:00Z"

      owned_scope:
          - "infra/store/**"
          - "compose.yml"

      constraints:
          - "Version 7 or later"

      acceptance_criteria:
          - "It starts in development"

      dependencies: []
      references: []
      blocked_reason: null

    - id: "INT-003"
      name: "Limit the rate"
      status: "BLOCKED"
      created_at: "2026-01-04T09:00:00Z"
      updated_at: "2026-01-04T09:00:00Z"
      owned_scope:
          - "src/web/limit.ts"
      constraints:
          - "Answer 429"
      acceptance_criteria:
          - "Counters start anew in time"
      dependencies:
          - "INT-002"
      blocked_reason: "Waiting for the store in staging"

# About this file
metadata:
    version: "1.0"
    last_updated: "2026-01-06T10:30:00Z"
"""

# Statuses PENDING and COMPLETED, priorities, a parent, a version at the top.
SECOND = """\
version: "1.0"
active_intents:
    - id: "INT-001"
      name: "Move to tickets"
      description: "From passwords in each request to tickets"
      status: "IN_PROGRESS" # PENDING, IN_PROGRESS, COMPLETED, ABORTED
      priority: "HIGH" # LOW, MEDIUM, HIGH, CRITICAL

      owned_scope:
          - "src/tickets/**"

      constraints:
          - "No third party"

      acceptance_criteria:
          - "Tests in tests/tickets pass"

      # Metadata
      created_at: "2026-02-16T10:00:00Z"
      updated_at: "2026-02-16T14:30:00Z"
      parent_intent: null # a part of nothing

    - id: "INT-002"
      name: "Limit the rate"
      status: "PENDING"
      owned_scope:
          - "src/limits/**"
      constraints:
          - "100 requests in a minute"
      acceptance_criteria:
          - "429 beyond that"
"""

# Keys in camel case, items at the level of their key, no quotes, another root.
CAMEL = """\
intents:
- id: INT-001
  name: Move to tickets
  status: IN_PROGRESS
  ownedScope:
  - src/tickets/**
  - '*.md'
  acceptanceCriteria: [It works, "It is fast, too"]
  createdAt: 2026-02-16T10:00:00Z
  updatedAt: 2026-02-16T14:30:00Z
- {id: INT-002, name: Limits, status: COMPLETED, ownedScope: ['src/limits/**']}
"""
