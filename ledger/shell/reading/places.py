"""Judge a path by how it is spelled: credentials, the gate's own files, places outside of the workspace.

Nothing is looked up on disk: whoever writes still has each path held against the scope by `paths.py`, links resolved.
"""

import posixpath
import re
import unicodedata
from fnmatch import fnmatchcase
from functools import lru_cache

from linetrail.ledger.paths.names import ANYWHERE, AT_ROOT

PROTECTED = {ANYWHERE, *AT_ROOT}
# what a protected file is called where only text is at hand: the code of an interpreter, the line written to a file
PROTECTED_TEXT = (
    "(?i)"
    + "|".join(rf"{re.escape(name)}\b" for name in AT_ROOT)
    + r"|agent_trace|active_intents|intent_map|\.git/|linetrail"
)
DEVICES = {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"}
_DESCRIPTOR = re.compile(r"/dev/fd/[0-9]+")
# What stands for a file, or a folder, that mktemp has just made, and for a pipe. No descriptor is called so: what is
# written to those that are read may be a folder.
TEMPORARY = "/dev/fd/made"
_WRITTEN = {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"}
_DEVICE_FOLDER = re.compile(r"/(?:dev|proc|sys)(?:/|$)")
_TELLING = r"/proc/(?:cpuinfo|meminfo|version|loadavg|uptime|stat|filesystems|self/status|self/limits)"

# names of files, then of folders, in which programs keep what lets them in somewhere
_SECRET_FILES = [
    ".env", ".env.*", "*.env", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
    "*.asc", "*.gpg", "ssh_host_*", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "authorized_keys", ".netrc", "_netrc",
    ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".git-credentials", ".dockercfg", ".htpasswd", ".vault-token", ".boto",
    ".s3cfg", ".terraformrc", ".credentials*", "credentials", "credentials.*", "*_credentials*", "*credentials.json",
    "*secret*", "secrets.*", "service-account*.json", "service_account*.json", "kubeconfig", "*.kubeconfig", "shadow",
    "gshadow", "passwd", "master.passwd", "sudoers", "oauth*.json", "token", "tokens", "token.*", "*.token", "*_token",
    "login.keychain*", "cookies", "cookies.txt", "keys.json", "api_key*", "apikey*", "cookies.sqlite", "login data", "key4.db", "logins.json", "environ", ".bash_history",
    ".zsh_history", ".python_history", ".psql_history", ".mysql_history", ".node_repl_history", "wallet.dat", "*.ovpn",
    ".pwd", "passwords*", ".rclone.conf", "rclone.conf", "*.tfstate", "*.tfvars",
    "application_default_credentials.json", "access_tokens.db", "credentials.db", "auth.json", ".gem_credentials",
]  # fmt: skip
_SECRET_FILE = "|".join(re.escape(name).replace(r"\*", ".*") for name in _SECRET_FILES)
_SECRET_FOLDERS = [
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", "keychains", "keyrings", "gcloud", "gh",
    "secrets", ".secrets", "op", ".op", ".terraform.d", "private-keys-v1.d",
]  # fmt: skip
_FOLDERS_NEED = {"gh": ".config", "op": ".config", "gcloud": ".config", "secrets": "run"}
_HARMLESS = r"\.(?:example|sample|template|dist|md|rst|py|js|ts|tsx|go|rs|java|rb|c|h|cpp|html|css|pub)$"
# What agents keep of their sessions, and read of their skills, below their folders in a home.
_OF_AGENTS = frozenset(("projects", "sessions", "tmp", "skills", "commands", "agents", "plugins"))
# Made up for tests.
_OF_TESTS = frozenset(
    ("tests", "test", "fixtures", "__fixtures__", "__tests__", "testdata", "spec", "examples", "mocks")
)
_DATA = r"^[\w-][\w.-]*\.(?:json|ya?ml|txt|xml|csv|toml|sql)$"
# What a pattern of file names could match: always, where it begins at the root, and where it says part of the name.
_SAMPLES = [
    ".env", ".env.local", ".envrc", ".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".ssh", ".aws", ".gnupg",
    ".kube", ".docker", ".bash_history", "key.pem", "a.key",
]  # fmt: skip
_SAMPLES_AT_ROOT = ["environ", "shadow", "passwd"]
_SAMPLES_BY_PART = ["id_rsa", "id_ed25519", "credentials", "credentials.json", "secrets.yml", "secret.txt", "token"]
_PART = re.compile(r"id_|rsa|ed25|cred|secr|toke")
_GLOB = re.compile(r"[*?\[]")
_SPLIT = re.compile(r"[=:,@]")


@lru_cache(1024)  # several rules ask about the same word
def is_credential(text: str, *, glob: bool = False) -> bool:
    """Return whether this may name a source of credentials; also `HEAD:.env`, `--file=.env`, `@.env`.

    >>> is_credential("src/.env"), is_credential(".env.example"), is_credential(".e*", glob=True), is_credential("a.py")
    (True, False, True, False)
    >>> is_credential("~/.unheard-of"), is_credential("~/../x")
    (True, False)
    """
    lowered = _folded(text)
    return any(_names_credential(part, glob=glob) for part in {lowered, *_SPLIT.split(lowered)} if part)


def _names_credential(path: str, *, glob: bool) -> bool:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if _of_a_home(path, parts) or parts[-2:] == [".git", "config"]:
        return True
    for place, part in enumerate(parts):
        if glob and _GLOB.search(part):
            if _could_become_secret(part):
                return True
            samples = (
                _SAMPLES
                + (_SAMPLES_AT_ROOT if path[0] == "/" else [])
                + (_SAMPLES_BY_PART if _PART.search(part) else [])
            )
            if part not in ("*", "**") and any(fnmatchcase(sample, part) for sample in samples):
                return True
            continue
        before = parts[place - 1] if place else ""
        if part in _SECRET_FOLDERS and _FOLDERS_NEED.get(part, before) == before:
            return True
    name = parts[-1] if parts else ""
    if path[0] not in "/~" and _OF_TESTS.intersection(parts[:-1]) and re.search(_DATA, name):
        return False
    if re.search(_HARMLESS, name) or (glob and _GLOB.search(name)):
        return False
    return re.fullmatch(_SECRET_FILE, name, re.DOTALL) is not None


def _of_a_home(path: str, parts: list[str]) -> bool:
    """Return whether this is a hidden file of a home directory, where programs and people keep what lets them in."""
    if path[0] == "~":
        below = parts[1:]
    elif path[0] == "/" and parts[:1] in (["home"], ["users"]):
        below = parts[2:]
    else:
        below = parts[1:] if path[0] == "/" and parts[:1] == ["root"] else []
    if below[:1] != [] and below[0] in AT_ROOT and not _OF_AGENTS.isdisjoint(below[1:2]) and ".." not in below:
        return False
    # Whole projects lie deeper below such a folder.
    return below[:1] != [] and below[0][0] == "." and below[0] != ".." and (path[0] == "~" or len(below) <= 3)


def _could_become_secret(part: str) -> bool:
    """Return whether a pattern that spells most of its letters can match a name of a secret file."""
    letters = len(re.sub(r"\[[^\]]*\]|[*?]", "", part))
    for pattern in _SECRET_FILES:
        bare = pattern.strip("*")
        if pattern[0] == "*" and pattern[-1] != "*":
            sample = part[: -len(bare)] + bare if len(part) > len(bare) else "x" + bare
            sample = re.sub(r"\[([^\]!^])[^\]]*\]", r"\1", part.rpartition(".")[0]) + bare if bare[0] == "." else sample
        elif pattern[-1] == "*" and pattern[0] != "*":
            sample = bare + re.sub(r"\[([^\]!^])[^\]]*\]", r"\1", part)[len(bare) :]
        else:
            sample = bare
        if letters >= 0.7 * len(sample) and fnmatchcase(sample, part):
            return True
    return False


def is_protected(path: str) -> bool:
    """Return whether a path belongs to git's store, the ledger, the gate or the configuration of an agent."""
    parts = [part for part in _folded(path).split("/") if part not in ("", ".")]
    return any(
        part in PROTECTED
        or (_GLOB.search(part) and part[:1] == "." and any(fnmatchcase(name, part) for name in PROTECTED))
        for part in parts
    )


def is_device(path: str) -> bool:
    """Return whether writing there changes no file: a descriptor, nothing at all, or what mktemp has just made."""
    return is_made(path) or path in _WRITTEN


def is_made(path: str) -> bool:
    """Return whether mktemp has made a place, or the folder that it lies in."""
    return path.startswith(TEMPORARY) and ".." not in path


def is_outside(path: str, root: str = "") -> bool:
    """Return whether a path leads out of the workspace; absolute ones are inside only where the root is known."""
    if is_device(path):
        return False
    if path.startswith(("~", "\0")):
        return True
    if path.startswith("/"):
        flat = posixpath.normpath(path)
        return not root or not (flat == root or flat.startswith(root.rstrip("/") + "/"))
    return posixpath.normpath(path).split("/")[0] == ".."


def is_workspace(path: str, root: str = "", here: str = "") -> bool:
    """Return whether a path is the workspace itself, or everything in it."""
    flat = posixpath.normpath(posixpath.join(here, path)) if path else ""
    return flat in (".", "*", "./*", ".*", "**") or bool(root and flat.rstrip("/*") == root.rstrip("/"))


def may_be_read(path: str) -> bool:
    """Return whether reading this ends and tells nothing but what is in a file: no device, no process, no socket."""
    flat = posixpath.normpath(path) if path else path
    if flat.startswith(("../", "~/../")) and _DEVICE_FOLDER.search(flat):
        return False
    flat = "/" + flat.lstrip("/") if flat.startswith("/") else flat
    if flat in DEVICES or flat == TEMPORARY or _DESCRIPTOR.fullmatch(flat) or re.fullmatch(_TELLING, flat):
        return True
    return not flat.startswith(("/dev", "/proc", "/inet", "/sys", "/net", "/d?", "/d*", "/p?", "/p*", "/[", "/?", "/*"))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
