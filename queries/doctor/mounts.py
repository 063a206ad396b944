"""Which file system holds the ledger, and whether its locks and appends can be trusted there.

A local file system keeps two writers apart and lets one write reach the file whole. Over a network, or shared between
systems, that is a promise of the server's, and often none.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.queries.doctor.finding import OK, WARNING, Finding

MOUNTINFO = "/proc/self/mountinfo"
_REMOTE = "writers on several machines can write over each other"
_SHARED = "locks and syncs may not reach the system that holds the files"
_PLAIN = "it knows no owner and no second name of a file: what is private elsewhere is not here"
# By the name that the system gives to a kind of file system, without a `fuse.` before it.
WEAK = (
    dict.fromkeys(("nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afs", "afpfs", "ncpfs", "webdav", "davfs"), _REMOTE)
    | dict.fromkeys(("sshfs", "davfs2", "s3fs", "gcsfuse", "rclone", "goofys", "glusterfs", "ceph", "lustre"), _REMOTE)
    | dict.fromkeys(("9p", "drvfs", "virtiofs", "vboxsf", "vmhgfs", "vmhgfs-fuse", "prl_fs", "grpcfuse"), _SHARED)
    | dict.fromkeys(("vfat", "msdos", "exfat"), _PLAIN)
)
_MAC_LINE = re.compile(r".* on (?P<point>.+) \((?P<kind>[^,)]+)")


class Mount(NamedTuple):
    """A folder where a file system begins, and the kind it is of."""

    point: str
    kind: str


def check_file_system(repository: Repository) -> Iterator[Finding]:
    """Report a file system on which several writers may damage the ledger."""
    yield from judged(repository.folder, mounts())


def judged(folder: str, table: list[Mount]) -> Iterator[Finding]:
    """Judge the file system of a folder by a table of mounts; report nothing for a folder that is in none."""
    mount = holding(folder, table)
    if mount is None:
        return
    weakness = WEAK.get(mount.kind.removeprefix("fuse."))
    if weakness is None:
        yield Finding("file system", OK, mount.kind)
        return
    message = f"{folder} is on {mount.kind} ({mount.point}): {weakness}"
    yield Finding("file system", WARNING, message, "keep the repository on a disk of this machine")


def holding(folder: str, table: list[Mount]) -> Mount | None:
    """Return the mount that a folder lies on; of several at one place the last covers the others."""
    real = os.path.realpath(folder)
    above = [mount for mount in table if (real + "/").startswith(mount.point.rstrip("/") + "/")]
    return max(reversed(above), key=lambda mount: len(mount.point), default=None)


def mounts() -> list[Mount]:
    """Return what is mounted here, in the order in which it was; nothing where the system does not tell."""
    try:
        if sys.platform == "darwin":
            return from_mac(subprocess.run(["mount"], capture_output=True, text=True, check=True).stdout)
        with open(MOUNTINFO, encoding="utf-8", errors="surrogateescape") as file:
            return from_linux(file.read())
    except (OSError, subprocess.CalledProcessError):
        return []


def from_linux(text: str) -> list[Mount]:
    r"""Read the table of Linux.

    >>> from_linux("36 25 0:32 / /home/me\\040too rw,noatime shared:1 - nfs4 server:/home rw,vers=4.2\n")
    [Mount(point='/home/me too', kind='nfs4')]
    """
    fields = (line.split(" ") for line in text.splitlines() if " - " in line)
    return [Mount(_unescaped(field[4]), field[field.index("-") + 1]) for field in fields]


def from_mac(text: str) -> list[Mount]:
    """Read what `mount` prints on a Mac.

    >>> from_mac("//me@nas/share on /Volumes/My share (smbfs, nodev, nosuid, mounted by me)")
    [Mount(point='/Volumes/My share', kind='smbfs')]
    """
    return [Mount(match["point"], match["kind"]) for match in map(_MAC_LINE.match, text.splitlines()) if match]


def _unescaped(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field)
