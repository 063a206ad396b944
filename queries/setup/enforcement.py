"""How strictly this repository is enforced, and the one line of ``config.yaml`` that says so.

The file belongs to people: only the value of `enforce` ever changes in it, or the line is added. What comes out is
read again, and has to say what it said before in all else. An agent may make a gate stricter, never looser.
"""

import os
from collections.abc import Iterator

import yaml

from linetrail.ledger.agents import ONLY_TOLD
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.gate import policy, settings_text
from linetrail.ledger.gate.policy import LOCAL, MAX_SETTINGS, SHARED
from linetrail.ledger.gate.settings import MODES, OBSERVE, WARN, Settings
from linetrail.ledger.gate.settings_text import SettingsError
from linetrail.ledger.intents import selection
from linetrail.ledger.repository import Repository
from linetrail.queries.setup import templates


class LooseningError(LinetrailError):
    """An agent asked for less enforcement than there is."""

    hint = "ask a person to run it in a terminal of their own"
    exit_status = 1


def template(mode: str) -> str:
    return templates.template("templates/config.yaml").format(mode=mode, agent=min(ONLY_TOLD))


def is_template(text: str) -> bool:
    """Return whether this is a file of ours that nobody changed but for its mode."""
    former = templates.template("templates/config_former.yaml")  # from before there were other modes
    return text == former or text in map(template, MODES)


def read(repository: Repository, name: str = SHARED) -> str | None:
    """Return the text of a settings file; None when there is none."""
    path = os.path.join(repository.folder, name)
    if os.path.islink(path):
        raise SettingsError(f"{path} is a symbolic link; linetrail edits plain files only")
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_SETTINGS + 1)
        text = content.decode()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8: byte {error.start}") from None
    if len(content) > MAX_SETTINGS:
        raise SettingsError(f"{path} is larger than {MAX_SETTINGS // 1024} KB")
    return text


def parse(text: str | None, name: str = SHARED, base: Settings | None = None) -> Settings:
    """Return what the text of a settings file says over `base`; SettingsError names the line that cannot be read."""
    known = base or Settings()
    return known if text is None else settings_text.parse(text.encode(), name, known)


def wanted(repository: Repository, shared: str | None) -> str:
    """Return the mode that the hooks have to be ready for where `shared` is the text of the shared settings.

    That is the strictest that anybody who has this repository may want of them: hooks travel with it.
    """
    everybody = parse(shared)
    here = parse(read(repository, LOCAL), LOCAL, everybody)
    judged = any(mode != OBSERVE for mode in here.codes.values())
    return max(everybody.mode, here.mode, WARN if judged else OBSERVE, key=MODES.index)


def in_force(repository: Repository) -> str:
    """Return the strictest mode that is asked for here, as far as it can be told from settings that may be broken."""
    try:
        asked = wanted(repository, read(repository))
    except SettingsError:
        asked = OBSERVE
    return max(asked, policy.told_mode(repository), key=MODES.index)


def edited(repository: Repository, mode: str | None) -> tuple[str | None, str]:
    """Return the text of the shared settings and what it is to be; without a `mode` it stays, a new one observes."""
    before = read(repository)
    if before is None:
        return None, template(mode or OBSERVE)
    return before, before if mode is None else set_mode(before, mode)


def set_mode(text: str, mode: str) -> str:
    r"""Let the text of a settings file say this mode, every other byte as it was.

    >>> set_mode("enforce: observe   # for now\ncodes: {}\n", "block")
    'enforce: block   # for now\ncodes: {}\n'
    """
    before = parse(text)
    for candidate in _candidates(text, mode):
        try:
            after = parse(candidate)
        except SettingsError:
            continue
        if after == before._replace(mode=mode) and policy.stated_mode(candidate.encode()) == mode:
            return candidate
    raise SettingsError(f"{SHARED} cannot be edited as it is written; give it a line of its own: enforce: {mode}")


def forbid_loosening(repository: Repository, mode: str) -> None:
    """Refuse, in the shell of an agent, a mode that is less strict than the one that holds here."""
    shell = selection.shell()
    known = [policy.told_mode(repository), _mode_of(repository, SHARED), _mode_of(repository, LOCAL)]
    current = max(known, key=MODES.index)
    if shell is not None and MODES.index(mode) < MODES.index(current):
        raise LooseningError(f"this is the shell of an agent ({shell.named}), which may not loosen `{current}`")


def _mode_of(repository: Repository, name: str) -> str:
    text = None
    try:
        text = read(repository, name)
        return parse(text, name).mode
    except SettingsError:
        return policy.stated_mode((text or "").encode()) or OBSERVE


def _candidates(text: str, mode: str) -> Iterator[str]:
    """Yield texts that may be what is wanted, the one nearest to the person's first."""
    newline = "\r\n" if "\r\n" in text else "\n"
    line = f"enforce: {mode}{newline}"
    start = len(text) - len(text.removeprefix("\ufeff"))
    root = yaml.compose(text[start:], Loader=yaml.CSafeLoader)
    end = text + ("" if not text or text.endswith("\n") else newline)
    if not isinstance(root, yaml.MappingNode):
        yield end + line
        return
    for key, value in root.value:
        if key.value == "enforce":
            yield text[: start + value.start_mark.index] + mode + text[start + value.end_mark.index :]
            return
    first, indent = start + root.start_mark.index, " " * root.start_mark.column
    yield end + indent + line
    yield text[:first] + line + indent + text[first:]
