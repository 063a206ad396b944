"""Secrets out, evidence in."""

import hashlib
import json
import re
import uuid
from base64 import b64encode
from re import _constants as opcodes  # type: ignore[attr-defined]  # what a pattern is made of is told nowhere else
from re import _parser as patterns  # type: ignore[attr-defined]  # the same

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.event.event import derived_id
from linetrail.ledger.hook.deadline import DeadlineError
from linetrail.ledger.redact import redactor
from linetrail.ledger.redact.redactor import MAX_WINDOW, WITHHELD, cut, excerpt, scrub, without_fingerprints
from linetrail.ledger.redact.secrets import RULES
from tests.ledger.redact.secrets import SECRETS, parts

pytestmark = pytest.mark.in_turn

KEY = bytes(range(32))

EVIDENCE = [
    "9b90c2f316a91504b1998e1c190adf75757039a1",
    "sha256:57a1cf3082f2f68b4731a570a6ff4eb77b9384821102f430a984edc69ee71f56",
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC",
    "src/auth/token.py:41 def refresh(token: Token) -> Token:",
    "toolu_01WriteCreate0001",
    "password = os.environ['DB_PASSWORD']",
    "git log --oneline && npm run build -- --password-file x",
    "mysql -u root -p -h localhost app < dump.sql",
    "curl -u me https://example.com",
    "pip install pypi-simple && cd patches && cat path/to/token.py",
    "class PatternToken: kind = Token.NAME",
    "tokens = count_tokens(text); secret = read_secret(path)",
    "The monkey-0123456789abcdef0123456789abcdef0 commit",
    "task-0123456789abcdef0123456789abcdef",
    "max_tokens: 400000000",
    "PWD=/home/dev/project/src",
    "fetch(url, {credentials: 'include'})",
    "secretsmanager:GetSecretValue",
    "{ token: installationToken }",
    "let kind = Token::RecursivePrefix;",
    "password = settings.database.password",
    "output_tokens: totalOutputTokens",
]


def test_each_rule_has_a_secret_here():
    assert set(SECRETS) == {rule.name for rule in RULES}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_replaced_and_what_is_around_it_stays(name):
    cleaned = scrub(f"before {SECRETS[name]} after")

    assert f"[redacted:{name}]" in cleaned
    assert cleaned.startswith("before ")
    assert cleaned.endswith(" after") or name == "assignment"


@pytest.mark.parametrize("text", EVIDENCE)
def test_evidence_survives(text):
    assert scrub(text) == text


@given(st.text(max_size=300) | st.sampled_from(list(SECRETS.values())))
def test_scrubbing_again_changes_nothing(text):
    assert scrub(scrub(text)) == scrub(text)


def test_an_excerpt_is_cut_after_it_was_scrubbed():
    assert "ghp_" not in excerpt("x " * 92 + "ghp_" + "a1B2" * 9)


@pytest.mark.daily(20)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_long_text_made_to_hurt_comes_back(rule):
    text = (rule.words[0] + " password=" + "a" * 50 + "://x:") * 1_000

    assert len(scrub(text)) <= 2 * len(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{\\"password\\": \\"hunter22\\"}', id="quotes escaped once"),
        pytest.param("DB_PASS=hunter22", id="a short name"),
        pytest.param("export MYSQL_PWD=hunter22", id="a shorter one"),
        pytest.param("pass: 'hunter22'", id="YAML"),
        pytest.param('"clientSecret" : "hunter22"', id="camel case"),
    ],
)
def test_a_value_is_taken_by_the_name_it_is_given_to(text):
    assert "hunter22" not in scrub(text)


@pytest.mark.parametrize("text", ["bypass: everything-is-fine", "passed = count_passed", "compass=north-north-west"])
def test_a_name_that_only_sounds_like_one_keeps_its_value(text):
    assert scrub(text) == text


@pytest.mark.parametrize(
    "name", ["private-key", "PrivateKey", "private_key", "access-key", "auth-key", "signingKey", "encryption-key"]
)
@pytest.mark.parametrize("sign", ["=", " = ", ": ", ":= ", " ?= ", " .= ", "=>", " ::= "])
def test_a_name_is_known_in_any_spelling_and_by_any_operator(name, sign):
    assert "hunter22Xq" not in scrub(f'{name}{sign}"hunter22Xq"')


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('var apiToken string = "hunter22Xq"', id="Go"),
        pytest.param('System.setProperty("API_TOKEN", "hunter22Xq")', id="Java"),
        pytest.param("<apiToken>\n    hunter22Xq\n</apiToken>", id="XML over several lines"),
        pytest.param("Authorization: Custom-Scheme hunter22Xqhunter22Xq", id="a scheme of its own"),
        pytest.param("curl -u ':hunter22Xq' https://h.example", id="curl without a name"),
    ],
)
def test_a_value_is_found_as_each_language_gives_it(text):
    assert "hunter22Xq" not in scrub(text)


