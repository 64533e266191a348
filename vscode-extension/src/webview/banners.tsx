/** What stands in the way, and what to do about it. */
import type { JSX } from "preact";
import type { Daemon, Failure, Locked, Note } from "../model/state";
import type { PanelCommand } from "../model/messages";
import { rewindSentence } from "../present/rewind";
import type { RewindInfo, SessionState } from "../protocol.gen";
import { Button, Icon, IconButton, Waiting } from "./parts";

type Do = (command: PanelCommand) => void;

/** The daemon in one card, where it is not simply there. */
export function DaemonBanner({ daemon, onCommand }: { daemon: Daemon; onCommand: Do }): JSX.Element | null {
  switch (daemon.kind) {
    case "idle":
    case "ready":
      return null;
    case "starting":
      return <Waiting>Starting the daemon…</Waiting>;
    case "restarting":
      return (
        <Waiting>
          {daemon.failure.title}. Restarting, try {daemon.attempt} of {daemon.attempts}…
        </Waiting>
      );
    case "stopped":
      return <Stopped failure={daemon.failure} onCommand={onCommand} />;
    case "untrusted":
      return (
        <Banner icon="workspace-untrusted" title="This folder is not trusted" text="The agent can change files and run commands, so it starts only in a folder that you trust.">
          <div class="actions">
            <Button onClick={() => { onCommand("trust"); }}>Manage trust</Button>
          </div>
        </Banner>
      );
    case "noFolder":
      return (
        <Banner icon="folder" title="No folder is open" text="The agent works on the files of a folder.">
          <div class="actions">
            <Button onClick={() => { onCommand("openFolder"); }}>Open folder</Button>
          </div>
        </Banner>
      );
  }
}

function Stopped({ failure, onCommand }: { failure: Failure; onCommand: Do }): JSX.Element {
  return (
    <Banner icon="error" tone="bad" title={failure.title} text={failure.advice} role="alert">
      {failure.stderr.trim() === "" ? null : <pre class="stderr" tabIndex={0} aria-label="Last words of the daemon">{failure.stderr.trim()}</pre>}
      <div class="actions">
        <Button icon="debug-restart" onClick={() => { onCommand("restart"); }}>Restart</Button>
        {failure.remedy === "settings" ? <Button kind="secondary" onClick={() => { onCommand("settings"); }}>Open settings</Button> : null}
        <Button kind="secondary" onClick={() => { onCommand("showLog"); }}>Show log</Button>
      </div>
    </Banner>
  );
}

export function LockedBanner({ locked, onCommand }: { locked: Locked; onCommand: Do }): JSX.Element {
  const holder = locked.pid === null ? "Another process" : `Process ${locked.pid}`;
  return (
    <Banner icon="lock" title="This session is open elsewhere" text={`${holder} writes it. Only one can.`}>
      <div class="actions">
        <Button onClick={() => { onCommand("newSession"); }}>New session</Button>
        <Button kind="secondary" onClick={() => { onCommand("watchOnly"); }}>Only watch</Button>
        <Button kind="secondary" onClick={() => { onCommand("takeOver"); }} title="Take it from the other process">Take over</Button>
      </div>
    </Banner>
  );
}

/** The daemon is there and no session could be opened. */
export function NoSession({ onCommand }: { onCommand: Do }): JSX.Element {
  return (
    <Banner icon="comment" title="No session is open" text="Start a new one, or go on with one of this folder.">
      <div class="actions">
        <Button onClick={() => { onCommand("newSession"); }}>New session</Button>
        <Button kind="secondary" onClick={() => { onCommand("resumeSession"); }}>Resume</Button>
      </div>
    </Banner>
  );
}

/** What is the matter with the session as a whole. */
export function SessionBanners({ state, onCommand }: { state: SessionState; onCommand: Do }): JSX.Element {
  return (
    <>
      {state.saved ? null : (
        <Banner icon="error" tone="bad" title="Not saved" text="The session cannot be written to disk. Make room or fix the permissions of its folder." role="alert" />
      )}
      {state.readOnly ? (
        <Banner icon="eye" title="Only watching" text="Another process writes this session.">
          <div class="actions">
            <Button kind="secondary" onClick={() => { onCommand("takeOver"); }}>Take over</Button>
          </div>
        </Banner>
      ) : null}
      {state.notices.map((notice) => (
        <p key={notice} class="notice-line">
          <Icon name="info" /> {notice}
        </p>
      ))}
    </>
  );
}

export function RedoBanner({ redo, busy, onRedo }: { redo: RewindInfo; busy: boolean; onRedo: () => void }): JSX.Element {
  return (
    <div class="redo" role="status">
      <Icon name="discard" />
      <span>{rewindSentence(redo)}</span>
      <span class="spacer" />
      <Button kind="secondary" icon="redo" disabled={busy} onClick={onRedo} title="Bring everything back, until the session moves on">
        Redo
      </Button>
    </div>
  );
}

const NOTE_ICONS: Readonly<Record<Note["severity"], string>> = { info: "info", warning: "warning", error: "error" };

export function Notes({ notes, onDismiss }: { notes: readonly Note[]; onDismiss: (id: number) => void }): JSX.Element | null {
  if (notes.length === 0) return null;
  return (
    <div class="notes">
      {notes.map((note) => (
        <div key={note.id} class={`note severity-${note.severity}`} role={note.severity === "info" ? "status" : "alert"}>
          <Icon name={NOTE_ICONS[note.severity]} />
          <span>{note.text}</span>
          <IconButton icon="close" label="Dismiss" onClick={() => { onDismiss(note.id); }} />
        </div>
      ))}
    </div>
  );
}

function Banner({ icon, title, text, tone = "plain", role, children }: {
  icon: string;
  title: string;
  text: string;
  tone?: "plain" | "bad";
  role?: "alert";
  children?: JSX.Element | (JSX.Element | null)[];
}): JSX.Element {
  return (
    <section class={`card banner tone-${tone}`} aria-label={title} {...(role === undefined ? {} : { role })}>
      <header class="card-head">
        <Icon name={icon} />
        <span class="card-title">{title}</span>
      </header>
      <p>{text}</p>
      {children}
    </section>
  );
}
