/** The conversation, newest at the end; it follows the end while the person is there. */
import { memo } from "preact/compat";
import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { EventRow, PromptRow, Row, TextRow, ToolRow, WholeText } from "../present/conversation";
import { CompactionCard } from "./compaction";
import { Markdown } from "./markdown";
import { Button, Icon, IconButton, LinkButton } from "./parts";

export interface RowActions {
  readonly onRewind: (anchor: string) => void;
  readonly onWhole: (whole: WholeText) => void;
  readonly onUndo: (compactionId: string) => void;
  /** Whether the session does something that a change of the past would have to wait for. */
  readonly busy: boolean;
}

interface Props extends RowActions {
  readonly rows: readonly Row[];
  readonly older: boolean;
  readonly onOlder: () => void;
  readonly canRewind: boolean;
  /** What stands at the end: cards that belong to now. */
  readonly children: JSX.Element;
}

/** This close to the end still counts as being there. */
const NEAR_PX = 48;

export function Conversation(props: Props): JSX.Element {
  const { rows, older, onOlder, children } = props;
  const { scroller, away, toEnd, onScroll } = useEnd();
  return (
    <div class="conversation-frame">
      <div class="conversation" ref={scroller} onScroll={onScroll} tabIndex={0} role="log" aria-label="Conversation" aria-live="off">
        {older ? (
          <div class="older">
            <LinkButton onClick={onOlder}>Show older messages</LinkButton>
          </div>
        ) : null}
        {rows.map((row) => (
          <RowView key={row.key} row={row} actions={props} canRewind={props.canRewind} />
        ))}
        {children}
      </div>
      {away ? (
        <div class="to-end">
          <Button kind="secondary" icon="arrow-down" onClick={toEnd}>
            Latest
          </Button>
        </div>
      ) : null}
    </div>
  );
}

interface End {
  readonly scroller: RefObject<HTMLDivElement>;
  readonly away: boolean;
  readonly toEnd: () => void;
  readonly onScroll: () => void;
}

/** Keeps the end in sight until the person scrolls away from it. */
function useEnd(): End {
  const scroller = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const following = useRef(true);
  following.current = !away;
  const toEnd = (): void => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  };
  const onScroll = (): void => {
    const element = scroller.current;
    if (element !== null) setAway(element.scrollHeight - element.scrollTop - element.clientHeight > NEAR_PX);
  };
  useLayoutEffect(() => {
    if (!away) toEnd();
  });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    // The frame shrinks when a card or a longer prompt appears below it.
    const observer = new ResizeObserver(() => {
      if (following.current) toEnd();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  return { scroller, away, toEnd, onScroll };
}

function RowView({ row, actions, canRewind }: { row: Row; actions: RowActions; canRewind: boolean }): JSX.Element {
  switch (row.kind) {
    case "prompt":
      return <Prompt row={row} actions={actions} canRewind={canRewind} />;
    case "text":
      return <Answer row={row} actions={actions} />;
    case "thinking":
      return <Thinking row={row} actions={actions} />;
    case "tool":
      return <Tool row={row} actions={actions} />;
    case "event":
      return <Event row={row} actions={actions} />;
    case "compaction":
      return <CompactionCard card={row.card} busy={actions.busy} onUndo={actions.onUndo} onRun={null} />;
  }
}

function Prompt({ row, actions, canRewind }: { row: PromptRow; actions: RowActions; canRewind: boolean }): JSX.Element {
  const { anchor, turn } = row;
  return (
    <article class="prompt" aria-label={turn === null ? "Your prompt" : `Your prompt, turn ${turn}`}>
      <header>
        <span class="faint">{turn === null ? "You" : `Turn ${turn}`}</span>
        {anchor !== null && canRewind ? (
          <IconButton
            icon="discard"
            label={`Rewind to before turn ${turn ?? ""}`}
            onClick={() => {
              actions.onRewind(anchor);
            }}
          />
        ) : null}
      </header>
      <div class="plain">{row.text}</div>
      <Whole whole={row.whole} actions={actions} />
    </article>
  );
}

const StableMarkdown = memo(Markdown);

function Answer({ row, actions }: { row: TextRow; actions: RowActions }): JSX.Element {
  return (
    <article class={`answer${row.streaming ? " streaming" : ""}`} aria-label="Answer" aria-busy={row.streaming}>
      <Faded row={row} />
      <StableMarkdown text={row.text} />
      {row.gap ? <p class="faint">A piece was lost on the way; the whole text follows.</p> : null}
      <Whole whole={row.whole} actions={actions} />
    </article>
  );
}

function Thinking({ row, actions }: { row: TextRow; actions: RowActions }): JSX.Element {
  return (
    <details class="tool thinking">
      <summary>
        <Icon name="lightbulb" />
        <span class="tool-verb">{row.streaming ? "Thinking…" : "Thinking"}</span>
        <Faded row={row} />
      </summary>
      <div class="plain faint">{row.text === "" ? "The provider withheld it." : row.text}</div>
      <Whole whole={row.whole} actions={actions} />
    </details>
  );
}

const STATUS_ICONS: Readonly<Record<ToolRow["status"], string>> = {
  running: "loading",
  waiting: "bell-dot",
  done: "check",
  failed: "error",
  unanswered: "circle-slash",
};

function Tool({ row, actions }: { row: ToolRow; actions: RowActions }): JSX.Element {
  const { words, status } = row;
  return (
    <details class={`tool status-${status}`}>
      <summary>
        <Icon name={words.icon} />
        <span class="tool-verb">{words.verb}</span>
        <span class="tool-object" title={words.object}>
          {words.object}
        </span>
        <Faded row={row} />
        <Icon name={STATUS_ICONS[status]} label={row.statusLabel} />
      </summary>
      {row.input === "" ? null : <Output title="Arguments" text={row.input} />}
      {row.output === null ? null : <Output title="Result" text={row.output} />}
      <Whole whole={row.whole} actions={actions} />
    </details>
  );
}

function Output({ title, text }: { title: string; text: string }): JSX.Element {
  return (
    <div class="output">
      <span class="faint">{title}</span>
      <pre tabIndex={0} aria-label={title}>
        {text === "" ? "(empty)" : text}
      </pre>
    </div>
  );
}

function Event({ row, actions }: { row: EventRow; actions: RowActions }): JSX.Element {
  const head = (
    <>
      <Icon name={row.icon} />
      <span>{row.title}</span>
    </>
  );
  if (row.text === "") return <div class="event">{head}</div>;
  return (
    <details class="tool event-details">
      <summary>{head}</summary>
      <div class="plain faint">{row.text}</div>
      <Whole whole={row.whole} actions={actions} />
    </details>
  );
}

const FADED: Readonly<Record<string, string>> = {
  shortened: "shortened in the context",
  summarised: "summarised in the context",
  dropped: "dropped from the context",
  rewound: "rewound",
};

/** What is shown is what happened; what the model still sees may be less. */
function Faded({ row }: { row: TextRow | ToolRow }): JSX.Element | null {
  const label = FADED[row.state];
  return label === undefined ? null : (
    <span class="faded" title={`This is ${label}`}>
      <Icon name="fold" label={label} />
    </span>
  );
}

function Whole({ whole, actions }: { whole: WholeText | null; actions: RowActions }): JSX.Element | null {
  if (whole === null) return null;
  return (
    <LinkButton
      onClick={() => {
        actions.onWhole(whole);
      }}
    >
      Open the whole text
    </LinkButton>
  );
}
