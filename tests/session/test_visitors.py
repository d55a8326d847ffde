"""Session names of visitors."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from mockpets.session.visitors import visitor_name, visitor_names
from tests.cases import each

SECRET = b"s" * 32


@each(
    "one, other, same",
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("2001:db8::1", "2001:DB8:0:0:ffff::1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("192.0.2.1", "", False),
        ("", "unix:", False),
    ],
)
def test_a_visitor_is_an_address_or_an_ipv6_network(one: str, other: str, same: bool) -> None:
    assert (visitor_name(one, SECRET) == visitor_name(other, SECRET)) is same


@given(st.text() | st.ip_addresses().map(str), st.binary(min_size=16, max_size=64))
def test_the_name_is_a_session_name_and_depends_on_the_secret(address: str, secret: bytes) -> None:
    name = visitor_name(address, secret)

    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", name)
    assert name == visitor_name(address, secret) != visitor_name(address, secret[:-1])


@each(
    "one, other, shared",
    [
        ("2001:db8:0:100::1", "2001:db8:0:100:ffff::", [True, True, True]),
        ("2001:db8:0:100::", "2001:db8:0:1ff::", [False, True, True]),
        ("2001:db8:0:100::", "2001:db8:0:200::", [False, False, True]),
        ("2001:db8:0::", "2001:db8:1::", [False, False, False]),
        ("192.0.2.1", "192.0.2.1", [True]),
        ("::ffff:192.0.2.1", "192.0.2.1", [True]),
        ("unknown", "unknown", [True]),
    ],
)
def test_an_ipv6_visitor_is_also_in_a_network_of_56_and_48_bits(
    one: str, other: str, shared: list[bool]
) -> None:
    names, others = visitor_names(one, SECRET), visitor_names(other, SECRET)

    assert [name == each for name, each in zip(names, others, strict=True)] == shared
    assert names[0] == visitor_name(one, SECRET)
    assert len({*names}) == len(names)
