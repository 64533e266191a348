/** The session in one line: for the status bar, the head of the panel, and the live region. */
import type { Daemon, Model } from "../model/state";
import type { SessionState, TurnInfo } from "../protocol.gen";
import { breakdownView } from "./breakdown";
import { gaugeView } from "./gauge";
import { exact } from "./numbers";

export interface StatusView {
  readonly text: string;
  /** Lines of the hover, plain text. */
  readonly lines: readonly string[];
  readonly label: string;
  readonly tone: "plain" | "warning" | "error";
}

export function statusView(model: Model): StatusView {
  const daemon = daemonStatus(model.daemon);
  if (daemon !== null) return daemon;
  const state = model.session?.state;
  if (state === undefined) {
    return { text: "$(dashboard) Sidecar", lines: ["No session yet"], label: "Sidecar, no session yet", tone: "plain" };
  }
  const gauge = gaugeView(state.gauge);
  const busy = state.status === "idle" || state.status === "closed" ? "" : "$(loading~spin) ";
  const waiting = state.pendingApprovals.length > 0;
  const number = gauge.percent === "" ? gauge.amount : gauge.percent;
  const rows = breakdownView(state.breakdown).groups.flatMap((group) => group.rows);
  return {
    text: `${waiting ? "$(bell-dot) " : busy}$(dashboard) ${number}${gauge.held ? " held" : ""}`,
    lines: [state.title, gauge.label, ...gauge.facts, ...rows.map((row) => `${row.label}: ${row.exactTokens} (${row.share})`)],
    label: `Sidecar: ${headline(model)}. ${gauge.label}`,
    tone: gauge.level === "over" ? "error" : waiting || gauge.level === "near" ? "warning" : "plain",
  };
}

function daemonStatus(daemon: Daemon): StatusView | null {
  const plain = (text: string, line: string): StatusView => ({
    text,
    lines: [line],
    label: `Sidecar: ${line}`,
    tone: "plain",
  });
  switch (daemon.kind) {
    case "idle":
    case "ready":
      return null;
    case "untrusted":
      return plain("$(dashboard) Sidecar", "waits until this folder is trusted");
    case "noFolder":
      return plain("$(dashboard) Sidecar", "needs an open folder");
    case "starting":
      return plain("$(loading~spin) Sidecar", "starting the daemon");
    case "restarting":
      return { ...plain("$(sync~spin) Sidecar", `${daemon.failure.title}; restarting`), tone: "warning" };
    case "stopped":
      return { ...plain("$(error) Sidecar", daemon.failure.title), tone: "error" };
  }
}

/** What the session is doing, for the head of the panel and for screen readers. */
export function headline(model: Model): string {
  const state = model.session?.state;
  if (model.opening !== null) return model.opening.what === "import" ? "Opening the transcript" : "Opening the session";
  if (state === undefined) return "No session";
  if (state.status === "idle") return model.sending === null ? idle(state.turn) : "Sending";
  return BUSY[state.status] ?? waiting(state.pendingApprovals.length);
}

const BUSY: Partial<Record<SessionState["status"], string>> = {
  running: "Working",
  compacting: "Compacting",
  rewinding: "Rewinding",
  closed: "Closed",
};

function waiting(count: number): string {
  return count > 1 ? `${exact(count)} approvals wait for you` : "Waits for your approval";
}

const STOPS: Readonly<Record<string, string>> = {
  cancelled: "Stopped",
  context_exhausted: "Stopped: the context is exhausted",
  cost_limit: "Stopped at the cost limit",
  request_limit: "Stopped at the request limit",
  provider_failed: "Stopped: the provider failed",
  interrupted: "Interrupted: the daemon ended during the last turn",
};

function idle(turn: TurnInfo | null): string {
  const words = STOPS[turn?.stopReason ?? ""];
  if (words === undefined) return "Ready";
  return turn === null || turn.detail === "" ? words : `${words} (${turn.detail})`;
}
