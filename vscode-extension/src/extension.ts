/**
 * The entry: makes the parts and joins them, nothing else.
 */
import { tmpdir } from "node:os";
import * as vscode from "vscode";
import type { FromView } from "./model/messages";
import { Store } from "./model/store";
import { Actions } from "./sidecar/actions";
import { Approvals } from "./sidecar/approvals";
import { connect } from "./sidecar/connect";
import { Daemon } from "./sidecar/daemon";
import { heard } from "./sidecar/heard";
import { RESTARTS } from "./sidecar/restarts";
import { type Place, Sessions } from "./sidecar/session";
import { Transcript } from "./sidecar/transcript";
import { attention } from "./views/attention";
import { Checkpoints } from "./views/checkpoints";
import { registerCommands } from "./views/commands";
import { Deeds } from "./views/deeds";
import { Documents } from "./views/documents";
import { heard as heardFromPanel } from "./views/heard";
import { Panel } from "./views/panel";
import { launchSettings } from "./views/settings";
import { statusBar } from "./views/status";
import { wire } from "./views/wiring";

let running: Daemon | null = null;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Sidecar", { log: true });
  const store = new Store();
  const daemon = makeDaemon(store, log, (): Approvals => approvals);
  const approvals = new Approvals(daemon);
  running = daemon;
  const place = makePlace(context.workspaceState, daemon);
  const sessions = new Sessions(daemon, store, place);
  const actions = new Actions(daemon, store);
  const transcript = new Transcript(daemon, store);
  const documents = new Documents(daemon);
  const parts = { store, daemon, sessions, actions, approvals, transcript, documents, log, panel: (): Panel => panel };
  const deeds = new Deeds(parts);
  const heard = (message: FromView): void => {
    heardFromPanel(deeds, message);
  };
  const panel = new Panel(context.extensionUri, store, heard, () => void deeds.guarded(() => sessions.ensure()));
  const tree = new Checkpoints(store);
  context.subscriptions.push(
    log,
    panel,
    documents.register(),
    registerCommands(deeds),
    vscode.window.registerWebviewViewProvider(Panel.id, panel),
    vscode.window.createTreeView("sidecar.checkpoints", { treeDataProvider: tree, showCollapseAll: true }),
    statusBar(store),
    attention(store, panel),
    wire(deeds, tree, place),
  );
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

function makePlace(state: vscode.Memento, daemon: Daemon): Place {
  return {
    folder: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? null,
    memory: {
      get: () => state.get<string>("sessionId") ?? null,
      set: (sessionId) => void state.update("sessionId", sessionId),
    },
    start: () => daemon.start(),
  };
}

function makeDaemon(store: Store, log: vscode.LogOutputChannel, approvals: () => Approvals): Daemon {
  return new Daemon({
    // Outside the workspace, where nothing can be mistaken for a module of the daemon.
    launch: () => ({ launch: launchSettings(), cwd: tmpdir() }),
    connect: (process, heard) => connect(process, heard, log, (params, token) => approvals().asked(params, token)),
    policy: RESTARTS,
    onState: (daemon) => {
      store.dispatch({ type: "daemon", daemon });
    },
    onStderr: (text) => {
      log.append(text);
    },
    onHeard: (method, params) => {
      const event = heard(method, params);
      if (event !== null) store.dispatch(event);
    },
  });
}
