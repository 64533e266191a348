import { describe, expect, it } from "vitest";
import { EMPTY, type Model } from "../../src/model/state";
import { checkpointNodes } from "../../src/present/checkpoints";
import { compactionPlanView, compactionView } from "../../src/present/compaction";
import { diffView } from "../../src/present/diff";
import { errorSentence, failure, type Ending } from "../../src/present/failures";
import { headline, statusView } from "../../src/present/status";
import { approval, compaction, compactionPlan, DIFF, gauge, snapshot, turn, TURNS } from "../fixtures/session";

describe("a compaction", () => {
  it("says stages, before and after, target, model calls and why it ran", () => {
    expect(compactionView(compaction())).toEqual({
      id: "k1",
      title: "Compacted",
      tone: "good",
      before: "26.2k",
      after: "15.7k",
      beforeSize: 26_210 / 32_000,
      afterSize: 15_730 / 32_000,
      targetAt: 0.5,
      target: "16k",
      saved: "−40%",
      facts: ["reached the target of 16k", "no model call", "ran by itself at the trigger"],
      stages: [
        { name: "thinking", title: "Dropped the thinking of turns that are over", items: "3 blocks" },
        { name: "superseded", title: "Kept only the newest of repeated reads", items: "2 blocks" },
        { name: "caps", title: "Shortened long tool results and arguments", items: "5 blocks" },
      ],
      notices: [],
      undoable: true,
      label: "Compacted: 26,210 to 15,730 tokens, reached the target of 16k",
    });
  });

  it("that missed its target says so, and what it gave up", () => {
    const view = compactionView(
      compaction({ reachedTarget: false, windowGivenUp: true, exhausted: true, modelCalls: 2, stages: ["summary"], turnsSummarised: 4, trigger: "overflow" }),
    );
    expect(view.facts).toEqual([
      "misses the target of 16k",
      "2 model calls",
      "recent turns were shortened too",
      "nothing is left to compact",
      "the provider refused the request as too long",
    ]);
    expect(view.stages).toEqual([{ name: "summary", title: "Summarised the oldest turns", items: "4 turns" }]);
  });

  it("that is only proposed speaks of what it would do, and claims no model call", () => {
    const view = compactionView(compaction({ status: "proposed" }));
    expect(view.facts).toEqual(["reaches the target of 16k"]);
    expect(view.stages[0]?.title).toBe("Drop the thinking of turns that are over");
  });

  it("a preview can be run only where there is a plan", () => {
    expect(compactionPlanView(compactionPlan()).runnable).toBe(true);
    expect(compactionPlanView(compactionPlan({ planId: null, card: null, reason: "Below the trigger" }))).toEqual({
      card: null,
      reason: "Below the trigger",
      runnable: false,
      needsSummary: "No model call",
      changes: [],
      more: "",
    });
  });
});

describe("a diff", () => {
  it("counts lines and tells a removed '-- x' from a file's name", () => {
    const view = diffView(`${DIFF}--- not a file\n+++ nor this\n`);
    expect([view.added, view.removed]).toEqual([3, 2]);
    expect(view.lines.slice(0, 4).map((line) => line.kind)).toEqual(["file", "file", "hunk", "context"]);
  });

  it("of nothing has no lines", () => {
    expect(diffView("")).toEqual({ lines: [], added: 0, removed: 0 });
  });
});

describe("the checkpoints", () => {
  it("are listed by turn, the newest first, with files and what is not covered", () => {
    const nodes = checkpointNodes(TURNS);
    expect(nodes.map((node) => [node.label, node.description, node.children.map((child) => child.label)])).toEqual([
      ["3  Now add a test for it, and run the whole suite.", "1 file", ["Run pytest -q", "Write tests/test_discounts.py"]],
      ["2  The total is wrong when a discount code is used twice. Find out why and fix it.", "2 files", ["Edit shop/discounts.py", "Edit shop/cart.py"]],
      ["1  What does this project do, and where are the totals computed?", "no file changed", []],
    ]);
    expect(nodes[0]?.children[0]).toEqual({
      kind: "checkpoint",
      id: "c4",
      anchor: "c4",
      label: "Run pytest -q",
      description: "not all covered",
      tooltip: "Before: Run pytest -q\n\n\nNot covered: .pytest_cache",
      icon: "terminal",
      diffable: false,
    });
  });

  it("a turn that was stopped or still runs says so", () => {
    const nodes = checkpointNodes([turn(1, { stopReason: "cancelled" }), turn(2, { status: "running" })]);
    expect(nodes.map((node) => node.description)).toEqual(["no file changed · running", "no file changed · stopped"]);
  });
});

