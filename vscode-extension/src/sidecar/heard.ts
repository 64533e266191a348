/** What the daemon says unasked, as events of the model; what is new to this version is ignored. */
import type { Event } from "../model/events";
import type { Notifications } from "../protocol.gen";

export function heard(method: string, params: unknown): Event | null {
  // The daemon validates what it sends against the very models that these types are generated from.
  switch (method as keyof Notifications) {
    case "sidecar/session/changed":
      return { type: "changed", snapshot: params as Notifications["sidecar/session/changed"] };
    case "sidecar/turn/delta":
      return { type: "delta", delta: params as Notifications["sidecar/turn/delta"] };
    case "sidecar/notice": {
      const { severity, text } = params as Notifications["sidecar/notice"];
      return { type: "note", severity, text };
    }
    case "sidecar/sessions/changed":
    default:
      return null;
  }
}
