/**
 * The entry of the page: follows the host's model event by event, and asks for all of it when one was missed.
 */
import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-progress-ring/index.js";
import { render } from "preact";
import { type Inbox, type Letter, received, type ToView } from "../model/mailbox";
import { reduce } from "../model/reduce";
import { App } from "./app";
import { post, recall, remember, type Remembered } from "./host";
import "./styles/index.css";

let inbox: Inbox = { seq: 0, model: null };
let remembered = recall();
let asked = false;
let drawing = 0;
let focusOn: Extract<Letter, { type: "focus" }>["target"] | null = null;

function draw(): void {
  drawing = 0;
  const root = document.getElementById("root");
  if (root === null || inbox.model === null) return;
  render(<App model={inbox.model} remembered={remembered} onRemember={change} />, root);
  if (focusOn !== null) moveFocus(focusOn);
}

/** Several events of one moment are drawn once. */
function drawSoon(): void {
  if (drawing === 0) drawing = requestAnimationFrame(draw);
}

function change(part: Partial<Remembered>): void {
  remembered = { ...remembered, ...part };
  remember(remembered);
  drawSoon();
}

function open(letter: Letter): void {
  switch (letter.type) {
    case "compose":
      // What the person is writing right now is worth more than what they wrote before.
      change({ draft: remembered.draft.trim() === "" ? letter.text : remembered.draft });
      focusOn = "composer";
      break;
    case "uncompose":
      if (remembered.draft === letter.text) change({ draft: "" });
      break;
    case "focus":
      focusOn = letter.target;
      if (letter.target === "breakdown") change({ breakdownOpen: true });
      else drawSoon();
  }
}

const TARGETS = {
  composer: "#prompt",
  approval: ".approval",
  breakdown: "#breakdown",
  rewind: "#rewind",
  compaction: "#compaction",
} as const;

/** Stays wished for until there is such a thing on the page. */
function moveFocus(target: keyof typeof TARGETS): void {
  const element = document.querySelector<HTMLElement>(TARGETS[target]);
  if (element === null) return;
  focusOn = null;
  element.focus();
  element.scrollIntoView({ block: "nearest" });
}

function ask(): void {
  if (asked) return;
  asked = true;
  post({ type: "ready" });
}

window.addEventListener("message", ({ data }: MessageEvent<ToView>) => {
  if (data.type !== "model" && data.type !== "event") {
    open(data);
    return;
  }
  const { inbox: next, askAgain } = received(inbox, data, reduce);
  inbox = next;
  if (data.type === "model") asked = false;
  if (askAgain) ask();
  drawSoon();
});

ask();
