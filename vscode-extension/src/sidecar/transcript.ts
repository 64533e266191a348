/**
 * Keeps the conversation in step with the session: reads what is new, and everything again when the
 * past has changed.
 *
 * Invariant: at most one read at a time; after the last one, the page is at least as new as the
 * session's revision was.
 */
import type { Model } from "../model/state";
import type { Store } from "../model/store";
import { turnsMissing } from "../model/turns";
import type { SessionSnapshot, TurnInfo } from "../protocol.gen";
import { DaemonGone } from "./daemon";
import { ask, type Asker, Refused } from "./requests";

/** A first page, and how far a later one reaches back. */
const PAGE = 100;
const TAIL = 30;
const MOST = 500;

export class Transcript {
  private reading: Promise<void> | null = null;
  /** What the last page was read for: past changes show in these. */
  private pastRead = "";
  private turnsRead = "";

  constructor(
    private readonly daemon: Asker,
    private readonly store: Store,
  ) {}

  /** Called on every change of the session; cheap when there is nothing to read. */
  follow(): void {
    if (this.reading !== null || !behind(this.store.model)) return;
    this.reading = this.read().finally(() => (this.reading = null));
    void this.reading.then((): void => {
      this.follow();
    });
  }

  /** Turns that the small state does not carry are read once for every number of checkpoints. */
  private async turns(session: SessionSnapshot): Promise<void> {
    const { sessionId, state } = session;
    const wanted = [sessionId, state.turnCount, state.checkpointCount].join("|");
    if (!turnsMissing(this.store.model) && this.turnsRead === "") return;
    if (wanted === this.turnsRead) return;
    this.turnsRead = wanted;
    const turns: TurnInfo[] = [];
    for (let older = true; older; ) {
      const page = await ask(this.daemon, "sidecar/checkpoint/list", { sessionId, before: turns.at(-1)?.turnId ?? null });
      turns.push(...page.turns);
      older = page.older && page.turns.length > 0;
    }
    this.store.dispatch({ type: "turns", sessionId, turns });
  }

  async older(): Promise<void> {
    const { session, conversation } = this.store.model;
    const before = conversation.items[0]?.itemId;
    if (session === null || before === undefined || !conversation.older) return;
    const { sessionId } = session;
    const page = await ask(this.daemon, "sidecar/transcript/read", { sessionId, before, limit: PAGE });
    this.store.dispatch({ type: "page", sessionId, before, page });
  }

  private async read(): Promise<void> {
    const { session, conversation } = this.store.model;
    if (session === null) return;
    const { sessionId } = session;
    const past = pastOf(session);
    const loaded = conversation.items.length;
    // While a turn runs only the end grows; otherwise anything may have changed, and there is time.
    const grows = session.state.turn?.status === "running";
    const same = grows && past === this.pastRead && conversation.revision >= 0;
    const limit = same ? TAIL : Math.min(MOST, Math.max(PAGE, loaded));
    try {
      const page = await ask(this.daemon, "sidecar/transcript/read", { sessionId, limit });
      const touches = loaded === 0 || !page.older || page.items.some(({ itemId }) => itemId === conversation.items.at(-1)?.itemId);
      // More has come than a tail holds: read as much as is shown.
      const whole = touches ? page : await ask(this.daemon, "sidecar/transcript/read", { sessionId, limit: PAGE });
      // The daemon answers from its newest state, which may be older than what a notification promised.
      const revision = Math.max(whole.revision, session.revision);
      this.pastRead = past;
      this.store.dispatch({ type: "page", sessionId, before: null, page: { ...whole, revision } });
      await this.turns(session);
    } catch (error) {
      if (error instanceof DaemonGone) return;
      if (!(error instanceof Refused)) throw error;
      this.store.dispatch({ type: "note", severity: "error", text: error.message });
      // Without a page there is nothing to be behind of until the next change.
      const page = { items: conversation.items, older: conversation.older, revision: session.revision };
      this.store.dispatch({ type: "page", sessionId, before: null, page });
    }
  }
}

function behind({ session, conversation, daemon, opening }: Model): boolean {
  return session !== null && opening === null && daemon.kind === "ready" && conversation.revision < session.revision;
}

/** What can change items that were already read: compactions, their undo, rewinds and redos. */
function pastOf({ sessionId, state }: SessionSnapshot): string {
  const { compaction, redo, compactionCount, turnCount, status } = state;
  const busy = status === "compacting" || status === "rewinding";
  return [sessionId, compaction?.compactionId, compaction?.status, compactionCount, redo?.rewindId, turnCount, busy].join("|");
}
