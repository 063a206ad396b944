"""Secrets out, evidence in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.redact import RULES, excerpt, scrub

SECRETS = {
    "private-key": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----",
    "anthropic": "sk-ant-api03-" + "aB3_" * 12,
    "openai": "sk-proj-" + "aB3d" * 8,
    "github": "github_pat_" + "11ABCDEFG0" * 4,
    "gitlab": "glpat-" + "aB3d" * 5,
    "aws-key-id": "AKIA" + "IOSFODNN7EXAMPLE",
    "google": "AIza" + "SyA12345678901234567890123456789012",
    "google-oauth": "ya29." + "a0AfH6SMBx" * 3,
    "slack": "xoxb-" + "123456789012-abcdefghij",
    "slack-webhook": "https://hooks.slack.com/services/" + "T00000000/B00000000/XXXXXXXX",
    "stripe": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "npm": "npm_" + "aB3d" * 9,
    "pypi": "pypi-" + "AgEIcHlwaS5vcmcC" * 4,
    "huggingface": "hf_" + "aB3d" * 9,
    "sendgrid": "SG." + "aB3daB3daB3daB3d" + "." + "aB3daB3daB3daB3d",
    "digitalocean": "dop_v1_" + "0123456789abcdef" * 4,
    "telegram": "123456789:" + "AAabcdefghijklmnopqrstuvwxyz0123456",
    "discord": "https://discord.com/api/webhooks/1234/" + "aB3daB3daB3daB3daB3d",
    "vault": "hvs." + "aB3d" * 7,
    "databricks": "dapi" + "0123456789abcdef" * 2,
    "linear": "lin_api_" + "aB3d" * 9,
    "azure-storage": "AccountKey=" + "aB3d" * 15 + "==",
    "jwt": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".abc_DEF-123",
    "url-password": "postgres://service:" + "s3cr3t-pass@db.internal/app",
    "authorization": "Authorization: Bearer " + "abcdef123456",
    "curl-user": "curl -s -u admin:" + "hunter22 https://example.com",
    "assignment": 'db_password = "' + 'correct horse battery"',
    "flag": "deploy --token " + "abcd-1234",
}
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


@given(st.text(max_size=300))
def test_scrubbing_again_changes_nothing(text):
    assert scrub(scrub(text)) == scrub(text)


def test_an_excerpt_is_cut_after_it_was_scrubbed():
    assert "ghp_" not in excerpt("x " * 92 + "ghp_" + "a1B2" * 9)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_long_text_made_to_hurt_comes_back(rule):
    text = (rule.words[0] + " password=" + "a" * 50 + "://x:") * 10_000

    assert len(scrub(text)) <= 2 * len(text)
