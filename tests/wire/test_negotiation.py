"""Who gets `sidecar/*` messages, and what the others are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from wire_client import OPTED_IN, WireError

from sidecar.server import negotiate

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from wire_client import WireClient

    Start = Callable[..., Awaitable[WireClient]]


@pytest.mark.parametrize(
    ("experimental", "options", "agreement"),
    [
        (None, None, (False, None)),
        ({}, {}, (False, None)),
        ({"sidecar": None}, {"sidecar": False}, (False, None)),
        ([], "sidecar", (False, None)),
        ({"sidecar": {"protocolVersions": ["1.0"]}}, None, (True, "1.0")),
        (None, {"sidecar": {"protocolVersions": ["0.9", "1.0", "7"]}}, (True, "1.0")),
        ({"sidecar": {"protocolVersions": ["2.0"]}}, None, (True, None)),
        ({"sidecar": True}, None, (True, None)),
        ({"sidecar": {"protocolVersions": "1.0"}}, None, (True, None)),
        ({"sidecar": {"protocolVersions": [1.0, {}]}}, None, (True, None)),
    ],
)
def test_the_newest_common_version_is_chosen_from_either_place(
    experimental: Any, options: Any, agreement: tuple[bool, str | None]
) -> None:
    agreed = negotiate(experimental, options)
    assert (agreed.opted_in, agreed.version) == agreement


@pytest.mark.parametrize(
    "params",
    [
        {"capabilities": OPTED_IN},
        {
            "capabilities": {},
            "initializationOptions": {"sidecar": {"protocolVersions": ["1.0"]}},
        },
    ],
)
async def test_opting_in_is_answered_with_the_version(start: Start, params: Any) -> None:
    client = await start()
    result = await client.initialize(**params)
    assert result["capabilities"]["experimental"] == {
        "sidecar": {"version": "1.0", "protocolVersions": ["1.0"]}
    }
    assert (await client.request("sidecar/health/read"))["protocolVersions"] == ["1.0"]


async def test_without_opting_in_every_sidecar_request_is_refused(start: Start) -> None:
    client = await start()
    result = await client.initialize(capabilities={})
    assert "sidecar" not in (result["capabilities"].get("experimental") or {})
    for method in ("sidecar/health/read", "sidecar/session/list", "sidecar/no/such"):
        with pytest.raises(WireError) as refused:
            await client.request(method, {})
        assert (refused.value.code, refused.value.kind) == (1004, "notOptedIn")
    assert [m for m in client.received if "method" in m] == []


async def test_without_a_common_version_the_supported_ones_are_listed(start: Start) -> None:
    client = await start()
    offered = {"experimental": {"sidecar": {"protocolVersions": ["9.9"]}}}
    result = await client.initialize(capabilities=offered)
    assert result["capabilities"]["experimental"] == {
        "sidecar": {"version": None, "protocolVersions": ["1.0"]}
    }
    with pytest.raises(WireError) as refused:
        await client.request("sidecar/health/read", {})
    assert (refused.value.code, refused.value.kind, refused.value.details) == (
        1005,
        "unsupportedVersion",
        {"supported": ["1.0"]},
    )


async def test_a_plain_language_client_gets_document_sync_and_nothing_of_ours(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    result = await client.initialize(tmp_path, capabilities={})
    assert result["capabilities"]["textDocumentSync"] == {
        "openClose": True,
        "change": 2,
        "save": True,
    }
    item = {"uri": (tmp_path / "a.py").as_uri(), "languageId": "python", "version": 1, "text": "x"}
    client.notify("textDocument/didOpen", {"textDocument": item})
    assert await client.shutdown() == 0
    assert [m for m in client.received if "method" in m] == []


@pytest.mark.parametrize(
    ("encodings", "chosen"),
    [(["utf-8", "utf-16"], "utf-8"), (["utf-16"], "utf-16"), (None, "utf-16")],
)
async def test_the_position_encoding_is_one_of_the_clients(
    start: Start, encodings: list[str] | None, chosen: str
) -> None:
    client = await start()
    general = {"general": {"positionEncodings": encodings}} if encodings else {}
    result = await client.initialize(capabilities={**OPTED_IN, **general})
    assert result["capabilities"]["positionEncoding"] == chosen
