"""What git does to history: commits of all kinds, merges, rebases, picks, stashes, resets, worktrees."""

import os
import shutil
from pathlib import PurePath

from linetrail.ledger.log import segments
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from tests.simulation.agent import Session
from tests.simulation.choice import Choice, Operation, quoted
from tests.simulation.merging import merged, regions, same
from tests.simulation.model import NOBODY, Tree, mapped, written
from tests.simulation.payloads import told
from tests.simulation.world import LEDGER, NotNow, World, also_signed, signed

MAIN, SIDE = "main", "side"


def _by(world: World, choice: Choice) -> Session | None:
    """Let every third of git's commands be given by an agent."""
    return world.session(choice.who) if choice.other % 3 == 0 else None


def _run(world: World, choice: Choice, *args: str, person: str | None = None) -> bool:
    """Run git, in an agent's shell or a person's; tell whether it succeeded."""
    done: list[str | None] = []
    command = "git " + " ".join(args)
    world.shell(_by(world, choice), command, lambda: done.append(world.git(*args, person=person or choice.person)))
    session = _by(world, choice)
    world.say(f"{session.name + ' for ' if session else ''}{choice.person} runs {command}")
    return done[0] is not None


def _bring(world: World, choice: Choice, tree: Tree | None, args: tuple[str, ...], undo: tuple[str, ...]) -> None:
    """Run what brings a tree about; where git has it otherwise, take it back and let the story go on without."""
    if tree is None:
        raise NotNow
    before, head = dict(world.files), world.head
    if _run(world, choice, *args) and world.sync(tree):
        return
    if world.git(*undo) is None or world.head != head:
        world.git("reset", "--quiet", "--hard", head)
    world.git("reset", "--quiet", "--hard", head)
    world.say("… which was taken back")
    if not world.sync(before):
        raise AssertionError(f"could not go back after {args}")


# commits


def commit(world: World, choice: Choice) -> None:
    if not world.dirty:
        raise NotNow
    world.commit(choice.person)
    world.say(f"{choice.person} commits everything")


def agent_commits(world: World, choice: Choice) -> None:
    if not world.dirty:
        raise NotNow
    session = world.session(choice.who)
    world.shell(session, "git add -A && git commit -m change", lambda: world.commit(choice.person))
    world.say(f"{session.name} commits everything for {choice.person}")


def amend(world: World, choice: Choice) -> None:
    author = world.tip.person
    world.git("add", "--all")
    if not _run(world, choice, "commit", "--quiet", "--amend", "--no-edit"):
        raise NotNow
    world.files = signed(world.files, author)
    world.note_commit(world.files, author)


def commit_a_part(world: World, choice: Choice) -> None:
    """Stage some of the changed places only, as `git add -p` does, and commit the index."""
    tip = world.tip.tree
    places = [
        (path, at)
        for path in sorted(world.files)
        if path in tip and tip[path][1:] == world.files[path][1:]
        for at, (old, new) in enumerate(regions(tip[path].lines, world.files[path].lines))
        if not same(old, new)
    ]
    chosen = set(places[choice.size % 2 :: 2])
    if len(places) < 2 or not chosen:
        raise NotNow
    tree = dict(tip)
    for path in {path for path, _ in chosen}:
        pieces = regions(tip[path].lines, world.files[path].lines)
        lines = [line for at, (old, new) in enumerate(pieces) for line in (new if (path, at) in chosen else old)]
        tree[path] = tip[path]._replace(lines=tuple(lines))
        blob = world.git("hash-object", "-w", "--stdin", stdin=tree[path].content)
        world.git("update-index", "--cacheinfo", f"100644,{blob},{path}")
    if world.git("commit", "--quiet", "--message", "a part", person=choice.person) is None:
        raise NotNow
    tree = signed(tree, choice.person)
    world.note_commit(tree, choice.person)
    world.files = _known(world.files, tree)
    world.say(f"{choice.person} commits {len(chosen)} of {len(places)} changed places")


