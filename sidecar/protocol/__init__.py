"""The wire: every message of `sidecar/*`, and the one table of methods.

`models` has the state that is shown, `requests` the params and results, `notifications` what the
daemon sends unasked, `methods` the table.
From these `vscode-extension/src/protocol.gen.ts` and `docs/protocol.md` are generated.
None of them is imported before the answer to `initialize` has gone out: pydantic costs time.
What the seam needs earlier, versions and error codes, stands here.
"""

PROTOCOL_VERSIONS = ("1.0",)

# Codes in LSP's reserved ranges keep LSP's meaning; ours are positive.
ERROR_CODES: dict[str, int] = {
    "parseError": -32700,
    "invalidRequest": -32600,
    "methodNotFound": -32601,
    "invalidParams": -32602,
    "internal": -32603,
    "serverNotInitialized": -32002,
    "requestCancelled": -32800,
    "invalidInput": 1001,
    "configuration": 1002,
    "unknownFormat": 1003,
    "notOptedIn": 1004,
    "unsupportedVersion": 1005,
    "messageTooLarge": 1006,
    "notFound": 2001,
    "nothingToDo": 2002,
    "revisionConflict": 3001,
    "fileConflict": 3002,
    "sessionLocked": 3003,
    "sessionBusy": 3004,
    "outsideWorkspace": 3005,
    "contextExhausted": 4001,
    "retryLater": 5001,
    "notAuthorised": 5002,
    "contextOverflow": 5003,
    "providerFailed": 5004,
    "notSaved": 9001,
}