def base64(text, times=1):
    for _ in range(times):
        text = b64encode(text.encode()).decode()
    return text


ENCODINGS = {
    "base64": base64,
    "base64 for addresses": lambda s: base64(s).translate(str.maketrans("+/", "-_")).rstrip("="),
    "base64 twice": lambda s: base64(s, 2),
    "hex": lambda s: s.encode().hex(),
    "hex in capitals": lambda s: s.encode().hex().upper(),
}
KINDS = [rule.name for rule in RULES if not rule.keeps]


@pytest.mark.promise("E1")
@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_a_secret_is_found_as_it_is_encoded(encode):
    kept = [
        name
        for name, text in SECRETS.items()
        if name != "zip" and encode(f"x {text}") in scrub(f"a={encode(f'x {text}')} b")
    ]

    assert not kept


@pytest.mark.promise("E1")
@pytest.mark.parametrize(
    "gap",
    [
        pytest.param("\x1b[31m", id="an escape of a terminal"),
        pytest.param("\\u001b[1;31m", id="one as JSON spells it"),
        pytest.param("\u200b", id="a space without a width"),
        pytest.param("\n", id="the end of a line"),
        pytest.param("\r\n    ", id="the end of a line, and the next one indented"),
    ],
)
def test_what_nobody_sees_breaks_no_secret(gap):
    broken = {
        name: gap.join((SECRETS[name][:half], SECRETS[name][half:]))
        for name in KINDS
        for half in [len(SECRETS[name]) // 2]
    }
    is_joined = re.compile(r"[\w-]{8}$").search if gap.strip() == "" else bool

    kept = [name for name, text in broken.items() if is_joined(text.partition(gap)[0]) and scrub(text) == text]

    assert not kept


@pytest.mark.promise("E1")
@pytest.mark.parametrize(
    "gap", ["\x1b[0m", "\u200b", "\\\n"], ids=["an escape", "a space without a width", "a line that goes on"]
)
def test_no_secret_is_kept_behind_a_gap_whose_beginning_is_one_by_itself(gap):
    secret = "github_pat_" + "a1B2" * 8 + "c3D4" * 13

    assert scrub(f"x {secret[:43]}{gap}{secret[43:]} y") in ("x [redacted:github] y", f"x [redacted:github]{gap} y")


def test_lines_that_end_in_words_are_not_read_as_one():
    text = "\n".join(f"something_{n} = another_thing_{n}" for n in range(200))

    assert scrub(text) == text


# Where secrets turn up: as they are, inside of other texts, and inside of texts inside of texts.
FORMS = {
    "alone": lambda s: s,
    "in a sentence": lambda s: f"please use {s} for this",
    "in quotes": lambda s: f"value '{s}' was given",
    "in double quotes": lambda s: f'value "{s}" was given',
    "in Markdown": lambda s: f"set it to `{s}`, then **{s}**",
    "in JSON": lambda s: json.dumps({"text": s, "n": 1}),
    "in JSON in JSON": lambda s: json.dumps({"out": json.dumps({"text": s})}),
    "three deep in JSON": lambda s: json.dumps([json.dumps({"out": json.dumps({"text": s})})]),
    "in an address": lambda s: f"https://h.example/x?v=1&key={s}&n=1",
    "in an exception": lambda s: f"ValueError: invalid credential {s!r} for host",
    "in an exception as bytes": lambda s: f"InvalidHeader: {s.encode()!r}",
    "in a traceback": lambda s: f'  File "a.py", line 1, in <module>\n    connect({s!r})\nConnectionError: 401: {s}',
    "in a shell": lambda s: f"export SOME_VALUE={s}\nnext",
    "in YAML": lambda s: f"key: {s}\nnext: 1",
    "in XML": lambda s: f"<value>{s}</value>",
    "in a patch": lambda s: f"@@ -1 +1 @@\n+{s}\n-x",
    "with other line ends": lambda s: s.replace("\n", "\r\n") + "\r\n",
    "in a call": lambda s: f"connect({s})",
    "among commas": lambda s: f"a,{s},b",
    "in what grep found": lambda s: f".env:3:{s}",
    "in a log": lambda s: f"2026-01-05T09:00:00Z ERROR [{s}] failed",
    "in a here document": lambda s: f"cat > x <<'EOF'\n{s}\nEOF",
    "over several lines of a command": lambda s: s.replace(" -", " \\\n  -"),
}


@pytest.mark.promise("E1")
def test_every_kind_is_found_in_every_form(record_property):
    told = [(name, form, made(SECRETS[name])) for name in SECRETS for form, made in FORMS.items()]

    missed = [(name, form) for name, form, text in told if any(part in scrub(text) for part in parts(name))]

    record_property("cells", len(told))
    record_property("recall", 1 - len(missed) / len(told))
    assert all(map(parts, SECRETS))
    assert len(missed) <= 0.03 * len(told), missed


VALUE = "hunter22Xq"
NAMED = [
    f"{{'password': '{VALUE}'}}",
    json.dumps({"password": VALUE}),
    json.dumps(json.dumps(json.dumps({"password": VALUE}))),
    json.dumps(json.dumps({"Authorization": f"Bearer {VALUE}"})),
    json.dumps(json.dumps({"X-Api-Key": VALUE})),
    json.dumps(json.dumps({"Cookie": f"session={VALUE}{VALUE}"})),
    f"{{'Authorization': b'Bearer {VALUE}'}}",
    f"curl -H Authorization:\\ Bearer\\ {VALUE} https://h.example",
    f'password => "{VALUE}"',
    f"password := {VALUE}",
    f"https://h.example/x?password={VALUE}&a=1",
    f"https://h.example/x?api_key%3D{VALUE}",
    f"Server=x;User Id=me;Password={VALUE};",
    f"//registry.example/:_authToken={VALUE}",
    f"redis://:{VALUE}@h.example:6379",
    f"OperationalError: connection failed: host=x user=me password={VALUE} dbname=y",
    f"RequestException: 401 for https://me:{VALUE}@h.example/x",
    f"AWS_SECRET_ACCESS_KEY={VALUE * 4}",
    f"SSHPASS={VALUE}",
    f"password=\n{VALUE}",
    f"kubectl create secret generic x --from-literal=password={VALUE}",
    f"curl \\\n  -u me:{VALUE} \\\n  https://h.example",
    f"docker login \\\n -u me \\\n -p {VALUE}",
]


@pytest.mark.promise("E1")
@pytest.mark.parametrize("text", NAMED)
def test_a_value_with_no_form_of_its_own_is_found_by_what_is_around_it(text):
    assert VALUE not in scrub(text)


def evidence(n):
    """Return what a ledger is full of, and must keep as it is."""
    digest = hashlib.sha256(b"%d" % n).hexdigest()
    base64 = b64encode(hashlib.sha384(b"%d" % n).digest()).decode()
    crockford = "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[int(digit, 16)] for digit in digest[:25])
    return {
        "commit": digest[:40],
        "short commit": f"commit {digest[:7]} fixes it",
        "digest": f"sha256:{digest}",
        "uuid": str(uuid.UUID(digest[:32])),
        "ulid": f"0{crockford}",
        "event id": derived_id(n, digest),
        "integrity": f'"integrity": "sha384-{base64}"',
        "segment": f".orchestration/segments/{digest}.jsonl",
        "path": f"src/{digest[:8]}/token_{n}.py:{n}",
        "code": f"token_{n} = read_token(path_{n})",
        "call": f"toolu_{digest[:24]}",
        "mark": f"[redacted:github:{digest[:8]}]",
        "image": f"registry.example/app@sha256:{digest}",
    }


@pytest.mark.promise("E2")
def test_ten_thousand_pieces_of_evidence_survive(record_property):
    pieces = [piece for n in range(1000) for piece in evidence(n).items()]

    altered = [(kind, text) for kind, text in pieces if scrub(text, KEY) != text]

    record_property("pieces", len(pieces))
    record_property("altered", len(altered))
    assert len(pieces) > 10_000
    assert not altered


@pytest.mark.promise("E3")
@pytest.mark.parametrize("error", [RuntimeError("broken"), RecursionError(), MemoryError(), DeadlineError()])
@pytest.mark.parametrize("take", [scrub, excerpt, lambda text: cut(text, 4000)], ids=["scrub", "excerpt", "cut"])
def test_a_text_that_cannot_be_searched_is_withheld(monkeypatch, error, take):
    def fail(*_):
        raise error

    monkeypatch.setattr(redactor, "_marked", fail)

    assert take(f"{SECRETS['github']} {'x' * 300_000}") == WITHHELD


@pytest.mark.promise("E3")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("word " * 10_000_000, id="words"),
        pytest.param(" " * 50_000_000, id="white space"),
        pytest.param("-----BEGIN PRIVATE KEY-----\n" + "A" * 50_000_000, id="a key without an end"),
        pytest.param("password=" * 5_500_000, id="words of a rule"),
        pytest.param("eyJ-" * 12_500_000, id="beginnings"),
    ],
)
def test_of_fifty_megabytes_no_more_is_searched_than_is_needed(monkeypatch, text):
    searched = []
    monkeypatch.setattr(redactor, "_scrub", lambda text, _: searched.append(len(text)) or text)

    excerpt(text)

    assert sum(searched) <= 2 * MAX_WINDOW


