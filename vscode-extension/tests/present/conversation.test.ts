import { describe, expect, it } from "vitest";
import { reduce } from "../../src/model/reduce";
import { EMPTY, type Model } from "../../src/model/state";
import { conversationRows, type Row, type ToolRow } from "../../src/present/conversation";
import type { SessionState, TranscriptItem } from "../../src/protocol.gen";
import { ITEMS } from "../fixtures/conversation";
import { approval, compaction, delta, item, page, SESSION, snapshot, turn, TURNS } from "../fixtures/session";

function model(items: readonly TranscriptItem[], part: Partial<SessionState> = {}): Model {
  const session = snapshot(1, part);
  const opened: Model = { ...EMPTY, session };
  return reduce(opened, { type: "page", sessionId: SESSION, before: null, page: page(1, items) });
}

const tool = (rows: readonly Row[], key: string): ToolRow => {
  const row = rows.find((each) => each.key === key);
  if (row?.kind !== "tool") throw new Error(`no tool row ${key}`);
  return row;
};

const call = (part: Partial<TranscriptItem> = {}): TranscriptItem =>
  item("m1.0", { kind: "tool_use", tool: "bash", toolUseId: "u1", turnId: "t3", data: { input: { command: "make\ntest" } }, ...part });

const RUNNING = { turn: turn(3, { status: "running" }), status: "running" } as const;

describe("the conversation", () => {
  it("joins every call with its result and keeps the order", () => {
    const rows = conversationRows(model(ITEMS));
    expect(rows.map((row) => (row.kind === "tool" ? `${row.words.verb} ${row.words.object}: ${row.status}` : row.kind))).toEqual([
      "prompt",
      "thinking",
      "Find files **/*.py: done",
      "Read shop/cart.py: done",
      "text",
      "prompt",
      "Search used_codes: failed",
      "Edit shop/discounts.py: done",
      "Run python -m pytest -q tests/test_cart.py: done",
      "text",
      "prompt",
    ]);
  });

  it("a prompt of a turn can be rewound to; one that a rewind took away cannot", () => {
    expect(conversationRows(model([item("m20.0", { role: "user", text: "Fix it" })]))).toEqual([
      { kind: "prompt", key: "m20.0", text: "Fix it", turn: 2, anchor: "m20", whole: null },
    ]);
    expect(conversationRows(model([item("m77.0", { role: "user", text: "Fix it" })]))).toEqual([
      { kind: "prompt", key: "m77.0", text: "Fix it", turn: null, anchor: null, whole: null },
    ]);
  });

  it("a call is running, waiting, or was interrupted, until it has a result", () => {
    const waiting = { ...RUNNING, pendingApprovals: [approval({ toolUseId: "u1" })] };
    const status = (part: Partial<SessionState>): string => tool(conversationRows(model([call()], part)), "m1.0").status;
    expect([status(RUNNING), status(waiting), status({ turn: turn(3) })]).toEqual(["running", "waiting", "unanswered"]);
  });

  it("a tool row has the arguments to read, and the whole result where it was cut", () => {
    const result = item("m2.0", { kind: "tool_result", role: "tool", toolUseId: "u1", text: "ok", truncated: true, ref: "m2.0", state: "shortened" });
    expect(conversationRows(model([call(), result]))).toEqual([
      {
        kind: "tool",
        key: "m1.0",
        words: { verb: "Run", object: "make …", icon: "terminal" },
        status: "done",
        statusLabel: "done",
        input: "command:\nmake\ntest",
        output: "ok",
        whole: { ref: "m2.0", title: "Run make …" },
        state: "shortened",
      },
    ]);
  });

  it("a result whose call is on an older page stands alone", () => {
    const result = item("m2.0", { kind: "tool_result", role: "tool", toolUseId: "u0", text: "ok", tool: "grep" });
    expect(tool(conversationRows(model([result])), "m2.0")).toMatchObject({ output: "ok", status: "done" });
  });

  it("output of a call that still runs is shown with the call", () => {
    const started = model([call()], RUNNING);
    const rows = conversationRows(reduce(started, { type: "delta", delta: delta("u1", 0, "line 1\n", { kind: "tool_output" }) }));
    expect(rows).toHaveLength(1);
    expect(tool(rows, "m1.0").output).toBe("line 1\n");
  });

  it("text that streams comes last, and a gap is said", () => {
    const base = model([item("m20.0", { role: "user" })], RUNNING);
    const one = reduce(base, { type: "delta", delta: delta("m9.0", 0, "Now ") });
    const two = reduce(one, { type: "delta", delta: delta("m9.0", 2, "lost") });
    expect(conversationRows(two).at(-1)).toEqual({
      kind: "text",
      key: "m9.0",
      text: "Now ",
      streaming: true,
      gap: true,
      whole: null,
      state: "present",
    });
  });

  it("a compaction stands where it happened, the newest one as it stands now", () => {
    const card = compaction();
    const undone = compaction({ status: "undone", undoable: false });
    const event = item("k1", { kind: "compaction", text: "", data: { ...card } });
    expect(conversationRows(model([event], { compaction: undone }))).toEqual([{ kind: "compaction", key: "k1", card: undone }]);
    expect(conversationRows(model([event], { compaction: compaction({ compactionId: "k2" }) }))).toEqual([
      { kind: "compaction", key: "k1", card },
    ]);
  });

  it("a block of a kind that is new to this version is told, not lost", () => {
    expect(conversationRows(model([item("m1.0", { kind: "hologram", text: "?" })]))).toEqual([
      { kind: "event", key: "m1.0", icon: "question", title: "A block of kind hologram", text: "?", whole: null },
    ]);
  });

  it("what the agent said to itself is no prompt of a person", () => {
    const synthetic = item("m5.0", { role: "user", synthetic: true, text: "Continue." });
    expect(conversationRows(model([synthetic]))[0]).toMatchObject({ kind: "event", title: "Continued by the agent" });
  });

  it("turns that the small state does not carry can be rewound to as well", () => {
    const base = model([item("m10.0", { role: "user" })], { turns: TURNS.slice(1), turnCount: 3 });
    expect(conversationRows(base)[0]).toMatchObject({ anchor: null });
    const listed = reduce(base, { type: "turns", sessionId: SESSION, turns: TURNS });
    expect(conversationRows(listed)[0]).toMatchObject({ anchor: "m10", turn: 1 });
  });
});
