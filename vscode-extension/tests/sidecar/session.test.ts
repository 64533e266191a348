import { describe, expect, it } from "vitest";
import { Store } from "../../src/model/store";
import { Actions, Stale } from "../../src/sidecar/actions";
import { Approvals } from "../../src/sidecar/approvals";
import { budgetChange, budgetPatch } from "../../src/sidecar/budget";
import { launch } from "../../src/sidecar/python";
import { type Memory, Sessions } from "../../src/sidecar/session";
import { Transcript } from "../../src/sidecar/transcript";
import { Answers, refusal, until } from "../fixtures/asker";
import { approval, item, page, plan, SESSION, snapshot } from "../fixtures/session";

function setUp(remembered: string | null = null) {
  const store = new Store();
  const answers = new Answers();
  store.dispatch({ type: "daemon", daemon: { kind: "ready", version: "0.1.0", pid: 1 } });
  let kept = remembered;
  const memory: Memory = {
    get: () => kept,
    set: (sessionId) => {
      kept = sessionId;
    },
  };
  const place = { folder: "file:///home/ada/shop", memory, start: () => Promise.resolve() };
  const sessions = new Sessions(answers, store, place);
  return { store, answers, memory, sessions, actions: new Actions(answers, store), transcript: new Transcript(answers, store) };
}

function open(store: Store, sessionId = SESSION, revision = 7): void {
  const token = store.token();
  store.dispatch({ type: "opening", opening: { token, what: "resume" } });
  store.dispatch({ type: "opened", token, snapshot: snapshot(revision, {}, sessionId) });
}

describe("opening", () => {
  it("resumes the session that this workspace remembers", async () => {
    const { sessions, answers, store } = setUp("s9");
    const opened = sessions.ensure();
    const asked = await answers.of("sidecar/session/resume");
    asked.resolve({ session: snapshot(3, {}, "s9") });
    expect(await opened).toEqual(snapshot(3, {}, "s9"));
    expect([asked.params, answers.methods]).toEqual([{ sessionId: "s9" }, ["sidecar/session/resume"]]);
    expect(store.model.session?.sessionId).toBe("s9");
  });

  it("without one takes the newest of the workspace that nobody else writes", async () => {
    const { sessions, answers, memory } = setUp();
    const opened = sessions.ensure();
    const listing = { title: "", workspaceUri: "", createdAt: 0, updatedAt: 0, turns: 1, sizeBytes: 1 };
    const list = [
      { ...listing, sessionId: "busy", lockedByPid: 5 },
      { ...listing, sessionId: "free", lockedByPid: null },
    ];
    (await answers.of("sidecar/session/list")).resolve({ sessions: list, problems: [] });
    const resume = await answers.of("sidecar/session/resume");
    resume.resolve({ session: snapshot(1, {}, "free") });
    await opened;
    expect([resume.params["sessionId"], memory.get()]).toEqual(["free", "free"]);
  });

  it("with none at all starts one, and asks once however many wait for it", async () => {
    const { sessions, answers, memory } = setUp();
    const both = [sessions.ensure(), sessions.ensure()];
    (await answers.of("sidecar/session/list")).resolve({ sessions: [], problems: [] });
    (await answers.of("sidecar/session/start")).resolve({ session: snapshot(0, {}, "new") });
    expect(await Promise.all(both)).toEqual([snapshot(0, {}, "new"), snapshot(0, {}, "new")]);
    expect([answers.methods, memory.get()]).toEqual([["sidecar/session/list", "sidecar/session/start"], "new"]);
  });

  it("B181: a slow answer for an older wish is not shown, and its lock is given back", async () => {
    const { sessions, answers, store } = setUp();
    const slow = sessions.resume("A");
    const asked = await answers.of("sidecar/session/resume");
    const quick = sessions.startNew();
    (await answers.of("sidecar/session/start")).resolve({ session: snapshot(0, {}, "B") });
    expect(await quick).toEqual(snapshot(0, {}, "B"));
    asked.resolve({ session: snapshot(9, {}, "A") });
    expect(await slow).toBeNull();
    expect(store.model.session?.sessionId).toBe("B");
    expect((await answers.of("sidecar/session/close")).params).toEqual({ sessionId: "A" });
  });

  it("after another process took over the same session is resumed, not taken for open", async () => {
    const { sessions, answers, store } = setUp("s1");
    const first = sessions.ensure();
    (await answers.of("sidecar/session/resume")).resolve({ session: snapshot(4) });
    await first;
    expect(await sessions.ensure()).toEqual(snapshot(4));
    store.dispatch({ type: "daemon", daemon: { kind: "ready", version: "0.1.0", pid: 2 } });
    const again = sessions.ensure();
    (await answers.of("sidecar/session/resume", 2)).resolve({ session: snapshot(5) });
    expect(await again).toEqual(snapshot(5));
    expect(answers.methods).toEqual(["sidecar/session/resume", "sidecar/session/resume"]);
  });

  it("a session that is locked is said with the process that has it", async () => {
    const { sessions, answers, store } = setUp("s1");
    const opened = sessions.ensure();
    (await answers.of("sidecar/session/resume")).reject(refusal("sessionLocked", "locked", { pid: 77 }));
    expect(await opened).toBeNull();
    expect(store.model.locked).toEqual({ sessionId: "s1", pid: 77 });
  });

  it("a remembered session that is gone is replaced by a new one, and that is said", async () => {
    const { sessions, answers, store } = setUp("gone");
    const opened = sessions.ensure();
    (await answers.of("sidecar/session/resume")).reject(refusal("notFound", "no session gone"));
    (await answers.of("sidecar/session/start")).resolve({ session: snapshot(0, {}, "new") });
    await opened;
    expect(store.model.session?.sessionId).toBe("new");
    expect(store.model.notes.map((note) => note.severity)).toEqual(["warning"]);
  });
});