@pytest.mark.daily(134)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_pattern_looks_at_each_character_a_bounded_number_of_times(rule):
    """A repeat without a bound may only stand where nothing after it can fail, so nothing is looked at again."""
    assert not list(retried(patterns.parse(rule.pattern), last=True))


def retried(pattern, *, last):
    """Yield the repeats without a bound that something follows, or that are repeated themselves."""
    items = list(pattern)
    for at, (kind, value) in enumerate(items):
        end = last and at == len(items) - 1
        if kind in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT, opcodes.POSSESSIVE_REPEAT):
            _, most, body = value
            reaches_the_end = "AT_END_STRING" in str(items[at + 1 :])
            if most is opcodes.MAXREPEAT and not end and not reaches_the_end:
                yield value
            yield from retried(body, last=end and most == 1)
        elif kind is opcodes.SUBPATTERN:
            yield from retried(value[3], last=end)
        elif kind is opcodes.BRANCH:
            for branch in value[1]:
                yield from retried(branch, last=end)


@pytest.mark.promise("E1")
@pytest.mark.parametrize("name", ["github", "jwt", "url-password", "authorization", "private-key", "netrc"])
@pytest.mark.parametrize(
    "take", [lambda text: excerpt(text, 100), lambda text: cut(text, 100)], ids=["folded", "as is"]
)
def test_a_secret_across_the_end_of_what_is_kept_leaves_nothing(name, take):
    for before in range(101):
        kept = take("." * before + " " + SECRETS[name] + " and more " * 30)

        assert not any(part[:8] in kept for part in parts(name)), before


