/**
 * What a person can do with the open session, one method each.
 *
 * Deliberately knows no view: results are events of the model, or values given back.
 * Invariant: everything that changes the history carries a key and the revision that the person saw.
 */
import type { RewindMode } from "../model/state";
import type { Store } from "../model/store";
import { errorSentence } from "../present/failures";
import type { Choices } from "../present/rewind";
import type { CompactionResult, RewindResult, SessionSnapshot } from "../protocol.gen";
import { DaemonGone } from "./daemon";
import { ask, type Asker, newKey, Refused } from "./requests";

/** The session that a question was about is no longer the open one. */
export class Stale extends Error {
  constructor() {
    super("This was about another session; nothing was changed.");
  }
}

export class Actions {
  constructor(
    private readonly daemon: Asker,
    private readonly store: Store,
  ) {}

  /** Resolves when the prompt was accepted: it is on disk then. */
  async send(sessionId: string, prompt: string): Promise<void> {
    this.session(sessionId);
    this.store.dispatch({ type: "sending", sessionId, prompt });
    try {
      const { revision } = await ask(this.daemon, "sidecar/turn/start", { sessionId, prompt, idempotencyKey: newKey() });
      this.store.dispatch({ type: "accepted", sessionId, revision });
    } catch (error) {
      this.store.dispatch({ type: "notSent", sessionId });
      throw error;
    }
  }

  async stop(sessionId: string): Promise<void> {
    this.session(sessionId);
    await ask(this.daemon, "sidecar/turn/cancel", { sessionId });
  }

  async setMode(sessionId: string, mode: "normal" | "plan"): Promise<void> {
    this.session(sessionId);
    await ask(this.daemon, "sidecar/turn/mode", { sessionId, mode, idempotencyKey: newKey() });
  }

  async resumeAuto(sessionId: string): Promise<void> {
    this.session(sessionId);
    const patch = { resumeAuto: true };
    await ask(this.daemon, "sidecar/budget/set", { sessionId, patch, idempotencyKey: newKey() });
  }

  async previewCompaction(sessionId: string): Promise<void> {
    const { revision } = this.session(sessionId);
    const token = this.store.token();
    this.store.dispatch({ type: "compactionAsked", token, sessionId });
    try {
      const plan = await ask(this.daemon, "sidecar/compaction/preview", { sessionId });
      this.store.dispatch({ type: "compactionPlanned", token, revision, plan });
    } catch (error) {
      this.store.dispatch({ type: "compactionClosed", token });
      throw error;
    }
  }

  /** Runs a previewed plan at the revision that it was made for, or plans anew. */
  async compact(sessionId: string, planId: string | null, seen: number | null): Promise<CompactionResult> {
    const { revision } = this.session(sessionId);
    const token = this.store.model.compaction?.token ?? null;
    if (token !== null) this.store.dispatch({ type: "compactionRunning", token });
    const params = { sessionId, planId, expectedRevision: seen ?? revision, idempotencyKey: newKey() };
    try {
      return await ask(this.daemon, "sidecar/compaction/run", params);
    } finally {
      if (token !== null) this.store.dispatch({ type: "compactionClosed", token });
    }
  }

  async undoCompaction(sessionId: string, compactionId: string | null): Promise<void> {
    const { revision } = this.session(sessionId);
    const params = { sessionId, compactionId, expectedRevision: revision, idempotencyKey: newKey() };
    await ask(this.daemon, "sidecar/compaction/undo", params);
  }

  async previewRewind(sessionId: string, anchor: string, mode: RewindMode): Promise<void> {
    const { revision } = this.session(sessionId);
    const token = this.store.token();
    this.store.dispatch({ type: "rewindAsked", token, sessionId, anchor, mode });
    try {
      const plan = await ask(this.daemon, "sidecar/rewind/preview", { sessionId, anchor, mode });
      this.store.dispatch({ type: "rewindPlanned", token, revision, plan });
    } catch (error) {
      this.store.dispatch({ type: "rewindClosed", token });
      throw error;
    }
  }

  /** The plan was made for one session at one revision; anything else is refused as stale. */
  async applyRewind(
    sessionId: string,
    asked: { token: number; planId: string; revision: number; choices: Choices },
  ): Promise<RewindResult | null> {
    this.session(sessionId);
    const { token, planId, revision: expectedRevision, choices } = asked;
    if (this.store.model.rewind?.token !== token) throw new Stale();
    this.store.dispatch({ type: "rewindApplying", token });
    try {
      const params = { sessionId, planId, choices, expectedRevision, idempotencyKey: newKey() };
      const result = await ask(this.daemon, "sidecar/rewind/apply", params);
      this.store.dispatch({ type: "rewindClosed", token });
      return result;
    } catch (error) {
      if (error instanceof DaemonGone) throw error;
      const kind = error instanceof Refused ? error.kind : null;
      const text = errorSentence(kind, error instanceof Error ? error.message : String(error));
      this.store.dispatch({ type: "rewindRefused", token, text });
      return null;
    }
  }

  async redo(sessionId: string, choices: Choices = {}): Promise<RewindResult> {
    const { revision } = this.session(sessionId);
    const params = { sessionId, choices, expectedRevision: revision, idempotencyKey: newKey() };
    return ask(this.daemon, "sidecar/rewind/redo", params);
  }

  private session(sessionId: string): SessionSnapshot {
    const { session } = this.store.model;
    if (session?.sessionId !== sessionId) throw new Stale();
    return session;
  }
}
