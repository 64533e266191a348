/** The page: a function of the model and of the little that it remembers itself. */
import type { JSX } from "preact";
import type { PanelCommand, SessionMessage } from "../model/messages";
import type { Model } from "../model/state";
import { conversationRows, type Row } from "../present/conversation";
import { firstClause } from "../present/numbers";
import { headline } from "../present/status";
import type { CompactionCard as CompactionCardData, SessionSnapshot } from "../protocol.gen";
import { Approvals } from "./approvals";
import { DaemonBanner, LockedBanner, NoSession, Notes, RedoBanner, SessionBanners } from "./banners";
import { CompactionCard, CompactionPreview } from "./compaction";
import { Composer } from "./composer";
import { Conversation } from "./conversation";
import { Gauge } from "./gauge";
import { post, postFor, type Remembered } from "./host";
import { Button, Icon, Waiting } from "./parts";
import { Rewind } from "./rewind";

interface Props {
  readonly model: Model;
  readonly remembered: Remembered;
  readonly onRemember: (change: Partial<Remembered>) => void;
}

const command = (name: PanelCommand): void => {
  post({ type: "command", command: name });
};

const dismiss = (id: number): void => {
  post({ type: "noteDismissed", id });
};

export function App(props: Props): JSX.Element {
  const { model } = props;
  const { session, daemon, locked } = model;
  return (
    <div class="app">
      <p class="hidden" role="status" aria-live="polite">
        {headline(model)}
      </p>
      <DaemonBanner daemon={daemon} onCommand={command} />
      {locked === null ? null : <LockedBanner locked={locked} onCommand={command} />}
      {model.opening !== null && daemon.kind === "ready" ? <Waiting>{headline(model)}…</Waiting> : null}
      {session === null ? <Notes notes={model.notes} onDismiss={dismiss} /> : <Session {...props} session={session} />}
      {session === null && locked === null && model.opening === null && daemon.kind === "ready" ? <NoSession onCommand={command} /> : null}
    </div>
  );
}

type SessionProps = Props & { readonly session: SessionSnapshot };
type Send = (message: SessionMessage) => void;

function Session(props: SessionProps): JSX.Element {
  const { model, session, remembered, onRemember } = props;
  const { sessionId, state, revision } = session;
  const send: Send = (message) => {
    postFor(sessionId, message);
  };
  return (
    <>
      <Gauge
        state={state}
        open={remembered.breakdownOpen}
        onToggle={() => { onRemember({ breakdownOpen: !remembered.breakdownOpen }); }}
        onResumeAuto={() => { send({ type: "resumeAuto" }); }}
        onPreview={() => { send({ type: "compactPreview" }); }}
      />
      <ModelLine state={state} />
      <SessionBanners state={state} onCommand={command} />
      {model.rewind === null ? <Body {...props} send={send} /> : (
        <Rewind
          key={model.rewind.anchor}
          draft={model.rewind}
          revision={revision}
          onMode={(mode) => { send({ type: "rewindPreview", anchor: model.rewind?.anchor ?? "", mode }); }}
          onApply={(choices) => { apply(model, send, choices); }}
          onDiff={(change) => { send({ type: "diff", change }); }}
          onStop={() => { send({ type: "stop" }); }}
          onClose={() => { send({ type: "rewindClose" }); }}
        />
      )}
      <Notes notes={model.notes} onDismiss={dismiss} />
      {model.rewind === null ? <Foot {...props} send={send} /> : null}
    </>
  );
}

function apply(model: Model, send: Send, choices: Readonly<Record<string, "keep" | "take">>): void {
  if (!model.rewind?.plan) return;
  const { token, revision, plan } = model.rewind;
  send({ type: "rewindApply", token, revision, planId: plan.planId, choices });
}

function ModelLine({ state }: { state: SessionSnapshot["state"] }): JSX.Element {
  const { provider, model, notice } = state.model;
  return (
    <div class="model-line">
      <span class="faint" title={`Provider ${provider}`}>{model}</span>
      {notice === "" ? null : (
        <span class="model-notice" title={notice}>
          <Icon name="record" /> {firstClause(notice)}
        </span>
      )}
    </div>
  );
}

