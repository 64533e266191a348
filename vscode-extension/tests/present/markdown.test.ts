import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Block, type Inline, markdown } from "../../src/present/markdown";

const paragraph = (...children: readonly Inline[]): Block => ({ kind: "paragraph", children });
const text = (words: string): Inline => ({ kind: "text", text: words });

describe("Markdown", () => {
  it("becomes a tree of paragraphs, lists, code and tables", () => {
    const source = "# Title\n\nA **bold** `x`.\n\n1. one\n2. two\n\n```py\nx = 1\n```\n\n|a|\n|-|\n|b|\n\n> q\n\n---\n";
    expect(markdown(source)).toEqual([
      { kind: "heading", level: 1, children: [text("Title")] },
      paragraph(text("A "), { kind: "strong", children: [text("bold")] }, text(" "), { kind: "code", text: "x" }, text(".")),
      { kind: "list", start: 1, items: [[paragraph(text("one"))], [paragraph(text("two"))]] },
      { kind: "code", language: "py", text: "x = 1" },
      { kind: "table", head: [[text("a")]], rows: [[[text("b")]]] },
      { kind: "quote", children: [paragraph(text("q"))] },
      { kind: "rule" },
    ]);
  });

  it("tags stay text", () => {
    expect(markdown('<img src=x onerror="alert(1)"> <b>hi</b>')).toEqual([paragraph(text('<img src=x onerror="alert(1)"> <b>hi</b>'))]);
  });

  it("a fence that is still open while it streams is code already", () => {
    expect(markdown("```js\nlet a")).toEqual([{ kind: "code", language: "js", text: "let a" }]);
  });

  it("a link leads only to the web or to mail, and a file name is no link", () => {
    expect(markdown("[a](javascript:alert(1)) [b](command:x) [c](https://e.org) app.py")).toEqual([
      paragraph(
        text("[a](javascript:alert(1)) "),
        text("b"),
        text(" "),
        { kind: "link", href: "https://e.org", children: [text("c")] },
        text(" app.py"),
      ),
    ]);
  });

  it("an image is its description", () => {
    expect(markdown("![a chart](https://e.org/x.png)")).toEqual([paragraph(text("a chart"))]);
  });

  it("every word of plain text is still there", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/u), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(words, (given) => {
        expect(given.every((word) => JSON.stringify(markdown(given.join(" "))).includes(word))).toBe(true);
      }),
    );
  });

  it("whatever is given, there is an answer", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (source) => Array.isArray(markdown(source))));
  });
});
