/** The other side: what is sent to the extension host, and the little that the page itself remembers. */
import type { FromView, SessionMessage } from "../model/messages";

/** What survives hiding the page and reloading the window, beside what the host knows. */
export interface Remembered {
  readonly draft: string;
  readonly breakdownOpen: boolean;
}

interface Api {
  postMessage(message: FromView): void;
  getState(): unknown;
  setState(state: Remembered): void;
}

declare function acquireVsCodeApi(): Api;

const api = acquireVsCodeApi();

export function post(message: FromView): void {
  api.postMessage(message);
}

/** A wish about one session. */
export function postFor(sessionId: string, message: SessionMessage): void {
  api.postMessage({ sessionId, ...message });
}

export function recall(): Remembered {
  return { draft: "", breakdownOpen: false, ...(api.getState() as Partial<Remembered> | undefined) };
}

export function remember(state: Remembered): void {
  api.setState(state);
}
