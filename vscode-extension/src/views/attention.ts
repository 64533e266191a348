/** Tells a person who is looking elsewhere that the agent waits, once for each approval. */
import * as vscode from "vscode";
import type { Store } from "../model/store";
import type { Panel } from "./panel";

export function attention(store: Store, panel: Panel): vscode.Disposable {
  const told = new Set<string>();
  const subscription = store.subscribe(() => {
    for (const { approvalId, title } of store.model.session?.state.pendingApprovals ?? []) {
      if (told.has(approvalId)) continue;
      told.add(approvalId);
      if (!panel.visible) void tell(panel, title);
    }
  });
  return vscode.Disposable.from(subscription);
}

async function tell(panel: Panel, title: string): Promise<void> {
  const answer = await vscode.window.showInformationMessage(`Sidecar waits for your approval: ${title}`, "Show");
  if (answer !== "Show") return;
  await panel.reveal();
  panel.send({ type: "focus", target: "approval" });
}
