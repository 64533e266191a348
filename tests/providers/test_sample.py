"""The sample workspace: written once, never over somebody's changes."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from sidecar.sample import create_sample_workspace, sample_files

if TYPE_CHECKING:
    from pathlib import Path


def test_it_is_a_small_project_with_files_of_every_size() -> None:
    files = sample_files()
    assert 18 <= len(files) <= 26
    assert {"AGENTS.md", "README.md", "tally/money.py", "tests/test_money.py"} <= files.keys()
    assert not any("__pycache__" in path for path in files)
    assert sum(5_000 <= len(data) <= 12_000 for data in files.values()) >= 4
    assert max(map(len, files.values())) <= 12_000


def test_a_second_time_changes_nothing_and_restores_what_is_missing(tmp_path: Path) -> None:
    assert create_sample_workspace(tmp_path) == []
    (tmp_path / "README.md").unlink()
    (tmp_path / "tally" / "money.py").write_text("mine\n")
    (tmp_path / "tally" / "rates.py").unlink()
    (tmp_path / "tally" / "rates.py").mkdir()
    (tmp_path / "notes.txt").write_text("mine\n")
    assert create_sample_workspace(tmp_path) == ["tally/money.py", "tally/rates.py"]
    assert (tmp_path / "README.md").read_bytes() == sample_files()["README.md"]
    assert (tmp_path / "tally" / "money.py").read_text() == "mine\n"
    assert (tmp_path / "notes.txt").read_text() == "mine\n"


def test_its_suite_is_red_for_three_reasons_in_the_code(tmp_path: Path) -> None:
    create_sample_workspace(tmp_path)
    fixes = {
        "tally/parser.py": (r"(?:,\d{3})?|", r"(?:,\d{3})*|"),
        "tally/money.py": ("range(remainder - 1)", "range(remainder)"),
        "tally/report.py": ("(row.date, row.amount.units)", "(row.date, row.number)"),
    }
    codes = []
    for path, (wrong, right) in fixes.items():
        codes.append(run_tests(tmp_path))
        text = (tmp_path / path).read_text()
        assert text.count(wrong) == 1
        (tmp_path / path).write_text(text.replace(wrong, right))
    assert [*codes, run_tests(tmp_path)] == [1, 1, 1, 0]


def run_tests(folder: Path) -> int:
    return subprocess.run(
        [sys.executable, "-m", "unittest", "-q"], cwd=folder, capture_output=True, check=False
    ).returncode
