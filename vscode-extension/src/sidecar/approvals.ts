/**
 * Answers of a person to tool calls that wait.
 *
 * The daemon asks with a request, and the same approval is part of the session's state: a decision
 * answers the open request where there is one (also one that arrived before this window), else it
 * goes out by itself.
 */
import type { ApprovalAnswer, ApprovalRequestParams } from "../protocol.gen";
import { ask, type Asker } from "./requests";

export type Decision = ApprovalAnswer["decision"];

export interface Withdrawal {
  onCancellationRequested(listener: () => void): unknown;
}

export class Approvals {
  private readonly open = new Map<string, (answer: ApprovalAnswer) => void>();

  constructor(private readonly daemon: Asker) {}

  /** The daemon's question; rejects when the daemon takes it back. */
  asked({ approval }: ApprovalRequestParams, withdrawal: Withdrawal): Promise<ApprovalAnswer> {
    return new Promise((resolve, reject) => {
      this.open.set(approval.approvalId, resolve);
      withdrawal.onCancellationRequested(() => {
        if (this.open.get(approval.approvalId) === resolve) this.open.delete(approval.approvalId);
        reject(new Error("withdrawn"));
      });
    });
  }

  async decide(sessionId: string, approvalId: string, decision: Decision): Promise<void> {
    const answer = this.open.get(approvalId);
    if (answer === undefined) {
      await ask(this.daemon, "sidecar/approval/respond", { sessionId, approvalId, decision });
      return;
    }
    this.open.delete(approvalId);
    answer({ decision });
  }

  /** The process that asked is gone. */
  forget(): void {
    this.open.clear();
  }
}
