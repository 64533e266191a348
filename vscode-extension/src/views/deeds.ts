/**
 * What both the palette and the panel can do with the session, with what follows in the views, and how
 * it is told when it fails.
 */
import * as vscode from "vscode";
import type { SessionMessage } from "../model/messages";
import type { Store } from "../model/store";
import { errorSentence } from "../present/failures";
import { listed } from "../present/numbers";
import { conflictPaths, rewindResultSentence } from "../present/rewind";
import type { RewindResult } from "../protocol.gen";
import { type Actions, Stale } from "../sidecar/actions";
import type { Approvals } from "../sidecar/approvals";
import { type Daemon, DaemonGone } from "../sidecar/daemon";
import { Refused } from "../sidecar/requests";
import type { Sessions } from "../sidecar/session";
import type { Transcript } from "../sidecar/transcript";
import type { Documents } from "./documents";
import type { Panel } from "./panel";

export interface Parts {
  readonly store: Store;
  readonly daemon: Daemon;
  readonly sessions: Sessions;
  readonly actions: Actions;
  readonly approvals: Approvals;
  readonly transcript: Transcript;
  readonly documents: Documents;
  readonly panel: () => Panel;
  readonly log: vscode.LogOutputChannel;
}

export class Deeds {
  constructor(readonly parts: Parts) {}

  /** Runs what a person asked for; whatever goes wrong is said in words, in the panel or in a message. */
  async guarded(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.report(error);
    }
  }

  async withSession(work: (sessionId: string) => unknown): Promise<void> {
    const session = await this.parts.sessions.ensure();
    if (session !== null) await work(session.sessionId);
    else await this.parts.panel().reveal();
  }

  /** Leaving a session ends its turn, so that is asked first. */
  async leaving(work: () => unknown): Promise<void> {
    const turn = this.parts.store.model.session?.state.turn;
    if (turn?.status === "running") {
      const yes = "Stop and Leave";
      const detail = "What it has done so far stays; the session can be resumed.";
      const answer = await vscode.window.showWarningMessage("The agent is working.", { modal: true, detail }, yes);
      if (answer !== yes) return;
    }
    await work();
  }

  /** A prompt that was not accepted goes back to where it was typed. */
  async send(sessionId: string, prompt: string): Promise<void> {
    try {
      await this.parts.actions.send(sessionId, prompt);
    } catch (error) {
      this.parts.panel().send({ type: "compose", text: prompt });
      throw error;
    }
  }

  async compact(sessionId: string, planId: string | null, revision: number | null): Promise<void> {
    const { compaction, reason } = await this.parts.actions.compact(sessionId, planId, revision);
    if (compaction !== null) return;
    const text = reason === "" ? "There is nothing to compact." : reason;
    this.parts.store.dispatch({ type: "note", severity: "info", text });
  }

  async previewRewind(sessionId: string, anchor: string): Promise<void> {
    await this.parts.panel().reveal();
    await this.parts.actions.previewRewind(sessionId, anchor, "both");
    this.parts.panel().send({ type: "focus", target: "rewind" });
  }

  async applyRewind(sessionId: string, message: Extract<SessionMessage, { type: "rewindApply" }>): Promise<void> {
    const result = await this.parts.actions.applyRewind(sessionId, message);
    if (result === null) return;
    if (result.prompt !== "") this.parts.panel().send({ type: "compose", text: result.prompt });
    const answer = await vscode.window.showInformationMessage(rewindResultSentence(result, "Rewound"), "Redo");
    if (answer === "Redo") await this.redo(sessionId);
  }

  async redo(sessionId: string): Promise<void> {
    const prompt = this.parts.store.model.session?.state.redo?.prompt ?? "";
    const result = await this.redoWithChoices(sessionId);
    if (result === null) return;
    if (prompt !== "") this.parts.panel().send({ type: "uncompose", text: prompt });
    this.parts.store.dispatch({ type: "note", severity: "info", text: rewindResultSentence(result, "Brought back") });
  }

  /** Files that were edited since the rewind need a choice before anything is touched. */
  private async redoWithChoices(sessionId: string): Promise<RewindResult | null> {
    try {
      return await this.parts.actions.redo(sessionId);
    } catch (error) {
      const paths = error instanceof Refused && error.kind === "fileConflict" ? conflictPaths(error.details) : [];
      if (paths.length === 0) throw error;
      const [keep, take] = ["Keep Mine", "Take the Redo's"];
      const message = `${listed(paths)} changed since the rewind. Nothing has been touched yet.`;
      const answer = await vscode.window.showWarningMessage(message, { modal: true }, keep, take);
      if (answer === undefined) return null;
      const choice = answer === keep ? "keep" : "take";
      return this.parts.actions.redo(sessionId, Object.fromEntries(paths.map((path) => [path, choice])));
    }
  }

  private report(error: unknown): void {
    const { store, panel, log } = this.parts;
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof Refused || error instanceof DaemonGone || error instanceof Stale)) {
      log.error(error instanceof Error ? (error.stack ?? message) : message);
    }
    const text = errorSentence(error instanceof Refused ? error.kind : null, message);
    if (panel().visible) store.dispatch({ type: "note", severity: "error", text });
    else void vscode.window.showErrorMessage(`Sidecar: ${text}`);
  }
}
