"""Calls of code that only read what they are given, as data, whatever language it is.

A name that does not stand here may write to any place that it is told. A row that is missing costs a question, a row
that is wrong costs a file.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Verbs with which a library says that it reads.
VERBS = r"(?!.*(?i:create|make|save|write|copy|to_?file|download))(?:is|has|get|read|load|parse|exists?|find|list|count|match|search|stat|lstat|fetchone|fetchall|peek|show|print|scan|safe_load|disk_usage|which|relpath|resolve|walk|i?r?glob)(?:[A-Z_].*|all|s|dir|lines?|file|text|bytes|attr|instance|subclass|iter|ed|digit|alpha|space|upper|lower|alnum|numeric|Sync)?"
# Modules of which every function reads, or writes to what it is handed open.
MODULES = _words(
    "json re math sys collections collections.abc itertools string datetime time textwrap statistics random decimal fractions enum "
    "dataclasses typing pprint difflib hashlib copy ast inspect traceback calendar unicodedata html csv uuid struct heapq "
    "bisect numbers tokenize keyword fnmatch glob argparse yaml tomllib toml __future__ abc warnings locale path crypto node:crypto "
    "util url assert querystring semver node:path node:util node:url node:assert js-yaml yaml/lib List::Util Data::Dumper "
    "JSON JSON::PP set"
)
# Without a module or an object in front.
FUNCTIONS = _words(
    "len range str int float bool list dict set tuple frozenset sorted reversed enumerate zip min max sum any all abs "
    "round repr type isinstance issubclass hasattr getattr callable id hash ord chr hex bin oct bytes bytearray iter next "
    "slice divmod pow super object input exit quit die map filter reduce vars dir format require require_once use import "
    "puts echo p say printf sprintf warn raise String Number Boolean Array Object Set Map Date RegExp URL Error "
    "URLSearchParams TextDecoder Promise parseInt parseFloat isNaN setTimeout structuredClone var_dump print_r json_encode "
    "json_decode count strlen implode explode in_array array_keys scalar keys values join split grep sort lc uc ref "
    "defined exists tonumber tostring pairs ipairs SystemExit StopIteration KeyboardInterrupt VALUES SELECT CHECK KEY "
    "REFERENCES UNIQUE INDEX COUNT SUM MIN MAX AVG COALESCE IFNULL LENGTH SUBSTR json_extract"
)
# Of an object, which is no module and no class.
METHODS = _words(
    "split rsplit splitlines partition rpartition strip lstrip rstrip replace replaceAll startswith startsWith endswith "
    "endsWith index rindex lower upper title capitalize casefold format zfill ljust rjust center translate removeprefix "
    "removesuffix expandtabs write writelines append add extend insert push unshift update setdefault pop popitem discard "
    "clear sort reverse items keys values copy group groups groupdict sub subn finditer fullmatch end start span strftime "
    "isoformat timestamp total_seconds close flush seek tell fileno most_common elements toString toFixed slice substring "
    "trim trimEnd trimStart padEnd padStart charAt includes concat indexOf lastIndexOf flat entries fill test then catch "
    "finally log info warn error debug table dir stringify assign freeze fromEntries from of now max min round floor ceil "
    "toISOString toLowerCase toUpperCase localeCompare map filter forEach reduce some every flatMap hexdigest digest join "
    "joinpath with_suffix with_name relative_to as_posix absolute expand add_argument cwd sum each each_with_index chomp "
    "select reject encode decode inspect to_s to_i to_sym to_a commit exit unparse"
)
# Those of them that keep what they are given: what a library made may keep it in a file.
ADDING = _words("write writelines append add extend insert push update setdefault copy fill dir commit")
# Modules with an `open` of their own that reads where it is given no mode to write in.
OPENING = _words("io codecs gzip bz2 lzma tarfile zipfile tokenize")
# What these say is a place that a later call gets.
CARRYING = _words(
    "Path PurePath PosixPath join joinpath abspath normpath realpath resolve absolute str fspath with_suffix with_name "
    "URL String format relative_to strip list tuple set sorted split"
)
# Given a function, they call it.
CALLING = _words(
    "map filter forEach reduce flatMap some every then each sorted starmap accumulate groupby takewhile dropwhile filterfalse partial"
)
# Objects that are there in any program, of which every function reads.
OBJECTS = _words("JSON Math console Object Array Number String Promise Date")
# A known writer whose target is looked at by itself, and of which the rest is content or what is read.
FILLING = r"open\w*|fopen|sysopen|(?:copy|cp|write|append|save|binwrite|to_|file_put_contents)\w*"
# Modules behind a module that reads.
BEHIND = _words("os _os sys io _io shutil subprocess builtins modules pathlib")
# What a statement begins with that only tells, asks or imports.
TELLING = _words(
    "import from print puts p echo say die warn raise throw assert require use if elif elsif unless when case while "
    "require_relative printf include select insert update create with drop alter pragma begin commit explain "
    "values where and or not on set order group having limit package except no yield return lambda else match export"
)
KEYWORDS = _words(
    "if elif while for and or not in return is switch catch yield await typeof lambda else assert del raise except "
    "with from import case when unless until elsif foreach function async do then my our local async match throw"
)
