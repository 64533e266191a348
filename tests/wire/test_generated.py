"""The generated files, and what the table of methods promises."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.protocol import ERROR_CODES
from sidecar.protocol.methods import METHODS

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "scripts" / "generate_protocol.py"


def test_typescript_and_reference_page_match_the_python_models() -> None:
    checked = subprocess.run(
        [sys.executable, str(GENERATOR), "--check"], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_difference_is_named_and_fails(tmp_path: Path) -> None:
    copy = tmp_path / "scripts" / "generate_protocol.py"
    copy.parent.mkdir()
    copy.write_text(GENERATOR.read_text("utf-8"), "utf-8")
    (tmp_path / "vscode-extension" / "src").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    for path in ("vscode-extension/src/protocol.gen.ts", "docs/protocol.md"):
        (tmp_path / path).write_text((ROOT / path).read_text("utf-8"), "utf-8")
    with (tmp_path / "docs" / "protocol.md").open("a", encoding="utf-8") as page:
        page.write("edited by hand\n")
    checked = subprocess.run(
        [sys.executable, str(copy), "--check"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    expected = "docs/protocol.md differs from sidecar/protocol; run scripts/generate_protocol.py\n"
    assert (checked.returncode, checked.stderr) == (1, expected)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_names_only_known_errors_and_has_its_line_of_doc(method: object) -> None:
    row = next(row for row in METHODS if row is method)
    assert set(row.errors) <= set(ERROR_CODES)
    assert row.doc.endswith(".")
    assert row.name.startswith("sidecar/")


def test_names_and_codes_are_unique() -> None:
    names = [row.name for row in METHODS]
    assert sorted(set(names)) == sorted(names)
    assert len(set(ERROR_CODES.values())) == len(ERROR_CODES)


def test_params_and_results_speak_camel_case() -> None:
    for row in METHODS:
        for model in (row.params, row.result):
            if model is not None:
                schema = json.dumps(model.model_json_schema(by_alias=True).get("properties", {}))
                assert not [name for name in json.loads(schema) if "_" in name]
