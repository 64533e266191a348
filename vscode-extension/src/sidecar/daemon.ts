/**
 * The daemon as the rest of the extension sees it: there, coming back, or gone with a reason.
 *
 * Owns the one process, the one restart in flight and the bound on restarts.
 * Deliberately knows neither VS Code nor any method: how to speak is handed in as `connect`.
 * Invariant: a request settles, also when the process dies; nothing that an old process said or still
 * says is heard after its end.
 */
import type { Daemon as DaemonState, Failure } from "../model/state";
import { type Ending, failure } from "../present/failures";
import { DaemonProcess } from "./process";
import type { Launch } from "./python";
import { again, type RestartPolicy } from "./restarts";

/** A conversation with one process. */
export interface Connection {
  readonly version: string;
  request(method: string, params: unknown): Promise<unknown>;
  /** Says goodbye as LSP wants it. */
  stop(): Promise<void>;
  dispose(): void;
}

/** What the process says, given only while it is the current one. */
export type Heard = (method: string, params: unknown) => void;

export interface Setup {
  readonly launch: () => { readonly launch: Launch; readonly cwd: string };
  readonly connect: (process: DaemonProcess, heard: Heard) => Promise<Connection>;
  readonly policy: RestartPolicy;
  readonly onState: (state: DaemonState) => void;
  readonly onStderr: (text: string) => void;
  readonly onHeard: Heard;
}

/** The daemon ended, or was not there, before it could answer. */
export class DaemonGone extends Error {
  constructor(readonly failure: Failure | null) {
    super(failure?.title ?? "The Sidecar daemon is not running");
  }
}

/** JSON-RPC's own codes for a stream that is closed or broken; everything else was said by the daemon. */
const BROKEN_STREAM = new Set([-32099, -32098, -32097, -32096]);

function isAnswer(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "number" && !BROKEN_STREAM.has(code);
}

interface Generation {
  readonly process: DaemonProcess;
  connection: Connection | null;
  /** Never resolves; rejects when the process is gone. */
  readonly lost: Promise<never>;
}

export class Daemon {
  private current: Generation | null = null;
  private starting: Promise<void> | null = null;
  private waiting: { readonly timer: NodeJS.Timeout; readonly done: () => void } | null = null;
  private readonly crashes: number[] = [];
  private wanted = false;

  constructor(private readonly setup: Setup) {}

  /** Resolves when the daemon can be asked; rejects with `DaemonGone` when it could not be started. */
  start(): Promise<void> {
    this.wanted = true;
    if (this.current?.connection) return Promise.resolve();
    this.starting ??= this.launch().finally(() => (this.starting = null));
    return this.starting;
  }

  /** Ends the present process, if there is one, and starts anew; also after it was given up. */
  async restart(): Promise<void> {
    await this.stop();
    this.crashes.length = 0;
    await this.start();
  }

  async stop(): Promise<void> {
    this.wanted = false;
    this.skipWait();
    const generation = this.current;
    this.current = null;
    if (generation === null) return;
    await generation.connection?.stop().catch(() => undefined);
    await generation.process.end();
    generation.connection?.dispose();
    await this.starting?.catch(() => undefined);
  }

  async request(method: string, params: unknown): Promise<unknown> {
    const generation = this.current;
    if (!generation?.connection) throw new DaemonGone(null);
    try {
      return await Promise.race([generation.connection.request(method, params), generation.lost]);
    } catch (error) {
      if (error instanceof DaemonGone || isAnswer(error)) throw error;
      // The stream broke before the end of the process was seen: it ends now, and says why.
      void generation.process.end();
      return generation.lost;
    }
  }

  private async launch(): Promise<void> {
    this.setup.onState({ kind: "starting" });
    const { launch, cwd } = this.setup.launch();
    const process = new DaemonProcess(launch, cwd, this.setup.onStderr);
    const lost = process.gone.then((ending) => Promise.reject(new DaemonGone(failure(ending))));
    // Without a request in flight nobody listens to the loss, which is no error of the host's.
    lost.catch(() => undefined);
    const generation: Generation = { process, connection: null, lost };
    this.current = generation;
    void process.gone.then((ending) => {
      this.ended(generation, ending);
    });
    const heard: Heard = (method, params) => {
      if (this.current === generation) this.setup.onHeard(method, params);
    };
    try {
      const connection = await Promise.race([this.setup.connect(process, heard), lost]);
      this.connected(generation, connection);
    } catch (error) {
      if (error instanceof DaemonGone) throw error;
      await process.end();
      throw new DaemonGone(failure(await process.gone));
    }
  }

  private connected(generation: Generation, connection: Connection): void {
    generation.process.initialized = true;
    generation.connection = connection;
    if (this.current !== generation) {
      connection.dispose();
      return;
    }
    const pid = generation.process.child.pid ?? 0;
    this.setup.onState({ kind: "ready", version: connection.version, pid });
  }

  private ended(generation: Generation, ending: Ending): void {
    generation.connection?.dispose();
    if (this.current !== generation) return;
    this.current = null;
    const why = failure(ending);
    this.crashes.push(Date.now());
    const next = why.remedy === "restart" ? again(this.setup.policy, this.crashes, Date.now()) : null;
    if (!this.wanted || next === null) {
      this.setup.onState({ kind: "stopped", failure: why });
      return;
    }
    const { attempt, attempts, waitMs } = next;
    this.setup.onState({ kind: "restarting", attempt, attempts, failure: why });
    void this.restartAfter(waitMs);
  }

  private async restartAfter(waitMs: number): Promise<void> {
    await this.starting?.catch(() => undefined);
    await new Promise<void>((done) => (this.waiting = { timer: setTimeout(done, waitMs), done }));
    this.waiting = null;
    // A failed start has been shown by `ended`, which also decides whether there is another.
    if (this.wanted) await this.start().catch(() => undefined);
  }

  private skipWait(): void {
    if (this.waiting === null) return;
    clearTimeout(this.waiting.timer);
    this.waiting.done();
  }
}
