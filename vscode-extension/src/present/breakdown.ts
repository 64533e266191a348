/**
 * Where the window goes, as a stacked bar and rows.
 *
 * Invariant: the rows' tokens sum to the total that the gauge shows; empty rows are kept, apart.
 */
import type { Breakdown, BreakdownRow } from "../protocol.gen";
import { counted, exact, percent, short } from "./numbers";

export interface BreakdownRowView {
  readonly key: string;
  readonly label: string;
  readonly tokens: string;
  readonly exactTokens: string;
  readonly share: string;
  /** Share of the total, 0 to 1: the width of the bar's segment. */
  readonly size: number;
  /** The name of a colour of the palette. */
  readonly colour: string;
  readonly items: string;
  readonly description: string;
}

export interface BreakdownGroup {
  readonly title: string;
  readonly hint: string;
  readonly tokens: string;
  readonly rows: readonly BreakdownRowView[];
}

export interface BreakdownView {
  readonly total: string;
  readonly segments: readonly BreakdownRowView[];
  readonly groups: readonly BreakdownGroup[];
  readonly empty: readonly string[];
  readonly label: string;
}

const RESULTS = "orange";

/** Kinds by colour; a kind that is new to this version gets the last one. */
const COLOURS: readonly (readonly [prefix: string, colour: string])[] = [
  ["system", "fixed1"],
  ["project", "fixed2"],
  ["skill", "fixed3"],
  ["tool_def", "fixed4"],
  ["user", "blue"],
  ["assistant", "green"],
  ["thinking", "purple"],
  ["tool_call", "yellow"],
  ["tool_use", "yellow"],
  ["tool_result", RESULTS],
  ["attachment", "red"],
  ["summary", "teal"],
];

export function breakdownView(breakdown: Breakdown): BreakdownView {
  const total = breakdown.totalTokens;
  const full = breakdown.rows.filter((row) => row.tokens > 0);
  const views = coloured(full.map((row) => [row, rowView(row, total)] as const));
  const group = (title: string, hint: string, compactable: boolean): BreakdownGroup => ({
    title,
    hint,
    tokens: exact(full.filter((row) => row.compactable === compactable).reduce((sum, row) => sum + row.tokens, 0)),
    rows: views
      .filter(([row]) => row.compactable === compactable)
      .map(([, view]) => view)
      .sort((a, b) => b.size - a.size),
  });
  const groups = [
    group("Conversation", "what a compaction can shorten", true),
    group("Overhead", "sent with every request, never compacted", false),
  ].filter(({ rows }) => rows.length > 0);
  return {
    total: exact(total),
    segments: views.map(([, view]) => view),
    groups,
    empty: breakdown.rows.filter((row) => row.tokens === 0).map((row) => row.label),
    label: `${exact(total)} tokens: ${groups.flatMap(({ rows }) => rows.map((row) => `${row.label} ${row.share}`)).join(", ")}`,
  };
}

/** Several rows of results, one for each tool, get shades of the same colour, the largest the strongest. */
function coloured(rows: readonly (readonly [BreakdownRow, BreakdownRowView])[]): typeof rows {
  const results = rows.filter(([, view]) => view.colour === RESULTS).sort(([a], [b]) => b.tokens - a.tokens);
  const shade = (row: BreakdownRow): string => [RESULTS, `${RESULTS}2`][results.findIndex(([each]) => each === row)] ?? `${RESULTS}3`;
  return rows.map(([row, view]) => [row, view.colour === RESULTS ? { ...view, colour: shade(row) } : view] as const);
}

function rowView(row: BreakdownRow, total: number): BreakdownRowView {
  const share = percent(row.tokens, total);
  return {
    key: `${row.kind}/${row.label}`,
    label: row.label,
    tokens: short(row.tokens),
    exactTokens: exact(row.tokens),
    share,
    size: total > 0 ? row.tokens / total : 0,
    colour: COLOURS.find(([prefix]) => row.kind.startsWith(prefix))?.[1] ?? "other",
    items: row.items > 1 ? `${exact(row.items)}×` : "",
    description: `${row.label}: ${exact(row.tokens)} tokens, ${share}, ${counted(row.items, "item")}`,
  };
}
