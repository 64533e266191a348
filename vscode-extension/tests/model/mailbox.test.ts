import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event } from "../../src/model/events";
import { CLOSED, happened, hidden, type Inbox, letter, type Mailbox, ready, received, type ToView } from "../../src/model/mailbox";
import { reduce } from "../../src/model/reduce";
import { EMPTY, type Model } from "../../src/model/state";
import { delta, SESSION, snapshot } from "../fixtures/session";

const READY: Model = { ...EMPTY, daemon: { kind: "ready", version: "0.1.0", pid: 1 } };
const note = (text: string): Event => ({ type: "note", severity: "info", text });

/** A host and a page that may be hidden: what is posted while nobody listens is lost, as in VS Code. */
class Pair {
  host: Model = READY;
  box: Mailbox = CLOSED;
  page: Inbox | null = null;
  readonly letters: ToView[] = [];
  asked = 0;

  happen(event: Event): void {
    this.host = reduce(this.host, event);
    this.deliver(happened(this.box, event));
  }

  write(text: string): void {
    this.deliver(letter(this.box, { type: "compose", text }));
  }

  show(): void {
    this.page = { seq: 0, model: null };
    this.deliver(ready(this.box, this.host));
  }

  hide(): void {
    this.page = null;
    this.box = hidden(this.box);
  }

  private deliver([box, messages]: readonly [Mailbox, readonly ToView[]]): void {
    this.box = box;
    for (const message of messages) this.arrive(message);
  }

  arrive(message: ToView): void {
    if (this.page === null) return;
    if (message.type === "compose") this.letters.push(message);
    const { inbox, askAgain } = received(this.page, message, reduce);
    this.page = inbox;
    if (askAgain) this.asked += 1;
  }
}

describe("the page and its host", () => {
  it("B165: a page that was hidden in mid-stream shows the same when it comes back, and goes on", () => {
    const pair = new Pair();
    pair.happen({ type: "opening", opening: { token: 1, what: "resume" } });
    pair.happen({ type: "opened", token: 1, snapshot: snapshot(3, { status: "running" }) });
    pair.show();
    pair.happen({ type: "delta", delta: delta("m9.0", 0, "one ") });
    pair.hide();
    pair.happen({ type: "delta", delta: delta("m9.0", 1, "two ") });
    pair.show();
    pair.happen({ type: "delta", delta: delta("m9.0", 2, "three") });
    expect(pair.page?.model).toEqual(pair.host);
    expect(pair.page?.model?.conversation.streams[0]?.text).toBe("one two three");
    expect(pair.page?.model?.session).toEqual(snapshot(3, { status: "running" }));
  });

  it("B166: what was posted before the page was ready arrives afterwards, in order", () => {
    const pair = new Pair();
    pair.write("first");
    pair.write("second");
    pair.happen(note("meanwhile"));
    pair.write("third");
    pair.show();
    expect(pair.letters.map((each) => (each.type === "compose" ? each.text : ""))).toEqual(["first", "second", "third"]);
    expect(pair.page?.model?.notes.map((each) => each.text)).toEqual(["meanwhile"]);
  });

  it("a page that missed an event asks for everything", () => {
    const pair = new Pair();
    pair.show();
    pair.arrive({ type: "event", seq: 5, event: note("lost the four before") });
    expect(pair.asked).toBe(1);
    expect(pair.page?.model).toEqual(READY);
  });

  it("an event that the model already holds is not applied again", () => {
    const pair = new Pair();
    pair.happen(note("once"));
    pair.show();
    pair.arrive({ type: "event", seq: 1, event: note("once") });
    expect(pair.page?.model).toEqual(pair.host);
    expect(pair.asked).toBe(0);
  });

  it("however often it is hidden and shown, the page that is shown has the host's model", () => {
    const steps = fc.array(fc.constantFrom("show", "hide", "note", "delta", "snapshot"), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (taken) => {
        const pair = new Pair();
        pair.happen({ type: "opening", opening: { token: 1, what: "resume" } });
        pair.happen({ type: "opened", token: 1, snapshot: snapshot(0) });
        taken.forEach((step, at) => {
          if (step === "show") pair.show();
          else if (step === "hide") pair.hide();
          else if (step === "note") pair.happen(note(`note ${at}`));
          else if (step === "delta") pair.happen({ type: "delta", delta: delta(`m${at}.0`, 0, "x", { sessionId: SESSION }) });
          else pair.happen({ type: "changed", snapshot: snapshot(at) });
          if (pair.page !== null) expect(pair.page.model).toEqual(pair.host);
        });
        expect(pair.asked).toBe(0);
      }),
    );
  });
});
