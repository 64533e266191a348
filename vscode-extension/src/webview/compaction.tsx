/** A compaction as a card: what it did, or what it would do. */
import type { JSX } from "preact";
import type { CompactionDraft } from "../model/state";
import { type CompactionPlanView, compactionPlanView, type CompactionView, compactionView } from "../present/compaction";
import type { CompactionCard as Card, CompactionPlan } from "../protocol.gen";
import { share } from "./gauge";
import { Button, Icon, Waiting } from "./parts";

export function CompactionCard({ card, onUndo, onRun, busy }: {
  card: Card;
  onUndo: ((compactionId: string) => void) | null;
  /** Where a person is asked: run it. */
  onRun: (() => void) | null;
  busy: boolean;
}): JSX.Element {
  const view = compactionView(card);
  return (
    <section class={`card tone-${view.tone}`} aria-label={view.label}>
      <Head view={view} />
      <BeforeAfter view={view} />
      <Stages view={view} />
      {onUndo !== null && view.undoable ? (
        <div class="actions">
          <Button kind="secondary" icon="discard" disabled={busy} onClick={() => { onUndo(view.id); }} title="Bring back what this compaction took away">
            Undo
          </Button>
        </div>
      ) : null}
      {onRun !== null && card.status === "proposed" ? (
        <div class="actions">
          <Button icon="fold" disabled={busy} onClick={onRun}>
            Compact now
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function Head({ view }: { view: CompactionView }): JSX.Element {
  return (
    <header class="card-head">
      {view.tone === "busy" ? <vscode-progress-ring aria-hidden="true" /> : <Icon name="fold" />}
      <span class="card-title">{view.title}</span>
      <span class="card-numbers">
        {view.before} → {view.after}
        <span class="faint"> {view.saved}</span>
      </span>
    </header>
  );
}

function BeforeAfter({ view }: { view: CompactionView }): JSX.Element {
  return (
    <div class="before-after" role="img" aria-label={view.label}>
      <span class="faint">before</span>
      <div class="thin-track">
        <div class="thin-fill before" style={{ width: share(view.beforeSize) }} />
      </div>
      <span class="number">{view.before}</span>
      <span class="faint">after</span>
      <div class="thin-track">
        <div class="thin-fill after" style={{ width: share(view.afterSize) }} />
        <span class="target-line" style={{ left: share(view.targetAt) }} title={`Target ${view.target}`} />
      </div>
      <span class="number">{view.after}</span>
    </div>
  );
}

function Stages({ view }: { view: CompactionView }): JSX.Element {
  return (
    <>
      <p class="facts">{view.facts.join(" · ")}</p>
      <ul class="stages">
        {view.stages.map((stage) => (
          <li key={stage.name}>
            <span>{stage.title}</span>
            <span class="faint">{stage.items}</span>
          </li>
        ))}
      </ul>
      {view.notices.map((notice) => (
        <p key={notice} class="notice-line">
          <Icon name="warning" /> {notice}
        </p>
      ))}
    </>
  );
}

interface PreviewProps {
  readonly draft: CompactionDraft;
  /** The session has moved on since: what is run is planned anew. */
  readonly stale: boolean;
  readonly busy: boolean;
  readonly onRun: (planId: string | null, revision: number | null) => void;
  readonly onClose: () => void;
}

export function CompactionPreview(props: PreviewProps): JSX.Element {
  const { plan } = props.draft;
  return (
    <section class="card tone-ask" id="compaction" tabIndex={-1} aria-label="Compaction preview">
      {plan === null ? <Waiting>Planning a compaction…</Waiting> : <Plan {...props} plan={plan} />}
    </section>
  );
}

function Plan({ draft, stale, busy, onRun, onClose, plan }: PreviewProps & { plan: CompactionPlan }): JSX.Element {
  const view = compactionPlanView(plan);
  const words = stale ? "Plan anew and compact" : "Compact now";
  const run = (): void => {
    if (stale) onRun(null, null);
    else onRun(plan.planId, draft.revision);
  };
  return (
    <>
      <PlanCard view={view} />
      <Changes view={view} />
      <div class="actions">
        {view.runnable ? (
          <Button icon="fold" disabled={busy || draft.running} onClick={run}>
            {draft.running ? "Compacting…" : words}
          </Button>
        ) : null}
        <Button kind="secondary" onClick={onClose}>
          Close
        </Button>
      </div>
    </>
  );
}

function PlanCard({ view }: { view: CompactionPlanView }): JSX.Element {
  if (view.card === null) {
    return (
      <>
        <p class="card-title">Nothing to compact</p>
        <p class="faint">{view.reason}</p>
      </>
    );
  }
  return (
    <>
      <Head view={{ ...view.card, title: "Would compact" }} />
      <BeforeAfter view={view.card} />
      <Stages view={view.card} />
      <p class="faint">{view.needsSummary}</p>
    </>
  );
}

function Changes({ view }: { view: CompactionPlanView }): JSX.Element | null {
  if (view.changes.length === 0) return null;
  return (
    <details class="changes">
      <summary>What would be shortened</summary>
      <ul>
        {view.changes.map((change) => (
          <li key={change.key}>
            <span class="row-label">{change.label}</span>
            <span class="number faint">{change.tokens}</span>
          </li>
        ))}
        {view.more === "" ? null : <li class="faint">{view.more}</li>}
      </ul>
    </details>
  );
}
