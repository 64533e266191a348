/**
 * The commands of the palette and of the menus.
 *
 * The ids have a name space of their own (`sidecar.ui.`): the language client registers the daemon's
 * own commands as `sidecar.*`.
 */
import * as vscode from "vscode";
import type { Node } from "../present/checkpoints";
import { ask, newKey } from "../sidecar/requests";
import type { Deeds } from "./deeds";
import { pickSession, pickTurn } from "./pick";

/** The second argument is what the command was called on: a node of the tree, a file of the explorer. */
type Command = (deeds: Deeds, on: never) => unknown;

const COMMANDS: Readonly<Record<string, Command>> = {
  newSession: (deeds) => deeds.leaving(() => deeds.parts.sessions.startNew()),
  resumeSession,
  openTranscript,
  sendPrompt,
  runSample,
  stop: (deeds) => deeds.withSession((id) => deeds.parts.actions.stop(id)),
  togglePlan,
  compactNow: (deeds) => deeds.withSession((id) => deeds.compact(id, null, null)),
  previewCompaction,
  undoCompaction: (deeds) => deeds.withSession((id) => deeds.parts.actions.undoCompaction(id, null)),
  rewindTo,
  redo: (deeds) => deeds.withSession((id) => deeds.redo(id)),
  createCheckpoint,
  showBreakdown,
  restart,
  showLog: ({ parts }) => {
    parts.log.show(true);
  },
  rewindNode: (deeds, node: Node) => deeds.withSession((id) => deeds.previewRewind(id, node.anchor)),
  diffNode: (deeds, node: Node) => deeds.withSession((id) => diffNode(deeds, id, node)),
};

export function registerCommands(deeds: Deeds): vscode.Disposable {
  const registered = Object.entries(COMMANDS).map(([name, run]) =>
    vscode.commands.registerCommand(`sidecar.ui.${name}`, (on: never) => deeds.guarded(() => run(deeds, on))),
  );
  return vscode.Disposable.from(...registered);
}

async function sendPrompt(deeds: Deeds): Promise<void> {
  const prompt = await vscode.window.showInputBox({
    title: "Sidecar",
    prompt: "What should the agent do?",
    ignoreFocusOut: true,
  });
  if (prompt === undefined || prompt.trim() === "") return;
  await deeds.parts.panel().reveal();
  await deeds.withSession((id) => deeds.send(id, prompt));
}

async function runSample(deeds: Deeds): Promise<void> {
  const { daemon, panel } = deeds.parts;
  await panel().reveal();
  await deeds.withSession(async (sessionId) => {
    const { prompt } = await ask(daemon, "sidecar/session/sample", { sessionId });
    if (prompt !== null) await deeds.send(sessionId, prompt);
    else void vscode.window.showInformationMessage("There is no sample task for this workspace.");
  });
}

async function togglePlan({ parts }: Deeds): Promise<void> {
  const session = await parts.sessions.ensure();
  if (session === null) return;
  await parts.actions.setMode(session.sessionId, session.state.mode === "plan" ? "normal" : "plan");
}

async function previewCompaction(deeds: Deeds): Promise<void> {
  const { actions, panel } = deeds.parts;
  await panel().reveal();
  await deeds.withSession(async (id) => {
    await actions.previewCompaction(id);
    panel().send({ type: "focus", target: "compaction" });
  });
}

async function showBreakdown({ parts }: Deeds): Promise<void> {
  await parts.panel().reveal();
  parts.panel().send({ type: "focus", target: "breakdown" });
}

async function resumeSession(deeds: Deeds): Promise<void> {
  const { sessions, store, panel } = deeds.parts;
  const sessionId = await pickSession(sessions, store.model.session?.sessionId ?? null);
  if (sessionId === null) return;
  await panel().reveal();
  await deeds.leaving(() => sessions.resume(sessionId));
}

async function openTranscript(deeds: Deeds, on: unknown): Promise<void> {
  const uri = on instanceof vscode.Uri ? on : await chooseTranscript();
  if (uri === undefined) return;
  await deeds.parts.panel().reveal();
  await deeds.leaving(() => deeds.parts.sessions.importTranscript(uri.toString()));
}

async function chooseTranscript(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: "Open a transcript of Claude Code, Codex, pi or Sidecar",
    openLabel: "Open Transcript",
    canSelectMany: false,
    filters: { Transcripts: ["jsonl", "json"], "All files": ["*"] },
  });
  return chosen?.[0];
}

async function rewindTo(deeds: Deeds): Promise<void> {
  await deeds.withSession(async (id) => {
    const anchor = await pickTurn(deeds.parts.store.model);
    if (anchor !== null) await deeds.previewRewind(id, anchor);
  });
}

async function createCheckpoint(deeds: Deeds): Promise<void> {
  const label = await vscode.window.showInputBox({
    title: "Create Checkpoint",
    prompt: "A name for the state of the files that the agent has changed so far",
    validateInput: (text) => (text.trim() === "" ? "A checkpoint needs a name." : undefined),
  });
  if (label === undefined) return;
  await deeds.withSession((sessionId) =>
    ask(deeds.parts.daemon, "sidecar/checkpoint/create", { sessionId, label: label.trim(), idempotencyKey: newKey() }),
  );
}

async function diffNode({ parts }: Deeds, sessionId: string, node: Node): Promise<void> {
  const { files } = await ask(parts.daemon, "sidecar/checkpoint/diff", { sessionId, checkpointId: node.id });
  await parts.documents.diffAll(sessionId, `${node.label} (checkpoint ↔ now)`, files);
}

async function restart({ parts }: Deeds): Promise<void> {
  await parts.daemon.restart();
  await parts.sessions.ensure();
}
