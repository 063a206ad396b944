"""What verbs of programs do: make what they are given, edit it, or begin something new."""


def words(text: str) -> frozenset[str]:
    """Return words that stand together in a text."""
    return frozenset(text.split())


# What their scripts are handed behind `--` is for another program, of the row `--`: a test, a linter, a bundler.
HANDING_ON = words("npm pnpm yarn bun cargo poetry pdm hatch")
# Verbs with which a program makes the files and folders that it is given, or copies to them.
MAKING = {
    "git": {"worktree", "submodule", "init"}, "docker": {"cp"}, "podman": {"cp"}, "kubectl": {"cp"}, "cargo": {"new", "init", "vendor"},
    "meson": {"setup"}, "dotnet": {"new"}, "poetry": {"new"}, "django-admin": {"startproject", "startapp"},
    "rails": {"new"}, "hatch": {"build"}, "uv": {"venv", "init", "build"}, "yarn": {"pack"}, "gh": {"repo", "gist"}, "flutter": {"create"}, "dart": {"create"},
}  # fmt: skip
# With these other programs begin something new, in the folder that they are given or where they stand; but for some.
BEGINNING, NOT_BEGINNING = {"init", "new"}, words("git go terraform tofu npm pnpm yarn pulumi pip linetrail")
# Compilers, which hand options on to others.
COMPILERS = words("gcc g++ cc c++ clang clang++ rustc")
# Verbs with which a program writes its operands, or everything below where it stands, and the options with which it only tells.
EDITING: dict[str, dict[str, str]] = {
    "ruff": {"format": "--check|--diff"}, "uv": {"format": "--check|--diff"}, "go": {"fmt": "-n", "fix": "-diff"}, "deno": {"fmt": "--check"},
    "terraform": {"fmt": "--?check|--?write=false"}, "tofu": {"fmt": "--?check|--?write=false"}, "sqlfluff": {"fix": "", "format": ""},
    "dart": {"format": "(?:-o|--output)=(?:none|show|json)", "fix": "-n|--dry-run"}, "mix": {"format": "--check-formatted|--dry-run"},
    "golangci-lint": {"fmt": "-d|--diff(?:-colored)?"},
}  # fmt: skip

# Commands of git that only read what they are given, or change the index, refs and the store alone.
GIT_READS = words(
    "add commit branch tag fetch pull push merge rebase cherry-pick revert reset switch remote log show diff status blame "
    "ls-files ls-tree grep rev-parse rev-list describe shortlog reflog notes update-index gc fsck config var stash "
    "cat-file hash-object check-ignore check-attr bisect range-diff diff-tree name-rev whatchanged symbolic-ref "
    "merge-base for-each-ref show-ref cherry apply sparse-checkout lfs help"
)
# Its own commands that write and stand in no other table.
GIT_WRITES = words("am checkout cherry-pick checkout-index init merge mv request-pull restore rm submodule worktree")
