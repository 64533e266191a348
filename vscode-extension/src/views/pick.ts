/** Quick picks: a session to resume, a turn to rewind to. */
import * as vscode from "vscode";
import type { Model } from "../model/state";
import { knownTurns } from "../model/turns";
import { checkpointNodes } from "../present/checkpoints";
import { bytes, counted } from "../present/numbers";
import type { SessionListing } from "../protocol.gen";
import type { Sessions } from "../sidecar/session";

export async function pickSession(sessions: Sessions, openId: string | null): Promise<string | null> {
  const listed = sessions.list().then((list) => list.map((session) => sessionItem(session, openId)));
  const picked = await vscode.window.showQuickPick(listed, {
    title: "Resume Session",
    placeHolder: "A session of this workspace, the newest first",
    matchOnDescription: true,
  });
  return picked?.sessionId ?? null;
}

function sessionItem(session: SessionListing, openId: string | null): vscode.QuickPickItem & { sessionId: string } {
  const { sessionId, title, turns, sizeBytes, updatedAt, lockedByPid } = session;
  const open = sessionId === openId;
  const elsewhere = lockedByPid !== null && !open ? [`in use by process ${lockedByPid}`] : [];
  return {
    sessionId,
    label: title === "" ? sessionId : title,
    description: [new Date(updatedAt).toLocaleString(), ...(open ? ["open here"] : elsewhere)].join(" · "),
    detail: `${counted(turns, "turn")}, ${bytes(sizeBytes)}`,
  };
}

export async function pickTurn(model: Model): Promise<string | null> {
  const items = checkpointNodes(knownTurns(model)).flatMap((turn) => [
    { anchor: turn.anchor, label: `$(comment) ${turn.label}`, description: turn.description },
    ...turn.children.map((child) => ({
      anchor: child.anchor,
      label: `      $(${child.icon}) ${child.label}`,
      description: child.description,
    })),
  ]);
  if (items.length === 0) {
    void vscode.window.showInformationMessage("There is no turn to rewind to yet.");
    return null;
  }
  const picked = await vscode.window.showQuickPick(items, {
    title: "Rewind to before",
    placeHolder: "A turn, or the change that a checkpoint was taken before",
    matchOnDescription: true,
  });
  return picked?.anchor ?? null;
}
