import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event } from "../../src/model/events";
import { reduce } from "../../src/model/reduce";
import { EMPTY, type Model } from "../../src/model/state";
import { delta, item, page, plan, SESSION, snapshot, turn } from "../fixtures/session";

const READY: Model = { ...EMPTY, daemon: { kind: "ready", version: "0.1.0", pid: 1 } };

function after(model: Model, ...events: readonly Event[]): Model {
  return events.reduce(reduce, model);
}

function opened(sessionId = SESSION, revision = 1): Model {
  return after(
    READY,
    { type: "opening", opening: { token: 1, what: "resume" } },
    { type: "opened", token: 1, snapshot: snapshot(revision, {}, sessionId) },
  );
}

const changed = (revision: number, part = {}, sessionId = SESSION): Event => ({
  type: "changed",
  snapshot: snapshot(revision, part, sessionId),
});

describe("snapshots", () => {
  it("B182: a late running status after done leaves the session idle", () => {
    const done = after(opened(), changed(8, { status: "idle" }));
    expect(reduce(done, changed(7, { status: "running" }))).toBe(done);
    expect(done.session).toEqual(snapshot(8, { status: "idle" }));
  });

  it("the newest revision is what stays, in whatever order they come", () => {
    const revisions = fc.array(fc.integer({ min: 2, max: 60 }), { minLength: 1 });
    fc.assert(
      fc.property(revisions, (order) => {
        const model = after(opened(), ...order.map((revision) => changed(revision, { title: `at ${revision}` })));
        const newest = Math.max(...order);
        expect(model.session).toEqual(snapshot(newest, { title: `at ${newest}` }));
      }),
    );
  });

  it("a snapshot of another session changes nothing", () => {
    const model = opened();
    expect(reduce(model, changed(99, {}, "another"))).toBe(model);
  });
});

describe("opening a session", () => {
  it("B181: the answer to an older wish is dropped, and the newer session stays", () => {
    const model = after(
      READY,
      { type: "opening", opening: { token: 1, what: "resume" } },
      { type: "opening", opening: { token: 2, what: "start" } },
      { type: "opened", token: 2, snapshot: snapshot(1, {}, "B") },
    );
    const late = reduce(model, { type: "opened", token: 1, snapshot: snapshot(40, {}, "A") });
    expect(late).toBe(model);
    expect(late.session?.sessionId).toBe("B");
  });

  it("a failure of an older wish is dropped too", () => {
    const model = opened();
    expect(reduce(model, { type: "openFailed", token: 1, text: "gone", locked: null })).toBe(model);
  });

  it("a locked session is said, and nothing else is in the way", () => {
    const model = after(
      READY,
      { type: "opening", opening: { token: 1, what: "resume" } },
      { type: "openFailed", token: 1, text: null, locked: { sessionId: SESSION, pid: 7 } },
    );
    expect(model).toEqual({ ...READY, locked: { sessionId: SESSION, pid: 7 } });
  });

  it("the same session after a restart keeps the conversation on the screen until it is read anew", () => {
    const read = after(opened(), { type: "page", sessionId: SESSION, before: null, page: page(1, [item("m1.0")]) });
    const again = after(
      read,
      { type: "opening", opening: { token: 2, what: "resume" } },
      { type: "opened", token: 2, snapshot: snapshot(1) },
    );
    expect(again.conversation).toEqual({ items: [item("m1.0")], older: false, revision: -1, streams: [] });
  });

  it("another session starts with an empty conversation and no open question", () => {
    const busy = after(
      opened(),
      { type: "page", sessionId: SESSION, before: null, page: page(1, [item("m1.0")]) },
      { type: "rewindAsked", token: 5, sessionId: SESSION, anchor: "m1", mode: "both" },
    );
    const other = after(
      busy,
      { type: "opening", opening: { token: 2, what: "start" } },
      { type: "opened", token: 2, snapshot: snapshot(1, {}, "other") },
    );
    expect(other).toEqual({ ...READY, session: snapshot(1, {}, "other") });
  });
});

