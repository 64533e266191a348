"""How a byte stream is cut into messages and a message becomes bytes; no I/O.

Owns LSP's header part, the JSON, the limits of size, and what is salvaged from junk.
Deliberately knows no method and no pygls.

Invariant: whatever comes in, `Framer.feed` finds the next whole message behind it; and what
`encode` made is valid UTF-8 and valid JSON, whatever was in the strings.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

# The protocol's own limit. Document sync is the editor's business and may be larger: VS Code
# sends a whole file when it opens it, up to 50 MB.
MESSAGE_LIMIT_BYTES = 1 << 20
DOCUMENT_LIMIT_BYTES = 64 << 20
_HEAD_BYTES = 4096
_HEADER_LINE_BYTES = 8192

_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*$", re.IGNORECASE)
_HEADER = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:")
_MEMBER = re.compile(rb'\s*"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+|null|true|false)\s*(,|\})')
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Fault:
    """Bytes that were no message: `kind` is parseError, invalidRequest or messageTooLarge.

    `id` is the request's id where one could be made out.
    """

    kind: str
    message: str
    id: str | int | None = None


class Framer:
    """Cuts a byte stream into messages; no I/O.

    Header names in any case, unknown headers ignored, junk skipped and reported once a run.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length_bytes: int | None = None  # of the body, once its header was read
        self._body = False  # the blank line was read
        self._skip_bytes = 0
        self._junk = False

    def feed(self, data: bytes) -> list[dict[str, Any] | Fault]:
        """What these bytes complete, in order."""
        self._buffer += data
        found: list[dict[str, Any] | Fault] = []
        while True:
            before = len(self._buffer), self._body
            if self._skip_bytes:
                skipped = min(self._skip_bytes, len(self._buffer))
                del self._buffer[:skipped]
                self._skip_bytes -= skipped
            elif self._body:
                self._read_body(found)
            else:
                self._read_header_line(found)
            if before == (len(self._buffer), self._body):
                return found

    def _read_header_line(self, found: list[dict[str, Any] | Fault]) -> None:
        end = self._buffer.find(b"\n")
        if end < 0:
            if len(self._buffer) > _HEADER_LINE_BYTES:
                self._report_junk(found)
                del self._buffer[:-256]  # the tail may hold the start of a header
            return
        line = bytes(self._buffer[:end]).rstrip(b"\r")
        del self._buffer[: end + 1]
        if match := _LENGTH.search(line):
            if match.start():
                self._report_junk(found)
            length = int(match[1])
            if length > 4 * DOCUMENT_LIMIT_BYTES:
                found.append(Fault("parseError", f"a Content-Length of {length} is not credible"))
            else:
                self._length_bytes, self._junk = length, False
        elif not line.strip():
            self._body = self._length_bytes is not None
        elif not _HEADER.match(line):
            self._report_junk(found)

    def _report_junk(self, found: list[dict[str, Any] | Fault]) -> None:
        if not self._junk:
            self._junk = True
            found.append(Fault("parseError", "bytes outside of any message were skipped"))

    def _read_body(self, found: list[dict[str, Any] | Fault]) -> None:
        length = self._length_bytes or 0
        head = bytes(self._buffer[: min(length, _HEAD_BYTES)])
        if length > MESSAGE_LIMIT_BYTES:
            if len(head) < _HEAD_BYTES:
                return
            members = _scalar_members(head)
            document = str(members.get("method", "")).startswith("textDocument/")
            if not document or length > DOCUMENT_LIMIT_BYTES:
                found.append(_too_large(length, members))
                self._skip_bytes = length
                self._next_message()
                return
        if len(self._buffer) < length:
            return
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._next_message()
        found.append(decode(body))

    def _next_message(self) -> None:
        self._length_bytes, self._body = None, False


def _scalar_members(head: bytes) -> dict[str, Any]:
    """The members before the first object or array: `id` and `method`, however they are ordered."""
    members: dict[str, Any] = {}
    opening = re.match(rb"\s*\{", head)
    position = opening.end() if opening else len(head)
    while match := _MEMBER.match(head, position):
        try:
            members[match[1].decode()] = json.loads(match[2])
        except ValueError:
            break
        position = match.end()
    return members


def _too_large(length: int, members: dict[str, Any]) -> Fault:
    known = members.get("id") if "method" in members else None
    return Fault(
        "messageTooLarge",
        f"a message of {length} bytes is over the limit of {MESSAGE_LIMIT_BYTES}",
        known if isinstance(known, (str, int)) else None,
    )


def decode(body: bytes) -> dict[str, Any] | Fault:
    """One body as a JSON object; half a surrogate pair becomes U+FFFD, so that it can go on."""
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
        if _ESCAPED_SURROGATE.search(body):
            value = json.loads(scalar_text(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        return Fault("parseError", f"a message is not JSON in UTF-8: {type(error).__name__}")
    if not isinstance(value, dict):
        return Fault("invalidRequest", "a message must be a JSON object")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def scalar_text(text: str) -> str:
    """The same text without halves of surrogate pairs (whole pairs are joined)."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encode(message: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """One message as a framed body: UTF-8 as it is, its length in bytes; `ValueError` on NaN."""
    text = json.dumps(
        message, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=default
    )
    try:
        body = text.encode()
    except UnicodeEncodeError:
        body = scalar_text(text).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
