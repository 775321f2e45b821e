"""Secrets are recognised with their place, and never repeated."""

import time

import pytest

from proposals.secrets import mask, secrets_in

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"
SECRETS = [
    "Authorization: Bearer abcdefghijklmnop1234",
    "sk-" + "a1B2" * 8,
    "sk_live_" + "a1B2" * 6,
    "sk-test-" + "123",
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "a1B2" * 8,
    "AKIA" + "ABCDEFGH12345678",
    "xoxb-" + "123456789012-abc",
    "cs_" + "a1B2" * 10,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    PEM,
    "password=hunter2",
    "Mot de passe : azerty123",
    "api_key = 0123456789",
    "postgres://app:s3cret@db.example/app",
]
HARMLESS = [
    "The password was reset by the user.",
    "Le mot de passe : à changer",
    "See https://example.org/files/D-42?page=2",
    "The bearer of the letter signed.",
    "D-42",
    "sk-42",
    "4111 1111 1111 1111",
    "task-force-for-the-secret-garden-project",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_found_in_the_middle_of_words_and_masked(secret: str) -> None:
    text = f"As discussed: {secret} , thank you."
    assert secrets_in({"memo": text}) == ["/memo"]
    assert secret not in mask(text)
    assert mask(text).endswith("thank you.") or secret == PEM
    assert not secrets_in(mask(text))


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_words_are_no_secrets(text: str) -> None:
    assert secrets_in([text]) == []
    assert mask(text) == text


def test_places_are_told_at_any_depth_and_by_name() -> None:
    value = {
        "facts": [{"label": "Password", "value": "azerty"}, {"label": "Amount", "value": 12}],
        "a/b": {"token": "x"},
        "clean": "D-42",
    }
    assert secrets_in(value) == ["/facts/0/value", "/a~1b/token"]


def test_a_secret_in_a_key_is_not_repeated_in_its_place() -> None:
    (place,) = secrets_in({"sk-" + "a" * 30: 1})
    assert "aaaa" not in place


@pytest.mark.parametrize("piece", ["a.", "eyJ-", "pwd:", "sk-", "bearer ", "://", "-----BEGIN ", "password ", "cs_"])
def test_a_long_hostile_text_takes_linear_time(piece: str) -> None:
    started = time.perf_counter()
    mask(piece * (256 * 1024 // len(piece)))
    assert time.perf_counter() - started < 2
