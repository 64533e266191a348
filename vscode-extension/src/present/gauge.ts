/**
 * The gauge as numbers to draw and sentences to read.
 *
 * Invariant: every number comes from the wire's gauge; nothing is guessed, and what is estimated says so.
 */
import type { Gauge } from "../protocol.gen";
import { counted, exact, percent, short } from "./numbers";

export interface GaugeTick {
  readonly kind: "trigger" | "target" | "ceiling";
  /** Where on the bar, 0 to 1; the bar is as long as the ceiling, or as the use if that is more. */
  readonly at: number;
  readonly label: string;
}

export interface GaugeView {
  /** How much of the bar is full, 0 to 1; null where no ceiling is known. */
  readonly fill: number | null;
  readonly level: "calm" | "near" | "over";
  readonly percent: string;
  readonly amount: string;
  /** Where the number comes from. */
  readonly source: string;
  /** How far it is to the next compaction. */
  readonly until: string;
  /** How far past estimates have been off. */
  readonly accuracy: string;
  readonly ticks: readonly GaugeTick[];
  readonly held: boolean;
  readonly label: string;
  /** Exact numbers, one line each. */
  readonly facts: readonly string[];
}

export function gaugeView(gauge: Gauge): GaugeView {
  const { usedTokens: used, ceilingTokens: ceiling } = gauge;
  const known = ceiling > 0;
  const share = percent(used, ceiling);
  const amount = known ? `${short(used)} of ${short(ceiling)} tokens` : `${short(used)} tokens`;
  const view = { source: source(gauge), until: until(gauge), accuracy: accuracy(gauge) };
  return {
    ...view,
    fill: known ? Math.min(1, used / ceiling) : null,
    level: level(gauge),
    percent: share,
    amount,
    ticks: known ? ticks(gauge) : [],
    held: gauge.autoCompaction === "held",
    label: [known ? `Context ${share} full, ${amount}` : `Context holds ${amount}, ceiling unknown`, view.source, view.until]
      .filter((part) => part !== "")
      .join(", "),
    facts: facts(gauge),
  };
}

function level(gauge: Gauge): GaugeView["level"] {
  if (gauge.ceilingTokens === 0) return "calm";
  if (gauge.usedTokens > gauge.ceilingTokens) return "over";
  return gauge.usedTokens >= gauge.triggerTokens ? "near" : "calm";
}

function ticks(gauge: Gauge): readonly GaugeTick[] {
  const { usedTokens: used, ceilingTokens: ceiling, targetTokens: target, triggerTokens: trigger } = gauge;
  const scale = Math.max(used, ceiling);
  const over = used > ceiling;
  return [
    { kind: "target", at: target / scale, label: `Target ${exact(target)} tokens: a compaction goes down to here` },
    { kind: "trigger", at: trigger / scale, label: `Trigger ${exact(trigger)} tokens: compaction starts here` },
    ...(over ? [{ kind: "ceiling" as const, at: ceiling / scale, label: `Ceiling ${exact(ceiling)} tokens` }] : []),
  ];
}

function source(gauge: Gauge): string {
  switch (gauge.how) {
    case "billed":
      return "billed";
    case "anchored":
      return "billed, estimated since";
    case "estimated":
      return "estimated";
  }
}

function until(gauge: Gauge): string {
  if (gauge.ceilingTokens === 0) return "no ceiling known, never compacts by itself";
  const left = gauge.tokensUntilCompaction;
  switch (gauge.autoCompaction) {
    case "off":
      return "automatic compaction is off";
    case "held":
      return "automatic compaction is on hold after an undo";
    case "ask":
      return left === null || left <= 0 ? "will ask to compact" : `asks to compact in ${short(left)} tokens`;
    case "auto":
      return left === null || left <= 0 ? "compacts before the next request" : `compacts in ${short(left)} tokens`;
  }
}

function accuracy(gauge: Gauge): string {
  if (gauge.errorPercent === null) return "";
  return `estimates off by ${digits(gauge.errorPercent)}% (${counted(gauge.predictions, "prediction")})`;
}

function digits(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toFixed(value < 1 ? 2 : 1);
}

const CEILING_SOURCES: Readonly<Record<Gauge["ceilingSource"], string>> = {
  provider: "said by the provider",
  table: "from the model table",
  user: "your setting",
  fallback: "a fallback, the model's window is unknown",
  seen: "the largest request seen",
};

function facts(gauge: Gauge): readonly string[] {
  const billed = gauge.lastBilledTokens;
  const ceiling = gauge.ceilingTokens;
  return [
    `${exact(gauge.usedTokens)} tokens in the next request (${source(gauge)})`,
    ...(billed === null ? [] : [`${exact(billed)} tokens billed for the last request`]),
    ...(ceiling === 0
      ? ["Ceiling unknown"]
      : [
          `Ceiling ${exact(ceiling)} (${CEILING_SOURCES[gauge.ceilingSource]})`,
          `Trigger ${exact(gauge.triggerTokens)}, target ${exact(gauge.targetTokens)}`,
        ]),
    ...(gauge.errorPercent === null
      ? []
      : [`Median error of ${counted(gauge.predictions, "prediction")}: ${digits(gauge.errorPercent)}%`]),
  ];
}