def _known(tree: Tree, committed: Tree) -> Tree:
    """Take over who committed lines from a tree that has them, too."""
    lines = {line[:2]: line for file in committed.values() for line in file.lines}
    return mapped(tree, lambda line: line._replace(authors=lines[line[:2]].authors) if line[:2] in lines else line)


# branches


def branch(world: World, choice: Choice) -> None:
    """Begin a side branch, and stay on it."""
    world.clean(choice.person)
    if world.branch != MAIN:
        raise NotNow
    world.git("branch", "--force", SIDE)
    _switch(world, SIDE)


def switch(world: World, choice: Choice) -> None:
    """Go over to the other branch."""
    if world.git("rev-parse", "--verify", "--quiet", SIDE) is None:
        raise NotNow
    world.clean(choice.person)
    _switch(world, SIDE if world.branch == MAIN else MAIN)


def _switch(world: World, name: str) -> None:
    world.git("switch", "--quiet", name)
    world.branch = name
    world.files = dict(world.tip.tree)
    world.say(f"git switch {name}")


def _other(world: World, choice: Choice) -> tuple[str, str, Tree]:
    """Return the other branch, its tip and the tree that both have in common."""
    world.clean(choice.person)
    name = SIDE if world.branch == MAIN else MAIN
    tip = world.git("rev-parse", "--verify", "--quiet", name)
    common = tip and world.git("merge-base", "HEAD", tip)
    if tip is None or tip not in world.commits or common not in world.commits or common in (tip, world.head):
        raise NotNow
    return name, tip, world.commits[common].tree


def merge(world: World, choice: Choice) -> None:
    name, tip, base = _other(world, choice)
    tree = world.brought(base, world.commits[tip].tree, "merge")
    head = world.head
    _bring(world, choice, tree, ("merge", "--quiet", "--no-edit", "--no-ff", name), ("merge", "--abort"))
    if world.head != head:
        world.note_commit(world.files, choice.person)


def merge_with_a_conflict(world: World, choice: Choice) -> None:
    """Let two agents write other lines in the same place on two branches; keep those of one side, or both."""
    world.clean(choice.person)
    path = choice.path(world)
    base = world.files[path]
    span = choice.span(base, most=3)
    suffix = PurePath(path).suffix
    one, two = world.session(choice.who), world.session(choice.who + 1)
    blocks = [
        written(world.fresh(suffix, choice.other), session.author, "merge_with_a_conflict") for session in (one, two)
    ]
    world.git("switch", "--quiet", "--create", "conflict")
    world.changed(path, base.replaced(span.start, span.stop, blocks[1]), two)
    world.commit(choice.person)
    world.git("switch", "--quiet", world.branch)
    world.save(path, base)
    world.changed(path, base.replaced(span.start, span.stop, blocks[0]), one)
    world.commit(choice.person)
    if world.git("merge", "--quiet", "--no-edit", "conflict", person=choice.person) is not None:
        raise AssertionError("two changes of the same lines went together")
    kept = (blocks[0], blocks[1], [*blocks[0], *blocks[1]])[choice.size % 3]
    resolved = base.replaced(span.start, span.stop, kept)
    if choice.other % 2:
        world.changed(path, resolved, one, before=(world.root / path).read_bytes().decode().replace("\r\n", "\n"))
    else:
        world.save(path, resolved)
    world.commit(choice.person)
    world.git("branch", "--quiet", "-D", "conflict")
    who = one.name if choice.other % 2 else choice.person
    what = ("the first", "the second", "both")[choice.size % 3]
    world.say(
        f"{one.name} and {two.name} replace lines {span.start + 1}-{span.stop} of {path} on two branches: "
        f"{quoted(blocks[0])} and {quoted(blocks[1])}; {who} merges them and keeps {what}"
    )


