"""Transcripts of Claude Code in the shape of all other histories, for whoever reads the conversation.

An import goes by `claude_code` one folder up: it tells more of them than is said and called.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from linetrail.ledger.adapters import claude_code as hooks
from linetrail.ledger.event.signal import Signal
from linetrail.ledger.repository import Repository
from linetrail.queries.importers import discovery
from linetrail.queries.importers.histories.calls import Call, Calls, asked, ended, mapping, prompted, texts
from linetrail.queries.importers.histories.history import History
from linetrail.queries.importers.message import Message, message, name_in, prompt
from linetrail.queries.importers.steps import Step, Talk
from linetrail.queries.importers.transcript import Counts, records

NAME = hooks.NAME
NAMED_CALLS = True


def listed(paths: Iterable[str]) -> list[str]:
    return discovery.transcripts(paths)


def kept(repository: Repository) -> list[str]:
    return discovery.own_transcripts(repository)


def histories(path: str, _repository: Repository, _folder: str) -> Iterator[History]:
    """Yield the sessions of a transcript; where each ran is not looked up."""
    yield History(Counts(path), 0, None, frozenset(), partial(records, path), Transcript())


class Transcript:
    """The sessions of one transcript as far as it was read."""

    def __init__(self) -> None:
        self._calls = Calls()

    def read(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        said = message(record, time)
        if said is None:
            counts.skip(f"type {record.get('type')}")
            return
        talk = Talk(said.session_id, agent_id=said.agent_id)
        name = said.name or str(time)
        text = prompt(said)
        if text is not None:
            yield Step(said.time, talk, name, prompted(talk, text))
        for at, block in enumerate(said.blocks):
            yield from self._block(said, talk, f"{name} {at}", block)

    def _block(self, said: Message, talk: Talk, name: str, block: Mapping[str, Any]) -> Iterator[Step]:
        kind, answers = block.get("type"), said.role == "assistant"
        if kind == "tool_result":
            signal = self._ended(block)
            if signal is not None:
                yield Step(said.time, talk, name, signal)
        elif kind == "tool_use" and answers and name_in(block, "id") and name_in(block, "name"):
            payload = {
                "tool_name": block["name"],
                "tool_input": mapping(block.get("input")),
                "tool_use_id": block["id"],
            }
            signal = asked(hooks.read, "PreToolUse", talk, payload)
            self._calls.put(Call(signal))
            yield Step(said.time, talk, name, signal)
        elif kind == "thinking" and answers and isinstance(block.get("thinking"), str):
            yield Step(said.time, talk, name, thought=block["thinking"])
        elif kind == "text" and answers and isinstance(block.get("text"), str):
            yield Step(said.time, talk, name, said=block["text"])

    def _ended(self, block: Mapping[str, Any]) -> Signal | None:
        call = self._calls.get(name_in(block, "tool_use_id") or "")
        if call is None:
            return None
        told = texts(block.get("content"))
        return ended(call.signal, output=told, error=told if block.get("is_error") is True else None)
