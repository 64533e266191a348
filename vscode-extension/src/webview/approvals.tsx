/** Tool calls that wait for a person: what would happen, and three answers. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { diffView } from "../present/diff";
import { listed } from "../present/numbers";
import type { Approval, ApprovalAnswer } from "../protocol.gen";
import { Button, Icon } from "./parts";

type Decide = (approvalId: string, decision: ApprovalAnswer["decision"]) => void;

export function Approvals({ approvals, onDecide }: { approvals: readonly Approval[]; onDecide: Decide }): JSX.Element | null {
  if (approvals.length === 0) return null;
  return (
    <div class="approvals">
      {approvals.map((approval) => (
        <ApprovalCard key={approval.approvalId} approval={approval} onDecide={onDecide} />
      ))}
    </div>
  );
}

function ApprovalCard({ approval, onDecide }: { approval: Approval; onDecide: Decide }): JSX.Element {
  const [answered, setAnswered] = useState(false);
  const { approvalId, title, tool, paths, diff, command } = approval;
  const decide = (decision: ApprovalAnswer["decision"]): void => {
    setAnswered(true);
    onDecide(approvalId, decision);
  };
  return (
    <section class="card tone-ask approval" tabIndex={-1} role="group" aria-label={`Approval: ${title}`}>
      <header class="card-head">
        <Icon name="bell-dot" />
        <span class="card-title">{title}</span>
      </header>
      {command === "" ? null : <pre class="command" tabIndex={0} aria-label="Command">{command}</pre>}
      {diff === "" ? null : <Diff text={diff} />}
      {paths.length > 1 ? <p class="faint">Changes {listed(paths)}</p> : null}
      <div class="actions">
        <Button disabled={answered} onClick={() => { decide("allow_once"); }}>
          Allow
        </Button>
        <Button kind="secondary" disabled={answered} onClick={() => { decide("allow_always"); }} title={`Allow ${tool} for the rest of this session`}>
          Always allow
        </Button>
        <Button kind="secondary" disabled={answered} onClick={() => { decide("reject_once"); }}>
          Reject
        </Button>
      </div>
    </section>
  );
}

export function Diff({ text }: { text: string }): JSX.Element {
  const view = diffView(text);
  return (
    <div class="diff-block">
      <p class="diff-count">
        <span class="added">+{view.added}</span> <span class="removed">−{view.removed}</span>
      </p>
      <pre class="diff" tabIndex={0} aria-label={`Diff, ${view.added} lines added, ${view.removed} removed`}>
        {view.lines.map((line, at) => (
          <span key={at} class={`diff-line ${line.kind}`}>
            {line.text}
            {"\n"}
          </span>
        ))}
      </pre>
    </div>
  );
}
