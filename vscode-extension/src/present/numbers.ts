/** How numbers read: short on the screen, exact in titles and for screen readers. */

/** 950 -> "950", 12345 -> "12.3k", 128000 -> "128k", 1200000 -> "1.2M". */
export function short(tokens: number): string {
  if (tokens < 0) return `-${short(-tokens)}`;
  if (tokens < 1000) return String(tokens);
  // 999,950 would round to "1000k".
  return tokens < 999_500 ? `${scaled(tokens / 1000)}k` : `${scaled(tokens / 1_000_000)}M`;
}

function scaled(value: number): string {
  return value < 99.95 ? value.toFixed(1).replace(/\.0$/u, "") : value.toFixed(0);
}

/** 12345 -> "12,345". */
export function exact(value: number): string {
  return value.toLocaleString("en-US");
}

/** A share of a whole as a percentage: below one it keeps a digit, so that nothing shown is "0%". */
export function percent(part: number, whole: number): string {
  if (whole <= 0) return "";
  const value = (100 * part) / whole;
  if (value > 0 && value < 0.1) return "<0.1%";
  return value > 0 && value < 1 ? `${value.toFixed(1)}%` : `${Math.round(value)}%`;
}

/** 1 "turn", 2 "turns". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${exact(count)} ${count === 1 ? one : many}`;
}

/** "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  return count < 1024 * 1024 ? `${(count / 1024).toFixed(0)} KiB` : `${(count / 1024 / 1024).toFixed(1)} MiB`;
}

/** The first clause of a text, for a line that has no room for more. */
export function firstClause(text: string): string {
  return /^[^:.;]+/u.exec(text)?.[0] ?? text;
}
