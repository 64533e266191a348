/** A unified diff as lines with a kind; whatever it does not know stays a line of context. */

export interface DiffLine {
  readonly kind: "added" | "removed" | "hunk" | "file" | "context";
  readonly text: string;
}

export interface DiffView {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

export function diffView(diff: string): DiffView {
  const lines = diff.replace(/\n$/u, "").split("\n");
  let inHunk = false;
  const views = diff === "" ? [] : lines.map((text) => {
    inHunk = inHunk ? !text.startsWith("diff ") : text.startsWith("@@");
    return { kind: kindOf(text, inHunk), text };
  });
  const count = (kind: DiffLine["kind"]): number => views.filter((line) => line.kind === kind).length;
  return { lines: views, added: count("added"), removed: count("removed") };
}

/** Before the first hunk "--- a" and "+++ b" name files; inside one they are a removed "-- a" and an added "++ b". */
function kindOf(text: string, inHunk: boolean): DiffLine["kind"] {
  if (text.startsWith("@@")) return "hunk";
  if (!inHunk) return "file";
  if (text.startsWith("+")) return "added";
  return text.startsWith("-") ? "removed" : "context";
}