describe("a daemon that is not there", () => {
  const ending: Ending = {
    command: "/opt/py",
    origin: 'what the setting "sidecar.python" says',
    stderr: "",
    code: 1,
    signal: null,
    spawnError: null,
    initialized: true,
  };

  it.each([
    ["no such program", { spawnError: "ENOENT" }, 'There is no Python at "/opt/py"', "settings"],
    ["not allowed", { spawnError: "EACCES" }, '"/opt/py" could not be run (EACCES)', "settings"],
    ["no package", { stderr: "/opt/py: No module named sidecar\n" }, "The sidecar package is not installed in this Python", "settings"],
    ["a package missing", { stderr: "ModuleNotFoundError: No module named 'pygls'" }, "A package that Sidecar needs is missing", "settings"],
    ["too old a Python", { stderr: "Unknown option: -P\nusage: python" }, '"/opt/py" is older than Python 3.11', "settings"],
    ["a crash at start", { initialized: false }, "The Sidecar daemon ended with exit code 1 before it was ready", "restart"],
    ["killed", { code: null, signal: "SIGKILL" }, "The Sidecar daemon was killed (SIGKILL)", "restart"],
  ])("%s: says what happened and which button helps", (_, part, title, remedy) => {
    const told = failure({ ...ending, ...part });
    expect([told.title, told.remedy]).toEqual([title, remedy]);
    expect(told.advice).not.toBe("");
  });

  it("errors say what to do where that is known, and the daemon's own words otherwise", () => {
    expect(errorSentence("revisionConflict", "x")).toContain("nothing was changed");
    expect(errorSentence("fileConflict", "cart.py changed")).toBe("cart.py changed");
    expect(errorSentence(null, "")).toBe("Something went wrong; the log has more.");
  });
});

describe("the status bar", () => {
  const ready: Model = { ...EMPTY, daemon: { kind: "ready", version: "0.1.0", pid: 1 } };

  it("shows the gauge, with everything behind it in the hover", () => {
    const view = statusView({ ...ready, session: snapshot(1) });
    expect([view.text, view.label, view.tone]).toEqual([
      "$(dashboard) 67%",
      "Sidecar: Ready. Context 67% full, 21.5k of 32k tokens, billed, estimated since, compacts in 4.1k tokens",
      "plain",
    ]);
    expect(view.lines).toContain("Results of read_file: 9,120 (42%)");
  });

  it("says when something waits, and when the window is over-full", () => {
    const waiting = statusView({ ...ready, session: snapshot(1, { status: "waiting_approval", pendingApprovals: [approval()] }) });
    expect([waiting.text, waiting.tone]).toEqual(["$(bell-dot) $(dashboard) 67%", "warning"]);
    const over = statusView({ ...ready, session: snapshot(1, { gauge: gauge({ usedTokens: 33_000 }) }) });
    expect([over.text, over.tone]).toEqual(["$(dashboard) 103%", "error"]);
  });

  it("says what the daemon does when there is none", () => {
    expect(statusView({ ...EMPTY, daemon: { kind: "starting" } }).lines).toEqual(["starting the daemon"]);
    expect(statusView({ ...EMPTY, daemon: { kind: "untrusted" } }).label).toBe("Sidecar: waits until this folder is trusted");
  });

  it.each([
    ["idle", {}, "Ready"],
    ["idle", { turn: turn(3, { stopReason: "cancelled" }) }, "Stopped"],
    ["running", {}, "Working"],
    ["waiting_approval", { pendingApprovals: [approval(), approval({ approvalId: "a2" })] }, "2 approvals wait for you"],
    ["compacting", {}, "Compacting"],
  ] as const)("a session that is %s with %j is headed %s", (status, part, words) => {
    expect(headline({ ...ready, session: snapshot(1, { status, ...part }) })).toBe(words);
  });
});
