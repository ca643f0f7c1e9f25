r"""The kinds of secret we know, as data: how each looks and what a text must hold to be looked at.

A pattern is written in the part of the language that Python's re and RE2 (inside DuckDB) share: no
lookaround, no lazy ends, ASCII classes. The group `s` is what is taken out. `\\[nrt]` stands for a
line break inside quoted JSON, where a token follows right after a letter.
"""

from collections.abc import Callable
from dataclasses import dataclass

_EDGE = r"(?:\b|\\[nrt])"
_SPACE = r"[ \t\r\n\f\v]"  # spelled out: the two engines disagree about \s
_QUOTE = r"[\"'`\\]{0,4}"
_JOIN = rf"{_QUOTE}{_SPACE}{{0,4}}(?::=|=>|[:=：]){_SPACE}{{0,4}}{_QUOTE}"
_VALUE = r"(?P<s>[A-Za-z0-9!#$%*+./=?@^_~-]{6,})"  # ends at a bracket, a quote or Chinese text
_ENDING = r"(?:[_-]?(?:key|value|string|base64|prod|dev|test|[0-9]{1,2}))?"

PLACEHOLDERS = (
    *("example", "sample", "placeholder", "changeme", "change_me", "change-me", "dummy", "fake"),
    *("your", "xxxx", "****", "....", "redacted", "insert", "replace", "undefined", "none", "null"),
    *("process.env", "os.environ", "getenv", "env.", "import.meta", "config.", "$", "%", "{{"),
)
"""A value that holds one of these, in small letters, stands for a secret and is none."""


_ALGORITHMS = frozenset({"sha256", "sha512", "base64", "argon2", "argon2id", "pbkdf2", "oauth2"})


@dataclass(frozen=True, slots=True)
class SecretKind:
    """name: what the mark says. gates: one of these is in every text that the pattern finds,
    letters folded to small ones. check: whether the value found is a secret; None: always.
    """

    name: str
    gates: tuple[str, ...]
    pattern: str
    check: Callable[[str], bool] | None = None


def _no_sample(value: str) -> bool:
    """The ids of the vendor's own manual end so, and a sentence about them should survive."""
    return not value.endswith("EXAMPLE")


def _stand_in(value: str) -> bool:
    """A placeholder, a path, an address or a name in code."""
    small = value.lower()
    if any(part in small for part in PLACEHOLDERS):
        return True
    return value[0] in "/~." or "://" in value or value.count(".") > 2 or len(set(value)) < 5


def _mixed(value: str) -> bool:
    """Letters and digits, as made by a machine; no word, number or version."""
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if not digits or not letters or _stand_in(value):
        return False
    return len(value) >= 16 or digits >= 2


def _password(value: str) -> bool:
    """What a person makes up: letters and a digit, or three of small, capital, digit and sign."""
    small = value.lower()
    if _stand_in(value) or small in _ALGORITHMS or "passw" in small:
        return False
    digits = any(map(str.isdigit, value))
    if digits and any(map(str.isalpha, value)):
        return True
    signs = any(letter in "!@#^*+=?~$%" for letter in value)
    return any(map(str.islower, value)) + any(map(str.isupper, value)) + digits + signs >= 3


def _account(value: str) -> bool:
    """The password part of an address, unless it only shows where one would stand."""
    small = value.lower()
    stands_for = {"pass", "password", "passwd", "pwd", "pw", "secret", "token", "user", "xxx", "x"}
    return (
        len(value) > 2
        and small not in stands_for
        and not any(part in small for part in PLACEHOLDERS)
    )


