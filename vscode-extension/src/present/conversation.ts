/**
 * The conversation as rows: prompts, answers, tool calls joined with their results, and what happened between.
 *
 * Invariant: every item of the page and every stream is in exactly one row, in order.
 */
import type { Conversation, Model, Stream } from "../model/state";
import { knownTurns } from "../model/turns";
import type { CompactionCard, SessionState, TranscriptItem, TurnInfo } from "../protocol.gen";
import { argumentLines, parsedArguments, toolWords, type ToolWords } from "./tools";

export interface PromptRow {
  readonly kind: "prompt";
  readonly key: string;
  readonly text: string;
  readonly turn: number | null;
  /** The message to rewind to; null while it is on its way or no longer a turn of this conversation. */
  readonly anchor: string | null;
  readonly whole: WholeText | null;
}

export interface TextRow {
  readonly kind: "text" | "thinking";
  readonly key: string;
  readonly text: string;
  readonly streaming: boolean;
  readonly gap: boolean;
  readonly whole: WholeText | null;
  readonly state: TranscriptItem["state"];
}

export type ToolStatus = "running" | "waiting" | "done" | "failed" | "unanswered";

export interface ToolRow {
  readonly kind: "tool";
  readonly key: string;
  readonly words: ToolWords;
  readonly status: ToolStatus;
  readonly statusLabel: string;
  readonly input: string;
  readonly output: string | null;
  readonly whole: WholeText | null;
  readonly state: TranscriptItem["state"];
}

export interface EventRow {
  readonly kind: "event";
  readonly key: string;
  readonly icon: string;
  readonly title: string;
  readonly text: string;
  readonly whole: WholeText | null;
}

/** A compaction, where it happened; the newest one is drawn as it stands now. */
export interface CompactionRow {
  readonly kind: "compaction";
  readonly key: string;
  readonly card: CompactionCard;
}

export type Row = PromptRow | TextRow | ToolRow | EventRow | CompactionRow;

/** A text that was cut for the wire, and where to read all of it. */
export interface WholeText {
  readonly ref: string;
  readonly title: string;
}

export function conversationRows(model: Model): readonly Row[] {
  const { conversation, session } = model;
  const turns = new Map(knownTurns(model).map((turn) => [turn.messageId, turn] as const));
  const joined = join(conversation, session?.state ?? null);
  const rows = conversation.items.flatMap((item) => itemRow(item, turns, joined) ?? []);
  const live = conversation.streams.flatMap((stream) => streamRow(stream, joined) ?? []);
  return [...rows, ...sendingRow(model), ...live];
}

interface Joined {
  readonly results: ReadonlyMap<string, TranscriptItem>;
  readonly calls: ReadonlySet<string>;
  readonly waiting: ReadonlySet<string>;
  /** Output of calls that still run. */
  readonly outputs: ReadonlyMap<string, Stream>;
  readonly running: string | null;
  readonly compaction: CompactionCard | null;
}

function join(conversation: Conversation, state: SessionState | null): Joined {
  const { items, streams } = conversation;
  const approvals = state?.pendingApprovals ?? [];
  const ofKind = (kind: string): readonly TranscriptItem[] => items.filter((item) => item.kind === kind);
  const ids = (list: readonly TranscriptItem[]): readonly (readonly [string, TranscriptItem])[] =>
    list.flatMap((item) => (item.toolUseId === null ? [] : [[item.toolUseId, item] as const]));
  return {
    results: new Map(ids(ofKind("tool_result"))),
    calls: new Set(ids(ofKind("tool_use")).map(([id]) => id)),
    waiting: new Set(approvals.map((approval) => approval.toolUseId)),
    outputs: new Map(streams.filter((each) => each.kind === "tool_output").map((each) => [each.itemId, each] as const)),
    running: state?.turn?.status === "running" ? state.turn.turnId : null,
    compaction: state?.compaction ?? null,
  };
}

function itemRow(item: TranscriptItem, turns: ReadonlyMap<string, TurnInfo>, joined: Joined): Row | null {
  switch (item.kind) {
    case "text":
      return item.role === "user" ? userRow(item, turns) : textRow(item, "text");
    case "thinking":
      return textRow(item, "thinking");
    case "tool_use":
      return toolRow(item, joined);
    case "tool_result":
      // A result is drawn with its call; one whose call is on an older page stands alone.
      return item.toolUseId !== null && joined.calls.has(item.toolUseId) ? null : loneResult(item);
    case "compaction":
      return compactionRow(item, joined.compaction);
    default:
      return eventRow(item);
  }
}

function compactionRow(item: TranscriptItem, newest: CompactionCard | null): Row {
  if (!isCard(item.data)) return eventRow(item);
  const card = newest?.compactionId === item.data.compactionId ? newest : item.data;
  return { kind: "compaction", key: item.itemId, card };
}

