/**
 * The rewind preview as a page, and whether it may be applied.
 *
 * Invariant: nothing can be applied while a conflict has no choice, while the plan is older than the
 * session, or while a turn runs.
 */
import type { RewindDraft, RewindMode } from "../model/state";
import type { FileChange, RewindInfo, RewindPlan, RewindResult } from "../protocol.gen";
import { gaugeView, type GaugeView } from "./gauge";
import { counted, exact, listed, short } from "./numbers";

export type Choice = "keep" | "take";
export type Choices = Readonly<Record<string, Choice>>;

export interface FileView {
  readonly path: string;
  readonly name: string;
  readonly folder: string;
  readonly action: string;
  readonly icon: string;
  readonly added: string;
  readonly removed: string;
  readonly conflict: string | null;
  readonly choice: Choice | null;
  /** Whether the checkpoint's state can be had at all. */
  readonly takeable: boolean;
  readonly diffable: boolean;
  readonly change: FileChange;
}

export interface RewindView {
  readonly title: string;
  readonly loading: boolean;
  readonly modes: readonly { readonly mode: RewindMode; readonly label: string; readonly chosen: boolean }[];
  readonly files: readonly FileView[];
  readonly filesTitle: string;
  readonly notRestored: readonly string[];
  readonly turns: readonly { readonly key: string; readonly number: number; readonly prompt: string }[];
  readonly turnsTitle: string;
  readonly gaugeAfter: GaugeView | null;
  readonly gaugeSentence: string;
  readonly button: string;
  /** Why the button is off; null when it is on. */
  readonly blocked: string | null;
  readonly stopFirst: boolean;
  readonly refusal: string | null;
}

const MODES: readonly (readonly [RewindMode, label: string, button: string])[] = [
  ["both", "Both", "Rewind both"],
  ["files", "Files", "Rewind files"],
  ["conversation", "Conversation", "Rewind conversation"],
];

export function rewindView(draft: RewindDraft, choices: Choices, revision: number): RewindView {
  const { plan, mode } = draft;
  const files = (plan?.files ?? []).filter((file) => file.action !== "none" || file.conflict !== null);
  const views = files.map((file) => fileView(file, choices[file.path] ?? null));
  return {
    title: title(plan),
    loading: plan?.mode !== mode,
    modes: MODES.map(([each, label]) => ({ mode: each, label, chosen: each === mode })),
    files: views,
    filesTitle: filesTitle(files, mode),
    notRestored: plan?.notRestored ?? [],
    ...turnsView(mode === "files" ? null : plan),
    button: MODES.find(([each]) => each === mode)?.[2] ?? "Rewind",
    blocked: blocked(draft, views, revision),
    stopFirst: plan?.runningTurn === true,
    refusal: draft.refusal,
  };
}

function title(plan: RewindPlan | null): string {
  const numbers = (plan?.turnsRemoved ?? []).map((turn) => turn.number);
  return numbers.length === 0 ? "Rewind" : `Rewind to before turn ${Math.min(...numbers)}`;
}

function turnsView(plan: RewindPlan | null): Pick<RewindView, "turns" | "turnsTitle" | "gaugeAfter" | "gaugeSentence"> {
  if (plan === null) return { turns: [], turnsTitle: "The conversation stays", gaugeAfter: null, gaugeSentence: "" };
  const { turnsRemoved, gaugeAfter, tokensRemoved } = plan;
  return {
    turns: turnsRemoved.map((turn) => ({ key: turn.turnId, number: turn.number, prompt: turn.prompt })),
    turnsTitle: `${turnsRemoved.length === 1 ? "1 turn leaves" : `${exact(turnsRemoved.length)} turns leave`} the conversation`,
    gaugeAfter: gaugeView(gaugeAfter),
    gaugeSentence: `${exact(tokensRemoved)} tokens leave, ${short(gaugeAfter.usedTokens)} stay`,
  };
}

