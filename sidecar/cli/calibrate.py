"""`sidecar calibrate`: how far off the estimate of each request would have been.

Owns the replay of a recorded session through the very estimator that a live session uses: each
request is foretold from what was known before it, then its bill is looked at.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.core.events import Measured
from sidecar.core.tracker import Tracker
from sidecar.store.importers import open_transcript

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from sidecar.core.tracker import Prediction
    from sidecar.store.importers import Transcript

_EXAMPLE = """example:
  sidecar calibrate ~/.claude/projects/-home-me-code/0c1d.jsonl
"""

_LOW_PERCENT = -2.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=Path, help="a session of Claude Code, Codex, pi or Sidecar")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.epilog = _EXAMPLE


def run(options: argparse.Namespace) -> int:
    """Replay the file; 0 if it has a billed request, 1 if there is nothing to compare with."""
    transcript = open_transcript(options.file)
    result = replay(transcript)
    if options.json:
        print(json.dumps(result.to_json()))
    else:
        print("\n".join(_table(options.file, result)))
    for problem in result.problems:
        print(problem, file=sys.stderr)
    return 0 if result.predictions else 1


@dataclass(slots=True)
class Calibration:
    """What each billed request had been expected to be, in order."""

    model: str = ""
    predictions: list[Prediction] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def errors_percent(self) -> list[float]:
        """Estimate against bill, in percent of the bill, below zero where it was too low."""
        return [
            100 * (one.predicted_tokens - one.billed_tokens) / one.billed_tokens
            for one in self.predictions
            if one.predicted_tokens is not None
        ]

    def to_json(self) -> dict[str, Any]:
        """The result as the command prints it."""
        requests = [
            {
                "index": index,
                "billed_tokens": one.billed_tokens,
                "predicted_tokens": one.predicted_tokens,
                "first_of_epoch": one.predicted_tokens is None,
            }
            for index, one in enumerate(self.predictions)
        ]
        return {"model": self.model, "requests": requests}


def replay(transcript: Transcript) -> Calibration:
    """Feed a recorded session to the estimator, as the live session would have been."""
    result = Calibration()
    for model, prediction in _bills(transcript):
        result.model = result.model or model
        if prediction is not None:
            result.predictions.append(prediction)
    result.problems = [str(problem) for problem in transcript.problems]
    return result


def _bills(transcript: Transcript) -> Iterator[tuple[str, Prediction | None]]:
    """Each bill's model and what had been expected of it.

    Our own logs have undos and rewinds that reach back, so they are folded whole; those of other
    agents are streamed.
    """
    if transcript.format == "sidecar":
        yield from _own_bills(transcript)
        return
    tracker = Tracker("")
    for entry in transcript:
        tracker.apply(entry.event)
        if isinstance(entry.event, Measured):
            yield entry.event.model, tracker.prediction


def _own_bills(transcript: Transcript) -> Iterator[tuple[str, Prediction | None]]:
    from sidecar.core.transcript import Fold

    fold = Fold()
    for entry in transcript:
        fold.apply(entry)
        if isinstance(entry.event, Measured):
            yield entry.event.model, fold.tracker.prediction


def _table(path: Path, result: Calibration) -> Iterator[str]:
    yield f"{path}: {result.model or 'no model named'}"
    yield f"{len(result.predictions)} billed requests"
    errors = result.errors_percent()
    if errors:
        sizes = sorted(abs(error) for error in errors)
        low = sum(error < _LOW_PERCENT for error in errors)
        yield f"{len(errors)} foretold; error in % of the bill:"
        for name, share in (("median", 0.5), ("p95", 0.95), ("p99", 0.99)):
            yield f"  {name:<8}{_quantile(sizes, share):8.3f}"
        yield f"  {'largest':<8}{sizes[-1]:8.3f}"
        yield f"  more than 2 % too low: {low} ({100 * low / len(errors):.2f} %)"


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The value that `share` of an ascending list does not exceed."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
