/** Checkpoints by turn, newest first, as nodes of a tree. */
import type { Checkpoint, TurnInfo } from "../protocol.gen";
import { counted, listed } from "./numbers";

export interface TurnNode {
  readonly kind: "turn";
  readonly id: string;
  readonly anchor: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly running: boolean;
  readonly children: readonly CheckpointNode[];
}

export interface CheckpointNode {
  readonly kind: "checkpoint";
  readonly id: string;
  readonly anchor: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly icon: string;
  /** Whether there are files to compare. */
  readonly diffable: boolean;
}

export type Node = TurnNode | CheckpointNode;

export function checkpointNodes(turns: readonly TurnInfo[]): readonly TurnNode[] {
  return [...turns].sort((a, b) => b.number - a.number).map(turnNode);
}

const STOPS: Readonly<Record<string, string>> = {
  cancelled: "stopped",
  context_exhausted: "context exhausted",
  cost_limit: "cost limit",
  request_limit: "request limit",
  provider_failed: "provider failed",
  interrupted: "interrupted",
};

function turnNode(turn: TurnInfo): TurnNode {
  const files = fileCount(turn.checkpoints);
  const stop = turn.status === "running" ? "running" : (STOPS[turn.stopReason ?? ""] ?? "");
  const facts = [files === 0 ? "no file changed" : counted(files, "file"), ...(stop === "" ? [] : [stop])];
  const prompt = oneLine(turn.prompt);
  return {
    kind: "turn",
    id: turn.turnId,
    anchor: turn.messageId,
    label: `${turn.number}  ${prompt}`,
    description: facts.join(" · "),
    tooltip: [`Turn ${turn.number}: ${turn.prompt}`, "", facts.join(", "), turn.detail].join("\n").trimEnd(),
    running: turn.status === "running",
    children: [...turn.checkpoints].sort((a, b) => b.at - a.at).map(checkpointNode),
  };
}

/** Different files of all checkpoints; where a list is cut, at least as many as the longest one has. */
function fileCount(checkpoints: readonly Checkpoint[]): number {
  const known = new Set(checkpoints.flatMap((checkpoint) => checkpoint.files)).size;
  return checkpoints.reduce((most, checkpoint) => Math.max(most, checkpoint.fileCount), known);
}

const ICONS: Readonly<Record<Checkpoint["kind"], string>> = {
  edit: "edit",
  shell: "terminal",
  manual: "bookmark",
  rewind: "discard",
};

function checkpointNode(checkpoint: Checkpoint): CheckpointNode {
  const files = checkpoint.files.map((path) => path.slice(path.lastIndexOf("/") + 1));
  const count = checkpoint.fileCount;
  const uncovered = checkpoint.notCovered.length === 0 ? "" : `\n\nNot covered: ${listed(checkpoint.notCovered)}`;
  return {
    kind: "checkpoint",
    id: checkpoint.checkpointId,
    anchor: checkpoint.checkpointId,
    label: checkpoint.label,
    description: [
      count > 2 ? counted(count, "file") : listed(files),
      ...(uncovered === "" ? [] : ["not all covered"]),
    ]
      .filter((part) => part !== "")
      .join(" · "),
    tooltip: `Before: ${checkpoint.label}\n${checkpoint.files.join("\n")}${uncovered}`,
    icon: ICONS[checkpoint.kind],
    diffable: count > 0,
  };
}

function oneLine(text: string): string {
  const flat = text.replace(/\s+/gu, " ").trim();
  return flat.length > 80 ? `${flat.slice(0, 79)}…` : flat;
}
