/**
 * What the webview asks of the extension host.
 *
 * A message that changes something names the session that the person was looking at: the host refuses
 * one that speaks of another session than the open one.
 */
import type { ApprovalAnswer, FileChange } from "../protocol.gen";
import type { RewindMode } from "./state";

export type PanelCommand =
  | "newSession"
  | "resumeSession"
  | "openTranscript"
  | "restart"
  | "showLog"
  | "settings"
  | "trust"
  | "openFolder"
  | "takeOver"
  | "watchOnly";

export type FromView =
  | { readonly type: "ready" }
  | { readonly type: "command"; readonly command: PanelCommand }
  | { readonly type: "noteDismissed"; readonly id: number }
  | { readonly type: "openLink"; readonly href: string }
  | ({ readonly sessionId: string } & SessionMessage);

export type SessionMessage =
  | { readonly type: "send"; readonly prompt: string }
  | { readonly type: "stop" }
  | { readonly type: "mode"; readonly mode: "normal" | "plan" }
  | { readonly type: "decide"; readonly approvalId: string; readonly decision: ApprovalAnswer["decision"] }
  | { readonly type: "older" }
  | { readonly type: "whole"; readonly ref: string; readonly title: string }
  | { readonly type: "resumeAuto" }
  | { readonly type: "compactPreview" }
  | { readonly type: "compactRun"; readonly planId: string | null; readonly revision: number | null }
  | { readonly type: "compactClose" }
  | { readonly type: "compactUndo"; readonly compactionId: string }
  | { readonly type: "rewindPreview"; readonly anchor: string; readonly mode: RewindMode }
  | {
      readonly type: "rewindApply";
      readonly token: number;
      readonly planId: string;
      readonly revision: number;
      readonly choices: Readonly<Record<string, "keep" | "take">>;
    }
  | { readonly type: "rewindClose" }
  | { readonly type: "diff"; readonly change: FileChange }
  | { readonly type: "redo" };