describe("streamed text", () => {
  const text = (model: Model): string | undefined => model.conversation.streams[0]?.text;

  it("pieces in order are joined, and the last one ends the item", () => {
    const model = after(
      opened(),
      { type: "delta", delta: delta("m9.0", 0, "Hello ") },
      { type: "delta", delta: delta("m9.0", 1, "world", { done: true }) },
    );
    expect(model.conversation.streams).toEqual([
      { itemId: "m9.0", turnId: "t3", kind: "text", text: "Hello world", nextIndex: 2, gap: false, done: true },
    ]);
  });

  it("a piece that comes twice is shown once", () => {
    const one = after(opened(), { type: "delta", delta: delta("m9.0", 0, "Hello") });
    expect(reduce(one, { type: "delta", delta: delta("m9.0", 0, "Hello") })).toBe(one);
  });

  it("after a gap nothing more is appended, and the gap is said", () => {
    const model = after(
      opened(),
      { type: "delta", delta: delta("m9.0", 0, "a") },
      { type: "delta", delta: delta("m9.0", 2, "c") },
      { type: "delta", delta: delta("m9.0", 3, "d") },
    );
    expect(model.conversation.streams[0]).toMatchObject({ text: "a", gap: true, nextIndex: 4 });
  });

  it("whatever is lost or repeated on the way, what is shown is a beginning of the text", () => {
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(pieces, fc.infiniteStream(fc.nat()), (texts, choices) => {
        const sent = texts.map((piece, index) => delta("m9.0", index, piece));
        const arrived = sent.flatMap((each) => Array<typeof each>((choices.next().value ?? 0) % 3).fill(each));
        const model = after(opened(), ...arrived.map((each): Event => ({ type: "delta", delta: each })));
        expect(texts.join("").startsWith(text(model) ?? "")).toBe(true);
      }),
    );
  });

  it("an item that is finished takes no more pieces", () => {
    const model = after(opened(), { type: "page", sessionId: SESSION, before: null, page: page(2, [item("m9.0")]) });
    expect(reduce(model, { type: "delta", delta: delta("m9.0", 0, "late") })).toBe(model);
  });

  it("a finished item takes the place of its stream", () => {
    const model = after(
      opened(),
      { type: "delta", delta: delta("m9.0", 0, "Hello") },
      { type: "page", sessionId: SESSION, before: null, page: page(2, [item("m9.0", { text: "Hello" })]) },
    );
    expect(model.conversation).toEqual({ items: [item("m9.0", { text: "Hello" })], older: false, revision: 2, streams: [] });
  });

  it("pieces of another session change nothing", () => {
    const model = opened();
    expect(reduce(model, { type: "delta", delta: delta("m9.0", 0, "x", { sessionId: "another" }) })).toBe(model);
  });

  it("when the turn is over, nothing streams any more", () => {
    const running = after(opened(), changed(2, { turn: turn(3, { status: "running" }) }), {
      type: "delta",
      delta: delta("m9.0", 0, "cut"),
    });
    const over = after(running, changed(3, { turn: turn(3) }), {
      type: "page",
      sessionId: SESSION,
      before: null,
      page: page(3, []),
    });
    expect(over.conversation.streams).toEqual([]);
  });
});

