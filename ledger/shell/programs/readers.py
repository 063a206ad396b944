"""The programs that only read, as data: what they may be given so that this stays true.

A program stands here only with options that were looked up; a row that is missing costs a question, a row that is wrong
costs a file. Where every option that any version knows is harmless, the row says `free`: then words that only the
running shell knows do no harm either. `reveals` means that it prints what is in its files.
"""

import re
from typing import NamedTuple

from linetrail.ledger.shell.reading.options import Known, Taken, take
from linetrail.ledger.shell.reading.ruling import READS, Ruling, changes, harms
from linetrail.ledger.shell.reading.scene import Scene, shown
from linetrail.ledger.shell.reading.values import Arg

_UNLIMITED = 1_000_000


class Reader(NamedTuple):
    """One program. `operands` is what its operands are: `files`, `text`, or `first` where only the first is text."""

    options: Known
    operands: str = "files"
    free: bool = False
    reveals: bool = True
    most: int = _UNLIMITED


def _free(flags: str, valued: str = "", long: str = "", *, reveals: bool = True, numeric: bool = False) -> Reader:
    return Reader(Known(flags, valued, long, numeric=numeric), free=True, reveals=reveals)


def _text(flags: str = "", valued: str = "", long: str = "") -> Reader:
    return Reader(Known(flags, valued, long), operands="text", free=True, reveals=False)


def _none(flags: str = "", long: str = "") -> Reader:
    return Reader(Known(flags, "", long), operands="text", reveals=False, most=0)


_SUM = _free(
    "bctzw", "a", "binary check tag text zero quiet status strict warn ignore-missing algorithm=", reveals=False
)
_GREP = Known(
    "EFGPivwxycLlqsobHhnTUzarRIuZ0123456789",
    "efmABCdD",
    "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case no-ignore-case invert-match "
    "word-regexp line-regexp count color? colour? files-without-match files-with-matches max-count= only-matching quiet "
    "silent no-messages byte-offset with-filename no-filename label= line-number initial-tab null after-context= "
    "before-context= context= text binary-files= devices= directories= exclude= exclude-from= exclude-dir= include= "
    "recursive dereference-recursive line-buffered null-data binary",
    verbatim="e",
)
_RG = Known(
    "SiswxvclLnNoHIhFPUaqu.p0",
    "efgtTmABCMjrdE",
    "smart-case ignore-case case-sensitive word-regexp line-regexp invert-match count count-matches files-with-matches "
    "files-without-match line-number no-line-number only-matching with-filename no-filename fixed-strings pcre2 multiline "
    "text quiet unrestricted hidden no-hidden no-ignore no-ignore-vcs follow json files sort= sortr= glob= iglob= type= "
    "type-not= type-list max-count= after-context= before-context= context= max-depth= max-columns= threads= replace= "
    "regexp= file= color= colors= heading no-heading column no-column stats trim vimgrep passthru null no-messages "
    "no-config pretty multiline-dotall max-filesize= encoding= one-file-system block-buffered line-buffered version help",
    verbatim="e",
)
_FD = Known(
    "HIuUsigFapl0L1q",
    "dtEeSjcd",
    "hidden no-ignore unrestricted case-sensitive ignore-case glob fixed-strings absolute-path full-path follow max-depth= "
    "min-depth= exact-depth= type= extension= exclude= size= changed-within= changed-before= color= print0 max-results= "
    "list-details no-ignore-vcs base-directory= search-path= threads= owner= and=",
)
_ZCAT = Known("cdfqktlv", "", "stdout to-stdout decompress quiet list test verbose")


