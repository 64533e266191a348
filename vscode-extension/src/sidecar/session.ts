/**
 * Which session is open: started, resumed, imported, taken over, brought back after a restart.
 *
 * Owns the id that is remembered for the workspace and the one opening in flight.
 * Deliberately knows neither views nor VS Code: what is remembered, and the folder, are handed in.
 * Invariant: the newest wish wins; the answer to an older one is given back to the daemon, not shown.
 */
import type { Opening } from "../model/state";
import type { Store } from "../model/store";
import { errorSentence } from "../present/failures";
import type { SessionListing, SessionResult, SessionSnapshot } from "../protocol.gen";
import { DaemonGone } from "./daemon";
import { ask, type Asker, newKey, Refused } from "./requests";

export interface Memory {
  get(): string | null;
  set(sessionId: string): void;
}

export interface Place {
  /** The workspace folder's URI; null without a folder. */
  readonly folder: string | null;
  readonly memory: Memory;
  /** Makes sure that the daemon runs; rejects with `DaemonGone`. */
  readonly start: () => Promise<void>;
}

export class Sessions {
  private ensuring: Promise<SessionSnapshot | null> | null = null;
  private inFlight: Promise<SessionSnapshot | null> | null = null;
  /** The process that holds the open session; after a restart it is another one. */
  private holderPid: number | null = null;

  constructor(
    private readonly daemon: Asker,
    private readonly store: Store,
    private readonly place: Place,
  ) {}

  /** The open session, else the remembered one, else the workspace's newest, else a new one. */
  ensure(): Promise<SessionSnapshot | null> {
    if (this.store.model.locked !== null) return Promise.resolve(null);
    const open = this.held();
    if (open !== null) return Promise.resolve(open);
    this.ensuring ??= this.find().finally(() => (this.ensuring = null));
    return this.ensuring;
  }

  startNew(): Promise<SessionSnapshot | null> {
    return this.open("start", () => this.begin(null));
  }

  importTranscript(uri: string): Promise<SessionSnapshot | null> {
    return this.open("import", () => this.begin(uri));
  }

  resume(sessionId: string, options: { takeover?: boolean; readOnly?: boolean } = {}): Promise<SessionSnapshot | null> {
    return this.open("resume", () => ask(this.daemon, "sidecar/session/resume", { sessionId, ...options }), sessionId);
  }

  async list(): Promise<readonly SessionListing[]> {
    await this.place.start();
    return (await ask(this.daemon, "sidecar/session/list", { workspace: this.place.folder })).sessions;
  }

  private held(): SessionSnapshot | null {
    const { session, opening, daemon } = this.store.model;
    return opening === null && daemon.kind === "ready" && daemon.pid === this.holderPid ? session : null;
  }

  private async find(): Promise<SessionSnapshot | null> {
    try {
      await this.place.start();
    } catch (error) {
      // What is wrong with the daemon is shown by its state.
      if (error instanceof DaemonGone) return null;
      throw error;
    }
    // A session that a person asked for in the meantime goes first.
    const { session, opening } = this.store.model;
    if (opening !== null && this.inFlight !== null) return this.inFlight;
    const open = this.held();
    if (open !== null) return open;
    const remembered = session?.sessionId ?? this.place.memory.get();
    if (remembered !== null) return this.resume(remembered);
    const listed = await this.list().catch(() => []);
    const newest = listed.find((each) => each.lockedByPid === null);
    return newest === undefined ? this.startNew() : this.resume(newest.sessionId);
  }

  private begin(from: string | null): Promise<SessionResult> {
    return ask(this.daemon, "sidecar/session/start", { workspace: this.place.folder, from, idempotencyKey: newKey() });
  }

  private open(
    what: Opening["what"],
    request: () => Promise<SessionResult>,
    sessionId: string | null = null,
  ): Promise<SessionSnapshot | null> {
    this.inFlight = this.opening(what, request, sessionId);
    return this.inFlight;
  }

  private async opening(
    what: Opening["what"],
    request: () => Promise<SessionResult>,
    sessionId: string | null,
  ): Promise<SessionSnapshot | null> {
    const token = this.store.token();
    this.store.dispatch({ type: "opening", opening: { token, what } });
    const before = this.store.model.session?.sessionId ?? null;
    try {
      await this.place.start();
      const { session } = await request();
      return this.opened(token, session, before);
    } catch (error) {
      return this.failed(token, error, sessionId);
    }
  }

  private opened(token: number, session: SessionSnapshot, before: string | null): SessionSnapshot | null {
    const { daemon } = this.store.model;
    if (this.store.model.opening?.token === token) this.holderPid = daemon.kind === "ready" ? daemon.pid : null;
    this.store.dispatch({ type: "opened", token, snapshot: session });
    const open = this.store.model.session?.sessionId ?? null;
    const left = open === session.sessionId ? before : session.sessionId;
    // The lock of a session that is not shown is given back, so that another window can open it.
    if (left !== null && left !== open) void this.close(left);
    if (open !== session.sessionId) return null;
    this.place.memory.set(open);
    return session;
  }

  private async close(sessionId: string): Promise<void> {
    try {
      await ask(this.daemon, "sidecar/session/close", { sessionId });
    } catch (error) {
      // It is closed already, or with the daemon.
      if (!(error instanceof Refused || error instanceof DaemonGone)) throw error;
    }
  }

  private async failed(token: number, error: unknown, sessionId: string | null): Promise<SessionSnapshot | null> {
    const kind = error instanceof Refused ? error.kind : null;
    if (kind === "sessionLocked" && sessionId !== null) {
      const pid = (error as Refused).details["pid"];
      const locked = { sessionId, pid: typeof pid === "number" ? pid : null };
      this.store.dispatch({ type: "openFailed", token, text: null, locked });
      return null;
    }
    const message = error instanceof Error ? error.message : String(error);
    const current = this.store.model.opening?.token === token;
    if (kind === "notFound" && current && sessionId !== null) {
      const text = "The session that was open here is no longer there; a new one was started.";
      this.store.dispatch({ type: "note", severity: "warning", text });
      return this.startNew();
    }
    // What is wrong with the daemon is shown by its state.
    const text = error instanceof DaemonGone ? null : errorSentence(kind, message);
    this.store.dispatch({ type: "openFailed", token, text, locked: null });
    return null;
  }
}
