"""The server's token as callers carry it: in a header, or in a cookie that stands for it."""

import hashlib
import hmac
import re
from dataclasses import dataclass

# A browser sends cookies to every port of a host: the name keeps two servers on one machine apart, no more.
COOKIE = "hakoniwa"
PORT = re.compile(r":([0-9]{1,5})\Z")


@dataclass(frozen=True, slots=True)
class Key:
    """What opens the door."""

    token: str

    def fits(self, given: str) -> bool:
        return _same(given, self.token)

    def is_in_header(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        return self.fits(given.strip()) and scheme.casefold() == "bearer"

    def is_in_cookie(self, cookies: str, host: str) -> bool:
        name = cookie_name(host)
        given = [value for own, _, value in (one.strip().partition("=") for one in cookies.split(";")) if own == name]
        return any(_same(value, self._stand_in(name)) for value in given)

    def cookie(self, host: str) -> str:
        """A cookie that opens the door and that the browser keeps until it is closed. No script can read it and no page
        use it but our own; a program on another port of this host, opened in the browser, is sent it and can."""
        name = cookie_name(host)
        return f"{name}={self._stand_in(name)}; HttpOnly; SameSite=Strict"

    def _stand_in(self, name: str) -> str:
        """Not the token itself, which whoever is sent the cookie does not learn; but as long as the token stays what
        it is, the cookie opens this door for them."""
        return hmac.new(self.token.encode(), name.encode(), hashlib.sha256).hexdigest()


def cookie_name(host: str) -> str:
    """The name of the cookie for a host as the browser calls it, with its port."""
    port = PORT.search(host)
    return f"{COOKIE}-{port[1]}" if port else COOKIE


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
