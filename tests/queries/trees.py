"""What is below a folder, so that before and after can be compared."""

import stat
from collections.abc import Collection
from pathlib import Path

GIT, LEDGER = ".git", ".orchestration"


def tree(folder: Path, *, without: Collection[str] = (GIT,)) -> dict[str, tuple[bytes | None, int]]:
    """Map every file below a folder to its bytes and mode, a folder and a link to its mode; `without` these folders."""
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() and not path.is_symlink() else None,
            stat.S_IMODE(path.lstat().st_mode),
        )
        for path in sorted(folder.rglob("*"))
        if not {*without} & {*path.relative_to(folder).parts}
    }
