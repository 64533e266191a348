import { describe, expect, it } from "vitest";
import type { RewindDraft } from "../../src/model/state";
import { gaugeView } from "../../src/present/gauge";
import { conflictPaths, rewindResultSentence, rewindSentence, rewindView } from "../../src/present/rewind";
import type { RewindInfo } from "../../src/protocol.gen";
import { file, plan, SESSION } from "../fixtures/session";

function draft(part: Partial<RewindDraft> = {}): RewindDraft {
  const base = { token: 1, sessionId: SESSION, anchor: "m20", mode: "both", revision: 7, applying: false, refusal: null } as const;
  return { ...base, plan: plan(), ...part };
}

const INFO: RewindInfo = { rewindId: "r1", mode: "both", files: ["a", "b"], turnsRemoved: 1, prompt: "", redoable: true, at: 0 };

describe("the rewind preview", () => {
  it("says which files change and how, which turns leave, what stays, and the gauge after", () => {
    const view = rewindView(draft(), {}, 7);
    expect({ ...view, files: view.files.map(({ change, ...rest }) => [change.path, rest]) }).toEqual({
      title: "Rewind to before turn 2",
      loading: false,
      modes: [
        { mode: "both", label: "Both", chosen: true },
        { mode: "files", label: "Files", chosen: false },
        { mode: "conversation", label: "Conversation", chosen: false },
      ],
      files: [
        ["shop/cart.py", { path: "shop/cart.py", name: "cart.py", folder: "shop", action: "restore", icon: "diff-modified", added: "+1", removed: "−6", conflict: null, choice: null, takeable: true, diffable: true }],
        ["shop/discounts.py", { path: "shop/discounts.py", name: "discounts.py", folder: "shop", action: "restore", icon: "diff-modified", added: "+3", removed: "−5", conflict: "Edited since the agent's last change: 2 lines differ from what the agent left", choice: null, takeable: true, diffable: true }],
        ["tests/test_discounts.py", { path: "tests/test_discounts.py", name: "test_discounts.py", folder: "tests", action: "delete", icon: "diff-removed", added: "", removed: "−41", conflict: null, choice: null, takeable: true, diffable: true }],
      ],
      filesTitle: "3 files",
      notRestored: ["Run pytest -q: what it wrote to .pytest_cache stays"],
      turns: [
        { key: "t2", number: 2, prompt: "The total is wrong when a discount code is used twice. Find out why and fix it." },
        { key: "t3", number: 3, prompt: "Now add a test for it, and run the whole suite." },
      ],
      turnsTitle: "2 turns leave the conversation",
      gaugeAfter: gaugeView(plan().gaugeAfter),
      gaugeSentence: "14,210 tokens leave, 7.3k stay",
      button: "Rewind both",
      blocked: "Choose for 1 conflicting file first",
      stopFirst: false,
      refusal: null,
    });
  });

  it("can be applied once every conflict has a choice", () => {
    expect(rewindView(draft(), { "shop/discounts.py": "keep" }, 7).blocked).toBeNull();
    expect(rewindView(draft(), { "shop/discounts.py": "take" }, 7).blocked).toBeNull();
    expect(rewindView(draft(), { "shop/cart.py": "take" }, 7).blocked).toBe("Choose for 1 conflicting file first");
  });

  it.each([
    ["there is no plan", draft({ plan: null }), 7, "Looking at the files…"],
    ["the plan is for another mode", draft({ mode: "files" }), 7, "Looking at the files…"],
    ["it is being applied", draft({ applying: true, plan: plan({ files: [] }) }), 7, "Rewinding…"],
    ["a turn runs", draft({ plan: plan({ files: [], runningTurn: true }) }), 7, "A turn is running: stop it first"],
    ["the session has moved on", draft({ plan: plan({ files: [] }) }), 8, "The session has moved on: looking again…"],
    ["no file would change", draft({ mode: "files", plan: plan({ mode: "files", files: [file("a", { action: "none" })] }) }), 7, "No file would change"],
  ])("cannot be applied while %s", (_, given, revision, why) => {
    expect(rewindView(given, {}, revision).blocked).toBe(why);
  });

  it("of the conversation alone leaves the files, of the files alone leaves the conversation", () => {
    const conversation = rewindView(draft({ mode: "conversation", plan: plan({ mode: "conversation", files: [] }) }), {}, 7);
    expect([conversation.filesTitle, conversation.turnsTitle, conversation.button, conversation.blocked]).toEqual([
      "Files stay as they are",
      "2 turns leave the conversation",
      "Rewind conversation",
      null,
    ]);
    const files = rewindView(draft({ mode: "files", plan: plan({ mode: "files", files: [file("a")] }) }), {}, 7);
    expect([files.filesTitle, files.turnsTitle, files.button, files.turns, files.gaugeAfter]).toEqual([
      "1 file",
      "The conversation stays",
      "Rewind files",
      [],
      null,
    ]);
  });

  it("a conflict of a kind that is new to this version is said in the daemon's own word", () => {
    const view = rewindView(draft({ plan: plan({ files: [file("a", { conflict: "on_fire" })] }) }), {}, 7);
    expect(view.files[0]?.conflict).toBe("on_fire");
  });
});

describe("what a rewind says of itself", () => {
  it("names turns and files", () => {
    expect(rewindSentence(INFO)).toBe("Rewound 1 turn and 2 files.");
    expect(rewindSentence({ ...INFO, files: [], turnsRemoved: 3 })).toBe("Rewound 3 turns.");
  });

  it("names what was kept", () => {
    const result = { rewind: INFO, filesRestored: ["a"], filesKept: ["b"], prompt: "", revision: 9 };
    expect(rewindResultSentence(result, "Rewound")).toBe("Rewound 1 turn and 1 file. 1 file kept as you left it.");
    expect(rewindResultSentence(result, "Brought back")).toBe("Brought back 1 turn and 1 file. 1 file kept as you left it.");
  });

  it("finds the paths of a refusal, whichever way they are given", () => {
    expect(conflictPaths({ conflicts: ["a", "b"] })).toEqual(["a", "b"]);
    expect(conflictPaths({ conflicts: [{ path: "a", conflict: "edited_since" }, 5] })).toEqual(["a"]);
    expect(conflictPaths({ conflicts: { a: "edited_since" } })).toEqual(["a"]);
    expect(conflictPaths({})).toEqual([]);
  });
});