def squash_merge(world: World, choice: Choice) -> None:
    name, tip, base = _other(world, choice)
    head, before = world.head, world.files
    tree = world.brought(base, world.commits[tip].tree, "squash_merge")
    _bring(world, choice, tree, ("merge", "--quiet", "--squash", name), ("reset", "--quiet", "--hard", head))
    if world.dirty:
        world.files = also_signed(world.files, before, f"human:{choice.person}")
        world.commit(choice.person)


def rebase(world: World, choice: Choice) -> None:
    """Rebase this branch onto the other one."""
    name, tip, base = _other(world, choice)
    tree = merged(base, world.commits[tip].tree, world.files, "rebase")
    person = world.tip.person
    head = world.head
    _bring(world, choice, tree, ("rebase", "--quiet", name), ("rebase", "--abort"))
    if world.head != head:
        world.note_commit(world.files, person)


def cherry_pick(world: World, choice: Choice) -> None:
    """Pick the last commit of the other branch."""
    _, tip, _ = _other(world, choice)
    picked = world.commits[tip]
    if len(picked.parents) != 1 or picked.parents[0] not in world.commits:
        raise NotNow
    tree = world.brought(world.commits[picked.parents[0]].tree, picked.tree, "cherry_pick")
    head = world.head
    _bring(world, choice, tree, ("cherry-pick", tip), ("cherry-pick", "--abort"))
    if world.head != head:
        world.note_commit(world.files, picked.person)


def revert(world: World, choice: Choice) -> None:
    world.clean(choice.person)
    _revert(world, choice, world.head, "revert")


def revert_a_revert(world: World, choice: Choice) -> None:
    """Take the last commit back and, after something else perhaps, take that back in turn."""
    if not world.reverted or world.git("merge-base", "--is-ancestor", world.reverted[-1], "HEAD") is None:
        raise NotNow
    world.clean(choice.person)
    _revert(world, choice, world.reverted.pop(), "revert_a_revert")


def _revert(world: World, choice: Choice, revision: str, operation: str) -> None:
    taken = world.commits.get(revision)
    if taken is None or len(taken.parents) != 1 or taken.parents[0] not in world.commits:
        raise NotNow
    tree = world.brought(taken.tree, world.commits[taken.parents[0]].tree, operation)
    head = world.head
    _bring(world, choice, tree, ("revert", "--no-edit", revision), ("revert", "--abort"))
    if world.head != head:
        world.note_commit(world.files, choice.person)
        if operation == "revert":
            world.reverted.append(world.head)


def fixup(world: World, choice: Choice) -> None:
    """Commit what there is as a fixup of the commit before the last, and squash it into that."""
    tip = world.tip
    if not world.dirty or len(tip.parents) != 1 or tip.parents[0] not in world.commits:
        raise NotNow
    target = world.commits[tip.parents[0]]
    if not target.parents:
        raise NotNow
    before = dict(world.tip.tree)
    world.git("add", "--all")
    if world.git("commit", "--quiet", "--fixup", tip.parents[0], person=choice.person) is None:
        raise NotNow
    world.files = signed(world.files, choice.person)
    world.note_commit(world.files, choice.person)
    names = f"human:{target.person}"
    tree = also_signed(world.files, before, names)
    onto = target.parents[0]
    os.environ["GIT_SEQUENCE_EDITOR"] = "true"
    _bring(world, choice, tree, ("rebase", "--quiet", "--interactive", "--autosquash", onto), ("rebase", "--abort"))
    world.note_commit(world.files, tip.person)


# stash, reset, worktree


def stash(world: World, choice: Choice) -> None:
    if not world.dirty or world.stash is not None:
        raise NotNow
    base = dict(world.tip.tree)
    _run(world, choice, "stash", "push", "--quiet", "--include-untracked")
    world.stash = (base, world.files)
    world.files = dict(base)


