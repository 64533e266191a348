"""Between the client's URIs and paths.

Owns which URI string the client uses for which path, and the refusal of what is no file here.
Deliberately knows no session.

Invariant: for a path that the client named by a URI, itself or a folder above it, that very string
(or one that begins with it) is what the client gets back.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname

from sidecar.errors import InvalidInput

_WSL = re.compile(r"(?i)^[/\\]{2}wsl(?:\.localhost|\$)[/\\][^/\\]+")


class Uris:
    """The URIs that one client uses."""

    def __init__(self) -> None:
        self._uris: dict[str, str] = {}

    def know(self, uri: str) -> None:
        """The client names a folder or a document so; what is no file is ignored."""
        try:
            self._uris[os.path.realpath(path_of(uri))] = uri
        except InvalidInput:
            return

    def of(self, path: str) -> str:
        """The URI of an absolute path, in the client's own spelling as far as it is known."""
        known = self._uris.get(path)
        if known is not None:
            return known
        for folder in Path(path).parents:
            known = self._uris.get(str(folder))
            if known is not None:
                rest = Path(path).relative_to(folder).as_posix()
                return f"{known.rstrip('/')}/{quote(rest, safe='/')}"
        return Path(path).as_uri()


def path_of(uri: str) -> Path:
    """The absolute path of a `file:` URI (or of a plain absolute path); `InvalidInput`.

    A folder of a Linux subsystem as Windows names it (`//wsl.localhost/Ubuntu/home/u`) is the
    path inside it, because that is where the daemon runs then.
    """
    parts = urlsplit(uri)
    if parts.scheme.lower() == "file":
        text = url2pathname(parts.path) if os.name == "nt" else unquote(parts.path)
        if parts.netloc and parts.netloc.lower() != "localhost":
            text = f"//{unquote(parts.netloc)}{text}"
    elif Path(uri).is_absolute() or uri.startswith("\\\\"):
        text = uri
    else:
        raise InvalidInput(f"{uri!r} is no file: URI; name a folder or file of this machine")
    if os.name != "nt" and (subsystem := _WSL.match(text)):
        text = text[subsystem.end() :].replace("\\", "/") or "/"
    if "\0" in text or not Path(text).is_absolute() or (os.name != "nt" and text.startswith("//")):
        raise InvalidInput(f"{uri!r} names no file of this machine")
    return Path(text)


def workspace_of(uri: str) -> Path:
    """The folder a session may work in; `InvalidInput` where it isn't one, or is too much."""
    path = path_of(uri)
    if not path.is_dir():
        raise InvalidInput(f"the workspace {path} is not there, or no folder; open a folder first")
    real = path.resolve()
    if real in {Path(real.anchor), Path.home().resolve()}:
        raise InvalidInput(
            f"{path} is no workspace: tools would reach everything in it; open a folder inside it"
        )
    return path