READERS: dict[str, Reader] = {
    "cat": _free("AbeEnstTuv", long="show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"),
    "head": _free("qvz", "nc", "lines= bytes= quiet silent verbose zero-terminated", numeric=True),
    "tail": _free("qvzr", "nc", "lines= bytes= quiet silent verbose zero-terminated", numeric=True),
    "tac": _free("br", "s", "before regex separator="),
    "nl": _free("p", "bdfhilnsvw", "body-numbering= number-format= number-width= no-renumber"),
    "rev": _free(""),
    "col": _free("bfhpx", "l"),
    "fold": _free("bsc", "w", "bytes spaces width="),
    "fmt": _free("cstu", "wgp", "width= split-only uniform-spacing"),
    "expand": _free("i", "t", "initial tabs="),
    "unexpand": _free("a", "t", "all first-only tabs="),
    "cut": _free("ns", "bcdf", "bytes= characters= delimiter= fields= only-delimited output-delimiter= complement"),
    "paste": _free("sz", "d", "delimiters= serial zero-terminated"),
    "join": _free("iz", "aejov12t", "ignore-case header check-order nocheck-order"),
    "comm": _free("123iz", long="check-order nocheck-order output-delimiter= total zero-terminated"),
    "cmp": _free("bls", "in", "print-bytes verbose quiet silent bytes= ignore-initial="),
    "diff": Reader(
        Known(
            "abBcdeEinNpqrstTuwyZH",
            "CUWIxXLF",
            "unified? context? brief recursive new-file ignore-case ignore-all-space ignore-space-change ignore-blank-lines "
            "ignore-matching-lines= ignore-trailing-space side-by-side width= color? text report-identical-files exclude= "
            "exclude-from= label= strip-trailing-cr suppress-common-lines left-column minimal show-c-function "
            "no-dereference show-function-line= normal ed",
        )
    ),
    "diff3": _free("eExXAim3aT", "L"),
    "sdiff": Reader(Known("iEZbWBatsdl", "Iw", "ignore-case ignore-all-space ignore-blank-lines width= suppress-common-lines left-column")),
    "shuf": Reader(Known("ezr", "ni", "echo zero-terminated repeat head-count= input-range=")),
    "pstree": _text("acghlnpsSTuZ"),
    "ncal": _text("13bhjMpwy"),
    "colordiff": Reader(Known("uqrNwbBi", "U")),
    "wc": _free("clmwL", long="bytes chars lines words max-line-length", reveals=False),
    "ls": _free(
        "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1@eOTW%,",
        "ITw",
        "all almost-all author escape block-size= ignore-backups color? colour? directory dired classify? file-type format= "
        "full-time group-directories-first no-group human-readable si dereference hide= hyperlink? indicator-style= inode "
        "ignore= kibibytes literal numeric-uid-gid quote-name quoting-style= reverse recursive size sort= time= "
        "time-style= tabsize= width= context zero",
        reveals=False,
    ),
    "dir": _free("lahR", reveals=False),
    "vdir": _free("lahR", reveals=False),
    "eza": _free("alhrRTdDfsgGmo1x@", "Ls", "all long tree level= git icons sort= reverse", reveals=False),
    "exa": _free("alhrRTdDfsgGmo1x@", "Ls", "all long tree level= git icons sort= reverse", reveals=False),
    "lsd": _free("alhrRtS1", "", "all long tree depth=", reveals=False),
    "tree": Reader(
        Known("adlfxqNQpugshDFirtUcvnCAS", "LPIH", "noreport dirsfirst charset= prune du filelimit= gitignore si inodes"),
        reveals=False,
    ),
    "stat": _free("LfxtnqFlrs", "c", "dereference file-system format= printf= terse", reveals=False),
    "file": Reader(Known("bikLNzZshrE0n", "eFP", "brief mime mime-type mime-encoding dereference no-dereference no-pad raw print0 exclude="), reveals=False),
    "du": _free("aAbcDhHklLmPsSxtg0", "Bdt", "all apparent-size block-size= bytes total max-depth= human-readable si summarize separate-dirs exclude= one-file-system threshold= time?", reveals=False),
    "df": _free("aBhHiklmPTtxYgI", "tx", "all block-size= human-readable inodes local portability print-type type= exclude-type= total output?", reveals=False),
    "basename": _text("az", "s", "multiple suffix= zero"),
    "dirname": _text("z", long="zero"),
    "realpath": _text("emLPqsz", long="canonicalize-existing canonicalize-missing relative-to= relative-base= quiet no-symlinks strip"),
    "readlink": _text("femnqsvz", long="canonicalize canonicalize-existing canonicalize-missing no-newline verbose"),
    "seq": _text("w", "fst", "equal-width format= separator="),
    "expr": _text(),
    "echo": _text("neE"),
    "true": _text(),
    "false": _text(),
    ":": _text(),
    "whoami": _text(),
    "groups": _text(),
    "arch": _none(),
    "logname": _text(),
    "users": _none(),
    "who": _none("abdHlmpqrstTuw"),
    "w": _none("hsfiou"),
    "last": _none("adFiwx"),
    "nproc": _text(long="all ignore="),
    "tty": _text("s"),
    "uptime": _none("ps", "pretty since"),
    "cal": _text("13myjw"),
    "pwd": _text("LP"),
    "jobs": _text("lnprs"),
    "times": _text(),
    "break": _text(),
    "continue": _text(),
    "which": _text("asv", long="all"),
    "whereis": _text("bmsu"),
    "type": _text("afptP"),
    "getconf": _text("a"),
    "locale": _text("amck"),
    "md5sum": _SUM, "sha1sum": _SUM, "sha224sum": _SUM, "sha256sum": _SUM, "sha384sum": _SUM, "sha512sum": _SUM, "b2sum": _SUM,
    "shasum": _SUM, "cksum": _SUM, "sum": _free("rs", reveals=False), "md5": _free("qr", reveals=False), "b3sum": _free("", reveals=False),
    "od": _free("abcdfilosxv", "ANSjtw", "address-radix= skip-bytes= read-bytes= format= output-duplicates width?"),
    "hexdump": _free("bcCdovx", "ens"),
    "hd": _free("bcCdovx", "ens"),
    "xxd": Reader(Known("abCeEiuv", "cgslonR"), most=1),
    "strings": _free("afw", "ntesoT", "all bytes= radix= encoding= print-file-name"),
    "base64": Reader(Known("diD", "wb", "decode ignore-garbage wrap="), most=1),
    "base32": Reader(Known("di", "w", "decode ignore-garbage wrap="), most=1),
    "tr": Reader(Known("cCdst", long="complement delete squeeze-repeats truncate-set1"), operands="text", reveals=False),
    "sort": Reader(Known("bdfgiMhnRrVcCmsuz", "kt", "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse version-sort sort= check? merge key= stable field-separator= unique zero-terminated debug parallel=")),
    "uniq": Reader(Known("cdDiuz", "fsw", "count repeated all-repeated? skip-fields= ignore-case skip-chars= unique zero-terminated check-chars= group?", numeric=True), most=1),
    "column": _free("txenJ", "csNoRT", "table separator= output-separator= table-columns= json output-width="),
    "pr": _free("adFfJmrtTv", "ehilNnoSsWw", numeric=True),
    "tsort": _free(""),
    "look": Reader(Known("df", "t"), operands="first"),
    "factor": _text("h"),
    "uuidgen": _text("rt", long="random time"),
    "numfmt": _text("dz", "", "from= to= suffix= padding= field= format= header? round= grouping"),
    "grep": Reader(_GREP, operands="first", free=True),
    "egrep": Reader(_GREP, operands="first", free=True),
    "fgrep": Reader(_GREP, operands="first", free=True),
    "zgrep": Reader(_GREP, operands="first"),
    "zegrep": Reader(_GREP, operands="first"),
    "zfgrep": Reader(_GREP, operands="first"),
    "rg": Reader(_RG, operands="first"),
    "ag": Reader(Known("iswvlLcoHnQr0", "GABCm", "ignore-case word-regexp literal files-with-matches count ignore= nocolor color hidden"), operands="first"),
    "fd": Reader(_FD, operands="first", reveals=False),
    "fdfind": Reader(_FD, operands="first", reveals=False),
    "locate": _text("ibcrew", "nl"),
    "gzip": Reader(_ZCAT), "gunzip": Reader(_ZCAT), "bzip2": Reader(_ZCAT), "bunzip2": Reader(_ZCAT), "xz": Reader(_ZCAT), "unxz": Reader(_ZCAT),
    "zstd": Reader(Known("cdtlqvkf", "", "stdout decompress test list quiet")), "unzstd": Reader(Known("c", "", "stdout")),
    "zcat": Reader(_ZCAT), "gzcat": Reader(_ZCAT), "bzcat": Reader(_ZCAT), "xzcat": Reader(_ZCAT), "zstdcat": Reader(Known("q")), "lzcat": Reader(_ZCAT),
    "zipinfo": Reader(Known("12smlvhtTz"), reveals=False),
    "nm": Reader(Known("aABCDgnPprSuV", "", "demangle extern-only undefined-only defined-only dynamic"), reveals=False),
    "size": Reader(Known("ABdoxt"), reveals=False),
    "readelf": Reader(Known("ahlSsegtrdVAIWu", "", "all file-header headers program-headers sections symbols dynamic wide notes"), reveals=False),
    "objdump": Reader(Known("afphxdDSsgtTrRCwlz", "jMm", "disassemble all-headers section-headers syms dynamic-syms demangle"), reveals=False),
    "uname": _text("asnrvmpio", long="all kernel-name nodename kernel-release kernel-version machine processor operating-system"),
    "id": _text("aAcGFgMnPpruzZ", long="user group groups name real"),
    "free": _text("bkmghltwv", "sc", "bytes kibi mebi gibi human total wide si"),
    "vmstat": _text("adfmnstwD", "S"),
    "lscpu": _text("aex", "", "extended? json parse? all"),
    "lsblk": _text("abdfilmnoprstJS", "o", "fs json all output= bytes"),
    "pgrep": _text("aflnovxcwi", "guPtsFG", "full list-name list-full newest oldest exact count euid= parent="),
    "pidof": _text("sx"),
    "lsof": _text("anPltUbwO", "pFcud"),
    "ulimit": _none("aHSn"),
    "help": _text("dms"),
    "dirs": _text("lpv"),
    "shellcheck": Reader(Known("aC", "sfeSio", "shell= format= severity= exclude= color? norc")),
    "bc": Reader(Known("lqsw"), operands="text", reveals=False, most=0),
    "nvidia-smi": Reader(Known("L"), operands="text", reveals=False, most=0),
    "sw_vers": _text("", "", "productVersion productName"),
    "lsb_release": _text("aidrcs"),
    "errno": _text("ls"),
    "ascii": _text("xdob"),
    "iconv": Reader(Known("lcs", "ft", "from-code= to-code= list silent")),
    "tokei": Reader(Known("f", "etso", "files exclude= type= sort= output="), reveals=False),
    "hostname": Reader(Known("s", long="short"), operands="text", reveals=False, most=0),
    "dpkg": Reader(Known("lLsS", long="list listfiles status print-architecture get-selections"), operands="text", reveals=False),
    "dpkg-query": Reader(Known("lLsSW", "f", "list listfiles status show showformat="), operands="text", reveals=False),
    "lsmod": _text(),
}  # fmt: skip

