"""Every error that crosses a module border, named by what the caller should do about it.

A failing tool is a result, not an exception; the core returns `(value, problems)` on bad data.
The wire's table from error to JSON-RPC code stands in `sidecar.protocol.methods`.
"""

from __future__ import annotations


class SidecarError(Exception):
    """The root; `kind` is the word clients switch on, `data` its named facts."""

    kind = "internal"

    def __init__(self, message: str, **data: object) -> None:
        """Keep `message` for people and `data` (JSON values) for programs."""
        super().__init__(message)
        self.message = message
        self.data = data


class InvalidInput(SidecarError):
    """The caller gave something wrong; the message names it and says what to do."""

    kind = "invalidInput"


class ConfigurationError(InvalidInput):
    """A setting is impossible; `data` has `key` and `value`."""

    kind = "configuration"


class UnknownFormat(InvalidInput):
    """A file of no known transcript format; the message lists the known ones."""

    kind = "unknownFormat"


class NotFound(SidecarError):
    """A session, checkpoint, plan or item that does not exist (any more)."""

    kind = "notFound"


class NotOptedIn(SidecarError):
    """The client did not declare `sidecar` when it initialised."""

    kind = "notOptedIn"


class UnsupportedVersion(SidecarError):
    """Client and server share no protocol version; `data` has `supported`."""

    kind = "unsupportedVersion"


class RevisionConflict(SidecarError):
    """The session moved since the client looked; `data` has `revision`."""

    kind = "revisionConflict"


class FileConflict(SidecarError):
    """Files changed under a plan; `data` has `conflicts`. Nothing was touched."""

    kind = "fileConflict"


class SessionLocked(SidecarError):
    """Another process writes this session; `data` has `pid`."""

    kind = "sessionLocked"


class SessionBusy(SidecarError):
    """A turn is running; cancel it first or wait."""

    kind = "sessionBusy"


class NothingToDo(SidecarError):
    """There is nothing to undo, redo or compact; the message says why."""

    kind = "nothingToDo"


class OutsideWorkspace(SidecarError):
    """A path that leaves the workspace; `data` has `path`."""

    kind = "outsideWorkspace"


class ContextExhausted(SidecarError):
    """Over the ceiling with nothing left to compact; start a fresh session or raise it."""

    kind = "contextExhausted"


class RetryLater(SidecarError):
    """A provider said not now; `data` may have `retry_after_ms`."""

    kind = "retryLater"


class NotAuthorised(SidecarError):
    """A provider refused the key, or there is none."""

    kind = "notAuthorised"


class ContextOverflow(SidecarError):
    """A provider refused the prompt as too long; compact once and try once more."""

    kind = "contextOverflow"


class ProviderFailed(SidecarError):
    """A provider failed in a way that a retry will not mend."""

    kind = "providerFailed"
