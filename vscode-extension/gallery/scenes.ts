/** What the gallery shows: the page in the states that matter, each as a model. */
import { reduce } from "../src/model/reduce";
import { EMPTY, type Failure, type Model } from "../src/model/state";
import type { SessionState, TranscriptItem } from "../src/protocol.gen";
import { ITEMS } from "../tests/fixtures/conversation";
import { approval, compaction, compactionPlan, delta, file, gauge, item, page, plan, SESSION, snapshot, TURNS } from "../tests/fixtures/session";

export interface Scene {
  readonly name: string;
  readonly model: Model;
  readonly breakdownOpen?: boolean;
}

const READY: Model = { ...EMPTY, daemon: { kind: "ready", version: "0.1.0", pid: 4711 } };

function session(part: Partial<SessionState>, items: readonly TranscriptItem[] = ITEMS): Model {
  const opening = reduce(READY, { type: "opening", opening: { token: 1, what: "resume" } });
  const opened = reduce(opening, { type: "opened", token: 1, snapshot: snapshot(7, part) });
  const sample = { prompt: "Fix the failing tests", description: "Reads, edits and tests a small shop; long enough to pass the trigger." };
  const sampled = reduce(opened, { type: "sample", sessionId: SESSION, sample });
  return reduce(sampled, { type: "page", sessionId: SESSION, before: null, page: page(7, items) });
}

const running = { ...TURNS[2], status: "running", stopReason: null, endedAt: null } as NonNullable<SessionState["turn"]>;
const NEW: Partial<SessionState> = {
  turn: null,
  turns: [],
  turnCount: 0,
  gauge: gauge({ usedTokens: 4337, how: "estimated", lastBilledTokens: null, errorPercent: null, predictions: 0, tokensUntilCompaction: 21_263 }),
};

const CRASH: Failure = {
  title: "The Sidecar daemon ended with exit code 1 before it was ready",
  advice: "Its last words are below; the log has more.",
  stderr: 'Traceback (most recent call last):\n  File "<frozen runpy>", line 198, in _run_module_as_main\n  File "/opt/sidecar/__main__.py", line 3\nRuntimeError: SIDECAR_HOME is a file: /home/ada/.sidecar',
  remedy: "restart",
};

function streaming(): Model {
  const base = session({ status: "running", turn: running }, [
    ...ITEMS,
    item("m31.1", { kind: "tool_use", tool: "bash", toolUseId: "u-m31", turnId: "t3", data: { input: { command: "python -m pytest -q" } } }),
  ]);
  const output = reduce(base, { type: "delta", delta: delta("u-m31", 0, "........\n", { kind: "tool_output" }) });
  return reduce(output, { type: "delta", delta: delta("m32.0", 0, "All eight tests pass. I am now going to") });
}

function rewinding(part: Parameters<typeof plan>[0] = {}): Model {
  const asked = reduce(session({}), { type: "rewindAsked", token: 9, sessionId: SESSION, anchor: "m20", mode: "both" });
  return reduce(asked, { type: "rewindPlanned", token: 9, revision: 7, plan: plan(part) });
}

function previewing(): Model {
  const asked = reduce(session({}), { type: "compactionAsked", token: 9, sessionId: SESSION });
  return reduce(asked, { type: "compactionPlanned", token: 9, revision: 7, plan: compactionPlan() });
}

function noted(): Model {
  const redo = { rewindId: "r1", mode: "both", files: ["shop/cart.py", "shop/discounts.py"], turnsRemoved: 2, prompt: "", redoable: true, at: 0 } as const;
  const model = session({ redo, turns: TURNS.slice(0, 1), turnCount: 1 }, ITEMS.slice(0, 7));
  const one = reduce(model, { type: "note", severity: "error", text: "A turn is running. Stop it first, or wait until it ends." });
  return reduce(one, { type: "note", severity: "info", text: "Brought back 2 turns and 3 files." });
}

export const SCENES: readonly Scene[] = [
  { name: "new", model: session(NEW, []) },
  { name: "conversation", model: session({}) },
  { name: "breakdown", model: session({ gauge: gauge({ usedTokens: 27_300, tokensUntilCompaction: 0 }) }), breakdownOpen: true },
  { name: "streaming", model: streaming() },
  { name: "approval", model: session({ status: "waiting_approval", turn: running, pendingApprovals: [approval()] }) },
  {
    name: "approval-command",
    model: session({
      status: "waiting_approval",
      turn: running,
      pendingApprovals: [approval({ tool: "bash", title: "Run a command", diff: "", paths: [], command: "python -m pytest -q --maxfail=1 tests && git status --short" })],
    }),
  },
  { name: "compacted", model: session({ compaction: compaction(), compactionCount: 1, gauge: gauge({ usedTokens: 15_730, how: "estimated", tokensUntilCompaction: 9870 }) }) },
  { name: "preview", model: previewing() },
  { name: "rewind", model: rewinding() },
  { name: "rewind-running", model: rewinding({ runningTurn: true, files: [file("shop/cart.py")], notRestored: [] }) },
  { name: "stopped", model: session({ turn: { ...running, status: "ended", stopReason: "provider_failed", detail: "the connection was reset" } }) },
  { name: "redo", model: noted() },
  { name: "over", model: session({ gauge: gauge({ usedTokens: 33_100, autoCompaction: "held", tokensUntilCompaction: null }), mode: "plan", readOnly: false }) },
  { name: "unknown-ceiling", model: session({ gauge: gauge({ ceilingTokens: 0, triggerTokens: 0, targetTokens: 0, ceilingSource: "fallback", tokensUntilCompaction: null }) }) },
  { name: "read-only", model: session({ readOnly: true, saved: false, notices: ["Budget raised to 40,000 tokens by the workspace."] }) },
  { name: "crashed", model: { ...EMPTY, daemon: { kind: "stopped", failure: CRASH } } },
  { name: "restarting", model: { ...session({}), daemon: { kind: "restarting", attempt: 2, attempts: 3, failure: CRASH } } },
  { name: "locked", model: { ...READY, locked: { sessionId: SESSION, pid: 1234 } } },
  { name: "no-session", model: READY },
  { name: "untrusted", model: { ...EMPTY, daemon: { kind: "untrusted" } } },
];
