"""Signed notes: the published vectors of golang.org/x/mod/sumdb/note, and whatever somebody hostile may send."""

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linetrail.ledger.log import signed_notes
from linetrail.ledger.log.signed_notes import KeyTextError, NoEd25519Error, Note, NoteError, Signature

# From note_test.go of golang.org/x/mod/sumdb/note.
VERIFIER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SIGNER = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
LINE = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
SIGNED = f"{TEXT}\n{LINE}".encode()
# The same with another last byte; the key's number, which comes first, is as it was.
FORGED_LINE = LINE.replace("BwJnAM=", "BwJnBM=")


@pytest.fixture(scope="module")
def peter():
    return signed_notes.read_verifier(VERIFIER)


def note(*lines, text=TEXT):
    return signed_notes.parse("".join([text, "\n", *lines]).encode())


@pytest.mark.promise("T4")
def test_the_published_note_verifies(peter):
    assert signed_notes.is_signed(signed_notes.parse(SIGNED), peter)


@pytest.mark.promise("T4")
def test_the_published_key_signs_to_the_published_bytes():
    signature = signed_notes.sign(TEXT, signed_notes.read_signer(SIGNER))

    assert signed_notes.render(Note(TEXT, (signature,))) == SIGNED


def test_keys_are_written_as_they_were_read(peter):
    assert peter.text == VERIFIER
    assert signed_notes.read_signer(f"{SIGNER}\n").text == SIGNER


@pytest.mark.promise("T4")
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(TEXT, id="no signatures"),
        pytest.param(f"{TEXT}\n", id="nothing behind the empty line"),
        pytest.param(f"{TEXT}\n{LINE[:-1]}", id="no newline at the end"),
        pytest.param(f"\x01{TEXT}\n{LINE}", id="a control character"),
        pytest.param(b"\xff" + SIGNED, id="not UTF-8"),
        pytest.param(f"{TEXT}\n{LINE.replace('PeterNeumann', 'Bad Name')}", id="a space in a name"),
        pytest.param(f"{TEXT}\n{LINE}Unexpected line.\n", id="a line too many"),
        pytest.param(f"{TEXT}\n{LINE.replace('— ', '- ')}", id="another dash"),
        pytest.param(f"{TEXT}\n— PeterNeumann x08gow==\n", id="a signature of no bytes"),
        pytest.param(f"{TEXT}\n{LINE.replace('JnAM=', 'JnAN=')}", id="base64 that nobody would write"),
        pytest.param(f"{TEXT}\n{LINE.replace('PeterNeumann', 'a+b')}", id="a plus in a name"),
        pytest.param(f"{TEXT}\n— no\u00a0break {LINE.split()[2]}\n", id="a space of another kind in a name"),
        pytest.param(f"{TEXT}\n{LINE * 101}", id="more signatures than anybody sends"),
        pytest.param(b"x" * 1_000_001, id="too long"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_what_is_no_note_is_refused_with_its_place(content):
    content = content if isinstance(content, bytes) else content.encode()

    with pytest.raises(NoteError) as caught:
        signed_notes.parse(content)

    assert 0 <= caught.value.offset <= len(content)


def test_a_hundred_signatures_are_read():
    assert len(note(LINE * 100).signatures) == 100


def test_a_text_may_have_empty_lines():
    assert note(LINE, text="one\n\n\nfour\n").text == "one\n\n\nfour\n"


def test_a_signature_by_another_key_is_left_alone(peter):
    other = signed_notes.generate("example.com/other")
    by_other = signed_notes.render(Note(TEXT, (signed_notes.sign(TEXT, other),))).decode().removeprefix(f"{TEXT}\n")

    assert signed_notes.is_signed(note(by_other, LINE), peter)
    assert not signed_notes.is_signed(note(by_other), peter)


@pytest.mark.parametrize("lines", [(FORGED_LINE,), (FORGED_LINE, LINE), (LINE, FORGED_LINE)])
def test_one_forged_signature_is_enough_to_distrust_the_key_s_claim(peter, lines):
    assert not signed_notes.is_signed(note(*lines), peter)


def test_another_key_under_the_same_name_convinces_nobody(peter):
    impostor = signed_notes.generate("PeterNeumann")
    own = signed_notes.sign(TEXT, impostor)

    assert not signed_notes.is_signed(Note(TEXT, (own,)), peter)
    assert not signed_notes.is_signed(Note(TEXT, (own._replace(id=peter.id),)), peter)


@pytest.mark.parametrize("value", [b"\0", b"\0" * 63, b"\0" * 64, b"\0" * 65, b"\xff" * 64])
def test_a_signature_of_any_length_is_false_and_no_failure(peter, value):
    assert not signed_notes.is_signed(Note(TEXT, (Signature(peter.name, peter.id, value),)), peter)


@pytest.mark.promise("T4")
def test_no_part_of_a_public_key_is_one(peter):
    parts = [VERIFIER[start:end] for start in range(len(VERIFIER)) for end in range(start, len(VERIFIER) + 1)]

    for part in parts:
        if part != VERIFIER:
            with pytest.raises(KeyTextError):
                signed_notes.read_verifier(part)


@pytest.mark.promise("T4")
@pytest.mark.parametrize(
    "key",
    [
        *(VERIFIER[:at] + chr(ord(VERIFIER[at]) + 1) + VERIFIER[at + 1 :] for at in range(len(VERIFIER))),
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",  # too long, its number right
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",  # of an unknown kind, its number right
        SIGNER,
    ],
)
def test_a_changed_public_key_is_none(key):
    with pytest.raises(KeyTextError):
        signed_notes.read_verifier(key)


@pytest.mark.parametrize("at", range(len(SIGNER)))
def test_a_changed_private_key_is_none_and_is_not_shown(at):
    changed = SIGNER[:at] + chr(ord(SIGNER[at]) + 1) + SIGNER[at + 1 :]

    with pytest.raises(KeyTextError) as caught:
        signed_notes.read_signer(changed)

    assert changed[-20:] not in str(caught.value)


def test_a_generated_key_signs_what_its_public_half_verifies():
    signer = signed_notes.read_signer(signed_notes.generate("example.com/audit").text)
    verifier = signed_notes.read_verifier(signer.verifier.text)

    assert signed_notes.is_signed(Note(TEXT, (signed_notes.sign(TEXT, signer),)), verifier)


def test_no_two_keys_are_the_same():
    assert len({signed_notes.generate("a").seed for _ in range(20)}) == 20


def test_a_private_key_does_not_show_itself():
    signer = signed_notes.read_signer(SIGNER)

    assert SIGNER[-20:] not in f"{signer} {signer!r} {[signer]}"


@pytest.mark.parametrize("name", ["", "two words", "a+b", "tab\t", "\u2028", "esc\x9b31m", "\udcff", "rtl\u202e"])
def test_a_name_that_would_not_be_read_back_gets_no_key(name):
    with pytest.raises(KeyTextError):
        signed_notes.generate(name)


def test_without_the_optional_package_the_way_to_it_is_told(monkeypatch, peter):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)

    for use in (lambda: signed_notes.generate("a"), lambda: signed_notes.is_signed(signed_notes.parse(SIGNED), peter)):
        with pytest.raises(NoEd25519Error) as caught:
            use()

        assert caught.value.hint == "pip install 'linetrail[sign]'"


