/**
 * Markdown as a tree of values, which the view draws as text nodes.
 *
 * Nothing here is ever HTML: tags in the source stay text, images become their description, and a link
 * leads only to the web or to mail.
 */
import MarkdownIt, { type Token } from "markdown-it";

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "strong" | "em" | "strike"; readonly children: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[] };

export type Block =
  | { readonly kind: "paragraph"; readonly children: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly children: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | null; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: "table"; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "rule" };

export type Cell = readonly Inline[];

// "app.py" is a file, not a host in Paraguay: only addresses with a scheme become links.
const parser = new MarkdownIt({ html: false, linkify: true });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

export function markdown(source: string): readonly Block[] {
  return blocks(new Cursor(parser.parse(source, {})), "");
}

class Cursor {
  private at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  next(): Token | undefined {
    return this.tokens[this.at++];
  }
}

/** Reads blocks up to the token that closes `until` (or the end). */
function blocks(cursor: Cursor, until: string): readonly Block[] {
  const found: Block[] = [];
  for (let token = cursor.next(); token !== undefined && token.type !== until; token = cursor.next()) {
    const block = blockOf(token, cursor);
    if (block !== null) found.push(block);
  }
  return found;
}

function blockOf(token: Token, cursor: Cursor): Block | null {
  switch (token.type) {
    case "paragraph_open":
      return { kind: "paragraph", children: line(cursor, "paragraph_close") };
    case "heading_open":
      return { kind: "heading", level: Number(token.tag.slice(1)), children: line(cursor, "heading_close") };
    case "fence":
    case "code_block":
      return { kind: "code", language: token.info.trim().split(/\s+/u)[0] ?? "", text: token.content.replace(/\n$/u, "") };
    case "blockquote_open":
      return { kind: "quote", children: blocks(cursor, "blockquote_close") };
    case "bullet_list_open":
      return { kind: "list", start: null, items: items(cursor, "bullet_list_close") };
    case "ordered_list_open":
      return { kind: "list", start: Number(token.attrGet("start") ?? 1), items: items(cursor, "ordered_list_close") };
    case "table_open":
      return table(cursor);
    case "hr":
      return { kind: "rule" };
    default:
      return token.content === "" ? null : { kind: "paragraph", children: [{ kind: "text", text: token.content }] };
  }
}

function items(cursor: Cursor, until: string): readonly (readonly Block[])[] {
  const found: (readonly Block[])[] = [];
  for (let token = cursor.next(); token !== undefined && token.type !== until; token = cursor.next()) {
    if (token.type === "list_item_open") found.push(blocks(cursor, "list_item_close"));
  }
  return found;
}

function table(cursor: Cursor): Block {
  const rows: Cell[][] = [];
  for (let token = cursor.next(); token !== undefined && token.type !== "table_close"; token = cursor.next()) {
    if (token.type === "tr_open") rows.push([]);
    if (token.type === "th_open" || token.type === "td_open") rows.at(-1)?.push(line(cursor, token.type.replace("open", "close")));
  }
  const [head = [], ...body] = rows;
  return { kind: "table", head, rows: body };
}

function line(cursor: Cursor, until: string): readonly Inline[] {
  const found: Inline[] = [];
  for (let token = cursor.next(); token !== undefined && token.type !== until; token = cursor.next()) {
    found.push(...inlines(new Cursor(token.children ?? []), ""));
  }
  return found;
}

function inlines(cursor: Cursor, until: string): readonly Inline[] {
  const found: Inline[] = [];
  for (let token = cursor.next(); token !== undefined && token.type !== until; token = cursor.next()) {
    found.push(...inline(token, cursor));
  }
  return found;
}

const NESTED: Readonly<Record<string, "strong" | "em" | "strike">> = { strong: "strong", em: "em", s: "strike" };

function inline(token: Token, cursor: Cursor): readonly Inline[] {
  const nested = token.type.endsWith("_open") ? NESTED[token.type.slice(0, -"_open".length)] : undefined;
  if (nested !== undefined) return [{ kind: nested, children: inlines(cursor, token.type.replace("open", "close")) }];
  switch (token.type) {
    case "code_inline":
      return [{ kind: "code", text: token.content }];
    case "softbreak":
      return [{ kind: "text", text: "\n" }];
    case "hardbreak":
      return [{ kind: "break" }];
    case "link_open":
      return link(token.attrGet("href") ?? "", inlines(cursor, "link_close"));
    default:
      return token.content === "" ? [] : [{ kind: "text", text: token.content }];
  }
}

function link(href: string, children: readonly Inline[]): readonly Inline[] {
  return /^(?:https?|mailto):/iu.test(href) ? [{ kind: "link", href, children }] : children;
}