function blocked(draft: RewindDraft, files: readonly FileView[], revision: number): string | null {
  const { plan } = draft;
  if (plan?.mode !== draft.mode) return "Looking at the files…";
  if (draft.applying) return "Rewinding…";
  if (plan.runningTurn) return "A turn is running: stop it first";
  if (draft.revision !== revision) return "The session has moved on: looking again…";
  const open = files.filter((file) => file.conflict !== null && file.choice === null).length;
  if (open > 0) return `Choose for ${counted(open, "conflicting file")} first`;
  const nothing = draft.mode === "files" && !files.some((file) => file.change.action !== "none");
  return nothing ? "No file would change" : null;
}

const ACTIONS: Readonly<Record<FileChange["action"], readonly [word: string, icon: string]>> = {
  restore: ["restore", "diff-modified"],
  recreate: ["bring back", "diff-added"],
  delete: ["delete", "diff-removed"],
  mode: ["restore permissions", "lock"],
  none: ["already as it was", "check"],
};

const CONFLICTS: Readonly<Record<string, string>> = {
  edited_since: "Edited since the agent's last change",
  unsaved_buffer: "Open in an editor with unsaved changes",
  type_changed: "No longer the kind of file it was",
  read_only: "Read-only",
  outside_workspace: "Leads outside the workspace",
  blob_missing: "Its stored content is missing",
};

function fileView(file: FileChange, choice: Choice | null): FileView {
  const at = file.path.lastIndexOf("/");
  const [action, icon] = ACTIONS[file.action];
  const conflict = file.conflict === null ? null : (CONFLICTS[file.conflict] ?? file.conflict);
  const detail = file.conflictDetail === null || file.conflictDetail === "" ? "" : `: ${file.conflictDetail}`;
  return {
    path: file.path,
    name: file.path.slice(at + 1),
    folder: file.path.slice(0, Math.max(0, at)),
    action,
    icon,
    added: file.addedLines > 0 ? `+${exact(file.addedLines)}` : "",
    removed: file.removedLines > 0 ? `−${exact(file.removedLines)}` : "",
    conflict: conflict === null ? null : `${conflict}${detail}`,
    choice: conflict === null ? null : choice,
    takeable: file.takeable,
    diffable: !file.binary && (file.beforeRef !== null || file.action === "delete"),
    change: file,
  };
}

function filesTitle(files: readonly FileChange[], mode: RewindMode): string {
  if (mode === "conversation") return "Files stay as they are";
  const count = files.filter((file) => file.action !== "none").length;
  return count === 0 ? "No file would change" : counted(count, "file");
}

/** What a rewind that is still redoable says of itself. */
export function rewindSentence(rewind: RewindInfo): string {
  const parts = [
    ...(rewind.turnsRemoved > 0 ? [counted(rewind.turnsRemoved, "turn")] : []),
    ...(rewind.files.length > 0 ? [counted(rewind.files.length, "file")] : []),
  ];
  return parts.length === 0 ? "Rewound." : `Rewound ${listed(parts)}.`;
}

export function rewindResultSentence(result: RewindResult, verb: "Rewound" | "Brought back"): string {
  const parts = [
    ...(result.rewind.turnsRemoved > 0 ? [counted(result.rewind.turnsRemoved, "turn")] : []),
    ...(result.filesRestored.length > 0 ? [counted(result.filesRestored.length, "file")] : []),
  ];
  const kept = result.filesKept.length > 0 ? ` ${counted(result.filesKept.length, "file")} kept as you left it.` : "";
  return `${verb} ${parts.length === 0 ? "the conversation" : listed(parts)}.${kept}`;
}

/** The paths that a refused rewind or redo names: as texts, or as the `path` of each entry. */
export function conflictPaths(details: Readonly<Record<string, unknown>>): readonly string[] {
  const { conflicts } = details;
  if (Array.isArray(conflicts)) return conflicts.flatMap(conflictPath);
  return typeof conflicts === "object" && conflicts !== null ? Object.keys(conflicts) : [];
}

function conflictPath(entry: unknown): readonly string[] {
  if (typeof entry === "string") return [entry];
  const path = typeof entry === "object" && entry !== null ? (entry as { path?: unknown }).path : undefined;
  return typeof path === "string" ? [path] : [];
}
