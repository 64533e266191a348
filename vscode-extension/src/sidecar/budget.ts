/** The budget settings of the editor as the patch that the daemon takes; what is not set is left alone. */
import type { BudgetPatch } from "../protocol.gen";

export interface BudgetSettings {
  readonly maxTokens: number | null;
  readonly compactAt: number | null;
  readonly compactTo: number | null;
  readonly mode: "off" | "auto" | "ask" | null;
}

/** Null where nothing is set: the session keeps what it has. */
export function budgetPatch(settings: BudgetSettings): BudgetPatch | null {
  const set = Object.entries(settings).filter(([, value]) => value !== null);
  return set.length === 0 ? null : Object.fromEntries(set);
}

/** After a change of the settings: what was taken back goes back to the daemon's own value where it has one. */
export function budgetChange(before: BudgetSettings, after: BudgetSettings): BudgetPatch | null {
  const patch = {
    ...(before.maxTokens === after.maxTokens ? {} : { maxTokens: after.maxTokens }),
    ...(before.compactAt === after.compactAt ? {} : { compactAt: after.compactAt ?? 0.8 }),
    ...(before.compactTo === after.compactTo ? {} : { compactTo: after.compactTo ?? 0.5 }),
    ...(before.mode === after.mode ? {} : { mode: after.mode ?? ("auto" as const) }),
  };
  return Object.keys(patch).length === 0 ? null : patch;
}
