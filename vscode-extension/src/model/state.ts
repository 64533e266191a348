/**
 * Everything the editor shows, as one frozen value.
 *
 * Owns the shape of what is known about the daemon, the open session and the questions that are open.
 * Deliberately knows neither VS Code nor the wire's transport: plain JSON values only, so that the same
 * value can be posted to the webview.
 * Invariant: everything that names a session names the one in `session`.
 */
import type {
  CompactionPlan,
  NoticeParams,
  RewindPlan,
  SampleStartResult,
  SessionSnapshot,
  TranscriptItem,
  TurnDeltaParams,
  TurnInfo,
} from "../protocol.gen";

/** Why the daemon is not there: what happened, what to do, and its last words. */
export interface Failure {
  readonly title: string;
  readonly advice: string;
  /** The end of the daemon's stderr, at most a few KiB. */
  readonly stderr: string;
  /** Which button helps: another start, or a setting first. */
  readonly remedy: "restart" | "settings";
}

export type Daemon =
  | { readonly kind: "idle" }
  | { readonly kind: "untrusted" }
  | { readonly kind: "noFolder" }
  | { readonly kind: "starting" }
  | { readonly kind: "ready"; readonly version: string; readonly pid: number }
  | { readonly kind: "restarting"; readonly attempt: number; readonly attempts: number; readonly failure: Failure }
  | { readonly kind: "stopped"; readonly failure: Failure };

/** A request for another session that has not been answered yet; only the newest token counts. */
export interface Opening {
  readonly token: number;
  readonly what: "start" | "resume" | "import";
}

/** A session that could not be opened because another process writes it. */
export interface Locked {
  readonly sessionId: string;
  readonly pid: number | null;
}

/** Text that is still streaming; `gap` means that a piece is missing and the item must be read. */
export interface Stream {
  readonly itemId: string;
  readonly turnId: string;
  readonly kind: TurnDeltaParams["kind"];
  readonly text: string;
  readonly nextIndex: number;
  readonly gap: boolean;
  readonly done: boolean;
}

export interface Conversation {
  readonly items: readonly TranscriptItem[];
  /** Whether the daemon has more before the first of `items`. */
  readonly older: boolean;
  /** The revision that `items` were read at; -1 before the first page. */
  readonly revision: number;
  /** In order of their first piece. */
  readonly streams: readonly Stream[];
}

export type RewindMode = RewindPlan["mode"];

/** The rewind preview that is open; it belongs to one session at one revision (`plan` null: asked). */
export interface RewindDraft {
  readonly token: number;
  readonly sessionId: string;
  readonly anchor: string;
  readonly mode: RewindMode;
  readonly revision: number;
  readonly plan: RewindPlan | null;
  readonly applying: boolean;
  /** Why the last try was refused, in words. */
  readonly refusal: string | null;
}

/** The compaction preview that is open (`plan` null: asked). */
export interface CompactionDraft {
  readonly token: number;
  readonly sessionId: string;
  readonly revision: number;
  readonly plan: CompactionPlan | null;
  readonly running: boolean;
}

/** Something that went wrong or that should be known, shown until it is dismissed. */
export interface Note {
  readonly id: number;
  readonly severity: NoticeParams["severity"];
  readonly text: string;
}

/** A prompt on its way; from `revision` on (null: not accepted yet) the conversation holds it. */
export interface Sending {
  readonly prompt: string;
  readonly revision: number | null;
}

export interface Model {
  readonly daemon: Daemon;
  readonly session: SessionSnapshot | null;
  readonly opening: Opening | null;
  readonly locked: Locked | null;
  readonly conversation: Conversation;
  /** All turns, where the session's small state does not hold them all. */
  readonly turns: readonly TurnInfo[] | null;
  readonly sample: SampleStartResult | null;
  readonly rewind: RewindDraft | null;
  readonly compaction: CompactionDraft | null;
  readonly sending: Sending | null;
  readonly notes: readonly Note[];
  readonly noteCount: number;
}

export const NO_CONVERSATION: Conversation = { items: [], older: false, revision: -1, streams: [] };

export const EMPTY: Model = {
  daemon: { kind: "idle" },
  session: null,
  opening: null,
  locked: null,
  conversation: NO_CONVERSATION,
  turns: null,
  sample: null,
  rewind: null,
  compaction: null,
  sending: null,
  notes: [],
  noteCount: 0,
};