# options that only print a version, where they are not called --version
VERSION_OPTIONS = {
    "python": {"-V", "-VV"}, "node": {"-v"}, "ruby": {"-v"}, "perl": {"-v"}, "php": {"-v"}, "lua": {"-v"}, "java": {"-version"},
    "javac": {"-version"}, "bash": {"--version"}, "nginx": {"-v"}, "ssh": {"-V"}, "gcc": {"-dumpversion"}, "make": {"-v"},
}  # fmt: skip
# These print something about themselves and do nothing else when they are asked for their version alone.
VERSIONED = {
    "python", "git", "bash", "node", "ruby", "perl", "php", "lua", "gcc", "g++", "cc", "c++", "clang", "ld", "make",
    "cmake", "ninja", "docker", "jq", "rg", "grep", "sed", "awk", "gawk", "tar", "curl", "wget", "java", "javac", "ruff",
    "uv", "fd", "find", "xargs", "sqlite3", "psql", "zsh", "ls", "cat", "sort", "diff", "rsync", "strace", "gdb",
    "valgrind", "ffmpeg", "pandoc", "shellcheck", "file", "less", "vim", "nano", "tree", "bat", "head", "tail",
    "wc", "env", "timeout", "xz", "gzip", "zstd", "unzip", "nproc", "stat", "tee", "cut", "tr", "uniq", "date", "bc",
}  # fmt: skip
_DECOMPRESSORS = {"gzip": "cdtl", "bzip2": "cdt", "xz": "cdtl", "zstd": "cdtl", "gunzip": "ctl", "bunzip2": "ct", "unxz": "ctl", "unzstd": "c"}  # fmt: skip
# the words with which a program that replaces files by default is told to print instead
_TO_STDOUT = {"c", "t", "l", "stdout", "to-stdout", "test", "list"}
_SEARCHING = {"grep", "egrep", "fgrep", "zgrep", "rg", "ag"}
_SOUGHT = r"PRIVATE KEY|BEGIN (?:RSA|OPENSSH|EC|DSA)|AKIA|ASIA\[|\bghp_|\bgho_|xox[bp]-|(?i:aws_secret_access_key)|sk_live|AIza"
_RECURSIVE = {"grep", "egrep", "fgrep"}


