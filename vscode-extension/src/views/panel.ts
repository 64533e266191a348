/**
 * The webview of the session: one page that may be destroyed at any time and is right again as soon as
 * it says that it is ready.
 */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { CLOSED, happened, hidden, letter, type Letter, type Mailbox, ready, type ToView } from "../model/mailbox";
import type { FromView } from "../model/messages";
import type { Store } from "../model/store";
import { headline } from "../present/status";

export class Panel implements vscode.WebviewViewProvider, vscode.Disposable {
  static readonly id = "sidecar.session";
  private view: vscode.WebviewView | null = null;
  private box: Mailbox = CLOSED;
  private readonly subscription: { dispose(): void };

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly store: Store,
    private readonly onMessage: (message: FromView) => void,
    private readonly onShown: () => void,
  ) {
    this.subscription = store.subscribe((event) => {
      this.post(happened(this.box, event));
      this.decorate();
    });
  }

  get visible(): boolean {
    return this.view?.visible ?? false;
  }

  dispose(): void {
    this.subscription.dispose();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.box = hidden(this.box);
    const root = vscode.Uri.joinPath(this.extensionUri, "dist");
    view.webview.options = { enableScripts: true, localResourceRoots: [root] };
    view.webview.onDidReceiveMessage((message: FromView) => {
      if (message.type === "ready") this.post(ready(this.box, this.store.model));
      else this.onMessage(message);
    });
    view.onDidChangeVisibility(() => {
      // A page that is shown again is a new one, and says so itself.
      if (view.visible) this.onShown();
      else this.box = hidden(this.box);
    });
    view.onDidDispose(() => {
      this.view = null;
      this.box = hidden(this.box);
    });
    view.webview.html = page(view.webview, root);
    this.decorate();
    this.onShown();
  }

  /** Brings the panel to the front. */
  async reveal(): Promise<void> {
    await vscode.commands.executeCommand(`${Panel.id}.focus`);
  }

  send(message: Letter): void {
    this.post(letter(this.box, message));
  }

  private post([box, messages]: readonly [Mailbox, readonly ToView[]]): void {
    this.box = box;
    for (const message of messages) void this.view?.webview.postMessage(message);
  }

  private decorate(): void {
    if (this.view === null) return;
    const waiting = this.store.model.session?.state.pendingApprovals.length ?? 0;
    this.view.description = headline(this.store.model);
    const tooltip = waiting === 1 ? "1 approval waits" : `${waiting} approvals wait`;
    this.view.badge = waiting > 0 ? { value: waiting, tooltip } : undefined;
  }
}

function page(webview: vscode.Webview, root: vscode.Uri): string {
  const nonce = randomBytes(18).toString("base64");
  const at = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
  const source = webview.cspSource;
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}; font-src ${source}`;
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${at("webview.css")}">
    <title>Sidecar</title>
  </head>
  <body>
    <div id="root"></div>
    <script nonce="${nonce}" src="${at("webview.js")}"></script>
  </body>
</html>`;
}
