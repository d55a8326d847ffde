"""Names of secrets, and redacted queries."""

from __future__ import annotations

import pytest

from mockpets.redaction import is_secret, redacted_secret, redacted_target


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("Authorization", True),
        ("proxy-authorization", True),
        ("Cookie", True),
        ("SET-COOKIE", True),
        ("X-Api-Key", True),
        ("apikey", True),
        ("my_api_key", True),
        ("X-CSRF-Token", True),
        ("client_secret", True),
        ("password", True),
        ("oauth_state", True),
        # A challenge is not a secret, and needed to understand a 401.
        ("WWW-Authenticate", False),
        ("Proxy-Authenticate", False),
        ("Host", False),
        ("Cookie-Policy", False),
        ("key", False),
        ("limit", False),
    ],
)
def test_names_of_secrets(name: str, secret: bool) -> None:
    assert is_secret(name) == secret


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/v1/pets", "/v1/pets"),
        ("/v1/pets?", "/v1/pets?"),
        ("/v1/pets?limit=2&status=sold&&x", "/v1/pets?limit=2&status=sold&&x"),
        ("/token=a?limit=2", "/token=a?limit=2"),
        ("/?token=abc&limit=2", "/?token=[redacted]&limit=2"),
        ("/?a=1&Api_Key=a=b=c", "/?a=1&Api_Key=[redacted]"),
        ("/?%74oken=abc", "/?%74oken=[redacted]"),
        ("/?token=", "/?token=[redacted]"),
        ("/?token", "/?token"),
        ("/?back=/a?token=abc", "/?back=[redacted]"),
        ("/?back=%2Fa%3Ftoken%3Dabc&b=2", "/?back=[redacted]&b=2"),
        ("/?back=%2Fa%3Flimit%3D2", "/?back=%2Fa%3Flimit%3D2"),
        ("http://a.test/?token=abc", "http://a.test/?token=[redacted]"),
        ("/?token=[redacted]", "/?token=[redacted]"),
    ],
)
def test_secrets_in_targets_are_redacted(target: str, expected: str) -> None:
    assert redacted_target(target) == expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("Authorization", "Bearer mockpets", "Bearer [redacted]"),
        ("authorization", "bearer mockpets~w3", "bearer [redacted]"),
        ("Authorization", "Basic dXNlcjpwYXNz", "Basic [redacted]"),
        ("AUTHORIZATION", 'Digest username="a", response="b"', "Digest [redacted]"),
        ("Proxy-Authorization", "Basic  dXNlcjpwYXNz", "Basic [redacted]"),
        # Another first word may be the secret.
        ("Authorization", "mockpets", "[redacted]"),
        ("Authorization", "Token mockpets", "[redacted]"),
        ("Authorization", "s3cret Bearer mockpets", "[redacted]"),
        ("Authorization", " Bearer mockpets", "[redacted]"),
        ("Authorization", "Bearermockpets", "[redacted]"),
        ("Authorization", "Bearer-x mockpets", "[redacted]"),
        ("Authorization", "Bearer", "[redacted]"),
        ("Authorization", "Bearer ", "[redacted]"),
        ("Authorization", "", "[redacted]"),
        # Only these two headers have a scheme.
        ("X-Auth-Token", "Bearer mockpets", "[redacted]"),
        ("Cookie", "Basic a=1", "[redacted]"),
    ],
)
def test_only_the_scheme_of_an_authorization_header_is_kept(
    name: str, value: str, expected: str
) -> None:
    assert redacted_secret(name, value) == expected
