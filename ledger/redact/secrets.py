"""What secrets look like: one rule for each kind, as data.

A rule's words are plain text, in lower case, one of which must occur before its pattern is tried. A pattern runs
in linear time: bounded repeats, no nesting. With `keeps`, its group 1 is what stays readable before the mark.
A new kind is one more line here and one more example in tests/ledger/redact/test_redact.py.
"""

from typing import NamedTuple

# 1: first set of rules.
# 2: sixty kinds; values in assignments and flags by the word before them.
# 3: a mark may end in a fingerprint; headers and assignments inside of JSON inside of JSON, commands over several
#    lines, XML, percent-encoded addresses, passwords told in a sentence.
RULES_VERSION = 3


class Rule(NamedTuple):
    """One kind of secret."""

    name: str
    words: tuple[str, ...]
    pattern: str
    keeps: bool = False


# A quote as it looks inside of a text that is inside of another, up to three deep.
_QUOTE = r"\\{0,7}['\"]"
# What stays within one command, which may go on in the next line.
_ON = r"(?:\\\n|[^\n|;&])"
_WORDS = (
    "password",
    "passwd",
    "passphrase",
    "pass=",
    "pass:",
    "pass ",
    'pass"',
    "pwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accesskey",
    "private_key",
    "credential",
    "auth_key",
    "signing_key",
    "encryption_key",
)
_NAMED_LIKE_ONE = (
    r"(?i:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|sshpass"
    r"|(?:auth|signing|encryption)[_-]key|(?<![a-z])pass(?![a-z])|_pwd)"
    r"[A-Za-z0-9_]{0,20}"
)
_ASSIGNED = (
    rf"({_NAMED_LIKE_ONE}(?:{_QUOTE})?\s{{0,3}}(?:=>|:=|=|:|%3[AaDd])\s{{0,3}}(?:{_QUOTE}(?=[^'\"]{{6}})|(?=[^\s'\"$<>{{}}()\[\],;&|]{{8}})))"
    r"(?:(?<=['\"])[^'\"\n]{6,400}|(?<!['\"])[^\s'\"$<>{}()\[\],;&|]{8,400}+(?![\[(]))"
)

