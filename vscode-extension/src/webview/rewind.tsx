/** The rewind preview: what would happen, file by file, before anything does. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RewindDraft, RewindMode } from "../model/state";
import { type Choice, type Choices, type FileView, type RewindView, rewindView } from "../present/rewind";
import type { FileChange } from "../protocol.gen";
import { GaugeBar } from "./gauge";
import { Button, Icon, IconButton, Waiting } from "./parts";

interface Props {
  readonly draft: RewindDraft;
  readonly revision: number;
  readonly onMode: (mode: RewindMode) => void;
  readonly onApply: (choices: Choices) => void;
  readonly onDiff: (change: FileChange) => void;
  readonly onStop: () => void;
  readonly onClose: () => void;
}

export function Rewind(props: Props): JSX.Element {
  const { draft, revision, onClose } = props;
  const [choices, setChoices] = useState<Choices>({});
  const view = rewindView(draft, choices, revision);
  const choose = (path: string, choice: Choice): void => {
    setChoices({ ...choices, [path]: choice });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
  };
  return (
    <section class="rewind" id="rewind" tabIndex={-1} aria-label={view.title} aria-busy={view.loading} onKeyDown={onKeyDown}>
      <header class="rewind-head">
        <h2>{view.title}</h2>
        <IconButton icon="close" label="Close the preview" onClick={onClose} />
      </header>
      <Modes view={view} onMode={props.onMode} />
      {draft.plan === null ? <Waiting>Looking at the files…</Waiting> : <Plan view={view} onChoose={choose} onDiff={props.onDiff} />}
      <Foot {...props} view={view} choices={choices} />
    </section>
  );
}

function Modes({ view, onMode }: { view: RewindView; onMode: (mode: RewindMode) => void }): JSX.Element {
  return (
    <fieldset class="modes">
      <legend class="hidden">What to rewind</legend>
      {view.modes.map(({ mode, label, chosen }) => (
        <label key={mode} class={chosen ? "chosen" : ""}>
          <input type="radio" name="rewind-mode" checked={chosen} onChange={() => { onMode(mode); }} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface PlanProps {
  readonly view: RewindView;
  readonly onChoose: (path: string, choice: Choice) => void;
  readonly onDiff: (change: FileChange) => void;
}

function Plan({ view, onChoose, onDiff }: PlanProps): JSX.Element {
  return (
    <div class={`rewind-plan${view.loading ? " loading" : ""}`}>
      <h3>{view.filesTitle}</h3>
      <ul class="files">
        {view.files.map((file) => (
          <File key={file.path} file={file} onChoose={onChoose} onDiff={onDiff} />
        ))}
      </ul>
      <NotRestored lines={view.notRestored} />
      <h3>{view.turnsTitle}</h3>
      <ul class="turns">
        {view.turns.map((turn) => (
          <li key={turn.key}>
            <span class="faint">{turn.number}</span>
            <span class="row-label" title={turn.prompt}>{turn.prompt}</span>
          </li>
        ))}
      </ul>
      {view.gaugeAfter === null ? null : (
        <div class="gauge-after">
          <p class="faint">{view.gaugeSentence}</p>
          <GaugeBar view={view.gaugeAfter} />
        </div>
      )}
    </div>
  );
}

function NotRestored({ lines }: { lines: readonly string[] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <section class="not-restored" aria-label="Not restored">
      <h3>
        <Icon name="warning" /> Not restored
      </h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

function File({ file, onChoose, onDiff }: {
  file: FileView;
  onChoose: (path: string, choice: Choice) => void;
  onDiff: (change: FileChange) => void;
}): JSX.Element {
  return (
    <li class={file.conflict === null ? "file" : "file conflicting"}>
      <div class="file-line">
        <Icon name={file.icon} label={file.action} />
        <span class="file-name" title={file.path}>{file.name}</span>
        <span class="faint file-folder">{file.folder}</span>
        <span class="spacer" />
        <span class="added">{file.added}</span>
        <span class="removed">{file.removed}</span>
        {file.diffable ? <IconButton icon="diff" label={`Diff ${file.path}: checkpoint and now`} onClick={() => { onDiff(file.change); }} /> : null}
      </div>
      {file.conflict === null ? null : <Conflict file={file} onChoose={onChoose} />}
    </li>
  );
}

function Conflict({ file, onChoose }: { file: FileView; onChoose: (path: string, choice: Choice) => void }): JSX.Element {
 const option = (choice: Choice, label: string, disabled = false): JSX.Element => (
    <label class={file.choice === choice ? "chosen" : ""} title={disabled ? "The checkpoint's state cannot be had here" : ""}>
      <input type="radio" disabled={disabled} name={`choice-${file.path}`} checked={file.choice === choice} onChange={() => { onChoose(file.path, choice); }} />
      <span>{label}</span>
    </label>
  );
  return (
    <fieldset class="conflict">
      <legend>
        <Icon name="warning" /> {file.conflict}
      </legend>
      <div class="modes">
        {option("keep", "Keep mine")}
        {option("take", "Take checkpoint", !file.takeable)}
      </div>
    </fieldset>
  );
}

function Foot({ view, choices, onApply, onStop, onClose }: Props & { view: RewindView; choices: Choices }): JSX.Element {
  return (
    <footer class="rewind-foot">
      {view.refusal === null ? null : (
        <p class="refusal" role="alert">
          <Icon name="error" /> {view.refusal}
        </p>
      )}
      {view.blocked === null ? null : <p class="faint" role="status">{view.blocked}</p>}
      <div class="actions">
        {view.stopFirst ? <Button icon="debug-stop" onClick={onStop}>Stop the turn</Button> : (
          <Button icon="discard" disabled={view.blocked !== null} onClick={() => { onApply(choices); }}>
            {view.button}
          </Button>
        )}
        <Button kind="secondary" onClick={onClose}>Cancel</Button>
      </div>
    </footer>
  );
}
