"""What `golden/v1.jsonl` says: every event once, and every kind of block.

The file is a contract with every session already on disk.
When an event gains a field, write a new golden file beside the old one; never rewrite an old one.
"""

from __future__ import annotations

from sidecar.core import events as e
from sidecar.core import messages as m

SYNTHETIC = m.Message("m4", "user", (m.Text("Go on."),), synthetic=True)
SUMMARY = m.Message("m5", "user", (m.Summary("Earlier: tests were red."),), synthetic=True)
FILE = e.FileState("src/à.py", "file", "a" * 64, 0o644, 120)

V1: tuple[e.Event, ...] = (
    e.SessionStarted("s1", "/work/shop", "Fix the totals", "fork", "s0", "offline-1"),
    e.Renamed("Totals, fixed"),
    e.TurnStarted("t1", "m1", "key-1"),
    e.Added(
        m.Message(
            "m1",
            "user",
            (
                m.Text("Please fix it.\u2028Thanks \ud83d."),
                m.Image("image/png", "iVBORw0=", "shot.png"),
                m.Document("application/pdf", "", "spec.pdf", 12),
            ),
            pinned=True,
        ),
        "t1",
    ),
    e.Added(
        m.Message(
            "m2",
            "assistant",
            (
                m.Thinking("Look first.", "c2lnbmVk"),
                m.Thinking("Unsigned."),
                m.RedactedThinking("b3BhcXVl"),
                m.Text("Looking."),
                m.ToolUse("c1", "read_file", {"path": "src/à.py", "limit": 20, "a": [1.5, None]}),
                m.Unknown("server_tool_use", {"type": "server_tool_use", "id": "x", "n": 1}),
            ),
            source={"model": "offline-1", "provider": "offline"},
        ),
        "t1",
    ),
    e.Added(
        m.Message(
            "m3",
            "tool",
            (
                m.ToolResult(
                    "c1", "no such file", is_error=True, attachments=(m.Image("image/gif", "R0lG"),)
                ),
            ),
        ),
        "t1",
    ),
    e.Added(SYNTHETIC, "t1"),
    e.Measured(
        "r1",
        "offline-1",
        e.Usage(10, 200, 30, 40),
        "m3",
        900,
        100,
        trusted=False,
        purpose="summary",
    ),
    e.RateLearned({"model": "offline-1", "rate": 1.25, "seen": [1, 2]}),
    e.Compacted(
        "k1",
        (
            e.BlockChange("m2", 0, "thinking", None, 40, 0),
            e.BlockChange("m3", 0, "caps", m.ToolResult("c1", "no [...]", is_error=True), 900, 8),
        ),
        e.SpanChange(("m1", "m2", "m3"), SUMMARY, "summary", ("m1",)),
        ("thinking", "caps", "summary"),
        20_000,
        11_000,
        12_000,
        24_000,
        reached_target=True,
        window_given_up=True,
        exhausted=False,
        model_calls=1,
        trigger="manual",
        notices=("one notice",),
    ),
    e.HistoryReset("clear", ("m4",)),
    e.SummaryFailed(("m1", "m2"), 9_000, "empty"),
    e.CompactionUndone(("k1",)),
    e.AutoCompactionResumed(),
    e.Pinned("m1", pinned=False),
    e.ItemDropped("m3", 0, m.ToolResult("c1", "dropped by hand")),
    e.ItemRestored("m3", 0),
    e.BudgetSet({"max_tokens": 24_000, "compact_at": 0.8}),
    e.ModeSet("plan"),
    e.ApprovalAsked("a1", "t1", "c1", "bash", "Run the tests", {"command": "make test"}),
    e.ApprovalAnswered("a1", "allow_once"),
    e.Checkpointed("p1", "edit", "t1", "m2", "c1", "before edit", (FILE,), ("big.bin",)),
    e.CheckpointSealed("p1", (e.FileState("src/à.py", "absent"),)),
    e.Rewound("w1", "both", "m1", "p1", (FILE,), (e.FileState("b", "symlink"),), "Please"),
    e.Redone("w1"),
    e.Answered("key-1", "sidecar/turn/start", {"turnId": "t1"}),
    e.Noted("imported", "The next turn may compact hard."),
    e.TurnEnded("t1", "cancelled", "by the person"),
)
V1_ENTRIES = [e.Entry(1_760_000_000_000 + number, event) for number, event in enumerate(V1)]
