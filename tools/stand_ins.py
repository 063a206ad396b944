"""Stand-ins for models: each answers its agent's requests with the next call of a fixed plan.

Only what the agents need of each interface is here. Nothing listens but on this machine.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Body = dict[str, Any]


class Call(NamedTuple):
    """One call that the model wants; `tool` is a shell command, a file to write, or the name of a tool of ours."""

    tool: str
    arguments: Body


SHELL, WRITE = "shell", "write"


class StandIn(NamedTuple):
    """How one vendor's requests are read and answered."""

    # the request -> how many calls were answered so far; None where no tools are offered, as for titles and summaries
    done: Callable[[Body], int | None]
    # the call that is next, its number -> what the agent reads; None: the model has nothing more to do
    answer: Callable[[Call | None, int], list[Body]]


@contextmanager
def serving(stand_in: StandIn, plan: list[Call]) -> Iterator[str]:
    """Serve on a port of this machine, and yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            done = stand_in.done(body)
            call = plan[done] if done is not None and done < len(plan) else None
            said = stand_in.answer(call, done or 0)
            streamed = "stream" in self.path or bool(body.get("stream"))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream" if streamed else "application/json")
            self.end_headers()
            if not streamed:
                self.wfile.write(json.dumps(said[0]).encode())
                return
            for event in said:
                name = f"event: {event['type']}\n" if "type" in event else ""
                self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _parts(items: list[Body], key: str) -> Iterator[Body]:
    for item in items:
        found = item.get(key)
        yield from (part for part in (found if isinstance(found, list) else []) if isinstance(part, dict))


def _anthropic_done(body: Body) -> int | None:
    if not any(tool.get("name") == "Write" for tool in body.get("tools", [])):
        return None
    return sum(part.get("type") == "tool_result" for part in _parts(body["messages"], "content"))


def _anthropic(call: Call | None, number: int) -> list[Body]:
    names = {SHELL: "Bash", WRITE: "Write"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "stand-in", "content": []}
    if call is None:
        block: Body = {"type": "text", "text": ""}
        delta: Body = {"type": "text_delta", "text": "done"}
    else:
        name = names.get(call.tool, f"mcp__plugin_linetrail_linetrail__{call.tool}")
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    reason = "end_turn" if call is None else "tool_use"
    return [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def _openai_done(body: Body) -> int | None:
    return sum(item.get("type") == "function_call_output" for item in body.get("input", []))


def _openai(call: Call | None, number: int) -> list[Body]:
    if call is None:
        said = [{"type": "output_text", "text": "done"}]
        item: Body = {"type": "message", "id": "m1", "role": "assistant", "content": said}
    elif call.tool == WRITE:
        path, text = call.arguments["file_path"], call.arguments["content"].strip()
        item = {"name": "exec_command", "arguments": json.dumps({"cmd": f"echo '{text}' > {path}"})}
    elif call.tool == SHELL:
        item = {"name": "exec_command", "arguments": json.dumps({"cmd": call.arguments["command"]})}
    else:
        item = {"name": call.tool, "namespace": "mcp__linetrail", "arguments": json.dumps(call.arguments)}
    if "name" in item:
        item |= {"type": "function_call", "id": f"f{number}", "call_id": f"call_{number}"}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return [
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r1", "usage": usage}},
    ]


def _gemini_done(body: Body) -> int | None:
    offered = [one.get("name") for one in _parts(body.get("tools", []), "functionDeclarations")]
    if "write_file" not in offered:
        return None
    return sum("functionResponse" in part for part in _parts(body["contents"], "parts"))


def _gemini(call: Call | None, _number: int) -> list[Body]:
    names = {SHELL: "run_shell_command", WRITE: "write_file"}
    part: Body = {"text": "done"}
    if call is not None:
        name = names.get(call.tool, f"mcp_linetrail_{call.tool}")
        part = {"functionCall": {"name": name, "args": call.arguments}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [{"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}]


def _chat(writing: str, words: Callable[[Call], tuple[str, Body]]) -> StandIn:
    """Speak as chat completions do, to an agent that writes with one tool and has its own words for a call."""

    def done(body: Body) -> int | None:
        offered = [tool["function"]["name"] for tool in body.get("tools", [])]
        return sum(message["role"] == "tool" for message in body["messages"]) if writing in offered else None

    def answer(call: Call | None, number: int) -> list[Body]:
        said: Body = {"role": "assistant", "content": "done"}
        if call is not None:
            name, given = words(call)
            function = {"name": name, "arguments": json.dumps(given)}
            asked = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
            said = {"role": "assistant", "content": None, "tool_calls": [asked]}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        common = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stand-in"}
        reason = "stop" if call is None else "tool_calls"
        return [
            {**common, "choices": [{"index": 0, "delta": said, "finish_reason": None}]},
            {**common, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
        ]

    return StandIn(done, answer)


def _copilot(call: Call) -> tuple[str, Body]:
    if call.tool == SHELL:
        return "bash", call.arguments
    return "create", {"path": call.arguments["file_path"], "file_text": call.arguments["content"]}


def _opencode(call: Call) -> tuple[str, Body]:
    if call.tool == SHELL:
        return "bash", call.arguments
    return "write", {"filePath": call.arguments["file_path"], "content": call.arguments["content"]}


def _cline(call: Call) -> tuple[str, Body]:
    if call.tool == SHELL:
        return "run_commands", {"commands": [call.arguments["command"]]}
    added = f"*** Add File: {call.arguments['file_path']}\n+{call.arguments['content'].strip()}"
    return "apply_patch", {"input": f"*** Begin Patch\n{added}\n*** End Patch"}


STAND_INS = {
    "claude-code": StandIn(_anthropic_done, _anthropic),
    "codex": StandIn(_openai_done, _openai),
    "gemini-cli": StandIn(_gemini_done, _gemini),
    "copilot-cli": _chat("create", _copilot),
    "opencode": _chat("write", _opencode),
    "cline": _chat("apply_patch", _cline),
}
