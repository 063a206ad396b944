"""Secrets out, evidence in."""

import hashlib
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.redact import excerpt, scrub
from linetrail.ledger.secrets import RULES

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
    "age-key": "AGE-SECRET-KEY-1" + "Q" * 58,
    "putty-key": "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 1\nAAAA\nPrivate-MAC: " + "ab" * 20,
    "openrouter": "sk-or-v1-" + "0123456789abcdef" * 4,
    "groq": "gsk_" + "aB3d" * 13,
    "xai": "xai-" + "aB3d" * 20,
    "perplexity": "pplx-" + "aB3d" * 12,
    "replicate": "r8_" + "aB3d" * 10,
    "langsmith": "lsv2_pt_" + "0123456789abcdef" * 2 + "_0123456789",
    "wandb-service": "wandb_v1_" + "aB3d" * 12,
    "bitbucket": "ATBB" + "aB3d" * 8,
    "atlassian": "ATATT3" + "xFfGF0" * 20,
    "rubygems": "rubygems_" + "0123456789abcdef" * 3,
    "crates-io": "cio" + "aB3d" * 8,
    "docker-hub": "dckr_pat_" + "aB3d" * 7,
    "nuget": "oy2" + "a1b2c3d4e5f" * 3 + "a1b2c3d4e5",
    "sourcegraph": "sgp_" + "0123456789abcdef"[:16] + "_" + "0123456789" * 4,
    "azure-sas": "https://x.blob.core.windows.net/c?sv=1&sig=" + "aB3d" * 11 + "%3D",
    "azure-client": "abc8Q~" + "aB3d" * 8 + "xy",
    "heroku": "HRKU-" + "aB3d" * 10,
    "fly-io": "fm2_" + "aB3d" * 12,
    "vercel": "vercel_" + "blob_rw_" + "aB3d" * 8,
    "netlify": "nfp_" + "aB3d" * 10,
    "cloudflare": "cfut_" + "aB3d" * 11,
    "alibaba": "LTAI" + "aB3d" * 5,
    "tencent": "AKID" + "aB3d" * 8,
    "snowflake-pat": "pat_snow" + "aB3d" * 8,
    "planetscale": "pscale_tkn_" + "aB3d" * 10,
    "supabase": "sbp_" + "0123456789abcdef0123" * 2,
    "terraform": "aB3daB3daB3daB" + ".atlasv1." + "aB3d" * 17,
    "pulumi": "pul-" + "0123456789abcdef0123" * 2,
    "doppler": "dp.st.prd." + "aB3d" * 11,
    "1password": "A3-ABC123-DEFGHIJKLMN-AB1CD-EF2GH-IJ3KL",
    "teams-webhook": "https://contoso.webhook.office.com/webhookb2/" + "0123abcd-" * 6 + "@x/IncomingWebhook",
    "twilio": "SK" + "0123456789abcdef" * 2,
    "mailgun": "key-" + "0123456789abcdef" * 2,
    "mailchimp": "0123456789abcdef" * 2 + "-us12",
    "resend": "re_" + "aB3daB3d" + "_" + "aB3d" * 6,
    "square": "sq0atp-" + "aB3d" * 6,
    "shopify": "shpat_" + "0123456789abcdef" * 2,
    "notion": "ntn_" + "aB3d" * 11,
    "figma": "figd_" + "aB3d" * 10,
    "airtable": "pat" + "aB3daB3daB3daB" + "." + "0123456789abcdef" * 4,
    "grafana": "glsa_" + "aB3d" * 8 + "_0123abcd",
    "newrelic": "NRAK-" + "AB3" * 9,
    "sentry": "sntrys_eyJ" + "aB3d" * 12,
    "dynatrace": "dt0c01." + "ABC3" * 6 + "." + "ABC3" * 16,
    "posthog": "phx_" + "aB3d" * 10,
    "header": "X-Api-Key: " + "abcd1234efgh",
    "url-token": "git clone https://" + "0123456789abcdef0123" + "@git.example.com/x.git",
    "cookie": "Cookie: session=" + "abcdef123456789",
    "login": "docker login -u me -p " + "hunter22",
    "piped-password": "echo " + "hunter22" + " | docker login -u me --password-stdin",
    "netrc": "machine host.example login me password " + "hunter22",
    "sshpass": "sshpass -p " + "hunter22",
    "mysql-password": "mysql -u root -p" + "hunter22",
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
    "mysql -u root -p -h localhost app < dump.sql",
    "curl -u me https://example.com",
    "pip install pypi-simple && cd patches && cat path/to/token.py",
    "class PatternToken: kind = Token.NAME",
    "tokens = count_tokens(text); secret = read_secret(path)",
    "The monkey-0123456789abcdef0123456789abcdef0 commit",
    "task-0123456789abcdef0123456789abcdef",
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


def test_ten_thousand_pieces_of_evidence_survive():
    for n in range(2500):
        digest = hashlib.sha256(b"%d" % n).hexdigest()
        identifier = str(uuid.UUID(digest[:32]))
        for text in (digest[:40], f"sha256:{digest}", identifier, f"src/{digest[:8]}/m_{n}.py:{n}"):
            assert scrub(text) == text


def test_there_are_some_sixty_kinds_and_each_has_one_name():
    assert len({rule.name for rule in RULES}) == len(RULES) >= 60
