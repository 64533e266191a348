/** How often a daemon that ends by itself is started again: at once, then slower, then not any more. */

export interface RestartPolicy {
  /** Waits before the first, second, ... automatic restart; there are no more than these. */
  readonly waitsMs: readonly number[];
  /** Crashes further back than this are forgotten. */
  readonly windowMs: number;
}

export const RESTARTS: RestartPolicy = { waitsMs: [0, 1000, 4000], windowMs: 180_000 };

export interface Again {
  readonly attempt: number;
  readonly attempts: number;
  readonly waitMs: number;
}

/** `crashes` are times in ms, the newest last; null when it has crashed too often. */
export function again(policy: RestartPolicy, crashes: readonly number[], now: number): Again | null {
  const recent = crashes.filter((at) => now - at <= policy.windowMs).length;
  const waitMs = policy.waitsMs[recent - 1];
  return waitMs === undefined ? null : { attempt: recent, attempts: policy.waitsMs.length, waitMs };
}
