/**
 * What follows from what: the session after the daemon, the conversation after the session, context
 * keys and settings after both.
 */
import * as vscode from "vscode";
import type { Event } from "../model/events";
import type { Model } from "../model/state";
import type { SessionState } from "../protocol.gen";
import { budgetChange, budgetPatch } from "../sidecar/budget";
import { ask, newKey } from "../sidecar/requests";
import type { Place } from "../sidecar/session";
import type { Checkpoints } from "./checkpoints";
import type { Deeds } from "./deeds";
import { budgetSettings } from "./settings";

export function wire(deeds: Deeds, tree: Checkpoints, place: Place): vscode.Disposable {
  const { store, transcript } = deeds.parts;
  const keys = new Map<string, boolean>();
  const subscription = store.subscribe((event, model, before) => {
    followDaemon(deeds, event);
    followSession(deeds, event, before);
    followPreview(deeds, model);
    transcript.follow();
    tree.refresh();
    setKeys(keys, model);
  });
  wakeUp(deeds, place);
  return vscode.Disposable.from(subscription, followSettings(deeds), followTrust(deeds, place));
}

/** Without a folder or trust nothing runs; a workspace that has a session gets it back at once. */
function wakeUp(deeds: Deeds, place: Place): void {
  if (place.folder === null) deeds.parts.store.dispatch({ type: "daemon", daemon: { kind: "noFolder" } });
  else if (!vscode.workspace.isTrusted) deeds.parts.store.dispatch({ type: "daemon", daemon: { kind: "untrusted" } });
  else if (place.memory.get() !== null) void deeds.guarded(() => deeds.parts.sessions.ensure());
}

function followTrust(deeds: Deeds, place: Place): vscode.Disposable {
  return vscode.workspace.onDidGrantWorkspaceTrust(() => {
    if (place.folder === null) return;
    deeds.parts.store.dispatch({ type: "daemon", daemon: { kind: "idle" } });
    void deeds.guarded(() => deeds.parts.sessions.ensure());
  });
}

function followDaemon(deeds: Deeds, event: Event): void {
  if (event.type !== "daemon") return;
  if (event.daemon.kind !== "ready") deeds.parts.approvals.forget();
  // A process that came back takes up the session that was open.
  else if (deeds.parts.store.model.session !== null) void deeds.guarded(() => deeds.parts.sessions.ensure());
}

/** What a session needs once, when it is opened. */
function followSession(deeds: Deeds, event: Event, before: Model): void {
  if (event.type !== "opened") return;
  const { session } = deeds.parts.store.model;
  if (session === null) return;
  const { sessionId } = session;
  void deeds.guarded(async () => {
    const sample = await ask(deeds.parts.daemon, "sidecar/session/sample", { sessionId });
    deeds.parts.store.dispatch({ type: "sample", sessionId, sample });
  });
  const started = before.opening?.what === "start" && !session.state.readOnly;
  const patch = started ? budgetPatch(budgetSettings()) : null;
  if (patch !== null) void deeds.guarded(() => setBudget(deeds, sessionId, patch));
}

/** A preview of a session that has moved on is made anew. */
function followPreview(deeds: Deeds, model: Model): void {
  const { rewind, session } = model;
  if (rewind === null || session === null || rewind.plan === null || rewind.applying) return;
  if (rewind.plan.mode !== rewind.mode || rewind.revision >= session.revision) return;
  void deeds.guarded(() => deeds.parts.actions.previewRewind(rewind.sessionId, rewind.anchor, rewind.mode));
}

function followSettings(deeds: Deeds): vscode.Disposable {
  let known = budgetSettings();
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration("sidecar")) return;
    const now = budgetSettings();
    const patch = budgetChange(known, now);
    known = now;
    const { session } = deeds.parts.store.model;
    if (patch !== null && session !== null) void deeds.guarded(() => setBudget(deeds, session.sessionId, patch));
  });
}

async function setBudget(deeds: Deeds, sessionId: string, patch: NonNullable<ReturnType<typeof budgetPatch>>): Promise<void> {
  await ask(deeds.parts.daemon, "sidecar/budget/set", { sessionId, patch, idempotencyKey: newKey() });
}

function contextKeys(state: SessionState | undefined): Readonly<Record<string, boolean>> {
  return {
    "sidecar.session": state !== undefined,
    "sidecar.readOnly": state?.readOnly === true,
    "sidecar.running": state?.turn?.status === "running",
    "sidecar.redoable": state?.redo?.redoable === true,
    "sidecar.undoable": state?.compaction?.undoable === true,
  };
}

function setKeys(known: Map<string, boolean>, { session }: Model): void {
  const keys = contextKeys(session?.state);
  for (const [key, value] of Object.entries(keys)) {
    if (known.get(key) === value) continue;
    known.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  }
}