@pytest.mark.promise("T6")
@given(st.binary(max_size=300) | st.text(alphabet="\n— ax+=\u2028\x7f", max_size=60).map(str.encode))
@example(b"\n\n\xe2\x80\x94 a AAAAAAA=\n")
def test_whatever_is_read_is_written_back_to_the_same_bytes(content):
    try:
        read = signed_notes.parse(content)
    except NoteError:
        return

    assert signed_notes.render(read) == content


@pytest.mark.promise("T6")
@given(st.data())
def test_no_changed_note_verifies_as_another_text(data):
    peter = signed_notes.read_verifier(VERIFIER)
    start = data.draw(st.integers(0, len(SIGNED)))
    end = data.draw(st.integers(start, min(start + 40, len(SIGNED))))
    put = data.draw(st.binary(max_size=4) | st.sampled_from([b"\n", b"\n\n", LINE.encode(), SIGNED]))
    changed = SIGNED[:start] + put + SIGNED[end:]

    try:
        read = signed_notes.parse(changed)
    except NoteError:
        return

    assert read.text == TEXT or not signed_notes.is_signed(read, peter)


@pytest.mark.promise("T6")
@given(public=st.binary(min_size=32, max_size=32), value=st.binary(min_size=1, max_size=70))
def test_no_key_and_no_signature_are_too_odd_to_be_judged(public, value):
    odd = signed_notes.Verifier("odd", public)

    # A key of a few special points can have a signature that anybody could make: an answer is all that is asked.
    assert signed_notes.is_signed(Note(TEXT, (Signature("odd", odd.id, value),)), odd) in (True, False)


@pytest.mark.promise("T6")
@given(st.text(max_size=120) | st.text(alphabet="+PRIVATEKEYab01=/", max_size=120))
def test_no_text_is_too_odd_to_be_refused_as_a_key(text):
    for read in (signed_notes.read_verifier, signed_notes.read_signer):
        with pytest.raises(KeyTextError):
            read(text)
