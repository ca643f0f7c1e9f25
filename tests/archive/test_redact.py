"""Secrets never reach the archive, and what is no secret stays word for word."""

import re
import stat
import string
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.archive.redact import redact, redact_json, state_key
from dream.archive.secret_kinds import KINDS
from dream.archive.sieve import Sieve

# Put together here, so that no scanner of this repository takes them for real ones.
LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
PLANTED = {
    "private-key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq\n"
    "-----END RSA PRIVATE KEY-----",
    "github-token": "gh" + "p_" + LETTERS[:36],
    "gitlab-token": "glp" + "at-" + LETTERS[:20],
    "slack-token": "xo" + "xb-2912345678-" + LETTERS[:24],
    "webhook": "https://hooks.slack." + "com/services/T0AAAAAA1/B0AAAAAA2/" + LETTERS[:24],
    "aws-access-key": "AK" + "IAQYLPMN5HHHFPZAM2",
    "gcp-key": "AI" + "za" + LETTERS[:35],
    "anthropic-key": "sk-" + "ant-api03-" + LETTERS[:60],
    "openai-key": "sk-" + "proj-" + LETTERS[:48],
    "npm-token": "np" + "m_" + LETTERS[:36],
    "pypi-token": "py" + "pi-AgEIcHlwaS5vcmc" + LETTERS[:60],
    "stripe-key": "sk_" + "live_" + LETTERS[:24],
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0." + LETTERS[:43],
    "service-token": "hf" + "_" + LETTERS[:34],
    "url-password": "postgres://app:" + "n0tAreal1@db.internal:5432/shop",
    "authorization": "Authorization: Bearer " + LETTERS[:40],
    "password": "DB_PASSWORD=" + "hunter2hunter",
    "secret": 'client_secret: "' + LETTERS[:32] + '"',
}
PLAIN = [
    "The password field must be masked on every form.",
    "The sample id AKIAIOSFODNN7EXAMPLE in the docs is fine.",
    "def login(password: str, token: str | None = None) -> Session: ...",
    "token = get_token(user2)",
    "const token = await client.fetchToken2(id);",
    "self.password = config.password_v2",
    'headers = {"Authorization": f"Bearer {token}"}',
    "Authorization: Bearer ${GITHUB_TOKEN}",
    "export NPM_TOKEN=$CI_TOKEN_2",
    "TOKEN=<your-token-1234>",
    'API_KEY="your_api_key_123"',
    "max_tokens: 4096, total_tokens=123456",
    "tokenizer: cl100k_base",
    "secret: false",
    "password = utf8_to_utf16_dup(v);",
    'password = os.environ["DB_PASSWORD2"]',
    "PWD=/home/dev/projects/shop2",
    "postgres://user:password@localhost:5432/db",
    "https://example.com:8080/path@2x.png",
    "npm_config_registry and npm_lifecycle_event",
    "task-abcdefghijklmnopqrstuvwxyzabcdefghijkl",
    'if text.startswith("-----BEGIN PRIVATE KEY-----"): refuse()',
    "git rev-parse gives 3f786850e387550fdab836ed7e6dc881de23001b",
    "The bearer of this letter may pass.",
    "密码字段必须隐藏。令牌的有效期是三十天。",
]


@pytest.fixture(scope="module")
def sieve() -> Sieve:
    return Sieve()


def test_every_kind_has_a_planted_example() -> None:
    assert set(PLANTED) == {kind.name for kind in KINDS}
    assert len(PLANTED) >= 14


@pytest.mark.parametrize("kind", PLANTED)
@pytest.mark.parametrize("around", ["{}", "use {} now", "x\n{}\ny", "a\\n{}\\nb", "用{}吧。"])
def test_a_planted_secret_is_replaced_by_a_mark_of_its_kind(kind: str, around: str) -> None:
    clean = redact(around.format(PLANTED[kind]), b"key")
    assert [name for name, _ in clean.removed] == [kind]
    assert f"[redacted:{kind}]" in clean.text
    assert LETTERS[:20] not in clean.text
    assert clean.text.startswith(around.split("{", 1)[0])
    assert clean.text.endswith(around.split("}", 1)[1])


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_secret_stays_word_for_word(text: str) -> None:
    assert redact(text) == (text, ())


