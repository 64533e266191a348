/** The settings, read where they are needed. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { BudgetSettings } from "../sidecar/budget";
import { launch, type Launch } from "../sidecar/python";

export function launchSettings(): Launch {
  const settings = vscode.workspace.getConfiguration("sidecar");
  return launch({
    python: settings.get<string>("python", ""),
    home: settings.get<string>("home", ""),
    userHome: homedir(),
    platform: process.platform,
    environment: process.env,
  });
}

export function budgetSettings(): BudgetSettings {
  const settings = vscode.workspace.getConfiguration("sidecar");
  return {
    maxTokens: settings.get<number | null>("maxTokens", null),
    compactAt: settings.get<number | null>("compactAt", null),
    compactTo: settings.get<number | null>("compactTo", null),
    mode: settings.get<BudgetSettings["mode"]>("mode", null),
  };
}
