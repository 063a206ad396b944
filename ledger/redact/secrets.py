"""What secrets look like: one rule for each kind, as data.

A rule's words are plain text, in lower case, one of which must occur before its pattern is tried. A pattern runs
in linear time: bounded repeats, no nesting. With `keeps`, its group 1 is what stays readable before the mark.
A new kind is one more line here and one more example in tests/ledger/redact/secrets.toml.
"""

from typing import NamedTuple

# 1: first set of rules.
# 2: sixty kinds; values in assignments and flags by the word before them.
# 3: a mark may end in a fingerprint; headers and assignments inside of JSON inside of JSON, commands over several
#    lines, XML, percent-encoded addresses, passwords told in a sentence.
# 4: a hundred and seventy kinds; names in any spelling (`private-key`, `PrivateKey`), operators of more languages;
#    counts of tokens, folders in `PWD` and names in code are none. Texts in base64 or hex, broken by escapes or lines.
RULES_VERSION = 4


class Rule(NamedTuple):
    """One kind of secret."""

    name: str
    words: tuple[str, ...]
    pattern: str
    keeps: bool = False


def _token(name: str, prefixes: str, rest: str) -> Rule:
    """Return the rule of a kind that begins with one of these prefixes, told apart by spaces."""
    starts = prefixes.split()
    spelled = "|".join(start.replace(".", r"\.").replace("+", r"\+") for start in starts)
    return Rule(name, tuple(start.lower() for start in starts), rf"\b(?:{spelled}){rest}")


