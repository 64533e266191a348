/**
 * What can happen to the model, one value each.
 *
 * Answers carry the token of their question: an answer to a question that is no longer asked is dropped.
 * Deliberately knows nothing of how a request is made.
 */
import type {
  CompactionPlan,
  NoticeParams,
  RewindPlan,
  SampleStartResult,
  SessionSnapshot,
  TranscriptReadResult,
  TurnDeltaParams,
  TurnInfo,
} from "../protocol.gen";
import type { Daemon, Locked, Opening, RewindMode } from "./state";

export type Event =
  | { readonly type: "daemon"; readonly daemon: Daemon }
  | { readonly type: "opening"; readonly opening: Opening }
  | { readonly type: "opened"; readonly token: number; readonly snapshot: SessionSnapshot }
  | { readonly type: "openFailed"; readonly token: number; readonly text: string | null; readonly locked: Locked | null }
  | { readonly type: "changed"; readonly snapshot: SessionSnapshot }
  | { readonly type: "delta"; readonly delta: TurnDeltaParams }
  | {
      readonly type: "page";
      readonly sessionId: string;
      /** The item that the page ends before; null for the newest page. */
      readonly before: string | null;
      readonly page: TranscriptReadResult;
    }
  | { readonly type: "turns"; readonly sessionId: string; readonly turns: readonly TurnInfo[] }
  | { readonly type: "sample"; readonly sessionId: string; readonly sample: SampleStartResult }
  | { readonly type: "sending"; readonly sessionId: string; readonly prompt: string }
  | { readonly type: "accepted"; readonly sessionId: string; readonly revision: number }
  | { readonly type: "notSent"; readonly sessionId: string }
  | {
      readonly type: "rewindAsked";
      readonly token: number;
      readonly sessionId: string;
      readonly anchor: string;
      readonly mode: RewindMode;
    }
  | { readonly type: "rewindPlanned"; readonly token: number; readonly revision: number; readonly plan: RewindPlan }
  | { readonly type: "rewindApplying"; readonly token: number }
  | { readonly type: "rewindRefused"; readonly token: number; readonly text: string }
  | { readonly type: "rewindClosed"; readonly token: number | null }
  | { readonly type: "compactionAsked"; readonly token: number; readonly sessionId: string }
  | { readonly type: "compactionPlanned"; readonly token: number; readonly revision: number; readonly plan: CompactionPlan }
  | { readonly type: "compactionRunning"; readonly token: number }
  | { readonly type: "compactionClosed"; readonly token: number | null }
  | { readonly type: "note"; readonly severity: NoticeParams["severity"]; readonly text: string }
  | { readonly type: "noteDismissed"; readonly id: number };
