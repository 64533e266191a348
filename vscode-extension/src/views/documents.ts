/**
 * Texts that live in the daemon, as read-only documents: files as a checkpoint holds them, and results
 * too long for the panel.
 *
 * Invariant: a reference names content that never changes, so a document is never stale.
 */
import * as vscode from "vscode";
import type { FileChange } from "../protocol.gen";
import { ask, type Asker, newKey } from "../sidecar/requests";

const SCHEME = "sidecar";

interface Address {
  readonly sessionId: string;
  /** Null stands for a file that does not exist. */
  readonly ref: string | null;
}

export class Documents implements vscode.TextDocumentContentProvider {
  constructor(private readonly daemon: Asker) {}

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const { sessionId, ref } = JSON.parse(uri.query) as Address;
    if (ref === null) return "";
    let text = "";
    for (let offset: number | null = 0; offset !== null && !token.isCancellationRequested; ) {
      const chunk: { text: string; nextOffset: number | null; binary: boolean } = await ask(
        this.daemon,
        "sidecar/content/read",
        { sessionId, ref, offset },
      );
      if (chunk.binary) return "This file is binary; there is nothing to compare as text.\n";
      text += chunk.text;
      offset = chunk.nextOffset;
    }
    return text;
  }

  /** The checkpoint's file against the present one, in the diff editor. */
  async diff(sessionId: string, change: FileChange): Promise<void> {
    const [before, now] = sides(sessionId, change);
    const name = change.path.slice(change.path.lastIndexOf("/") + 1);
    await vscode.commands.executeCommand("vscode.diff", before, now, `${name} (checkpoint ↔ now)`, { preview: true });
  }

  /** All files of a checkpoint, in one multi-file diff where there are several. */
  async diffAll(sessionId: string, title: string, changes: readonly FileChange[]): Promise<void> {
    const texts = changes.filter((change) => !change.binary);
    const [first, ...others] = texts;
    if (first === undefined) {
      const words = changes.length === 0 ? "This checkpoint holds no file." : "The files of this checkpoint are binary.";
      void vscode.window.showInformationMessage(words);
      return;
    }
    if (others.length === 0) return this.diff(sessionId, first);
    const resources = texts.map((change) => [vscode.Uri.parse(change.uri), ...sides(sessionId, change)]);
    await vscode.commands.executeCommand("vscode.changes", title, resources);
  }

  async show(sessionId: string, ref: string, title: string): Promise<void> {
    const name = title.replace(/[^\p{L}\p{N}._ -]+/gu, "_").trim();
    const document = await vscode.workspace.openTextDocument(address(`${name === "" ? "text" : name}.txt`, { sessionId, ref }));
    await vscode.window.showTextDocument(document, { preview: true });
  }
}

function sides(sessionId: string, change: FileChange): [before: vscode.Uri, now: vscode.Uri] {
  const before = address(change.path, { sessionId, ref: change.beforeRef });
  const absent = change.action === "recreate";
  return [before, absent ? address(change.path, { sessionId, ref: null }, newKey()) : vscode.Uri.parse(change.uri)];
}

function address(path: string, address: Address, fragment = ""): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: JSON.stringify(address), fragment });
}
