/** The gauge in the status bar. */
import * as vscode from "vscode";
import type { Store } from "../model/store";
import { statusView, type StatusView } from "../present/status";

const TONES: Readonly<Record<StatusView["tone"], vscode.ThemeColor | undefined>> = {
  plain: undefined,
  warning: new vscode.ThemeColor("statusBarItem.warningBackground"),
  error: new vscode.ThemeColor("statusBarItem.errorBackground"),
};

export function statusBar(store: Store): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("gauge", vscode.StatusBarAlignment.Right, 95);
  item.name = "Sidecar context gauge";
  item.command = "sidecar.ui.showBreakdown";
  const draw = (): void => {
    const view = statusView(store.model);
    item.text = view.text;
    item.tooltip = view.lines.join("\n");
    item.backgroundColor = TONES[view.tone];
    item.accessibilityInformation = { label: view.label, role: "button" };
  };
  draw();
  item.show();
  return vscode.Disposable.from(item, store.subscribe(draw));
}
