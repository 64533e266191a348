/**
 * Speaks LSP with one daemon process: VS Code's language client, with `sidecar/*` opted in.
 *
 * Owns the client of one process; a new process gets a new one, so no handler is ever registered twice.
 */
import type * as vscode from "vscode";
import {
  type ClientCapabilities,
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type StaticFeature,
  type StreamInfo,
} from "vscode-languageclient/node";
import { type ApprovalAnswer, type ApprovalRequestParams, PROTOCOL_VERSIONS } from "../protocol.gen";
import type { Withdrawal } from "./approvals";
import type { Connection, Heard } from "./daemon";
import type { DaemonProcess } from "./process";

const NOTIFICATIONS = [
  "sidecar/session/changed",
  "sidecar/sessions/changed",
  "sidecar/turn/delta",
  "sidecar/notice",
] as const;

/** What goes wrong is told by the daemon's supervisor, once and with what to do; here it only goes to the log. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export type OnApproval = (params: ApprovalRequestParams, withdrawal: Withdrawal) => Promise<ApprovalAnswer>;

export async function connect(
  process: DaemonProcess,
  heard: Heard,
  log: vscode.LogOutputChannel,
  onApproval: OnApproval,
): Promise<Connection> {
  // Only its stdio is handed over: its stderr and its end are the process's own business.
  const streams: StreamInfo = { reader: process.child.stdout, writer: process.child.stdin };
  const client = new QuietClient("sidecar", "Sidecar", () => Promise.resolve(streams), options(process, log));
  client.registerFeature(optIn());
  for (const method of NOTIFICATIONS) {
    client.onNotification(method, (params: unknown) => {
      heard(method, params);
    });
  }
  client.onRequest("sidecar/approval/request", (params: ApprovalRequestParams, token: vscode.CancellationToken) =>
    onApproval(params, token),
  );
  await client.start();
  return {
    version: client.initializeResult?.serverInfo?.version ?? "",
    request: (method, params) => client.sendRequest(method, params),
    stop: () => client.stop(),
    dispose: () => {
      // The client of a process that died is stopped already, which it reports as an error.
      client.dispose().catch(() => undefined);
    },
  };
}

function options(process: DaemonProcess, log: vscode.LogOutputChannel): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: "file" }],
    outputChannel: log,
    // What happens at the end of a process is decided in one place, by the daemon's supervisor.
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        void process.end();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    initializationFailedHandler: () => false,
  };
}

function optIn(): StaticFeature {
  return {
    fillClientCapabilities: (capabilities: ClientCapabilities) => {
      const experimental = (capabilities.experimental ?? {}) as Record<string, unknown>;
      capabilities.experimental = { ...experimental, sidecar: { protocolVersions: PROTOCOL_VERSIONS } };
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  };
}
