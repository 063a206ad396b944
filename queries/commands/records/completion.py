"""`linetrail completion`: print a script that makes a shell complete commands, options, ids and paths.

Each script is a file beside this one. What bash is told replaces its own idea of the word, which begins behind each `:`
and `=`; the line says the rest.
"""

import argparse
import os

SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = 'In bash: eval "$(linetrail completion bash)". The first lines of each answer say where it belongs.'
    parser.add_argument("shell", choices=SHELLS, help="which shell is to complete")


def run(args: argparse.Namespace) -> int:
    with open(os.path.join(os.path.dirname(__file__), f"completion.{args.shell}"), encoding="utf-8") as file:
        print(file.read(), end="")
    return 0