function Body({ model, session, send }: SessionProps & { send: Send }): JSX.Element {
  const { state, revision } = session;
  const rows = conversationRows(model);
  const busy = state.status !== "idle";
  return (
    <Conversation
      rows={rows}
      older={model.conversation.older}
      onOlder={() => { send({ type: "older" }); }}
      canRewind={!state.readOnly}
      onRewind={(anchor) => { send({ type: "rewindPreview", anchor, mode: "both" }); }}
      onWhole={(whole) => { send({ type: "whole", ...whole }); }}
      onUndo={(compactionId) => { send({ type: "compactUndo", compactionId }); }}
      busy={busy}
    >
      <>
        {rows.length === 0 && model.conversation.revision >= 0 ? <Empty model={model} send={send} /> : null}
        {model.compaction !== null || state.compaction === null || drawn(rows, state.compaction) ? null : (
          <CompactionCard
            card={state.compaction}
            busy={busy}
            onUndo={(compactionId) => { send({ type: "compactUndo", compactionId }); }}
            onRun={() => { send({ type: "compactRun", planId: null, revision: null }); }}
          />
        )}
        {model.compaction === null ? null : (
          <CompactionPreview
            draft={model.compaction}
            stale={model.compaction.revision !== revision}
            busy={busy}
            onRun={(planId, seen) => { send({ type: "compactRun", planId, revision: seen }); }}
            onClose={() => { send({ type: "compactClose" }); }}
          />
        )}
        <Working model={model} />
        <Ended model={model} />
      </>
    </Conversation>
  );
}

/** A compaction that has happened stands in the conversation, where it happened. */
function drawn(rows: readonly Row[], card: CompactionCardData): boolean {
  return rows.some((row) => row.kind === "compaction" && row.card.compactionId === card.compactionId);
}

function Working({ model }: { model: Model }): JSX.Element | null {
  const status = model.session?.state.status;
  if (status !== "running" && status !== "rewinding" && status !== "compacting") return null;
  return <Waiting>{headline(model)}…</Waiting>;
}

/** A turn that did not simply end says why, where the eye is. */
function Ended({ model }: { model: Model }): JSX.Element | null {
  const words = headline(model);
  if (model.session?.state.status !== "idle" || words === "Ready" || words === "Sending") return null;
  return (
    <p class="notice-line">
      <Icon name="info" /> {words}
    </p>
  );
}

function Empty({ model, send }: { model: Model; send: Send }): JSX.Element {
  const { sample } = model;
  const notice = model.session?.state.model.notice ?? "";
  const prompt = sample?.prompt ?? null;
  return (
    <section class="empty" aria-label="A new session">
      <Icon name="dashboard" />
      {notice === "" ? null : <p class="faint">{notice}</p>}
      <p>Tell the agent what to do. It asks before it changes a file or runs a command, and every change can be rewound.</p>
      {prompt === null ? null : (
        <>
          <Button icon="play" onClick={() => { send({ type: "send", prompt }); }}>Run the sample task</Button>
          <p class="faint">{sample?.description}</p>
        </>
      )}
    </section>
  );
}

function Foot({ model, session, remembered, onRemember, send }: SessionProps & { send: Send }): JSX.Element {
  const { state } = session;
  const busy = state.status !== "idle";
  return (
    <>
      <Approvals
        approvals={state.pendingApprovals}
        onDecide={(approvalId, decision) => { send({ type: "decide", approvalId, decision }); }}
      />
      {state.redo === null ? null : <RedoBanner redo={state.redo} busy={busy} onRedo={() => { send({ type: "redo" }); }} />}
      {state.readOnly ? null : (
        <Composer
          draft={remembered.draft}
          state={state}
          sending={model.sending !== null}
          onDraft={(draft) => { onRemember({ draft }); }}
          onSend={(prompt) => {
            onRemember({ draft: "" });
            send({ type: "send", prompt });
          }}
          onStop={() => { send({ type: "stop" }); }}
          onMode={(mode) => { send({ type: "mode", mode }); }}
        />
      )}
    </>
  );
}