describe("pages", () => {
  const read = (revision: number, ids: readonly string[], older = false): Event => ({
    type: "page",
    sessionId: SESSION,
    before: null,
    page: page(revision, ids.map((id) => item(id)), older),
  });
  const ids = (model: Model): readonly string[] => model.conversation.items.map((each) => each.itemId);

  it("a newer page replaces what it covers and keeps what is older", () => {
    const model = after(opened(), read(1, ["m1.0", "m2.0", "m3.0"]), read(2, ["m3.0", "m4.0"], true));
    expect(ids(model)).toEqual(["m1.0", "m2.0", "m3.0", "m4.0"]);
  });

  it("a page that does not touch what is known replaces it, so that no hole is shown", () => {
    const model = after(opened(), read(1, ["m1.0", "m2.0"]), read(2, ["m8.0", "m9.0"], true));
    expect(ids(model)).toEqual(["m8.0", "m9.0"]);
    expect(model.conversation.older).toBe(true);
  });

  it("after a rewind the items that left are gone", () => {
    const model = after(opened(), read(1, ["m1.0", "m2.0", "m3.0"]), read(2, ["m1.0"]));
    expect(ids(model)).toEqual(["m1.0"]);
  });

  it("an older answer that arrives late is dropped", () => {
    const model = after(opened(), read(5, ["m1.0", "m2.0"]));
    expect(reduce(model, read(4, ["m1.0"]))).toBe(model);
  });

  it("an older page goes before the first item, once", () => {
    const before: Event = {
      type: "page",
      sessionId: SESSION,
      before: "m3.0",
      page: page(1, [item("m1.0"), item("m2.0")], false),
    };
    const model = after(opened(), read(1, ["m3.0"], true), before);
    expect(ids(model)).toEqual(["m1.0", "m2.0", "m3.0"]);
    expect(reduce(model, before)).toBe(model);
  });

  it("a prompt that was sent is shown until the page that holds it", () => {
    const sent = after(
      opened(),
      { type: "sending", sessionId: SESSION, prompt: "Go" },
      { type: "accepted", sessionId: SESSION, revision: 4 },
    );
    expect(sent.sending).toEqual({ prompt: "Go", revision: 4 });
    expect(after(sent, read(3, [])).sending).toEqual({ prompt: "Go", revision: 4 });
    expect(after(sent, read(4, ["m1.0"])).sending).toBeNull();
  });
});

describe("questions that are open", () => {
  it("a rewind plan of an older question is dropped", () => {
    const asked = after(
      opened(),
      { type: "rewindAsked", token: 1, sessionId: SESSION, anchor: "m10", mode: "both" },
      { type: "rewindAsked", token: 2, sessionId: SESSION, anchor: "m20", mode: "both" },
    );
    expect(reduce(asked, { type: "rewindPlanned", token: 1, revision: 1, plan: plan({ anchor: "m10" }) })).toBe(asked);
  });

  it("another mode of the same rewind keeps the old plan until the new one is there", () => {
    const model = after(
      opened(),
      { type: "rewindAsked", token: 1, sessionId: SESSION, anchor: "m20", mode: "both" },
      { type: "rewindPlanned", token: 1, revision: 1, plan: plan() },
      { type: "rewindAsked", token: 2, sessionId: SESSION, anchor: "m20", mode: "files" },
    );
    expect(model.rewind).toEqual({
      token: 2,
      sessionId: SESSION,
      anchor: "m20",
      mode: "files",
      revision: 1,
      plan: plan(),
      applying: false,
      refusal: null,
    });
  });

  it("a question about another session is not asked", () => {
    const model = opened();
    expect(reduce(model, { type: "rewindAsked", token: 1, sessionId: "A", anchor: "m20", mode: "both" })).toBe(model);
    expect(reduce(model, { type: "compactionAsked", token: 1, sessionId: "A" })).toBe(model);
  });
});

describe("notes", () => {
  it("the same text stands once, the newest last, and there are never more than four", () => {
    const texts = ["a", "b", "c", "a", "d", "e"];
    const model = after(opened(), ...texts.map((text): Event => ({ type: "note", severity: "info", text })));
    expect(model.notes.map((note) => note.text)).toEqual(["c", "a", "d", "e"]);
    expect(after(model, { type: "noteDismissed", id: 5 }).notes.map((note) => note.text)).toEqual(["c", "a", "e"]);
  });
});