RULES = (
    # whole blocks and addresses first: what is inside them is not looked at again
    Rule(
        "private-key",
        ("-----begin",),
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?"
        r"(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    Rule("age-key", ("age-secret-key-",), r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}"),
    Rule(
        "putty-key", ("putty-user-key-file",), r"PuTTY-User-Key-File-[23]:[\s\S]*?(?:Private-MAC: [0-9a-f]{40,64}|\Z)"
    ),
    # models and their hubs
    Rule("anthropic", ("sk-ant-",), r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    Rule("openrouter", ("sk-or-",), r"\bsk-or-v1-[0-9a-f]{48,}"),
    Rule("openai", ("sk-",), r"\bsk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}"),
    Rule("groq", ("gsk_",), r"\bgsk_[0-9A-Za-z]{40,}"),
    Rule("xai", ("xai-",), r"\bxai-[0-9A-Za-z]{60,}"),
    Rule("perplexity", ("pplx-",), r"\bpplx-[0-9A-Za-z]{32,}"),
    Rule("replicate", ("r8_",), r"\br8_[0-9A-Za-z]{36,}"),
    Rule("huggingface", ("hf_", "api_org_"), r"\b(?:hf_|api_org_)[0-9A-Za-z]{30,}"),
    Rule("langsmith", ("lsv2_",), r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    Rule("wandb-service", ("wandb_v1_",), r"\bwandb_v1_[0-9A-Za-z_]{40,}"),
    # code forges and package registries
    Rule(
        "github",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    ),
    Rule(
        "gitlab",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-", "glagent-"),
        r"\bgl(?:pat|dt|rt|cbt|ptt|soat|agent)-[A-Za-z0-9_.-]{20,}",
    ),
    Rule("bitbucket", ("atbb", "atctt3"), r"\b(?:ATBB[0-9A-Za-z]{24,}|ATCTT3[0-9A-Za-z_=-]{60,})"),
    Rule("atlassian", ("atatt3",), r"\bATATT3[0-9A-Za-z_=-]{60,}"),
    Rule("npm", ("npm_",), r"\bnpm_[0-9A-Za-z]{36}"),
    Rule("pypi", ("pypi-",), r"\bpypi-[0-9A-Za-z_-]{50,}"),
    Rule("rubygems", ("rubygems_",), r"\brubygems_[0-9a-f]{48}"),
    Rule("crates-io", ("cio",), r"\bcio[0-9A-Za-z]{32}\b"),
    Rule("docker-hub", ("dckr_pat_", "dckr_oat_"), r"\bdckr_[po]at_[0-9A-Za-z_-]{20,}"),
    Rule("nuget", ("oy2",), r"\boy2[0-9a-z]{43}\b"),
    Rule("sourcegraph", ("sgp_",), r"\bsgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
    # clouds and their platforms
    Rule("aws-key-id", ("akia", "asia", "abia", "acca"), r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"),
    Rule("google", ("aiza",), r"\bAIza[0-9A-Za-z_-]{35}"),
    Rule("google-oauth", ("ya29.", "gocspx-"), r"\b(?:ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{28})"),
    Rule(
        "azure-storage",
        ("accountkey=", "sharedaccesskey="),
        r"((?:Account|SharedAccess)Key=)[0-9A-Za-z+/]{40,400}={0,2}",
        keeps=True,
    ),
    Rule("azure-sas", ("sig=",), r"([?&]sig=)[0-9A-Za-z%+/]{40,400}(?:%3D|=)?", keeps=True),
    Rule("azure-client", ("8q~", "7q~"), r"\b[0-9A-Za-z_~.]{3}[78]Q~[0-9A-Za-z_~.-]{31,34}"),
    Rule("digitalocean", ("dop_v1_", "doo_v1_", "dor_v1_"), r"\bdo[opr]_v1_[0-9a-f]{64}"),
    Rule("heroku", ("hrku-",), r"\bHRKU-[0-9A-Za-z_-]{36,}"),
    Rule("fly-io", ("fm1r_", "fm2_", "fo1_"), r"\b(?:fm1r_|fm2_|fo1_)[0-9A-Za-z+/_=,-]{40,}"),
    Rule("vercel", ("vercel_",), r"\bvercel_(?:blob_rw_)?[0-9A-Za-z_]{24,}"),
    Rule("netlify", ("nfp_",), r"\bnfp_[0-9A-Za-z]{36,}"),
    Rule("cloudflare", ("cfut_", "cfat_", "v1.0-"), r"\b(?:cf[ua]t_[0-9A-Za-z]{40,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{146})"),
    Rule("alibaba", ("ltai",), r"\bLTAI[0-9A-Za-z]{16,24}\b"),
    Rule("tencent", ("akid",), r"\bAKID[0-9A-Za-z]{32}\b"),
    Rule("databricks", ("dapi",), r"\bdapi[0-9a-f]{32}\b"),
    Rule("snowflake-pat", ("pat_snow",), r"\bpat_snow[0-9A-Za-z_.-]{24,}"),
    Rule("planetscale", ("pscale_",), r"\bpscale_(?:tkn|oauth|pw)_[0-9A-Za-z_.=-]{32,}"),
    Rule("supabase", ("sbp_", "sb_secret_"), r"\b(?:sbp_[0-9a-f]{40}|sb_secret_[0-9A-Za-z_-]{20,})"),
    Rule("vault", ("hvs.", "hvb."), r"\bhv[sb]\.[0-9A-Za-z_-]{24,}"),
    Rule("terraform", (".atlasv1.",), r"\b[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,}"),
    Rule("pulumi", ("pul-",), r"\bpul-[0-9a-f]{40}\b"),
    Rule("doppler", ("dp.",), r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[0-9A-Za-z_.-]{40,}"),
    Rule(
        "1password",
        ("ops_eyj", "a3-"),
        r"\b(?:ops_eyJ[0-9A-Za-z+/=_-]{80,}|A3-[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})(?:-[0-9A-Z]{5}){3})",
    ),
    # talk, mail, money, watching
    Rule("slack", ("xox", "xapp-"), r"\b(?:xox[abeoprs]-[0-9A-Za-z-]{10,}|xapp-[0-9]-[0-9A-Za-z-]{10,})"),
    Rule("slack-webhook", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows)/[0-9A-Za-z/_-]{20,}"),
    Rule(
        "teams-webhook", ("webhook.office.com",), r"[0-9a-z.-]{1,80}webhook\.office\.com/webhookb2/[0-9A-Za-z@/-]{40,}"
    ),
    Rule("discord", ("discord",), r"discord(?:app)?\.com/api/webhooks/[0-9]{1,20}/[0-9A-Za-z_-]{20,}"),
    Rule("telegram", (":aa",), r"\b[0-9]{8,10}:AA[0-9A-Za-z_-]{33}"),
    Rule("twilio", tuple(f"sk{digit:x}" for digit in range(16)), r"\bSK[0-9a-f]{32}\b"),
    Rule("sendgrid", ("sg.",), r"\bSG\.[0-9A-Za-z_-]{16,200}\.[0-9A-Za-z_-]{16,}"),
    Rule("mailgun", ("key-",), r"\bkey-[0-9a-f]{32}\b"),
    Rule("mailchimp", ("-us",), r"\b[0-9a-f]{32}-us[0-9]{1,2}\b"),
    Rule("resend", ("re_",), r"\bre_[0-9A-Za-z]{8}_[0-9A-Za-z]{24}\b"),
    Rule(
        "stripe",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
        r"\b(?:[sr]k_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[0-9A-Za-z+/=]{24,})",
    ),
    Rule("square", ("sq0", "eaaa"), r"\b(?:sq0(?:atp|csp|idp)-[0-9A-Za-z_-]{22,}|EAAA[0-9A-Za-z_-]{60})"),
    Rule("shopify", ("shpat_", "shpss_", "shpca_", "shppa_"), r"\bshp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}"),
    Rule("linear", ("lin_api_", "lin_oauth_"), r"\blin_(?:api|oauth)_[0-9A-Za-z]{32,}"),
    Rule("notion", ("ntn_", "secret_"), r"\b(?:ntn_[0-9A-Za-z]{40,}|secret_[0-9A-Za-z]{43}\b)"),
    Rule("figma", ("figd_",), r"\bfigd_[0-9A-Za-z_-]{36,}"),
    Rule("airtable", ("pat",), r"\bpat[0-9A-Za-z]{14}\.[0-9a-f]{64}\b"),
    Rule("grafana", ("glc_", "glsa_"), r"\b(?:glc_[0-9A-Za-z+/=]{32,}|glsa_[0-9A-Za-z]{32}_[0-9a-f]{8})"),
    Rule("newrelic", ("nrak-", "nrjs-", "nrii-"), r"\bNR(?:AK-[0-9A-Z]{27}|JS-[0-9a-f]{19}|II-[0-9A-Za-z_-]{32})"),
    Rule("sentry", ("sntrys_", "sntryu_"), r"\b(?:sntrys_eyJ[0-9A-Za-z+/=_-]{40,}|sntryu_[0-9a-f]{64})"),
    Rule("dynatrace", ("dt0c01.", "dt0s16."), r"\bdt0[cs](?:01|16)\.[0-9A-Z]{24}\.[0-9A-Z]{64}"),
    Rule("posthog", ("phx_", "phs_"), r"\bph[xs]_[0-9A-Za-z]{32,}"),
    # shapes that many makers share
    Rule("jwt", ("eyj",), r"\beyJ[0-9A-Za-z_-]{10,4000}+\.eyJ[0-9A-Za-z_-]{10,8000}+\.[0-9A-Za-z_-]{0,2000}"),
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
        ("bearer", "basic", "token"),
        rf"((?i:authorization)(?:{_QUOTE})?\s{{0,3}}[:=]\\?\s{{0,3}}b?(?:{_QUOTE})?(?i:bearer|basic|token)\\?\s)"
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
        rf"(\bcurl\b{_ON}{{0,300}}?\s(?:-u|--user)[ =]?['\"]?[^\s:'\"]{{1,100}}:)[^\s'\"]{{1,200}}",
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
    Rule("assignment", _WORDS, _ASSIGNED, keeps=True),
    Rule(
        "flag",
        ("--password", "--passwd", "--token", "--secret", "--api-key", "--access-key", "--passphrase"),
        r"(--(?:password|passwd|token|secret|api-key|access-key|passphrase)[ =]['\"]?)(?!-)[^\s'\"$]{4,}",
        keeps=True,
    ),
    Rule(
        "element",
        ("password>", "passwd>", "secret>", "token>", "key>", "passphrase>"),
        r"(<(?:[0-9A-Za-z_]{1,40}:)?[0-9A-Za-z_.-]{0,40}(?i:password|passwd|passphrase|secret|token|api-?_?key)>)"
        r"[^<>\s$]{6,400}(?=</)",
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