describe("acting on a session", () => {
  it("B121: a rewind that was previewed for another session is refused as stale", async () => {
    const { actions, answers, store } = setUp();
    open(store, "A");
    const previewed = actions.previewRewind("A", "m20", "both");
    (await answers.of("sidecar/rewind/preview")).resolve(plan());
    await previewed;
    const token = store.model.rewind?.token ?? -1;
    open(store, "B");
    const asked = { token, planId: "p1", revision: 7, choices: {} };
    await expect(actions.applyRewind("A", asked)).rejects.toBeInstanceOf(Stale);
    await expect(actions.applyRewind("B", asked)).rejects.toBeInstanceOf(Stale);
    expect(answers.methods).toEqual(["sidecar/rewind/preview"]);
  });

  it("a rewind is applied at the revision that was previewed, with the choices of the person", async () => {
    const { actions, answers, store } = setUp();
    open(store);
    const previewed = actions.previewRewind(SESSION, "m20", "both");
    (await answers.of("sidecar/rewind/preview")).resolve(plan());
    await previewed;
    const choices = { "shop/discounts.py": "keep" } as const;
    const token = store.model.rewind?.token ?? -1;
    const applied = actions.applyRewind(SESSION, { token, planId: "p1", revision: 7, choices });
    const asked = await answers.of("sidecar/rewind/apply");
    asked.reject(refusal("revisionConflict", "moved"));
    expect(await applied).toBeNull();
    expect(asked.params).toEqual({
      sessionId: SESSION,
      planId: "p1",
      choices,
      expectedRevision: 7,
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/u) as string,
    });
    expect(store.model.rewind).toMatchObject({
      applying: false,
      refusal: "The session had moved on in the meantime, nothing was changed. Try again.",
    });
  });

  it("a prompt is shown at once, and taken back where it was not accepted", async () => {
    const { actions, answers, store } = setUp();
    open(store);
    const sent = actions.send(SESSION, "Go");
    expect(store.model.sending).toEqual({ prompt: "Go", revision: null });
    (await answers.of("sidecar/turn/start")).reject(refusal("sessionBusy", "busy"));
    await expect(sent).rejects.toThrow("busy");
    expect(store.model.sending).toBeNull();
  });
});

