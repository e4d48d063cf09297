"""Addresses as they may be shown: of what logs in or is asked, nothing is left, however odd the password is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.address import bare_address, split_login


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("", ""),
        ("memory:", "memory:"),
        ("http://host", "http://host"),
        ("http://host:1/v1", "http://host:1/v1"),
        ("http://[::1]:1/v1", "http://[::1]:1/v1"),
        ("http://me:word@host/v1", "http://***@host/v1"),
        ("http://me:a/b:c@d@host/v1", "http://***@host/v1"),
        ("http://host/v1?key=a&b", "http://host/v1?***"),
        ("http://host/v1#key", "http://host/v1#***"),
        ("http://host/v1?", "http://host/v1?"),
        ("http://me:a?b@host/v1", "http://***"),
        ("http://me:a://b@host/v1", "http://***@host/v1"),
        ("me:word@host:1/v1", "***@host:1/v1"),
        ("me:a://b@host/v1", "***@host/v1"),
        ("--at=https://me:word@host/v1", "--at=https://***@host/v1"),
        ("sqlite:////home/me@work/journal.db", "sqlite:////home/me@work/journal.db"),
        ("sqlite:///journal.db?key=a", "sqlite:///journal.db?***"),
        ("postgresql:///db?host=a&password=b", "postgresql:///db?***"),
    ],
)
def test_an_address_as_it_may_be_shown(url: str, shown: str) -> None:
    assert bare_address(url) == shown


SIGNS = st.text(":/?#@&=%a", max_size=8)


@given(SIGNS, SIGNS, st.sampled_from(("http://", "postgresql://", "")), st.sampled_from(("", "?key=WORD", "#WORD")))
def test_no_sign_in_a_password_lets_it_be_seen(before: str, after: str, scheme: str, query: str) -> None:
    assert "WORD" not in bare_address(f"{scheme}me:{before}WORD{after}@host/db{query}")


@pytest.mark.parametrize("url", ["http://me:word@host/v1?key=word", "http://me:word@host/v1#word"])
def test_a_client_is_given_nothing_it_could_log(url: str) -> None:
    assert split_login(url) == ("http://host/v1", ("me", "word"))
    assert split_login("http://host/v1?key=word") == ("http://host/v1", None)
