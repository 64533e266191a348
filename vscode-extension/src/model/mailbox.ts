/**
 * Messages for a view that may not listen yet.
 *
 * A webview drops what is posted before its script runs, and it is destroyed whenever it is hidden.
 * Invariant: after `ready`, the view gets first the whole model, then every letter that was meant for
 * this very view, then every event in order, each with the next number.
 */
import type { Event } from "./events";
import type { Model } from "./state";

/** What must reach the view once, whether or not it is shown right now. */
export type Letter =
  | { readonly type: "compose"; readonly text: string }
  | { readonly type: "uncompose"; readonly text: string }
  | { readonly type: "focus"; readonly target: "composer" | "approval" | "breakdown" | "rewind" | "compaction" };

export type ToView =
  | { readonly type: "model"; readonly seq: number; readonly model: Model }
  | { readonly type: "event"; readonly seq: number; readonly event: Event }
  | Letter;

export interface Mailbox {
  readonly listening: boolean;
  readonly seq: number;
  readonly waiting: readonly Letter[];
}

export const CLOSED: Mailbox = { listening: false, seq: 0, waiting: [] };

type Posted = readonly [Mailbox, readonly ToView[]];

/** The view was created or destroyed: nobody listens until it says so. */
export function hidden(box: Mailbox): Mailbox {
  return { ...box, listening: false };
}

/** The view listens, or has lost count and asks again. */
export function ready(box: Mailbox, model: Model): Posted {
  return [{ ...box, listening: true, waiting: [] }, [{ type: "model", seq: box.seq, model }, ...box.waiting]];
}

/** An event happened: a view that listens gets it, another will get the model. */
export function happened(box: Mailbox, event: Event): Posted {
  const seq = box.seq + 1;
  return [{ ...box, seq }, box.listening ? [{ type: "event", seq, event }] : []];
}

export function letter(box: Mailbox, message: Letter): Posted {
  return box.listening ? [box, [message]] : [{ ...box, waiting: [...box.waiting, message] }, []];
}

/** The other end: a model that follows the events, and whether one was missed. */
export interface Inbox {
  readonly seq: number;
  readonly model: Model | null;
}

export function received(
  inbox: Inbox,
  message: ToView,
  reduce: (model: Model, event: Event) => Model,
): { readonly inbox: Inbox; readonly askAgain: boolean } {
  if (message.type === "model") return { inbox: { seq: message.seq, model: message.model }, askAgain: false };
  if (message.type !== "event") return { inbox, askAgain: false };
  if (inbox.model === null || message.seq > inbox.seq + 1) return { inbox, askAgain: true };
  if (message.seq <= inbox.seq) return { inbox, askAgain: false };
  return { inbox: { seq: message.seq, model: reduce(inbox.model, message.event) }, askAgain: false };
}
