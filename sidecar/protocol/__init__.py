"""The wire: every message of `sidecar/*`, and the one table of methods.

`models` has the state that is shown, `requests` the params and results, `methods` the table.
From these `vscode-extension/src/protocol.gen.ts` and `docs/protocol.md` are generated.
Nothing here is imported before the answer to `initialize` has gone out: pydantic costs time.
"""

PROTOCOL_VERSIONS = ("1.0",)
