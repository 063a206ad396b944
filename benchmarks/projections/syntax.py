"""What it costs to index the definitions of files, against parsing them and nothing else.

    python -m benchmarks.projections.syntax FOLDER... [--megabytes 1] [--rounds 7]

Files are taken from the folders at random, the same ones each time, up to so many megabytes of each language, and read
before the clock starts. In each round all files of a language are parsed, then indexed. Budget: twice the parsing.
"""

import argparse
import os
import random
import resource
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import tree_sitter

from linetrail.projections.syntax.definitions import index
from linetrail.projections.syntax.language import Language, language_of
from linetrail.projections.syntax.parsing import UnparsableError

# Files that nobody edits: too small to matter, or too large to have been written by hand.
SMALLEST, LARGEST = 500, 300_000


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--megabytes", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print("| language | files | kB | definitions | parse ms | index ms | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for language, contents in sample(options.folders, int(options.megabytes * 1e6)):
        parsing, indexing, ratio, found = measure(language, contents, options.rounds)
        size = sum(map(len, contents)) / 1000
        print(
            f"| {language.name} | {len(contents)} | {size:,.0f} | {found:,} "
            f"| {parsing * 1000:.1f} | {indexing * 1000:.1f} | {ratio:.2f} |",
            flush=True,
        )
    print(f"\nmost memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def sample(folders: Sequence[str], most: int) -> Iterator[tuple[Language, list[bytes]]]:
    """Yield each language with files of it, as long as they are together no larger than this."""
    paths = defaultdict(list)
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                if language := language_of(name):
                    paths[language].append(os.path.join(place, name))
    for language, found in sorted(paths.items(), key=lambda pair: pair[0].name):
        contents: list[bytes] = []
        for path in random.Random(1).sample(sorted(found), len(found)):
            if os.path.isfile(path) and SMALLEST <= os.path.getsize(path) <= LARGEST:
                with open(path, "rb") as file:
                    content = file.read()
                if sum(map(len, contents)) + len(content) <= most and indexed(language, content):
                    contents.append(content)
        if contents:
            yield language, contents


def indexed(language: Language, content: bytes) -> bool:
    """Say whether a file can be indexed, and with something found."""
    try:
        return bool(index(language, content))
    except UnparsableError:
        return False


def measure(language: Language, contents: Sequence[bytes], rounds: int) -> tuple[float, float, float, int]:
    """Return the seconds of parsing and of indexing, how the second is to the first, and how much was found."""
    parser = tree_sitter.Parser(language.loaded)
    parsed, done = [], []
    for _ in range(rounds):
        parsed.append(timed(parser.parse, contents))
        done.append(timed(lambda content: index(language, content), contents))
    ratio = statistics.median(two / one for one, two in zip(parsed, done, strict=True))
    found = sum(len(index(language, content)) for content in contents)
    return statistics.median(parsed), statistics.median(done), ratio, found


def timed(function: Callable[[bytes], object], contents: Sequence[bytes]) -> float:
    """Return the seconds that a function takes for all files."""
    start = time.perf_counter()
    for content in contents:
        function(content)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
