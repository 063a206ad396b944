"""Say what a code of the gate means: of a refusal, of what was let through, of what was found out afterwards."""

from collections.abc import Mapping
from typing import NamedTuple

from linetrail.ledger.gate.refusals import ADVICE


class Meaning(NamedTuple):
    """One code: what it says, why there is such a rule, what to do, and the rule of the audit that reports it."""

    code: str
    says: str
    why: str
    action: str
    example: str
    rule: str | None = None


_PASSED = {
    "READS_ONLY": "the call changes no file",
    "STEERS_ONLY": "a tool that plans, or one of ours",
    "IN_SCOPE": "the selected intent owns every path of the call",
    "IN_ROLE": "the role that the work was started with may change every path of the call",
    "EXEMPT": "every path needs no intent: .orchestration/.intentignore says so",
    "INTENT_OPEN": "a command, and the selected intent is open",
    "APPROVED": "a person approved the call",
}
_AFTERWARDS = {
    "DENIED_BUT_EXECUTED": ("the call was denied, and its tool reported that it ran", "LT004"),
    "UNJUDGED": ("a call ran that nobody was asked about", "LT015"),
    "UNEXPECTED_CHANGE": ("a file changed that the call did not name", "LT015"),
    "STALE_WRITE": ("the file was another one than the agent had read when it was written", "LT007"),
    "PLACE_SWAPPED": ("a folder or file was swapped between the judgement and the write", "LT020"),
    "GATE_CHANGED": ("what the gate goes by was changed while a call ran", "LT010"),
}
# Of codes that refuse, the rules that report what happened all the same.
_REPORTED = {
    "OUT_OF_SCOPE": "LT001",
    "PROTECTED_PATH": "LT002",
    "NO_INTENT": "LT003",
    "DANGEROUS_COMMAND": "LT005",
    "STALE_FILE": "LT007",
    "CONSTRAINT_VIOLATED": "LT020",
}
_AFTER = "What happened is compared with what was decided; the difference is recorded."


def meanings() -> Mapping[str, Meaning]:
    refused = {
        code: Meaning(code, _spelled(code), advice.why, advice.action, advice.example, _REPORTED.get(code))
        for code, advice in ADVICE.items()
    }
    passed = {code: Meaning(code, says, "The call was let through.", "", "") for code, says in _PASSED.items()}
    after = {
        code: Meaning(code, says, _AFTER, f"linetrail sql @gate_violations -p code {code}", "", rule)
        for code, (says, rule) in _AFTERWARDS.items()
    }
    return {**passed, **after, **refused}


def _spelled(code: str) -> str:
    return f"the gate refused: {code.lower().replace('_', ' ')}"
