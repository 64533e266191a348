/**
 * One step of the model: total, pure, and the same in the extension host and in the webview.
 *
 * Order is by revision, index and token, never by arrival, because notifications overtake answers.
 * Invariant: an event that belongs to another session, an older revision or a closed question returns
 * the very same model.
 */
import type { SessionSnapshot } from "../protocol.gen";
import { settled, withDelta, withNewestPage, withOlderPage } from "./conversation";
import type { Event } from "./events";
import { type Model, NO_CONVERSATION } from "./state";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;
type Steps = { readonly [T in Event["type"]]: (model: Model, event: Of<T>) => Model };

export function reduce(model: Model, event: Event): Model {
  // The table's row and the event have the same type; TypeScript cannot follow that through the union.
  const step = STEPS[event.type] as (model: Model, event: Event) => Model;
  return step(model, event);
}

const STEPS: Steps = {
  daemon: (model, { daemon }) => ({ ...model, daemon }),
  opening: (model, { opening }) => ({ ...model, opening, locked: null }),
  opened: (model, { token, snapshot }) => (model.opening?.token === token ? opened(model, snapshot) : model),
  openFailed: (model, { token, text, locked }) =>
    model.opening?.token === token ? noted({ ...model, opening: null, locked }, "error", text) : model,
  changed: (model, { snapshot }) => changed(model, snapshot),
  delta: (model, { delta }) =>
    isOpen(model, delta.sessionId) ? withConversation(model, withDelta(model.conversation, delta)) : model,
  page: page,
  turns: (model, { sessionId, turns }) => (isOpen(model, sessionId) ? { ...model, turns } : model),
  sample: (model, { sessionId, sample }) => (isOpen(model, sessionId) ? { ...model, sample } : model),
  sending: (model, { sessionId, prompt }) =>
    isOpen(model, sessionId) ? { ...model, sending: { prompt, revision: null } } : model,
  accepted: (model, { sessionId, revision }) =>
    isOpen(model, sessionId) && model.sending !== null ? arrived({ ...model, sending: { ...model.sending, revision } }) : model,
  notSent: (model, { sessionId }) =>
    isOpen(model, sessionId) && model.sending !== null ? { ...model, sending: null } : model,
  rewindAsked,
  rewindPlanned: (model, { token, revision, plan }) =>
    model.rewind?.token === token ? { ...model, rewind: { ...model.rewind, revision, plan, refusal: null } } : model,
  rewindApplying: (model, { token }) =>
    model.rewind?.token === token ? { ...model, rewind: { ...model.rewind, applying: true, refusal: null } } : model,
  rewindRefused: (model, { token, text }) =>
    model.rewind?.token === token ? { ...model, rewind: { ...model.rewind, applying: false, refusal: text } } : model,
  rewindClosed: (model, { token }) =>
    model.rewind !== null && (token === null || model.rewind.token === token) ? { ...model, rewind: null } : model,
  compactionAsked,
  compactionPlanned: (model, { token, revision, plan }) =>
    model.compaction?.token === token ? { ...model, compaction: { ...model.compaction, revision, plan } } : model,
  compactionRunning: (model, { token }) =>
    model.compaction?.token === token ? { ...model, compaction: { ...model.compaction, running: true } } : model,
  compactionClosed: (model, { token }) =>
    model.compaction !== null && (token === null || model.compaction.token === token)
      ? { ...model, compaction: null }
      : model,
  note: (model, { severity, text }) => noted(model, severity, text),
  noteDismissed: (model, { id }) => ({ ...model, notes: model.notes.filter((note) => note.id !== id) }),
};

/** At most this many notes stand at once; the oldest leave first. */
const NOTES = 4;

function isOpen(model: Model, sessionId: string): boolean {
  return model.session?.sessionId === sessionId;
}

function withConversation(model: Model, conversation: Model["conversation"]): Model {
  return conversation === model.conversation ? model : { ...model, conversation };
}

/** The same session opened again (after a restart of the daemon) keeps what is shown until it is read anew. */
function opened(model: Model, session: SessionSnapshot): Model {
  const same = isOpen(model, session.sessionId);
  return {
    ...model,
    session,
    opening: null,
    locked: null,
    conversation: same ? { ...model.conversation, revision: -1, streams: [] } : NO_CONVERSATION,
    turns: null,
    sample: same ? model.sample : null,
    sending: null,
    rewind: null,
    compaction: null,
  };
}

function changed(model: Model, snapshot: SessionSnapshot): Model {
  const { session } = model;
  if (session?.sessionId !== snapshot.sessionId || snapshot.revision < session.revision) return model;
  return { ...model, session: snapshot };
}

function page(model: Model, event: Of<"page">): Model {
  if (!isOpen(model, event.sessionId)) return model;
  const { conversation } = model;
  if (event.before !== null) return withConversation(model, withOlderPage(conversation, event.before, event.page));
  const newest = withNewestPage(conversation, event.page);
  const over = model.session?.state.turn?.status !== "running" && newest.revision >= (model.session?.revision ?? 0);
  return arrived(withConversation(model, over ? settled(newest) : newest));
}

/** The conversation holds the prompt that was sent: it is no longer on its way. */
function arrived(model: Model): Model {
  const revision = model.sending?.revision ?? null;
  return revision !== null && model.conversation.revision >= revision ? { ...model, sending: null } : model;
}

function rewindAsked(model: Model, event: Of<"rewindAsked">): Model {
  if (!isOpen(model, event.sessionId)) return model;
  const { token, sessionId, anchor, mode } = event;
  // Another mode of the same rewind keeps the old plan on the screen until the new one is there.
  const plan = model.rewind?.anchor === anchor ? model.rewind.plan : null;
  const revision = model.rewind?.revision ?? -1;
  return { ...model, rewind: { token, sessionId, anchor, mode, revision, plan, applying: false, refusal: null } };
}

function compactionAsked(model: Model, event: Of<"compactionAsked">): Model {
  if (!isOpen(model, event.sessionId)) return model;
  const { token, sessionId } = event;
  return { ...model, compaction: { token, sessionId, revision: -1, plan: null, running: false } };
}

function noted(model: Model, severity: Of<"note">["severity"], text: string | null): Model {
  if (text === null) return model;
  const note = { id: model.noteCount + 1, severity, text };
  const others = model.notes.filter((each) => each.text !== text);
  return { ...model, noteCount: note.id, notes: [...others, note].slice(-NOTES) };
}