def rule(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Say whether this call of a listed program is one that only reads."""
    reader = READERS[name]
    taken = take(args, reader.options)
    if taken.unknown is not None:
        return changes(f"{name} {taken.unknown} is not known to only read")
    if name in _RECURSIVE and any(not arg.known and arg.text[:1] == "\0" for arg in args):
        taken.flags.add("r")  # what the shell puts there may be an option, or leave one
    problem = _refused(name, reader, taken, scene)
    if problem:
        return problem
    if not reader.free:
        loose = next((arg for arg in args if not arg.known or arg.splits or (arg.glob and arg.text[:1] in "*?[")), None)
        if loose and loose.text:
            return changes(f"{name} may be given options by what {shown(loose)} becomes")
    return READS


def _refused(name: str, reader: Reader, taken: Taken, scene: Scene) -> Ruling | None:  # noqa: C901, PLR0912  one question after the other
    files = taken.operands
    if name == "lsof" and any(arg.text.startswith("+") for arg in files):
        return changes("lsof + is not known to only read")
    if reader.operands == "text":
        return None if len(files) <= reader.most else changes(f"{name} with an operand is not known to only read")
    if reader.operands == "first" and not taken.flags & {"e", "f", "regexp", "file", "files", "type-list"}:
        files = files[1:]
    if taken.late and (reader.most < _UNLIMITED or name in _DECOMPRESSORS):
        return changes(f"{name} may take an option behind a file for a file that it writes")
    if len(files) > reader.most:
        return changes(f"the last operand of {name} is a file it writes")
    if name in _DECOMPRESSORS and not taken.flags & _TO_STDOUT:
        return changes(f"{name} replaces its files")
    if name in _SEARCHING and any(
        re.search(_SOUGHT, arg.text) for arg in [*taken.operands[:1], *(value for _, value in taken.values)]
    ):
        return changes(f"{name} looks for credentials")
    if name == "tac" and (not files or any(arg.text == "-" for arg in files)):
        return changes("tac keeps what comes through a pipe in a temporary file")
    for arg in [*files, *(value for _, value in taken.values)]:
        if reader.reveals and not arg.known:
            return changes(f"{name} prints a file that only the running shell knows")
        ruling = scene.reads(arg, name)
        if ruling:
            return ruling
    if scene.lost and not files and (name in ("rg", "ag") or taken.flags & {"r", "R", "recursive"}):
        return changes(f"{name} searches everything outside of the workspace")
    if (
        name in ("rg", "ag") or (name in _RECURSIVE and taken.flags & {"r", "R", "recursive", "dereference-recursive"})
    ) and any(scene.outside(a.text) for a in files):
        if any(re.fullmatch(r"~[\w.-]*/?\.?|/|/(?:home|root|Users)(?:/[\w.-]+)?/?", arg.text) for arg in files):
            return harms(f"{name} searches a whole home directory, credentials included")
        return changes(f"{name} searches everything outside of the workspace")
    return None