def test_a_key_without_its_last_line_goes_as_far_as_it_looks_like_one() -> None:
    cut = "-----BEGIN PRIVATE " + "KEY-----\nMIIEpAIBAAKCAQEA7bq\nabcd+efgh/ijklmnop\n"
    assert redact(f"cat key.pem\n{cut}Never commit it.").text == (
        "cat key.pem\n[redacted:private-key]\nNever commit it."
    )


def test_a_key_shown_with_line_numbers_goes_as_a_whole() -> None:
    shown = (
        " 1→-----BEGIN EC PRIVATE " + "KEY-----\n 2→MHcCAQEEIIrYSSNQFaA2Hwf1\n"
        " 3→-----END EC PRIVATE KEY-----\n 4→done"
    )
    assert redact(shown).text == " 1→[redacted:private-key]\n 4→done"


def test_the_password_of_an_address_goes_and_the_address_stays() -> None:
    clean = redact("connect with " + PLANTED["url-password"]).text
    assert clean == "connect with postgres://app:[redacted:url-password]@db.internal:5432/shop"


@given(st.text(st.sampled_from(string.printable + "密码是令牌…\x0b\x00"), max_size=80))
def test_a_second_pass_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == (once.text, ())


FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *PLANTED.values(),
            *PLAIN,
            "password",
            "token",
            "secret=",
            ": ",
            '"',
            "\\n",
            " ",
            "\v",
            "://",
        ]
    )
    | st.text(max_size=12),
    max_size=8,
).map("".join)


@given(FRAGMENTS)
def test_the_sieve_lets_no_secret_through(sieve: Sieve, text: str) -> None:
    if redact(text).removed:
        assert sieve.suspects(["plain", text]) == [1]


@given(FRAGMENTS)
def test_a_pattern_never_finds_what_its_gates_do_not(text: str) -> None:
    for kind in KINDS:
        if re.search(kind.pattern, text, re.ASCII):
            assert any(gate in text.lower() for gate in kind.gates), kind.name


def test_the_sieve_tells_places() -> None:
    texts = [*PLAIN, PLANTED["github-token"], "", PLANTED["password"]]
    assert {len(PLAIN), len(PLAIN) + 2} <= set(Sieve().suspects(texts))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | FRAGMENTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FRAGMENTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["password", "command", "api_key"]), JSON))
def test_json_stays_json_and_no_secret_stays_in_it(value: dict[str, object]) -> None:
    text = orjson.dumps(value).decode()
    clean = redact_json(text)
    assert isinstance(orjson.loads(clean.text), dict)
    assert not redact(clean.text).removed
    if not clean.removed:
        assert clean.text == text


def test_a_value_is_judged_by_its_name_too() -> None:
    clean = redact_json('{"user":"ann","password":"hunter2hunter","path":"a/b"}')
    assert clean.text == '{"user":"ann","password":"[redacted:password]","path":"a/b"}'
    assert clean.removed == (("password", ""),)


def test_the_hash_tells_equal_secrets_and_needs_the_key() -> None:
    once, twice = (redact(f"{word} " + PLANTED["npm-token"], b"key").removed for word in "ab")
    other = redact(PLANTED["npm-token"], b"other key").removed
    assert once == twice
    assert once != other
    assert redact(PLANTED["npm-token"]).removed == (("npm-token", ""),)


def test_the_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    key = state_key(tmp_path)
    assert len(key) == 32
    assert state_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / "redaction.key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["redaction.key"]


def test_the_case_with_secrets_keeps_its_sentences(shared: Path) -> None:
    lines = (shared / "cases/consolidation/secrets.jsonl").read_bytes().splitlines()
    contents = [orjson.loads(line)["message"]["content"] for line in lines]
    texts = [one if isinstance(one, str) else one[0]["text"] for one in contents]
    assert [redact(text).text for text in texts] == [
        "Use this for the deploy: export DEPLOY_TOKEN=[redacted:github-token] and always deploy "
        "from the release branch.",
        "I will connect with postgres://app:[redacted:url-password]@db.internal:5432/shop and "
        "deploy from the release branch.",
        "[redacted:private-key]\nKeys like that never go into the repository.",
        "The password field must be masked on every form. The sample id AKIAIOSFODNN7EXAMPLE in "
        "the docs is fine.",
    ]