@pytest.mark.promise("E1")
@pytest.mark.parametrize("name", ["github", "jwt", "url-password", "authorization", "curl-user"])
def test_a_secret_across_the_end_of_what_is_searched_leaves_nothing(monkeypatch, name):
    monkeypatch.setattr(redactor, "WINDOW", 600)
    monkeypatch.setattr(redactor, "REACH", 400)
    for before in range(600 - len(SECRETS[name]) - 2, 601):
        text = " " * before + SECRETS[name] + " and more " * 500

        assert not any(part[:8] in excerpt(text) for part in parts(name)), before


@pytest.mark.daily(152)
@pytest.mark.parametrize("name", SECRETS)
def test_a_mark_tells_the_same_secret_again_and_another_from_it(name):
    once, again, other = (scrub(f"before {text} after", key) for text, key in marked_in_three_ways(name))

    assert re.search(rf"\[redacted:{name}:[0-9a-f]{{8}}\]", once)
    assert once == again != other
    assert without_fingerprints(once) == without_fingerprints(other) == scrub(f"before {SECRETS[name]} after")


def marked_in_three_ways(name):
    return [(SECRETS[name], KEY), (SECRETS[name], KEY), (SECRETS[name], b"another key")]


def test_one_secret_has_one_fingerprint_wherever_it_is_found():
    token = "abcdefgh12345678"
    texts = [
        f"Authorization: Bearer {token}",
        f"x --token {token}",
        f'"password": "{token}"',
        f"{{'secret': '{token}'}}",
    ]
    texts.append(json.dumps(json.dumps({"password": token})))

    assert len({re.search(r":([0-9a-f]{8})\]", scrub(text, KEY))[1] for text in texts}) == 1


@given(st.text(max_size=300) | st.sampled_from([form(text) for text in SECRETS.values() for form in FORMS.values()]))
def test_marks_are_left_alone_by_every_later_search(text):
    marked = scrub(text, KEY)

    assert scrub(marked, KEY) == marked
    assert scrub(marked) == marked


@pytest.mark.parametrize("name", ["x-api-key", "X-Auth-Token", "private-token", "api-key"])
def test_the_name_of_a_header_stays(name):
    assert scrub(f"{name}: q7Zk2mPw9Xc4Vb") == f"{name}: [redacted:header]"


def test_a_text_that_begins_with_a_mark_is_left_alone():
    assert scrub("[redacted:password:1a2b3c4d] and more") == "[redacted:password:1a2b3c4d] and more"


def test_there_are_some_sixty_kinds_and_each_has_one_name():
    assert len({rule.name for rule in RULES}) == len(RULES) >= 60


@pytest.mark.promise("E1")
def test_a_file_that_is_called_like_a_token_is_marked_wherever_it_is_named(repo, agent):
    session, name = agent(), f"keys/{SECRETS['github']}.txt"

    session.write(name, "one\n")
    session.edit(name, "one", "two")
    session.bash(f"mv {name} {name}.old")

    stored = (repo.path / ".orchestration/agent_trace.jsonl").read_text(encoding="utf-8")
    assert SECRETS["github"] not in stored
    assert stored.count("keys/[redacted:github:") >= 4
