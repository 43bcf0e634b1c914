"""Addresses that lead to the same database, and those that do not."""

import pytest

from producer.service.script_import import is_same_server

OWN = "bolt://127.0.0.1:7690"


@pytest.mark.parametrize(("url", "other", "same"), [
    (OWN, "bolt://127.0.0.1:7690", True),
    (OWN, "neo4j://127.0.0.1:7690/", True),
    (OWN, "bolt+s://LOCALHOST:7690", True),
    (OWN, "bolt://[::1]:7690", True),
    (OWN, "bolt://[::ffff:127.0.0.1]:7690", True),
    (OWN, "bolt://0.0.0.0:7690", True),
    (OWN, "bolt://127.0.0.1:7691", False),
    (OWN, "bolt://192.0.2.1:7690", False),
    (OWN, "bolt://127.0.0.1", False),
    ("bolt://127.0.0.1", "neo4j://localhost:7687", True),
    ("bolt://no-such-host.invalid:1", "bolt://NO-such-host.invalid:1", True),
    ("bolt://bad..name:1", "bolt://127.0.0.1:1", False),
])  # fmt: skip
def test_addresses_are_compared_by_where_they_lead(url, other, same):
    assert is_same_server(url, other) is same
    assert is_same_server(other, url) is same
