/** What went wrong, in words that say what to do. */
import type { Failure } from "../model/state";
import type { ErrorKind } from "../protocol.gen";

/** How a daemon ended, or why it could not be started. */
export interface Ending {
  readonly command: string;
  /** Where the Python came from, in words: a setting, the environment, the PATH. */
  readonly origin: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** The operating system's word for a program that could not be run (ENOENT, EACCES). */
  readonly spawnError: string | null;
  readonly initialized: boolean;
}

export function failure(ending: Ending): Failure {
  const { stderr } = ending;
  const settings = (title: string, advice: string): Failure => ({ title, advice, stderr, remedy: "settings" });
  if (ending.spawnError === "ENOENT") {
    return settings(
      `There is no Python at "${ending.command}"`,
      `It is ${ending.origin}. Set "sidecar.python" to the Python of an environment that has the sidecar package.`,
    );
  }
  if (ending.spawnError !== null) {
    return settings(
      `"${ending.command}" could not be run (${ending.spawnError})`,
      `It is ${ending.origin}. Set "sidecar.python" to a Python that can be run.`,
    );
  }
  if (/unknown option:? -P/iu.test(stderr)) {
    return settings(
      `"${ending.command}" is older than Python 3.11`,
      `It is ${ending.origin}. Set "sidecar.python" to a Python 3.11 or newer that has the sidecar package.`,
    );
  }
  if (/No module named '?sidecar'?/u.test(stderr)) {
    return settings(
      "The sidecar package is not installed in this Python",
      `"${ending.command}" is ${ending.origin}. Run "${ending.command} -m pip install" with the path of the sidecar project, or set "sidecar.python" to a Python that has it.`,
    );
  }
  if (/No module named|ModuleNotFoundError/u.test(stderr)) {
    return settings(
      "A package that Sidecar needs is missing",
      `Install the project's requirements into "${ending.command}" (${ending.origin}).`,
    );
  }
  const how = ending.signal === null ? `ended with exit code ${ending.code ?? "unknown"}` : `was killed (${ending.signal})`;
  const title = ending.initialized ? `The Sidecar daemon ${how}` : `The Sidecar daemon ${how} before it was ready`;
  const advice = ending.initialized
    ? "Nothing that was recorded is lost: the session comes back after a restart."
    : "Its last words are below; the log has more.";
  return { title, advice, stderr, remedy: "restart" };
}

/** Words for the kinds of errors that a person can do something about. */
const KINDS: Partial<Record<ErrorKind, string>> = {
  revisionConflict: "The session had moved on in the meantime, nothing was changed. Try again.",
  sessionBusy: "A turn is running. Stop it first, or wait until it ends.",
  notOptedIn: "The daemon does not take this editor for a Sidecar client; restart it.",
  unsupportedVersion: "The daemon and this extension speak different protocol versions; update the older one.",
  notSaved: "The session could not be written to disk. Make room or fix the permissions; nothing more is accepted until then.",
};

/** An error as a sentence: the daemon's own, with what to do where we know better. */
export function errorSentence(kind: string | null, message: string): string {
  const known = kind === null ? undefined : KINDS[kind as ErrorKind];
  return known ?? (message === "" ? "Something went wrong; the log has more." : message);
}
