import { join } from "node:path";
import { tmpdir } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type { Daemon as State } from "../../src/model/state";
import { type Connection, Daemon, DaemonGone, type Heard } from "../../src/sidecar/daemon";
import type { DaemonProcess } from "../../src/sidecar/process";
import type { Launch } from "../../src/sidecar/python";
import { again, type RestartPolicy } from "../../src/sidecar/restarts";

const SCRIPT = join(import.meta.dirname, "../fixtures/process.mjs");
const AT_ONCE: RestartPolicy = { waitsMs: [0, 0, 0], windowMs: 60_000 };

async function connect(process: DaemonProcess, heard: Heard): Promise<Connection> {
  const { stdin, stdout } = process.child;
  const connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  connection.onNotification((method, params) => {
    heard(method, params);
  });
  connection.onError(() => undefined);
  connection.listen();
  const { version } = await connection.sendRequest<{ version: string }>("initialize", {});
  return {
    version,
    request: (method, params) => connection.sendRequest(method, params),
    stop: () => Promise.resolve(),
    dispose: () => {
      connection.dispose();
    },
  };
}

/** A supervised process of the test, everything that it said, and a way to wait for a state. */
class Supervised {
  readonly states: State[] = [];
  readonly heard: unknown[] = [];
  readonly daemon: Daemon;
  private readonly waiting: { readonly kind: State["kind"]; readonly resolve: () => void }[] = [];

  constructor(mode: string, command = process.execPath, policy = AT_ONCE) {
    const launch: Launch = { command, args: [SCRIPT, mode], env: {}, origin: "the Node of this test" };
    this.daemon = new Daemon({
      launch: () => ({ launch, cwd: tmpdir() }),
      connect,
      policy,
      onState: (state) => {
        this.states.push(state);
        for (const each of this.waiting.splice(0)) if (each.kind === state.kind) each.resolve();
        else this.waiting.push(each);
      },
      onStderr: () => undefined,
      onHeard: (_, params) => this.heard.push(params),
    });
    open.push(this);
  }

  /** Resolves at the next change to this state. */
  becomes(kind: State["kind"]): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ kind, resolve }));
  }

  get kinds(): readonly string[] {
    return this.states.map((state) => state.kind);
  }
}

const open: Supervised[] = [];

afterEach(async () => {
  for (const each of open.splice(0)) await each.daemon.stop();
});

describe("the daemon's process", () => {
  it("is started once, however many ask at the same time, and answers", async () => {
    const { daemon, states } = new Supervised("echo");
    await Promise.all([daemon.start(), daemon.start(), daemon.start()]);
    expect(await daemon.request("echo", { a: [1, "ü"] })).toEqual({ a: [1, "ü"] });
    expect(states).toEqual([{ kind: "starting" }, { kind: "ready", version: "9", pid: expect.any(Number) as number }]);
  });

  it("B168: after two kills a notification is still heard once", async () => {
    const supervised = new Supervised("echo");
    const { daemon, heard } = supervised;
    await daemon.start();
    for (let kill = 0; kill < 2; kill += 1) {
      const back = supervised.becomes("ready");
      await expect(daemon.request("die", {})).rejects.toBeInstanceOf(DaemonGone);
      await back;
    }
    await daemon.request("poke", {});
    expect(heard).toEqual([{ pid: (supervised.states.at(-1) as { pid: number }).pid }]);
    expect(supervised.kinds).toEqual(["starting", "ready", "restarting", "starting", "ready", "restarting", "starting", "ready"]);
  });

  it("B169: one that always ends at start is tried a bounded number of times, then told with its last words", async () => {
    const supervised = new Supervised("crash");
    const stopped = supervised.becomes("stopped");
    await expect(supervised.daemon.start()).rejects.toBeInstanceOf(DaemonGone);
    await stopped;
    expect(supervised.kinds).toEqual([
      ...["starting", "restarting", "starting", "restarting", "starting", "restarting"],
      ...["starting", "stopped"],
    ]);
    expect(supervised.states.at(-1)).toEqual({
      kind: "stopped",
      failure: {
        title: "The Sidecar daemon ended with exit code 1 before it was ready",
        advice: "Its last words are below; the log has more.",
        stderr: "cannot open the home folder\n",
        remedy: "restart",
      },
    });
  });

  it("B169: requests in flight settle when the process dies", async () => {
    const supervised = new Supervised("echo", process.execPath, { waitsMs: [], windowMs: 1 });
    const { daemon } = supervised;
    await daemon.start();
    const never = daemon.request("never", {});
    const stopped = supervised.becomes("stopped");
    await expect(daemon.request("die", {})).rejects.toThrow("was killed (SIGKILL)");
    await expect(never).rejects.toBeInstanceOf(DaemonGone);
    await stopped;
    await expect(daemon.request("echo", {})).rejects.toBeInstanceOf(DaemonGone);
  });

  it("a restart by hand works after it was given up", async () => {
    const supervised = new Supervised("echo", process.execPath, { waitsMs: [], windowMs: 1 });
    const { daemon } = supervised;
    await daemon.start();
    const stopped = supervised.becomes("stopped");
    await expect(daemon.request("die", {})).rejects.toBeInstanceOf(DaemonGone);
    await stopped;
    await daemon.restart();
    expect(await daemon.request("echo", [7])).toEqual([7]);
  });

  it("a program that is not there is told at once and not tried again", async () => {
    const supervised = new Supervised("echo", "/no/such/python");
    await expect(supervised.daemon.start()).rejects.toThrow('There is no Python at "/no/such/python"');
    expect(supervised.kinds).toEqual(["starting", "stopped"]);
  });

  it("a stop is no crash: the process ends, and nothing is started again", async () => {
    const supervised = new Supervised("echo");
    await supervised.daemon.start();
    await supervised.daemon.stop();
    expect(supervised.kinds).toEqual(["starting", "ready"]);
    await expect(supervised.daemon.request("echo", {})).rejects.toBeInstanceOf(DaemonGone);
  });
});

describe("the bound on restarts", () => {
  const policy: RestartPolicy = { waitsMs: [0, 1000, 4000], windowMs: 180_000 };

  it("grows slower and ends", () => {
    expect(again(policy, [0], 0)).toEqual({ attempt: 1, attempts: 3, waitMs: 0 });
    expect(again(policy, [0, 5, 10], 10)).toEqual({ attempt: 3, attempts: 3, waitMs: 4000 });
    expect(again(policy, [0, 5, 10, 15], 15)).toBeNull();
  });

  it("forgets crashes of long ago", () => {
    expect(again(policy, [0, 5, 10, 500_000], 500_000)).toEqual({ attempt: 1, attempts: 3, waitMs: 0 });
  });
});
