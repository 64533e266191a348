/** A tool call in a few words: what it does and to what. */

export interface ToolWords {
  readonly verb: string;
  readonly object: string;
  /** A codicon's name. */
  readonly icon: string;
}

type Arguments = Readonly<Record<string, unknown>>;

const KNOWN: Readonly<Record<string, readonly [verb: string, icon: string, ...keys: string[]]>> = {
  read_file: ["Read", "file", "path"],
  write_file: ["Write", "new-file", "path"],
  edit_file: ["Edit", "edit", "path"],
  grep: ["Search", "search", "pattern"],
  glob: ["Find files", "list-tree", "pattern"],
  bash: ["Run", "terminal", "command"],
  recall: ["Recall", "history", "id"],
};

export function toolWords(tool: string, input: Arguments): ToolWords {
  const [verb, icon, ...keys] = KNOWN[tool] ?? [tool, "tools"];
  const values = (keys.length > 0 ? keys : Object.keys(input)).map((key) => input[key]);
  const object = values.find((value): value is string => typeof value === "string") ?? "";
  return { verb, icon, object: firstLine(object) };
}

/** Arguments arrive as a value or, in a stream, as the beginning of its JSON. */
export function parsedArguments(data: unknown, text: string): Arguments {
  if (isRecord(data)) return data;
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : {};
  } catch {
    // An unfinished stream is no JSON yet.
    return {};
  }
}

/** The arguments as lines to read: long texts on lines of their own. */
export function argumentLines(input: Arguments): string {
  return Object.entries(input)
    .map(([key, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return text.includes("\n") ? `${key}:\n${text}` : `${key}: ${text}`;
    })
    .join("\n");
}

function isRecord(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function firstLine(text: string): string {
  const [first = "", ...rest] = text.trim().split("\n");
  return rest.length > 0 ? `${first} …` : first;
}
