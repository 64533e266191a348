/**
 * One daemon process: started, listened to, ended.
 *
 * Owns the child, the end of its stderr, and the moment when it is gone.
 * Deliberately knows nothing of what is spoken over its stdio.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Ending } from "../present/failures";
import type { Launch } from "./python";

/** This much of the daemon's stderr is kept to be shown. */
const TAIL_CHARS = 4096;
/** After its end, this long for the last of its stderr to arrive (a grandchild may hold the pipe). */
const LAST_WORDS_MS = 300;
/** After being asked to end, this long until it is killed. */
const GRACE_MS = 3000;

export class DaemonProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles once, when the process has ended or could not be started. */
  readonly gone: Promise<Ending>;
  /** Set by whoever speaks to it, when it has answered `initialize`. */
  initialized = false;
  private tail = "";
  private ended = false;

  constructor(
    private readonly launch: Launch,
    cwd: string,
    onStderr: (text: string) => void,
  ) {
    this.child = spawn(launch.command, launch.args, {
      cwd,
      env: { ...process.env, ...launch.env },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    // A write to a process that is gone must not end the extension host.
    this.child.stdin.on("error", () => undefined);
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.tail = (this.tail + text).slice(-TAIL_CHARS);
      onStderr(text);
    });
    this.gone = this.watch();
  }

  /** Closes its stdin, which ends a daemon that works, and kills one that does not. */
  async end(): Promise<void> {
    if (this.ended) return;
    this.child.stdin.end();
    const terminate = setTimeout(() => this.child.kill("SIGTERM"), GRACE_MS / 2);
    const kill = setTimeout(() => this.child.kill("SIGKILL"), GRACE_MS);
    await this.gone;
    clearTimeout(terminate);
    clearTimeout(kill);
  }

  private watch(): Promise<Ending> {
    return new Promise((resolve) => {
      const settle = (code: number | null, signal: string | null, spawnError: string | null): void => {
        this.ended = true;
        const { command, origin } = this.launch;
        resolve({ command, origin, stderr: this.tail, code, signal, spawnError, initialized: this.initialized });
      };
      this.child.once("error", (error: NodeJS.ErrnoException) => {
        if (this.child.pid === undefined) settle(null, null, error.code ?? error.message);
      });
      this.child.once("exit", (code, signal) => {
        this.ended = true;
        const finish = (): void => {
          clearTimeout(limit);
          settle(code, signal, null);
        };
        const limit = setTimeout(finish, LAST_WORDS_MS);
        if (this.child.stderr.readableEnded) finish();
        else this.child.stderr.once("end", finish);
      });
    });
  }
}
