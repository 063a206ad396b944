"""What OpenCode and Amp tell a plugin, and where their answers are to be found."""


class OpenCode:
    """What OpenCode tells a plugin."""

    start = ("event", {"event": {"type": "session.created", "properties": {"info": {"id": "s1", "version": "1.18"}}}})
    end = ("event", {"event": {"type": "session.deleted", "properties": {"info": {"id": "s1"}}}})
    prompt = (
        "chat.message",
        {"sessionID": "s1", "messageID": "m1", "model": {"providerID": "anthropic", "modelID": "model-x"}},
        {"parts": [{"type": "text", "text": "round"}, {"type": "text", "text": "not said", "synthetic": True}]},
    )
    ask_context = ("experimental.chat.system.transform", {"sessionID": "s1"}, {"system": ["You are an agent."]})
    select = "linetrail_select_active_intent"

    @staticmethod
    def before(tool, **arguments):
        return ["tool.execute.before", {"tool": tool, "sessionID": "s1", "callID": f"c-{tool}"}, {"args": arguments}]

    @staticmethod
    def after(tool, **arguments):
        about = {"tool": tool, "sessionID": "s1", "callID": f"c-{tool}", "args": arguments}
        return ["tool.execute.after", about, {"title": "", "output": "done", "metadata": {}}]

    @staticmethod
    def write(path, content="RATE = 0.2\n"):
        return "write", {"filePath": path, "content": content}

    read = "read", {"filePath": "README.md"}

    @staticmethod
    def refusal(answer):
        return answer["thrown"]

    @staticmethod
    def context(answer):
        return "\n".join(answer["given"][1]["system"][1:])

    @staticmethod
    def output(answer):
        return answer["given"][1]["output"]


class Amp:
    """What Amp tells a plugin."""

    start = ("session.start", {"thread": {"id": "s1"}})
    end = ("agent.end", {"thread": {"id": "s1"}, "status": "done"})
    prompt = ask_context = ("agent.start", {"thread": {"id": "s1"}, "message": "round"})
    select = "mcp__linetrail__select_active_intent"

    @staticmethod
    def before(tool, **arguments):
        return ["tool.call", {"thread": {"id": "s1"}, "toolUseID": f"c-{tool}", "tool": tool, "input": arguments}]

    @classmethod
    def after(cls, tool, **arguments):
        done = {"status": "done", "output": "done"}
        return ["tool.result", cls.before(tool, **arguments)[1] | done]

    @staticmethod
    def write(path, content="RATE = 0.2\n"):
        return "create_file", {"path": path, "content": content}

    read = "Read", {"path": "README.md"}

    @staticmethod
    def refusal(answer):
        returned = answer["returned"]
        return returned["message"] if returned["action"] == "reject-and-continue" else None

    @staticmethod
    def context(answer):
        return (answer["returned"].get("message") or {}).get("content", "")

    @staticmethod
    def output(answer):
        return (answer["returned"] or {}).get("output", "done")


HOSTS = {"opencode": OpenCode, "amp": Amp}