/** The card is carried as plain data; one of another shape, from another version, is told as text. */
function isCard(data: unknown): data is CompactionCard {
  const card = data as Partial<CompactionCard>;
  return (
    typeof card.compactionId === "string" &&
    typeof card.status === "string" &&
    typeof card.beforeTokens === "number" &&
    typeof card.afterTokens === "number" &&
    Array.isArray(card.stages) &&
    Array.isArray(card.notices) &&
    typeof card.items === "object"
  );
}

function userRow(item: TranscriptItem, turns: ReadonlyMap<string, TurnInfo>): Row {
  if (item.synthetic) return { ...eventRow(item), title: "Continued by the agent", icon: "debug-continue" };
  const turn = turns.get(item.messageId);
  const { itemId: key, text } = item;
  return {
    kind: "prompt",
    key,
    text,
    turn: turn?.number ?? null,
    anchor: turn === undefined ? null : item.messageId,
    whole: whole(item, "Prompt"),
  };
}

function textRow(item: TranscriptItem, kind: TextRow["kind"]): TextRow {
  const title = kind === "text" ? "Answer" : "Thinking";
  return {
    kind,
    key: item.itemId,
    text: item.text,
    streaming: false,
    gap: false,
    whole: whole(item, title),
    state: item.state,
  };
}

function toolRow(item: TranscriptItem, joined: Joined): ToolRow {
  const input = parsedArguments(item.data["input"], item.text);
  const words = toolWords(item.tool ?? "tool", input);
  const result = item.toolUseId === null ? undefined : joined.results.get(item.toolUseId);
  const status = toolStatus(item, result, joined);
  return {
    kind: "tool",
    key: item.itemId,
    words,
    status,
    statusLabel: STATUS_LABELS[status],
    input: argumentLines(input),
    output: result?.text ?? joined.outputs.get(item.toolUseId ?? "")?.text ?? null,
    whole: result === undefined ? whole(item, words.verb) : whole(result, `${words.verb} ${words.object}`),
    state: (result ?? item).state,
  };
}

const STATUS_LABELS: Readonly<Record<ToolStatus, string>> = {
  running: "running",
  waiting: "waits for your approval",
  done: "done",
  failed: "failed",
  unanswered: "was interrupted",
};

function toolStatus(item: TranscriptItem, result: TranscriptItem | undefined, joined: Joined): ToolStatus {
  if (result !== undefined) return result.isError ? "failed" : "done";
  if (item.toolUseId !== null && joined.waiting.has(item.toolUseId)) return "waiting";
  return item.turnId === joined.running ? "running" : "unanswered";
}

function loneResult(item: TranscriptItem): ToolRow {
  const status = item.isError ? "failed" : "done";
  return {
    kind: "tool",
    key: item.itemId,
    words: toolWords(item.tool ?? "Result", {}),
    status,
    statusLabel: STATUS_LABELS[status],
    input: "",
    output: item.text,
    whole: whole(item, "Result"),
    state: item.state,
  };
}

const EVENTS: Readonly<Record<string, readonly [icon: string, title: string]>> = {
  summary: ["fold", "Summary of earlier turns"],
  compaction: ["fold", "Compacted"],
  attachment: ["paperclip", "Attachment"],
};

function eventRow(item: TranscriptItem): EventRow {
  const [icon, title] = EVENTS[item.kind] ?? ["question", `A block of kind ${item.kind}`];
  return { kind: "event", key: item.itemId, icon, title, text: item.text, whole: whole(item, title) };
}

function streamRow(stream: Stream, joined: Joined): Row | null {
  const { itemId: key, text, gap } = stream;
  const streaming = !stream.done;
  switch (stream.kind) {
    case "text":
    case "thinking":
      return { kind: stream.kind, key, text, streaming, gap, whole: null, state: "present" };
    case "tool_use":
      return { ...streamedCall(key), words: { verb: "Prepares a tool call", object: "", icon: "tools" }, input: text };
    case "tool_output":
      return joined.calls.has(key) ? null : { ...streamedCall(key), output: text };
  }
}

function streamedCall(key: string): ToolRow {
  return {
    kind: "tool",
    key,
    words: { verb: "Runs a tool", object: "", icon: "tools" },
    status: "running",
    statusLabel: STATUS_LABELS.running,
    input: "",
    output: null,
    whole: null,
    state: "present",
  };
}

function sendingRow(model: Model): readonly PromptRow[] {
  if (model.sending === null) return [];
  return [{ kind: "prompt", key: "sending", text: model.sending.prompt, turn: null, anchor: null, whole: null }];
}

function whole(item: TranscriptItem, title: string): WholeText | null {
  return item.truncated && item.ref !== null ? { ref: item.ref, title } : null;
}
