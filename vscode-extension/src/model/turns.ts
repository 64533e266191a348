/** All turns of the session: the small state carries the newest, a list that was read carries the rest. */
import type { TurnInfo } from "../protocol.gen";
import type { Model } from "./state";

/** In order of their number; the state's own word is the newer one. */
export function knownTurns(model: Model): readonly TurnInfo[] {
  const { session, turns } = model;
  if (session === null) return [];
  const { turns: newest, turnCount } = session.state;
  const shown = new Set(newest.map((turn) => turn.turnId));
  const rest = (turns ?? []).filter((turn) => !shown.has(turn.turnId) && turn.number <= turnCount);
  return [...rest, ...newest].sort((a, b) => a.number - b.number);
}

/** Whether there are turns that nobody has told us of. */
export function turnsMissing(model: Model): boolean {
  return model.session !== null && knownTurns(model).length < model.session.state.turnCount;
}
