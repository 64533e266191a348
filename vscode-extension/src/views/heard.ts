/** What the panel asks for, one row a message; a message about another session is refused as stale. */
import * as vscode from "vscode";
import type { FromView, PanelCommand, SessionMessage } from "../model/messages";
import { Stale } from "../sidecar/actions";
import type { Deeds } from "./deeds";

type Of<T extends SessionMessage["type"]> = Extract<SessionMessage, { type: T }>;
type Rows = { readonly [T in SessionMessage["type"]]: (deeds: Deeds, sessionId: string, message: Of<T>) => unknown };

export function heard(deeds: Deeds, message: FromView): void {
  void deeds.guarded(() => answer(deeds, message));
}

function answer(deeds: Deeds, message: FromView): unknown {
  switch (message.type) {
    case "ready":
      return undefined;
    case "command":
      return COMMANDS[message.command](deeds);
    case "noteDismissed":
      deeds.parts.store.dispatch(message);
      return undefined;
    case "openLink":
      return vscode.env.openExternal(vscode.Uri.parse(message.href, true));
    default:
      return ofSession(deeds, message.sessionId, message);
  }
}

function ofSession(deeds: Deeds, sessionId: string, message: SessionMessage): unknown {
  if (deeds.parts.store.model.session?.sessionId !== sessionId) throw new Stale();
  // The table's row and the message have the same type; TypeScript cannot follow that through the union.
  const row = ROWS[message.type] as (deeds: Deeds, sessionId: string, message: SessionMessage) => unknown;
  return row(deeds, sessionId, message);
}

const ROWS: Rows = {
  send: (deeds, id, { prompt }) => deeds.send(id, prompt),
  stop: ({ parts }, id) => parts.actions.stop(id),
  mode: ({ parts }, id, { mode }) => parts.actions.setMode(id, mode),
  decide: ({ parts }, id, { approvalId, decision }) => parts.approvals.decide(id, approvalId, decision),
  older: ({ parts }) => parts.transcript.older(),
  whole: ({ parts }, id, { ref, title }) => parts.documents.show(id, ref, title),
  diff: ({ parts }, id, { change }) => parts.documents.diff(id, change),
  resumeAuto: ({ parts }, id) => parts.actions.resumeAuto(id),
  compactPreview: ({ parts }, id) => parts.actions.previewCompaction(id),
  compactRun: (deeds, id, { planId, revision }) => deeds.compact(id, planId, revision),
  compactClose: ({ parts }) => {
    parts.store.dispatch({ type: "compactionClosed", token: null });
  },
  compactUndo: ({ parts }, id, { compactionId }) => parts.actions.undoCompaction(id, compactionId),
  rewindPreview: ({ parts }, id, { anchor, mode }) => parts.actions.previewRewind(id, anchor, mode),
  rewindApply: (deeds, id, message) => deeds.applyRewind(id, message),
  rewindClose: ({ parts }) => {
    parts.store.dispatch({ type: "rewindClosed", token: null });
  },
  redo: (deeds, id) => deeds.redo(id),
};

const palette = (name: string) => (): unknown => vscode.commands.executeCommand(`sidecar.ui.${name}`);

const COMMANDS: Readonly<Record<PanelCommand, (deeds: Deeds) => unknown>> = {
  newSession: palette("newSession"),
  resumeSession: palette("resumeSession"),
  openTranscript: palette("openTranscript"),
  restart: palette("restart"),
  showLog: palette("showLog"),
  settings: () => vscode.commands.executeCommand("workbench.action.openSettings", "sidecar.python"),
  trust: () => vscode.commands.executeCommand("workbench.trust.manage"),
  openFolder: () => vscode.commands.executeCommand("workbench.action.files.openFolder"),
  takeOver: (deeds) => resume(deeds, { takeover: true }),
  watchOnly: (deeds) => resume(deeds, { readOnly: true }),
};

function resume({ parts }: Deeds, how: { takeover?: boolean; readOnly?: boolean }): unknown {
  const { locked, session } = parts.store.model;
  const sessionId = locked?.sessionId ?? session?.sessionId;
  return sessionId === undefined ? undefined : parts.sessions.resume(sessionId, how);
}
