"""Stack traces as programs print them, and the files of the repository that they speak of."""

from datetime import UTC, datetime

import pytest

from linetrail.ledger.errors import UsageError
from linetrail.queries.arguments.frames import MAX_FILES, MAX_FRAMES, document, located, paths, read

PYTHON = """\
Traceback (most recent call last):
  File "/app/src/shop/app.py", line 12, in main
    run(order)
    ~~~^^^^^^^
  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode
    obj, end = self.raw_decode(s)
  File "<string>", line 1, in <module>
KeyError: 'AT'
"""
NODE = """\
TypeError: Cannot read properties of undefined (reading 'AT')
    at rate (/app/src/shop/tax.js:41:7)
    at async file:///app/src/shop/app.mjs:12:3
    at Object.<anonymous> (webpack:///./src/shop/cart.ts:3:1)
    at C:\\work\\shop\\run.js:7:9
    at node:internal/modules/cjs/loader:1105:14
"""
JAVA = """\
Exception in thread "main" java.lang.NullPointerException: AT
\tat com.shop.Tax.rate(Tax.java:41)
\tat com.shop.Tax$Rates.of(Tax.java:50)
\tat app//com.shop.App.main(App.kt:12)
\tat java.base/java.lang.Thread.run(Thread.java:833)
\tat com.shop.Native.call(Native Method)
Caused by: java.lang.IllegalStateException
\t... 12 more
"""
GO = """\
panic: runtime error: index out of range [1] with length 1

goroutine 1 [running]:
main.rate({0x4b2f00?, 0xc00001})
\t/app/shop/tax.go:41 +0x1d
main.main()
\t/usr/local/go/src/runtime/proc.go:250 +0x2b
exit status 2
"""
RUST = """\
thread 'main' panicked at src/tax.rs:41:5:
index out of bounds
stack backtrace:
   3: shop::tax::rate
             at ./src/tax.rs:41:5
   4: core::ops::function::FnOnce::call_once
             at /rustc/0123abcd/library/core/src/ops/function.rs:250:5
"""
OTHERS = """\
   at Shop.Tax.Rate(String country) in /app/shop/Tax.cs:line 41
#0 /app/shop/tax.php(41): rate()
/app/shop/tax.rb:41:in `rate'
\tfrom /app/shop/app.rb:12:in `main'
src/tax.py:41
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(
            PYTHON,
            [("/app/src/shop/app.py", 12), ("/usr/lib/python3.11/json/decoder.py", 337), ("<string>", 1)],
            id="python",
        ),
        pytest.param(
            NODE,
            [
                ("/app/src/shop/tax.js", 41),
                ("app/src/shop/app.mjs", 12),
                ("src/shop/cart.ts", 3),
                ("C:/work/shop/run.js", 7),
                ("node:internal/modules/cjs/loader", 1105),
            ],
            id="node",
        ),
        pytest.param(
            JAVA,
            [
                ("com/shop/Tax.java", 41),
                ("com/shop/Tax.java", 50),
                ("com/shop/App.kt", 12),
                ("java/lang/Thread.java", 833),
            ],
            id="java",
        ),
        pytest.param(GO, [("/app/shop/tax.go", 41), ("/usr/local/go/src/runtime/proc.go", 250)], id="go"),
        pytest.param(
            RUST,
            [("src/tax.rs", 41), ("src/tax.rs", 41), ("/rustc/0123abcd/library/core/src/ops/function.rs", 250)],
            id="rust",
        ),
        pytest.param(
            OTHERS,
            [
                ("/app/shop/Tax.cs", 41),
                ("/app/shop/tax.php", 41),
                ("/app/shop/tax.rb", 41),
                ("/app/shop/app.rb", 12),
                ("src/tax.py", 41),
            ],
            id="others",
        ),
    ],
)
def test_a_trace_is_read_as_it_was_printed(text, found):
    assert [(frame.path, frame.line) for frame in read(text)] == found


@pytest.mark.parametrize(
    ("path", "files", "meant"),
    [
        pytest.param("/app/src/tax.py", ["src/tax.py", "tax.py"], ["src/tax.py"], id="the longest end"),
        pytest.param("/srv/tax.py", ["src/tax.py"], [], id="another folder and no more than the name"),
        pytest.param("/build/x/shop/tax.py", ["lib/shop/tax.py"], ["lib/shop/tax.py"], id="a folder and the name"),
        pytest.param("/app/tax.py", ["tax.py"], ["tax.py"], id="a file at the top"),
        pytest.param(
            "com/shop/Tax.java", ["src/main/java/com/shop/Tax.java"], ["src/main/java/com/shop/Tax.java"], id="a class"
        ),
        pytest.param(
            "shop/tax.py", ["a/shop/tax.py", "b/shop/tax.py"], ["a/shop/tax.py", "b/shop/tax.py"], id="two of them"
        ),
        pytest.param("/usr/lib/python3.11/shop/tax.py", ["shop/tax.py"], [], id="what came with the language"),
        pytest.param("/app/node_modules/shop/tax.js", ["shop/tax.js"], [], id="what came with a package"),
        pytest.param("/", ["tax.py"], [], id="no file at all"),
    ],
)
def test_a_frame_means_the_file_whose_path_ends_as_its_own(path, files, meant):
    [found] = located(f'File "{path}", line 1', files)

    assert found.paths == meant


def test_a_trace_without_end_is_cut():
    assert len(list(read('File "a.py", line 1\n' * (MAX_FRAMES + 9)))) == MAX_FRAMES


@pytest.mark.parametrize(
    "text", ["", "KeyError: 41", "\0\ud800", "at (", "12:30:41 started", "x" * 100_000, "at " * 30_000]
)
def test_what_is_no_trace_is_refused(text):
    with pytest.raises(UsageError, match="no frame"):
        located(text, [])


def test_what_a_question_reads_has_each_frame_with_its_files():
    found = located("shop/tax.py:41\nother.py:1\n", ["a/shop/tax.py", "b/shop/tax.py"])

    told = document(found, datetime(1970, 1, 2, tzinfo=UTC))

    assert told.splitlines() == [
        "",
        "#000 0001 0000000041 000000086400 02 00013 a/shop/tax.pyshop/tax.py:41",
        "#001 0001 0000000041 000000086400 02 00013 b/shop/tax.pyshop/tax.py:41",
        "#002 0002 0000000001 000000086400 00 00000 other.py:1",
    ]
    assert paths(told) == ("a/shop/tax.py", "b/shop/tax.py")


def test_no_more_lines_are_told_than_a_question_counts():
    files = [f"{number}/tax.py" for number in range(9)]

    told = document(located("tax.py:1\n" * (MAX_FRAMES + 1), files), datetime(1970, 1, 2, tzinfo=UTC))

    assert len(told.splitlines()) - 1 == MAX_FRAMES * MAX_FILES == 1_000