# A quote as it looks inside of a text that is inside of another, up to three deep.
_QUOTE = r"\\{0,7}['\"]"
# What stays within one command, which may go on in the next line.
_ON = r"(?:\\\n|[^\n|;&])"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# What a secret is given to, in any spelling: `api_key`, `api-key`, `apiKey`, `API KEY`.
_SEPARATORS = ("", "_", "-", " ")
_SECRET_KEYS = ("api", "access", "private", "auth", "signing", "encryption")
_OTHER_KEYS = (
    *("account", "admin", "application", "app", "client", "consumer", "deploy", "license", "master", "project"),
    *("publishable", "recovery", "root", "sdk", "server", "service", "session", "shared", "storage", "unlock"),
    *("user", "webhook", "integration", "ingest", "host", "platform", "gateway", "cloud"),
)
_NAMES = ("password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "sshpass")
_PASS = ("pass=", "pass:", "pass ", 'pass"', "pass'")


def _spelled(kinds: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{kind}{separator}key" for kind in kinds for separator in _SEPARATORS)


# Beside numbers, "tokens" are counted; `PWD` is a folder; a name that goes on like this is another word.
_COUNT = rf"s?[A-Za-z_]{{0,20}}(?:{_QUOTE})?\s{{0,3}}[:=]{{1,2}}\s{{0,3}}[0-9][0-9_,.]{{0,14}}(?![0-9A-Za-z_-])"
_FOLDER = rf"(?:{_QUOTE})?\s{{0,3}}[:=]\s{{0,3}}(?:{_QUOTE})?(?:[/~.$]|[A-Za-z]:[\\/])"
# `=`, `:`, `=>`, `:=`, `::=`, `?=`, `||=`, `.=`, `%3D`; with a type before it, as in `var token string = "…"`; or a
# comma between two quotes, as in `setProperty("token", "…")`.
_OPERATOR = (
    rf"(?:{_QUOTE})?(?:(?:\s{{0,3}}:)?\s{{1,3}}[*&A-Za-z_]{{2,12}}(?=\s?=))?"
    rf"\s{{0,3}}(?:=>|[:?.+|&]{{0,3}}=(?!=)|:(?!:)|%3[AaDd]|(?<=['\"]),(?=\s{{0,3}}{_QUOTE}[^'\"]{{0,60}}[0-9]))\s{{0,3}}"
)
# A name in code that stands where a value could: `token: installationToken`. No password is told so.
_NAME_IN_CODE = (
    rf"{_OPERATOR}(?<!['\"])[A-Za-z_]{{0,60}}(?:[a-z][A-Z]|_)[A-Za-z_]{{0,60}}"
    r"(?![\w+/=@#!$%^&*-])"
)
_WORD = rf"{_OPERATOR}(?<!['\"])[A-Za-z_.]{{1,60}}(?![\w+/=@#!$%^&*-])"  # `pass: checked` is a test that passed
_NAMED_LIKE_ONE = (
    rf"(?i:passw(?:or)?d|passphrase|pwd(?!{_FOLDER})|sshpass|(?<![a-z])pass(?![a-z]|{_WORD})|_pwd"
    rf"|(?:secret(?!smanager|ary|ariat|ion)|token(?!i[zs]|{_COUNT})|credentials?|(?:{'|'.join(_SECRET_KEYS)})[_ -]?key)"
    rf"(?![A-Za-z0-9_-]{{0,24}}(?-i:{_NAME_IN_CODE})))"
    r"[A-Za-z0-9_-]{0,24}"
)
_BARE = r"[^\s'\"$<>{}()\[\],;&|]"
# A word of fetch(), a template, a name in code: `credentials: 'include'`, `"{{ env.KEY }}"`, `key = settings.key`.
_NO_VALUE = (
    r"(?!(?:include|omit|same-origin|undefined)\b|\{\{|\$[{(]|<[a-z]"
    r"|(?:[A-Za-z_]{1,40}\.){1,6}[A-Za-z_]{1,40}(?![\w/+=-]))"
)
_ASSIGNED = (
    rf"({_NAMED_LIKE_ONE}{_OPERATOR}(?:{_QUOTE}(?=[^'\"]{{6}})|(?={_BARE}{{8}}))){_NO_VALUE}"
    rf"(?:(?<=['\"])[^'\"\n]{{6,400}}|(?<!['\"]){_BARE}{{8,400}}+(?![\[(]))"
)
# Many a `…_key` holds no secret, so its value has to look like one: sixteen signs and more, digits among letters.
_KEYED = (
    rf"((?i:{'|'.join(_OTHER_KEYS)})[_ -]?(?i:key)s?{_OPERATOR}(?:{_QUOTE})?)"
    r"(?=[^\s'\"]{0,200}?[0-9])(?=[^\s'\"]{0,200}?[A-Za-z])[0-9A-Za-z+/=_~.:-]{16,400}+(?![\[(])"
)

RULES = (
    # whole blocks and addresses first: what is inside them is not looked at again
    Rule(
        "private-key",
        ("-----begin",),
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?"
        r"(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    _token("age-key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}"),
    Rule(
        "putty-key", ("putty-user-key-file",), r"PuTTY-User-Key-File-[23]:[\s\S]*?(?:Private-MAC: [0-9a-f]{40,64}|\Z)"
    ),
    # models and their hubs
    _token("anthropic", "sk-ant-", "[A-Za-z0-9_-]{16,}"),
    _token("openrouter", "sk-or-v1-", "[0-9a-f]{48,}"),
    Rule("openai", ("sk-",), r"\bsk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}"),
    _token("groq", "gsk_", "[0-9A-Za-z]{40,}"),
    _token("xai", "xai-", "[0-9A-Za-z_-]{60,}"),
    _token("perplexity", "pplx-", "[0-9A-Za-z]{32,}"),
    _token("replicate", "r8_", "[0-9A-Za-z]{36,}"),
    _token("huggingface", "hf_ api_org_", "[0-9A-Za-z]{30,}"),
    Rule("langsmith", ("lsv2_",), r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    _token("wandb-service", "wandb_v1_", "[0-9A-Za-z_]{40,}"),
    _token("cerebras", "csk-", "[0-9a-z]{40,}"),
    _token("nvidia", "nvapi-", "[0-9A-Za-z_-]{40,}"),
    _token("bedrock", "ABSK bedrock-api-key-", "[0-9A-Za-z+/=]{20,}"),
    _token("gemini", "AQ.", "A[0-9A-Za-z_-]{40,}"),
    _token("elevenlabs", "sk_", r"[0-9a-f]{48}\b"),
    _token("together", "tgp_v1_", "[0-9A-Za-z_-]{32,}"),
    _token("tavily", "tvly-", "[0-9A-Za-z-]{30,}"),
    _token("firecrawl", "fc-", r"[0-9a-f]{32}\b"),
    _token("pinecone", "pcsk_", "[0-9A-Za-z]{4,8}_[0-9A-Za-z]{50,}"),
    _token("fireworks", "fw_", r"[0-9A-Za-z]{22,400}\b"),
    _token("e2b", "e2b_", "[0-9a-f]{40}"),
    _token("cursor", "key_", "[0-9a-f]{64}"),
    _token("devin", "apk_ cog_", "[0-9A-Za-z+/=_]{40,}"),
    # code forges, builders and package registries
    Rule(
        "github",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    ),
    _token(
        "gitlab",
        "glpat- gldt- glrt- glcbt- glptt- glsoat- glagent- glft- glimt- gloas- glffct- glwt- GR1348941"
        " _gitlab_session=",
        "[A-Za-z0-9_.-]{20,}",
    ),
    _token("bitbucket", "ATBB ATCTT3 BBDC-", "[0-9A-Za-z_=-]{24,}"),
    _token("atlassian", "ATATT3", "[0-9A-Za-z_=-]{60,}"),
    _token("npm", "npm_", "[0-9A-Za-z]{36}"),
    _token("pypi", "pypi-", "[0-9A-Za-z_-]{50,}"),
    _token("rubygems", "rubygems_", "[0-9a-f]{48}"),
    _token("crates-io", "cio", r"[0-9A-Za-z]{32}\b"),
    _token("docker-hub", "dckr_pat_ dckr_oat_", "[0-9A-Za-z_-]{20,}"),
    _token("docker-swarm", "SWMKEY-1- SWMTKN-1-", "[0-9A-Za-z+/=-]{40,}"),
    _token("nuget", "oy2", r"[0-9a-z]{43}\b"),
    _token("clojars", "CLOJARS_", "[0-9a-z]{60}"),
    _token("sourcegraph", "sgp_ slk_", "(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40,}"),
    _token("circleci", "CCIPAT_ CCIPRJ_", "[0-9A-Za-z]{16,60}_[0-9a-f]{40}"),
    _token("buildkite", "bkua_ bkaj_", "[0-9a-f]{40}"),
    _token("sonar", "squ_ sqp_ sqa_", "[0-9a-f]{40}"),
    _token("endor", "endr+", "[0-9A-Za-z-]{16}"),
    _token("harness", "pat. sat.", r"[0-9A-Za-z_-]{22}\.[0-9a-f]{24}\.[0-9A-Za-z]{20}"),
    _token("cloudsmith", "csa_", "[0-9A-Za-z]{30,}"),
    # clouds and their platforms
    _token("aws-key-id", "AKIA ASIA ABIA ACCA", r"[0-9A-Z]{16}\b"),
    _token("google", "AIza", "[0-9A-Za-z_-]{35}"),
    Rule("google-oauth", ("ya29.", "gocspx-"), r"\b(?:ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{28})"),
    Rule(
        "azure-storage",
        ("accountkey=", "sharedaccesskey="),
        r"((?:Account|SharedAccess)Key=)[0-9A-Za-z+/]{40,400}={0,2}",
        keeps=True,
    ),
    Rule("azure-sas", ("sig=",), r"([?&]sig=)[0-9A-Za-z%+/]{40,400}(?:%3D|=)?", keeps=True),
    Rule("azure-client", ("8q~", "7q~"), r"(?<![0-9A-Za-z])[0-9A-Za-z_~.-]{3}[78]Q~[0-9A-Za-z_~.-]{31,34}"),
    Rule(
        "signed-url",
        ("-signature=", "-credential=", "-security-token=", "&signature=", "?signature="),
        r"([?&](?:X-(?:Amz|Goog|Oss)-(?:Signature|Credential|Security-Token)|Signature)=)[0-9A-Za-z%+/=_~.-]{16,2000}",
        keeps=True,
    ),
    _token("digitalocean", "dop_v1_ doo_v1_ dor_v1_", "[0-9a-f]{64}"),
    _token("heroku", "HRKU-", "[0-9A-Za-z_-]{36,}"),
    Rule("fly-io", ("fm1", "fm2_", "fo1_", "flyv1 "), r"\b(?:FlyV1 |fm1[ar]_|fm2_|fo1_)[0-9A-Za-z+/_=,-]{40,}"),
    Rule(
        "vercel",
        ("vercel_", "vca_", "vci_", "vck_", "vcp_", "vcr_"),
        r"\b(?:vercel_(?:blob_rw_)?[0-9A-Za-z_]{24,}|vc[aciprk]_[0-9A-Za-z_-]{40,})",
    ),
    _token("netlify", "nfp_ nfc_ nfb_", "[0-9A-Za-z]{36,}"),
    Rule(
        "cloudflare",
        ("cfut_", "cfat_", "cfk_", "v1.0-"),
        r"\b(?:cf(?:[ua]t|k)_[0-9A-Za-z]{40,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{146})",
    ),
    Rule("alibaba", ("ltai", "sts."), r"\b(?:LTAI[0-9A-Za-z]{16,24}|STS\.[0-9A-Za-z]{24,400})\b"),
    _token("tencent", "AKID", r"[0-9A-Za-z]{32}\b"),
    _token("databricks", "dapi", r"[0-9a-f]{32}\b"),
    _token("snowflake-pat", "pat_snow", "[0-9A-Za-z_.-]{24,}"),
    Rule("planetscale", ("pscale_",), r"\bpscale_(?:tkn|oauth|pw)_[0-9A-Za-z_.=-]{32,}"),
    _token("cockroach", "CCDB1_", "[0-9A-Za-z_]{40,}"),
    _token("neon", "napi_", "[0-9a-z]{60,}"),
    _token("mongodb", "mdb_sa_sk_", "[0-9A-Za-z_-]{40,}"),
    Rule("supabase", ("sbp_", "sb_secret_"), r"\b(?:sbp_[0-9a-f]{40}|sb_secret_[0-9A-Za-z_-]{20,})"),
    _token("yandex", "AQVN YCP YCA YCM t1.", r"[0-9A-Za-z_-]{34,400}={0,2}(?:\.[0-9A-Za-z_-]{80,400}={0,2})?"),
    _token("vault", "hvs. hvb. hvr.", "[0-9A-Za-z_-]{24,}"),
    Rule("terraform", (".atlasv1.",), r"\b[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,}"),
    _token("pulumi", "pul-", r"[0-9a-f]{40}\b"),
    Rule("doppler", ("dp.",), r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[0-9A-Za-z_.-]{40,}"),
    _token("tailscale", "tskey-", "[a-z]{2,10}-[0-9A-Za-z]{8,60}-[0-9A-Za-z]{16,}"),
    _token("defined-net", "dnkey-", "[0-9A-Za-z=_-]{40,}"),
    _token("openshift", "sha256~", "[0-9A-Za-z_-]{43}"),
    _token("scalingo", "tk-us-", "[0-9A-Za-z_-]{48}"),
    _token("render", "rnd_", "[0-9A-Za-z]{24,}"),
    _token("prefect", "pnu_ pnb_", "[0-9A-Za-z]{36}"),
    _token("infracost", "ico-", "[0-9A-Za-z]{32}"),
    _token("unkey", "unkey_", "[0-9A-Za-z]{16,}"),
    _token("settlemint", "sm_aat_ sm_pat_ sm_sat_", "[0-9A-Za-z]{16}"),
    Rule(
        "1password",
        ("ops_eyj", "a3-"),
        r"\b(?:ops_eyJ[0-9A-Za-z+/=_-]{80,}|A3-[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})(?:-[0-9A-Z]{5}){3})",
    ),
    Rule("kubeconfig", ("client-key-data",), r"(client-key-data\"?:\s{1,3}\"?)[0-9A-Za-z+/=]{40,}", keeps=True),
    Rule("docker-auth", ('"auth"',), r"(\"auth\"\s{0,3}:\s{0,3}\")[0-9A-Za-z+/=]{8,4000}(?=\")", keeps=True),
    Rule(
        "password-hash",
        ("$apr1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2", "{ssha}"),
        r"\$(?:apr1|2[aby]|[56]|y|argon2id?)\$[0-9A-Za-z./$=,+-]{20,400}|\{S?SHA\}[0-9A-Za-z+/=]{20,}",
    ),
    # talk, mail, money, watching
    Rule(
        "slack",
        ("xox", "xapp-"),
        r"\b(?:xox[a-z](?:\.xox[a-z])?-[0-9A-Za-z%+/_\\=-]{10,}|xapp-[0-9]-[0-9A-Za-z-]{10,})",
    ),
    Rule(
        "slack-webhook", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows|triggers)/[0-9A-Za-z/_-]{20,}"
    ),
    Rule(
        "teams-webhook", ("webhook.office.com",), r"[0-9a-z.-]{1,80}webhook\.office\.com/webhookb2/[0-9A-Za-z@/-]{40,}"
    ),
    Rule("discord", ("discord",), r"discord(?:app)?\.com/api/webhooks/[0-9]{1,20}/[0-9A-Za-z_-]{20,}"),
    # the id of the bot in base64, which begins with a digit's; when it was made; what it is signed with
    Rule("discord-bot", ("m", "n", "o"), r"\b[MNO][0-9A-Za-z_-]{23,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,40}\b"),
    Rule("telegram", (":a",), r"\b[0-9]{5,16}:A[0-9A-Za-z_-]{34}\b"),
    Rule("twilio", tuple(f"sk{digit:x}" for digit in range(16)), r"\bSK[0-9a-f]{32}\b"),
    Rule("facebook", ("eaa",), r"\bEAA[0-9A-Za-z]{80,}"),
    Rule("facebook-app", ("|", "%7c"), r"\b[0-9]{15,16}(?:\||%7[Cc])[0-9A-Za-z_-]{27,40}\b"),
    Rule("twitter", ("aaaaaaaaaaaaaaaaaaaa",), r"\bA{20,24}[0-9A-Za-z%]{60,}"),
    Rule("sendgrid", ("sg.",), r"\bSG\.[0-9A-Za-z_=-]{16,200}\.[0-9A-Za-z_=-]{16,}|\bSG\.[0-9A-Za-z_=.-]{60,70}"),
    _token("mailgun", "key- pubkey-", r"[0-9a-f]{32}\b"),
    Rule("mailchimp", ("-us",), r"\b[0-9a-f]{32}-us[0-9]{1,2}\b"),
    _token("mailersend", "mlsn.", "[0-9a-f]{60,}"),
    _token("brevo", "xkeysib- xsmtpsib-", "[0-9a-f]{64}-[0-9A-Za-z]{16}"),
    _token("resend", "re_", r"[0-9A-Za-z]{8}_[0-9A-Za-z]{24}\b"),
    _token(
        "stripe",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_",
        "[0-9A-Za-z+/=]{16,}",
    ),
    Rule("square", ("sq0", "eaaa"), r"\b(?:sq0(?:atp|csp|idp)-[0-9A-Za-z_-]{22,}|EAAA[0-9A-Za-z_-]{60})"),
    _token("shopify", "shpat_ shpss_ shpca_ shppa_ shptka_", "[0-9a-fA-F]{32}"),
    _token("shippo", "shippo_live_ shippo_test_", "[0-9a-f]{40}"),
    _token("easypost", "EZAK EZTK", "[0-9A-Za-z]{54}"),
    _token("lob", "live_ test_", r"(?:pub_)?[0-9a-f]{31,35}\b"),
    _token("plaid", "access-sandbox- access-development- access-production-", _UUID),
    _token("flutterwave", "FLWPUBK FLWSECK", r"(?:_TEST)?-?[0-9a-h]{12,40}(?:-X)?\b"),
    _token("midtrans", "Mid-server- Mid-client-", "[0-9A-Za-z_-]{16,}"),
    _token("razorpay", "rzp_live_ rzp_test_", "[0-9A-Za-z]{14,}"),
    _token("asaas", "aact_", "[0-9A-Za-z_:=]{20,}"),
    _token("duffel", "duffel_test_ duffel_live_", "[0-9A-Za-z_=-]{40,}"),
    _token("paddle", "pdl_", "[a-z]{3,8}_[0-9A-Za-z_]{40,}"),
    Rule("linear", ("lin_api_", "lin_oauth_"), r"\blin_(?:api|oauth)_[0-9A-Za-z]{32,}"),
    Rule("notion", ("ntn_", "secret_"), r"\b(?:ntn_[0-9A-Za-z]{40,}|secret_[0-9A-Za-z]{43}\b)"),
    _token("figma", "figd_ figo_", "[0-9A-Za-z_-]{36,}"),
    _token("airtable", "pat", r"[0-9A-Za-z]{14}\.[0-9a-f]{64}\b"),
    _token("hubspot", "pat-na1- pat-eu1-", _UUID),
    Rule("grafana", ("glc_", "glsa_"), r"\b(?:glc_[0-9A-Za-z+/=]{32,}|glsa_[0-9A-Za-z]{32}_[0-9a-fA-F]{8})"),
    Rule("grafana-legacy", ("eyjrijoi",), r"\beyJrIjoi[0-9A-Za-z+/=]{40,}"),
    Rule("newrelic", ("nrak-", "nrjs-", "nrii-"), r"\bNR(?:AK-[0-9A-Za-z]{27}|JS-[0-9a-f]{19}|II-[0-9A-Za-z_-]{32})"),
    Rule("sentry", ("sntrys_", "sntryu_"), r"\b(?:sntrys_eyJ[0-9A-Za-z+/=_-]{40,}|sntryu_[0-9a-f]{64})"),
    Rule("dynatrace", ("dt0c01.", "dt0s16."), r"\bdt0[cs](?:01|16)\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{64}"),
    _token("posthog", "phx_ phs_ phc_", "[0-9A-Za-z_]{32,}"),
    _token("elastic", "essu_", "[0-9A-Za-z_+/=-]{50,}"),
    _token("launchdarkly", "sdk- mob- api-", _UUID),
    _token("postman", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
    _token("typeform", "tfp_", "[0-9A-Za-z_.=-]{40,}"),
    _token("contentful", "CFPAT-", "[0-9A-Za-z_-]{40,}"),
    _token("readme", "rdme_", "[0-9a-z]{70}"),
    _token("mapbox", "pk. sk.", r"[0-9A-Za-z_-]{50,400}\.[0-9A-Za-z_-]{20,}"),
    _token("klaviyo", "pk_", r"[0-9a-z]{34}\b"),
    _token("frame-io", "fio-u-", "[0-9A-Za-z=_-]{64}"),
    _token("adobe", "p8e-", "[0-9A-Za-z]{32}"),
    _token("aikido", "AIK_", "[A-Z]{4,8}_[0-9A-Za-z_-]{20,}"),
    _token("gov-notify", "gcntfy-", "[0-9A-Za-z_-]{60,}"),
    _token("intra42", "s-s4t2", "(?:ud|af)-[0-9a-f]{64}"),
    Rule("salesforce", ("00d",), r"\b00D[0-9A-Za-z]{12,15}![0-9A-Za-z._]{80,}"),
    # shapes that many makers share
    Rule("jwt", ("eyj",), r"\beyJ[0-9A-Za-z_-]{10,4000}+\.eyJ[0-9A-Za-z_-]{10,8000}+\.[0-9A-Za-z_-]{0,2000}"),
    Rule("jwt-base64", ("zxlk",), r"\bZXlK[0-9A-Za-z+/_-]{40,8000}+={0,2}"),
    Rule("url-token", ("://",), r"(\bhttps?://)[0-9A-Za-z_-]{20,255}(?=@)", keeps=True),
    Rule(
        "url-password",
        ("://",),
        r"(\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@'\"\[]{0,100}:)[^\s/@'\"]{1,200}(?=@)",
        keeps=True,
    ),
    Rule(
        "encoded-url-password",
        ("%3a%2f%2f",),
        r"(%3[Aa]%2[Ff]%2[Ff][^\s/:@'\"%]{0,100}%3[Aa])[^\s/@'\"]{1,200}?(?=%40)",
        keeps=True,
    ),
    Rule(
        "authorization",
        ("authorization",),
        rf"((?i:authorization)(?:{_QUOTE})?\s{{0,3}}[:=]\\?\s{{0,3}}b?(?:{_QUOTE})?"
        r"(?:(?i:bearer|basic|token)\\?\s{1,2}(?=[^\s'\"]{6})|[0-9A-Za-z-]{3,20}\s(?=[^\s'\"]{16})"
        r"|(?=[0-9A-Za-z+/=_.:-]{20})(?=[^\s'\"]{0,200}?[0-9])))"
        r"[^\s'\"]{6,}",
        keeps=True,
    ),
    Rule(
        "header",
        ("x-api-key", "x-auth-token", "api-key:", "private-token"),
        rf"((?i:x-api-key|x-auth-token|api-key|private-token)(?:{_QUOTE})?\s{{0,3}}:\s{{0,3}}(?:{_QUOTE})?)"
        r"[^\s'\"$]{8,400}",
        keeps=True,
    ),
    Rule(
        "curl-user",
        ("curl",),
        rf"(\bcurl\b{_ON}{{0,300}}?\s(?:-u|--user)[ =]?(?:['\"][^\s:'\"]{{0,100}}:(?=[^'\"]{{1,200}}['\"])"
        r"|['\"]?[^\s:'\"]{1,100}:))(?:[^\s'\"]{1,200}|(?<=:)[^'\"\n]{1,200}(?=['\"]))",
        keeps=True,
    ),
    Rule(
        "netrc", ("machine ",), r"(\bmachine\s\S{1,200}\s{1,8}login\s\S{1,200}\s{1,8}password\s)\S{1,400}", keeps=True
    ),
    Rule(
        "cookie",
        ("cookie",),
        rf"((?i:cookie)(?:{_QUOTE})?\s{{0,3}}:\s{{0,3}}(?:{_QUOTE})?(?:[^\s=;'\"]{{1,60}}=)?)[^\s'\";]{{12,4000}}",
        keeps=True,
    ),
    Rule(
        "login",
        (" login",),
        rf"(\b(?:docker|podman|az|helm|oc|skopeo|buildah)\b{_ON}{{0,200}}?\blogin\b{_ON}{{0,200}}?\s-p[ =]?['\"]?)"
        r"[^\s'\"$-][^\s'\"$]{2,400}",
        keeps=True,
    ),
    Rule(
        "piped-password",
        ("--password-stdin",),
        r"(\b(?:echo|printf)\s{1,4}['\"]?)[^\s'\"$|]{6,400}(?=['\"]?\s{0,4}\|[^\n|]{0,200}--password-stdin)",
        keeps=True,
    ),
    Rule("assignment", (*_NAMES, *_PASS, *_spelled(_SECRET_KEYS)), _ASSIGNED, keeps=True),
    Rule("key", _spelled(_OTHER_KEYS), _KEYED, keeps=True),
    Rule(
        "flag",
        ("--password", "--passwd", "--token", "--secret", "--api-key", "--access-key", "--passphrase"),
        r"(--(?:password|passwd|token|secret|api-key|access-key|passphrase)[ =]['\"]?)(?!-)[^\s'\"$]{4,}",
        keeps=True,
    ),
    Rule(
        "element",
        ("password>", "passwd>", "secret>", "token>", "key>", "passphrase>"),
        r"(<(?:[0-9A-Za-z_]{1,40}:)?[0-9A-Za-z_.-]{0,40}(?i:password|passwd|passphrase|secret|token|key)>\s{0,40})"
        r"[^<>\s$]{6,400}(?=\s{0,40}</)",
        keeps=True,
    ),
    Rule(
        "dockerfile-env",
        ("env ", "arg "),
        rf"(\b(?:ENV|ARG)\s{{1,4}}[A-Za-z0-9_.-]{{0,40}}{_NAMED_LIKE_ONE}\s{{1,4}}['\"]?)[^\s'\"$=]{{6,400}}",
        keeps=True,
    ),
    Rule(
        "sentence",
        ("password is", "password was", "passphrase is", "token is", "secret is", "password to"),
        r"((?i:password|passphrase|token|secret)\s(?i:is|was|to):?\s['\"`]?)"
        r"(?=[^\s'\"`]{0,60}[0-9])(?=[^\s'\"`]{0,60}[A-Za-z])[^\s'\"`,;]{8,200}",
        keeps=True,
    ),
    Rule("here-string", ("<<<",), r"(--with-token\s{0,4}<<<\s{0,4}['\"]?)[^\s'\"$]{6,400}", keeps=True),
    Rule(
        "zip",
        ("zip ", "7z "),
        r"(\b(?:unzip|zip)\b[^\n|;&]{0,200}?\s-P\s?['\"]?)[^\s'\"$-][^\s'\"$]{1,200}",
        keeps=True,
    ),
    Rule(
        "auth-pair", ("auth=(",), r"(\bauth=\(\s{0,3}['\"][^'\"\n]{1,100}['\"],\s{0,3}['\"])[^'\"\n]{1,200}", keeps=True
    ),
    Rule("sshpass", ("sshpass",), r"(\bsshpass\s{1,4}-p\s{0,4}['\"]?)[^\s'\"$]{1,200}", keeps=True),
    Rule(
        "mysql-password",
        ("mysql",),
        rf"(\bmysql(?:dump|admin)?\b{_ON}{{0,300}}?\s-p)(?=[^\s-])[^\s'\"$]{{1,200}}",
        keeps=True,
    ),
)
