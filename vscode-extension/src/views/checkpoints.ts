/** The tree of checkpoints, by turn. */
import * as vscode from "vscode";
import type { Store } from "../model/store";
import { knownTurns } from "../model/turns";
import { type CheckpointNode, checkpointNodes, type Node, type TurnNode } from "../present/checkpoints";

export class Checkpoints implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private nodes: readonly TurnNode[] = [];
  private drawn = "";

  constructor(private readonly store: Store) {}

  /** Draws anew only when something that is shown has changed: a redraw takes the focus from a row. */
  refresh(): void {
    const nodes = checkpointNodes(knownTurns(this.store.model));
    const drawn = JSON.stringify([this.store.model.session?.sessionId, nodes]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.nodes = nodes;
    this.changed.fire(undefined);
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) return [...this.nodes];
    return node.kind === "turn" ? [...node.children] : [];
  }

  getParent(node: Node): Node | undefined {
    return node.kind === "turn" ? undefined : this.nodes.find((turn) => turn.children.some((child) => child.id === node.id));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = node.kind === "turn" ? turnItem(node, this.nodes[0]) : checkpointItem(node);
    item.id = `${this.store.model.session?.sessionId ?? ""}/${node.id}`;
    item.description = node.description;
    item.tooltip = node.tooltip;
    item.accessibilityInformation = { label: `${node.label}, ${node.description}` };
    return item;
  }
}

function turnItem(node: TurnNode, newest: TurnNode | undefined): vscode.TreeItem {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const open = node === newest ? Expanded : Collapsed;
  const item = new vscode.TreeItem(node.label, node.children.length === 0 ? None : open);
  item.iconPath = new vscode.ThemeIcon(node.running ? "loading~spin" : "comment");
  item.contextValue = "turn rewind";
  return item;
}

function checkpointItem(node: CheckpointNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.None);
  item.iconPath = new vscode.ThemeIcon(node.icon);
  item.contextValue = node.diffable ? "checkpoint rewind diff" : "checkpoint rewind";
  return item;
}
