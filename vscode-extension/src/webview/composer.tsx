/** Where a prompt is written and sent. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { SessionState } from "../protocol.gen";
import { Button, IconButton } from "./parts";

interface Props {
  readonly draft: string;
  readonly state: SessionState;
  readonly sending: boolean;
  readonly onDraft: (draft: string) => void;
  readonly onSend: (prompt: string) => void;
  readonly onStop: () => void;
  readonly onMode: (mode: "normal" | "plan") => void;
}

export function Composer(props: Props): JSX.Element {
  const { draft, state, sending, onSend } = props;
  const busy = state.turn?.status === "running" || sending;
  const ready = !busy && state.status === "idle" && draft.trim() !== "";
  const send = (): void => {
    if (ready) onSend(draft);
  };
  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); }}>
      <Box {...props} send={send} />
      <div class="composer-line">
        <Mode {...props} />
        <span class="spacer" />
        {busy ? (
          <Button kind="secondary" icon="debug-stop" onClick={props.onStop} title="Stop the turn, its model call and its tools">
            Stop
          </Button>
        ) : (
          <Button icon="send" disabled={!ready} onClick={send} title="Send (Enter)">
            Send
          </Button>
        )}
      </div>
    </form>
  );
}

function Box({ draft, state, onDraft, send }: Props & { send: () => void }): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    grow(box.current);
  }, [draft]);
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes a character, Enter belongs to it.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <textarea
      id="prompt"
      ref={box}
      rows={2}
      aria-label="Prompt"
      placeholder={state.mode === "plan" ? "Ask for a plan; nothing will be changed" : "What should the agent do?"}
      value={draft}
      onInput={(event) => { onDraft(event.currentTarget.value); }}
      onKeyDown={onKeyDown}
    />
  );
}

function Mode({ state, onMode }: Props): JSX.Element {
  const plan = state.mode === "plan";
  return (
    <div class="mode">
      <IconButton
        icon="checklist"
        label={plan ? "Plan mode is on: only tools that read. Switch to normal mode" : "Switch to plan mode: only tools that read"}
        pressed={plan}
        onClick={() => { onMode(plan ? "normal" : "plan"); }}
      />
      <span class="faint">{plan ? "Plan mode" : "Normal mode"}</span>
    </div>
  );
}

/** As tall as its text, up to what the stylesheet allows. */
function grow(box: HTMLTextAreaElement | null): void {
  if (box === null) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight + 2}px`;
}