describe("approvals", () => {
  const never = { onCancellationRequested: () => undefined };

  it("answer the open question where there is one", async () => {
    const answers = new Answers();
    const approvals = new Approvals(answers);
    const question = approvals.asked({ sessionId: SESSION, approval: approval() }, never);
    await approvals.decide(SESSION, "a1", "allow_always");
    expect([await question, answers.methods]).toEqual([{ decision: "allow_always" }, []]);
  });

  it("go out by themselves after a restart of the window", async () => {
    const answers = new Answers();
    const decided = new Approvals(answers).decide(SESSION, "a1", "reject_once");
    const asked = await answers.of("sidecar/approval/respond");
    asked.resolve({ revision: 1 });
    await decided;
    expect(asked.params).toEqual({ sessionId: SESSION, approvalId: "a1", decision: "reject_once" });
  });

  it("a question that the daemon takes back is not answered any more", async () => {
    let withdraw = (): void => undefined;
    const approvals = new Approvals(new Answers());
    const question = approvals.asked({ sessionId: SESSION, approval: approval() }, { onCancellationRequested: (listener) => (withdraw = listener) });
    withdraw();
    await expect(question).rejects.toThrow("withdrawn");
  });
});

describe("the conversation", () => {
  it("is read once at a time, until it is as new as the session", async () => {
    const { transcript, answers, store } = setUp();
    open(store);
    store.subscribe(() => {
      transcript.follow();
    });
    transcript.follow();
    store.dispatch({ type: "changed", snapshot: snapshot(8) });
    store.dispatch({ type: "changed", snapshot: snapshot(9) });
    expect(answers.methods).toEqual(["sidecar/transcript/read"]);
    (await answers.of("sidecar/transcript/read")).resolve(page(7, [item("m1.0")]));
    (await answers.of("sidecar/transcript/read", 2)).resolve(page(9, [item("m1.0"), item("m2.0")]));
    await until(() => store.model.conversation.revision === 9, () => "the second page was not shown");
    expect(store.model.conversation).toEqual({ items: [item("m1.0"), item("m2.0")], older: false, revision: 9, streams: [] });
    expect(answers.methods).toHaveLength(2);
  });
});

describe("settings", () => {
  const unset = { maxTokens: null, compactAt: null, compactTo: null, mode: null };

  it("only what is set goes to the daemon", () => {
    expect(budgetPatch(unset)).toBeNull();
    expect(budgetPatch({ ...unset, maxTokens: 40_000, mode: "ask" })).toEqual({ maxTokens: 40_000, mode: "ask" });
  });

  it("only what was changed goes to the daemon, and what was taken back goes back to its default", () => {
    expect(budgetChange(unset, unset)).toBeNull();
    expect(budgetChange({ ...unset, maxTokens: 40_000, compactAt: 0.7 }, { ...unset, compactTo: 0.3 })).toEqual({
      maxTokens: null,
      compactAt: 0.8,
      compactTo: 0.3,
    });
  });

  const choice = { python: "", home: "", userHome: "/home/ada", platform: "linux", environment: {} };

  it("the setting wins over the environment, the environment over the PATH", () => {
    const environment = { SIDECAR_PYTHON: "/venv/bin/python" };
    expect(launch({ ...choice, python: "~/py", environment })).toEqual({
      command: "/home/ada/py",
      args: ["-P", "-m", "sidecar", "serve", "--stdio"],
      env: {},
      origin: 'what the setting "sidecar.python" says',
    });
    expect(launch({ ...choice, environment }).command).toBe("/venv/bin/python");
    expect(launch(choice).command).toBe("python3");
    expect(launch({ ...choice, platform: "win32" }).command).toBe("python");
  });

  it("the home folder of the sessions goes to the daemon by its environment", () => {
    expect(launch({ ...choice, home: "~/sessions" }).env).toEqual({ SIDECAR_HOME: "/home/ada/sessions" });
  });
});
