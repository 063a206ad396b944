"""What one check of `linetrail doctor` saw."""

from dataclasses import dataclass

OK, WARNING, ERROR = "ok", "warning", "error"


@dataclass(frozen=True)
class Finding:
    """What one check saw. `next` is the command or the step that helps, None where nothing is wrong."""

    check: str
    level: str
    message: str
    next: str | None = None
