/**
 * Which Python runs the daemon, and how.
 *
 * Deliberately looks into no folder of the workspace: a checkout must not decide what is executed.
 */

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the editor. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the command came from, in words. */
  readonly origin: string;
}

export interface Choice {
  /** The setting `sidecar.python`. */
  readonly python: string;
  /** The setting `sidecar.home`. */
  readonly home: string;
  readonly userHome: string;
  readonly platform: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function launch(choice: Choice): Launch {
  const [command, origin] = python(choice);
  const home = expanded(choice.home, choice.userHome);
  return {
    command,
    // -P keeps the working folder off the module path: a workspace with a `sidecar` folder or a
    // `pydantic.py` of its own must not be imported.
    args: ["-P", "-m", "sidecar", "serve", "--stdio"],
    env: home === "" ? {} : { SIDECAR_HOME: home },
    origin,
  };
}

function python(choice: Choice): readonly [command: string, origin: string] {
  const setting = expanded(choice.python, choice.userHome);
  if (setting !== "") return [setting, 'what the setting "sidecar.python" says'];
  const variable = choice.environment["SIDECAR_PYTHON"] ?? "";
  if (variable !== "") return [variable, "what the environment variable SIDECAR_PYTHON says"];
  return [choice.platform === "win32" ? "python" : "python3", "the first Python on the PATH, because no other is set"];
}

function expanded(path: string, userHome: string): string {
  const trimmed = path.trim();
  return trimmed === "~" || trimmed.startsWith("~/") ? userHome + trimmed.slice(1) : trimmed;
}
