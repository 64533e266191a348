/** Draws the tree of a Markdown text; every string becomes a text node. */
import { Fragment, type JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type Block, type Cell, type Inline, markdown } from "../present/markdown";
import { post } from "./host";
import { IconButton } from "./parts";

export function Markdown({ text }: { text: string }): JSX.Element {
  const tree = useMemo(() => markdown(text), [text]);
  return (
    <div class="markdown">
      <Blocks blocks={tree} />
    </div>
  );
}

function Blocks({ blocks }: { blocks: readonly Block[] }): JSX.Element {
  return (
    <>
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
    </>
  );
}

function BlockView({ block }: { block: Block }): JSX.Element {
  switch (block.kind) {
    case "paragraph":
      return (
        <p>
          <Inlines parts={block.children} />
        </p>
      );
    case "heading":
      return (
        <p class={`heading heading-${block.level}`} role="heading" aria-level={Math.min(6, block.level + 2)}>
          <Inlines parts={block.children} />
        </p>
      );
    case "code":
      return <Code text={block.text} language={block.language} />;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.children} />
        </blockquote>
      );
    case "list":
      return <List items={block.items} start={block.start} />;
    case "table":
      return <Table head={block.head} rows={block.rows} />;
    case "rule":
      return <hr />;
  }
}

function Code({ text, language }: { text: string; language: string }): JSX.Element {
  return (
    <div class="code-block">
      <pre tabIndex={0} aria-label={language === "" ? "Code" : `Code, ${language}`}>
        <code>{text}</code>
      </pre>
      <IconButton icon="copy" label="Copy" onClick={() => void navigator.clipboard.writeText(text)} />
    </div>
  );
}

function List({ items, start }: { items: readonly (readonly Block[])[]; start: number | null }): JSX.Element {
  const rows = items.map((item, at) => (
    <li key={at}>
      <Blocks blocks={item} />
    </li>
  ));
  return start === null ? <ul>{rows}</ul> : <ol start={start}>{rows}</ol>;
}

function Table({ head, rows }: { head: readonly Cell[]; rows: readonly (readonly Cell[])[] }): JSX.Element {
  return (
    <div class="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col">
                <Inlines parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Inlines parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ parts }: { parts: readonly Inline[] }): JSX.Element {
  return (
    <>
      {parts.map((part, at) => (
        <Fragment key={at}>{inline(part)}</Fragment>
      ))}
    </>
  );
}

function inline(part: Inline): JSX.Element | string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "break":
      return <br />;
    case "strong":
      return <strong>{<Inlines parts={part.children} />}</strong>;
    case "em":
      return <em>{<Inlines parts={part.children} />}</em>;
    case "strike":
      return <s>{<Inlines parts={part.children} />}</s>;
    case "link":
      return <Link href={part.href} parts={part.children} />;
  }
}

function Link({ href, parts }: { href: string; parts: readonly Inline[] }): JSX.Element {
  const open = (event: Event): void => {
    event.preventDefault();
    post({ type: "openLink", href });
  };
  return (
    <a href={href} title={href} onClick={open}>
      <Inlines parts={parts} />
    </a>
  );
}
