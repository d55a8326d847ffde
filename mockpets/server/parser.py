"""Read requests more strictly than waitress does.

waitress splits a head into its parts; here what it lets pass is refused where two readers of one
request could take it for different things (RFC 9112, parts 6.3 and 11.2; RFC 9110, part 7.2).
Every error is a `Refusal`, and the connection ends with it, since where the next request would
begin is no longer known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from waitress.parser import HTTPRequestParser, ParsingError, TransferEncodingNotImplemented

from mockpets.errors import Refusal

if TYPE_CHECKING:
    from waitress.adjustments import Adjustments

__all__ = ["Parser"]

_ORIGIN: Final = re.compile(rb"\r\norigin:[ \t]*([!-~]+)[ \t]*\r\n", re.IGNORECASE)
_TARGET: Final = re.compile(r"/[!-~]*|https?://[!-~]+", re.IGNORECASE)
_HOST: Final = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.~%!$&'()*+;=-]+)(:[0-9]{0,5})?", re.ASCII)
_SINGLE: Final = (b"Host", b"Content-Length", b"Authorization", b"Content-Type")
"""Headers that may come once: joined, two of them would read as one that nobody sent."""

_NO_CODING: Final = "{} Send the body with Content-Length, or chunked."
_WAITRESS: Final = {
    400: ("invalid_request", "the request is not valid HTTP: {}"),
    413: ("payload_too_large", "the body is larger than {body} bytes"),
    431: ("headers_too_large", "request line and headers are larger than {head} bytes"),
}
"""waitress' status, where its parser or its receivers found an error, to our code and message."""


def _invalid(what: str) -> Refusal:
    return Refusal("invalid_request", f"the request is not valid HTTP: {what[:200]}")


class Parser(HTTPRequestParser):
    """One request, as it arrives. waitress' attributes, and what errors need of a bad head."""

    asked_again = False
    """Whether the app had its answer wait, and is now to give the one that is sent."""

    def __init__(self, adj: Adjustments) -> None:
        super().__init__(adj)
        self._head = b""
        self.made: list[object] = []
        """What the jobs that the app has asked for have returned."""

    @property
    def origin(self) -> str | None:
        """The page that asks, also when the head could not be read to its end."""
        found = _ORIGIN.search(self.header_plus + self._head)
        return found[1].decode("ascii") if found else None

    @property
    def is_head(self) -> bool:
        """Whether the answer must not have a body."""
        return (self.header_plus or self._head).startswith(b"HEAD ")

    @property
    def asked_to_close(self) -> bool:
        """Whether the client sends no further request on its connection."""
        wishes = self.headers.get("CONNECTION")
        if wishes is None:
            return self.version == "1.0"
        tokens = {token.strip() for token in wishes.lower().split(",")}
        return "close" in tokens or (self.version == "1.0" and "keep-alive" not in tokens)

    def refuse(self, refusal: Refusal) -> None:
        """End the request with an error; nothing more of it is read."""
        cast(Any, self).error = refusal
        self.body_rcv = None
        self.content_length = 0
        self.expect_continue = False
        self.completed = True

    def received(self, data: bytes) -> int:
        """Take in bytes; return how many belong to this request."""
        taken = super().received(data)
        found = cast(Any, self).error
        if found is not None and not isinstance(found, Refusal):
            code, message = _WAITRESS[found.code]
            body, head = self.adj.max_request_body_size - 1, self.adj.max_request_header_size - 1
            self.refuse(Refusal(code, message.format(found.body[:200], body=body, head=head)))
        return taken

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the head, from the request line to the empty line."""
        self._head = header_plus
        try:
            super().parse_header(header_plus)
            if header_plus != b"GET / HTTP/1.0\r\n":  # waitress' stand-in for a head too large
                self._check_line()
                self._check_headers(header_plus)
        except Refusal as refusal:
            self.refuse(refusal)
        except ParsingError as error:
            self.refuse(_invalid(str(error)))
        except TransferEncodingNotImplemented as error:
            self.refuse(Refusal("not_implemented", _NO_CODING.format(error)))
        except ValueError:  # `http://[::1/` as target, a length of 5,000 digits
            self.refuse(_invalid("Request target or Content-Length is invalid"))

    def _check_line(self) -> None:
        if self.version not in ("1.0", "1.1"):
            if not self.version:  # HTTP/0.9, which had no headers and so no key
                raise _invalid("Start line is invalid")
            raise Refusal(
                "http_version_not_supported",
                f"HTTP/{self.version} is not spoken here; send HTTP/1.1 or HTTP/1.0",
            )
        method, target = cast(str, self.command), cast(Any, self).request_uri
        if not _TARGET.fullmatch(target) and (method, target) != ("OPTIONS", "*"):
            if method == "CONNECT" and _HOST.fullmatch(target):
                return  # the app knows no such path
            raise _invalid(f"Request target must begin with a slash, got {target[:80]!a}")

    def _check_headers(self, head: bytes) -> None:
        if b"\r\n " in head or b"\r\n\t" in head:
            raise _invalid("A header goes on in the next line")
        lowered = head.lower()
        for name in _SINGLE:
            if lowered.count(b"\r\n" + name.lower() + b":") > 1:
                raise _invalid(f"{name.decode()} is there more than once")
        host = self.headers.get("HOST")
        if host is None and self.version == "1.1":
            raise _invalid("Host is missing")
        if host is not None and not _HOST.fullmatch(host):
            raise _invalid(f"Host must be a name or an address, got {host[:80]!a}")
        if b"\r\ntransfer-encoding:" in lowered:
            self._check_coding(lowered)
        expect = self.headers.get("EXPECT")
        if expect is not None and expect.lower() != "100-continue" and self.version == "1.1":
            raise Refusal(
                "expectation_failed",
                f"the only expectation met here is 100-continue, got {expect[:80]!a}",
            )

    def _check_coding(self, lowered: bytes) -> None:
        if self.version == "1.0":
            raise _invalid("HTTP/1.0 has no Transfer-Encoding")
        if b"\r\ncontent-length:" in lowered:
            raise _invalid("Content-Length and Transfer-Encoding exclude each other")
        codings = re.findall(rb"\r\ntransfer-encoding:[ \t]*(.*?)[ \t]*(?=\r\n)", lowered)
        if codings != [b"chunked"]:
            raise TransferEncodingNotImplemented("Transfer-Encoding requested is not supported.")
