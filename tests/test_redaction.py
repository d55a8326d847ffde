"""Names of secrets, and redacted queries."""

import pytest

from mockpets.redaction import (
    is_secret,
    is_secret_property,
    redacted,
    redacted_secret,
    redacted_target,
)


@pytest.mark.parametrize(("name", "secret"), [
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
    ("jwt", True),
    ("X-Jwt-Assertion", True),
    ("userPwd", True),
    ("passwd", True),
    ("passphrase", True),
    ("api+key", True),
    ("code", True),  # OAuth's
    ("otp", True),
    # A challenge is not a secret, and needed to understand a 401.
    ("WWW-Authenticate", False),
    ("Proxy-Authenticate", False),
    ("Host", False),
    ("Cookie-Policy", False),
    ("key", False),
    ("zip_code", False),
    ("countryCode", False),
    ("X-Status-Code", False),
    ("Accept-Encoding", False),
    ("Access-Control-Allow-Credentials", False),
    ("compass", False),
    ("limit", False),
])  # fmt: skip
def test_names_of_secrets(name: str, secret: bool) -> None:
    assert is_secret(name) == secret


@pytest.mark.parametrize(("target", "expected"), [
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
    ("/?token%3Dabc", "/?token%3D[redacted]"),
    ("/?a=1&to%6ben%3dabc&b", "/?a=1&to%6ben%3d[redacted]&b"),
    ("/?token%253Dabc", "/?token%253D[redacted]"),
    # as URLSearchParams writes a whole pair that it gets as a name
    ("/?token%3Dabc=", "/?token%3D[redacted]"),
    ("/?token%3Dabc=1", "/?token%3D[redacted]"),
    ("/?a%3Dtoken=abc", "/?a%3D[redacted]"),
    ("/?%2541PI-Key=abc", "/?%2541PI-Key=[redacted]"),
    ("/?a%3Db", "/?a%3Db"),
    ("/?a=1%26token%3Dabc", "/?a=[redacted]"),
    ("/?a=1;token=abc", "/?a=[redacted]"),
    ("/?back=%252Fa%253Ftoken%253Dabc", "/?back=[redacted]"),
    ("/?back=%2Fa%3Fcode%3Dabc", "/?back=[redacted]"),
    ("/?back=%2Fa%3Fzip_code%3D1", "/?back=%2Fa%3Fzip_code%3D1"),
    ("/?q=my+secret+garden", "/?q=my+secret+garden"),
    ("/?code=abc&zip_code=1", "/?code=[redacted]&zip_code=1"),
    ("/?" + "%25" * 9 + "&jwt=abc", "/?" + "%25" * 9 + "&jwt=[redacted]"),
    ("Referer: http://a.test/#access_token=abc&b=2",
     "Referer: http://a.test/#access_token=[redacted]&b=2"),
    ("http://a.test/?b=1#token=abc", "http://a.test/?b=1#token=[redacted]"),
    ("http://a.test/#/pets?token=abc", "http://a.test/#/pets?token=[redacted]"),
    ("http://a.test/#top", "http://a.test/#top"),
    ("http://me:abc@a.test/b", "http://[redacted]@a.test/b"),
    ("http://me:a@bc@a.test", "http://[redacted]@a.test"),
    ("/?back=http%3A%2F%2Fme%3Aabc%40a.test", "/?back=[redacted]"),
    ("/?mail=me@a.test", "/?mail=me@a.test"),
    ("/@me/token", "/@me/token"),
])  # fmt: skip
def test_secrets_in_targets_are_redacted(target: str, expected: str) -> None:
    assert redacted_target(target) == expected


@pytest.mark.parametrize(("name", "value", "expected"), [
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
])  # fmt: skip
def test_only_the_scheme_of_an_authorization_header_is_kept(
    name: str, value: str, expected: str
) -> None:
    assert redacted_secret(name, value) == expected


def test_a_secret_property_is_redacted_in_lists_and_objects_too() -> None:
    value = {"tokens": ["abc", {"of": "def"}], "names": ["Miso"]}

    assert redacted("pet", value, is_secret_property) == {
        "tokens": ["[redacted]", {"of": "[redacted]"}],
        "names": ["Miso"],
    }