KINDS: tuple[SecretKind, ...] = (
    SecretKind(
        "private-key", ("private key",), r"(?P<s>-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY[A-Z ]*-----)"
    ),
    SecretKind(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?P<s>gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})",
    ),
    SecretKind(
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glagent-", "gloas-"),
        r"(?P<s>gl(?:pat|dt|rt|ptt|cbt|soat|agent|oas)-[A-Za-z0-9_.-]{19,}[A-Za-z0-9_-])",
    ),
    SecretKind(
        "slack-token",
        ("xox", "xapp-"),
        rf"{_EDGE}(?P<s>xox[abceoprs]-[A-Za-z0-9-]{{10,}}|xapp-[0-9]-[A-Za-z0-9-]{{20,}})",
    ),
    SecretKind(
        "webhook",
        ("hooks.slack.com", "/api/webhooks/"),
        r"(?:hooks\.slack\.com/[a-z]+|/api/webhooks/[0-9]+)/(?P<s>[A-Za-z0-9/_-]{20,})",
    ),
    SecretKind(
        "aws-access-key",
        ("akia", "asia", "abia", "acca"),
        rf"{_EDGE}(?P<s>(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}})\b",
        _no_sample,
    ),
    SecretKind(
        "gcp-key",
        ("aiza", "gocspx-", "ya29."),
        r"(?P<s>AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})",
    ),
    SecretKind("anthropic-key", ("sk-ant-",), r"(?P<s>sk-ant-[A-Za-z0-9_-]{20,})"),
    SecretKind(
        "openai-key",
        ("sk-",),
        rf"{_EDGE}(?P<s>sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{{20,}}|sk-or-v1-[0-9a-f]{{32,}}"
        r"|sk-[A-Za-z0-9]{32,})",
    ),
    SecretKind("npm-token", ("npm_",), r"(?P<s>npm_[A-Za-z0-9]{36})"),
    SecretKind("pypi-token", ("pypi-ag",), r"(?P<s>pypi-Ag[A-Za-z0-9_-]{40,})"),
    SecretKind(
        "stripe-key",
        ("k_live_", "k_test_", "whsec_"),
        rf"{_EDGE}(?P<s>[rs]k_(?:live|test)_[A-Za-z0-9]{{16,}}|whsec_[A-Za-z0-9+/=]{{24,}})",
    ),
    SecretKind(
        "jwt",
        ("eyj",),
        r"(?P<s>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
    ),
    SecretKind(
        "service-token",
        (
            *("hf_", "dop_v1_", "sg.", "dapi", "shpat_", "shpca_", "shppa_", "shpss_", "glsa_"),
            *("hvs.", "gsk_", "atatt3", "lin_api_", "dckr_pat_", "sbp_", "sntrys_", "age-secret"),
        ),
        rf"{_EDGE}(?P<s>hf_[A-Za-z0-9]{{30,}}|dop_v1_[0-9a-f]{{60,}}"
        r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}|dapi[0-9a-f]{32}"
        r"|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|glsa_[A-Za-z0-9_]{32,}|hvs\.[A-Za-z0-9_-]{24,}"
        r"|gsk_[A-Za-z0-9]{40,}|ATATT3[A-Za-z0-9_=-]{50,}|lin_api_[A-Za-z0-9]{40}"
        r"|dckr_pat_[A-Za-z0-9_-]{20,}|sbp_[0-9a-f]{40}|sntrys_[A-Za-z0-9+/=_-]{40,}"
        r"|AGE-SECRET-KEY-1[A-Z0-9]{50,})",
    ),
    SecretKind(
        "url-password",
        ("://",),
        r"://[A-Za-z0-9!#$%&()*+,.;=?^_{}~-]*:(?P<s>[A-Za-z0-9!#$%&()*+,.;:=?^_{}~-]+)@",
        _account,
    ),
    SecretKind(
        "authorization",
        ("authorization", "bearer"),
        rf"(?:(?i:authorization){_QUOTE}{_SPACE}{{0,4}}[:=,]{_SPACE}{{0,4}}{_QUOTE}"
        rf"(?:(?i:bearer|basic|token|apikey|bot){_SPACE}+)?|(?i:bearer){_SPACE}+)"
        r"(?P<s>[A-Za-z0-9._~+/=-]{16,})",
        _mixed,
    ),
    SecretKind(
        "password",
        ("passw", "passphrase", "pwd", "密码", "密碼", "口令"),
        rf"(?:(?i:password|passwd|passphrase|pwd){_ENDING}{_JOIN}|--(?i:password|passphrase){_SPACE}{{1,4}}"
        rf"{_QUOTE}|(?:密码|密碼|口令){_SPACE}{{0,2}}(?:是|为|為|[:=：]){_SPACE}{{0,4}}{_QUOTE}){_VALUE}",
        _password,
    ),
    SecretKind(
        "secret",
        ("secret", "token", "api_key", "api-key", "apikey", "access_key", "accesskey", "access-key",
         "account_key", "accountkey", "auth_key", "authkey", "credential", "密钥", "令牌"),
        r"(?:(?i:secret|token|api[_-]?key|access[_-]?key|account[_-]?key|auth[_-]?key|credentials?)"
        rf"{_ENDING}{_JOIN}|--(?i:token|api-key|secret|access-key){_SPACE}{{1,4}}{_QUOTE}"
        rf"|(?:密钥|令牌){_SPACE}{{0,2}}(?:是|为|[:=：]){_SPACE}{{0,4}}{_QUOTE}){_VALUE}",
        _mixed,
    ),
)  # fmt: skip
"""In the order they are taken out: what has a form of its own comes before what has only a name."""
