/** A compaction, done or proposed, as a card: what each stage did, before and after, and what can be done now. */
import type { CompactionCard, CompactionPlan } from "../protocol.gen";
import { counted, exact, percent, short } from "./numbers";

export interface StageView {
  readonly name: string;
  readonly title: string;
  readonly items: string;
}

export interface CompactionView {
  readonly id: string;
  readonly title: string;
  readonly tone: "good" | "bad" | "muted" | "busy" | "ask";
  readonly before: string;
  readonly after: string;
  /** Widths on a bar as long as the larger of ceiling and before, 0 to 1. */
  readonly beforeSize: number;
  readonly afterSize: number;
  readonly targetAt: number;
  readonly target: string;
  readonly saved: string;
  readonly facts: readonly string[];
  readonly stages: readonly StageView[];
  readonly notices: readonly string[];
  readonly undoable: boolean;
  readonly label: string;
}

const STAGES: Readonly<Record<string, string>> = {
  thinking: "Dropped the thinking of turns that are over",
  attachments: "Replaced attachments of old turns by a note",
  superseded: "Kept only the newest of repeated reads",
  stale: "Shortened reads of files that were changed later",
  caps: "Shortened long tool results and arguments",
  summary: "Summarised the oldest turns",
  drop: "Dropped the oldest turns",
};

const PROPOSED: Readonly<Record<string, string>> = {
  thinking: "Drop the thinking of turns that are over",
  attachments: "Replace attachments of old turns by a note",
  superseded: "Keep only the newest of repeated reads",
  stale: "Shorten reads of files that were changed later",
  caps: "Shorten long tool results and arguments",
  summary: "Summarise the oldest turns",
  drop: "Drop the oldest turns",
};

const TITLES: Readonly<Record<CompactionCard["status"], readonly [string, CompactionView["tone"]]>> = {
  proposed: ["Compaction proposed", "ask"],
  in_progress: ["Compacting", "busy"],
  completed: ["Compacted", "good"],
  failed: ["Compaction failed", "bad"],
  undone: ["Compaction undone", "muted"],
};

const TRIGGERS: Readonly<Record<CompactionCard["trigger"], string>> = {
  auto: "ran by itself at the trigger",
  manual: "you asked for it",
  overflow: "the provider refused the request as too long",
};

export function compactionView(card: CompactionCard): CompactionView {
  const [title, tone] = TITLES[card.status];
  const scale = Math.max(card.ceilingTokens, card.beforeTokens, 1);
  const words = card.status === "proposed" ? PROPOSED : STAGES;
  return {
    id: card.compactionId,
    title,
    tone,
    before: short(card.beforeTokens),
    after: short(card.afterTokens),
    beforeSize: card.beforeTokens / scale,
    afterSize: card.afterTokens / scale,
    targetAt: card.targetTokens / scale,
    target: short(card.targetTokens),
    saved: `−${percent(card.beforeTokens - card.afterTokens, card.beforeTokens)}`,
    facts: facts(card),
    stages: card.stages.map((name) => stageView(name, card, words)),
    notices: card.notices,
    undoable: card.undoable,
    label: `${title}: ${exact(card.beforeTokens)} to ${exact(card.afterTokens)} tokens, ${targetWords(card)}`,
  };
}

export interface CompactionPlanView {
  readonly card: CompactionView | null;
  readonly reason: string;
  readonly runnable: boolean;
  readonly needsSummary: string;
  readonly changes: readonly { readonly key: string; readonly label: string; readonly tokens: string }[];
  readonly more: string;
}

/** At most this many blocks are named in a preview. */
const CHANGES = 12;

export function compactionPlanView(plan: CompactionPlan): CompactionPlanView {
  const largest = [...plan.changes].sort((a, b) => b.tokens - a.tokens);
  const hidden = largest.length - CHANGES;
  return {
    card: plan.card === null ? null : compactionView({ ...plan.card, status: "proposed" }),
    reason: plan.reason,
    runnable: plan.planId !== null && plan.card !== null,
    needsSummary: plan.needsSummary ? "Asks the model for a summary; the figures are known after it" : "No model call",
    changes: largest
      .slice(0, CHANGES)
      .map((item) => ({ key: item.itemId, label: item.label, tokens: short(item.tokens) })),
    more: hidden > 0 ? `and ${counted(hidden, "more block")}` : "",
  };
}

function stageView(name: string, card: CompactionCard, words: Readonly<Record<string, string>>): StageView {
  const count = card.items[name] ?? 0;
  const turns = name === "summary" && card.turnsSummarised > 0;
  return {
    name,
    title: words[name] ?? name,
    items: turns ? counted(card.turnsSummarised, "turn") : count > 0 ? counted(count, "block") : "",
  };
}

function facts(card: CompactionCard): readonly string[] {
  const proposed = card.status === "proposed";
  return [
    targetWords(card),
    ...(proposed ? [] : [card.modelCalls === 0 ? "no model call" : counted(card.modelCalls, "model call")]),
    ...(card.windowGivenUp ? ["recent turns were shortened too"] : []),
    ...(card.exhausted ? ["nothing is left to compact"] : []),
    ...(proposed ? [] : [TRIGGERS[card.trigger]]),
  ];
}

function targetWords(card: CompactionCard): string {
  const verb = card.status === "proposed" ? "reaches" : "reached";
  return card.reachedTarget ? `${verb} the target of ${short(card.targetTokens)}` : `misses the target of ${short(card.targetTokens)}`;
}