def stash_pop(world: World, choice: Choice) -> None:
    if world.stash is None:
        raise NotNow
    world.clean(choice.person)
    base, kept = world.stash
    tree = world.brought(base, kept, "stash_pop")
    if tree is None:
        raise NotNow
    before = dict(world.files)
    if _run(world, choice, "stash", "pop", "--quiet") and world.sync(tree):
        world.git("reset", "--quiet")
        world.stash = None
        return
    world.git("reset", "--quiet", "--hard")
    world.git("clean", "--quiet", "-d", "--force")
    world.say("… which was taken back")
    if not world.sync(before):
        raise AssertionError("could not go back after stash pop")


def reset_soft(world: World, choice: Choice) -> None:
    """Make one commit of the last two or three."""
    base = _ancestor(world, 2 + choice.size % 2)
    if world.stash is not None:
        raise NotNow
    _run(world, choice, "reset", "--quiet", "--soft", base)
    world.files = also_signed(world.files, world.commits[base].tree, f"human:{choice.person}")
    world.commit(choice.person)


def reset_mixed(world: World, choice: Choice) -> None:
    """Take the last commit back and keep the files."""
    base = _ancestor(world, 1)
    _run(world, choice, "reset", "--quiet", base)
    world.files = also_signed(world.files, world.commits[base].tree, NOBODY)


def reset_hard(world: World, choice: Choice) -> None:
    """Throw the last commit away."""
    base = _ancestor(world, 1)
    world.clean(choice.person)
    base = _ancestor(world, 1)
    _run(world, choice, "reset", "--quiet", "--hard", base)
    world.files = dict(world.commits[base].tree)


def _ancestor(world: World, count: int) -> str:
    revision = world.git("rev-parse", "--verify", "--quiet", f"HEAD~{count}")
    if revision is None or revision not in world.commits or world.branch != MAIN:
        raise NotNow
    return revision


def worktree(world: World, choice: Choice) -> None:
    """Let an agent work in a worktree, then merge its branch; the ledger comes along as files that git merges."""
    world.clean(choice.person)
    beside = world.root.with_name(f"{world.root.name}-beside")
    path = choice.path(world)
    if world.git("worktree", "add", "--quiet", "-B", "beside", str(beside)) is None:
        raise NotNow
    session = world.session(choice.who)
    file = world.files[path]
    lines = written(world.fresh(PurePath(path).suffix, choice.other), session.author, "worktree")
    at = choice.place(file)
    new = file.replaced(at, at, lines)
    before, after = (each._replace(eol="\n").content.decode() for each in (file, new))
    what = told(str(beside / path), before, after, "Write")
    call = session.call(what.tool, what.given, str(beside))
    world.save(path, new, beside)
    call.done(what.response)
    world.git("commit", "--quiet", "--all", "--message", "beside", person=choice.person, root=beside)
    _take_ledger(str(beside), str(world.root))
    world.say(f"{session.name} inserts {len(lines)} lines below line {at} of {path} in a worktree: {quoted(lines)}")
    world.git("merge", "--quiet", "--ff-only", "beside")
    world.git("worktree", "remove", "--force", str(beside))
    world.git("branch", "--quiet", "-D", "beside")
    if not world.sync({**world.files, path: new}):
        raise AssertionError("the worktree's branch did not come over")
    world.note_commit(world.files, choice.person)


def _take_ledger(source: str, target: str) -> None:
    """Take over the segments of a worktree, as a merge of its branch does."""
    Ledger(find(source)).seal()
    folder = os.path.join(target, LEDGER)
    os.makedirs(os.path.join(folder, segments.SEGMENTS), exist_ok=True)
    for name in segments.names(os.path.join(source, LEDGER)):
        if not os.path.exists(segments.path(folder, name)):
            shutil.copy2(segments.path(os.path.join(source, LEDGER), name), segments.path(folder, name))


REWRITES: tuple[Operation, ...] = (
    commit,
    agent_commits,
    amend,
    commit_a_part,
    branch,
    switch,
    merge,
    merge_with_a_conflict,
    squash_merge,
    rebase,
    cherry_pick,
    revert,
    revert_a_revert,
    fixup,
    stash,
    stash_pop,
    reset_soft,
    reset_mixed,
    reset_hard,
    worktree,
)
