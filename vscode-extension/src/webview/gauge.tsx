/** The head of the page: how full the window is, and what fills it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type BreakdownGroup, type BreakdownRowView, type BreakdownView, breakdownView } from "../present/breakdown";
import { type GaugeView, gaugeView } from "../present/gauge";
import type { SessionState } from "../protocol.gen";
import { IconButton, LinkButton } from "./parts";

interface Props {
  readonly state: SessionState;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly onResumeAuto: () => void;
  readonly onPreview: () => void;
}

export function Gauge({ state, open, onToggle, onResumeAuto, onPreview }: Props): JSX.Element {
  const view = gaugeView(state.gauge);
  const word = open ? "Hide what fills the context" : "Show what fills the context";
  return (
    <section class="gauge" aria-label="Context">
      <div class="gauge-line">
        <span class={`gauge-percent level-${view.level}`}>{view.percent === "" ? view.amount : view.percent}</span>
        {view.percent === "" ? null : <span class="gauge-amount">{view.amount}</span>}
        <span class="spacer" />
        <IconButton icon={open ? "chevron-up" : "chevron-down"} label={word} expanded={open} onClick={onToggle} />
      </div>
      <GaugeBar view={view} />
      <div class="gauge-line faint">
        <span class="gauge-until">
          {view.until}
          {view.held ? <LinkButton onClick={onResumeAuto}>Resume</LinkButton> : null}
        </span>
        <span class="gauge-source" title={view.facts.join("\n")}>
          {view.source}
        </span>
      </div>
      {open ? <Details state={state} accuracy={view.accuracy} onPreview={onPreview} /> : null}
    </section>
  );
}

export function GaugeBar({ view }: { view: GaugeView }): JSX.Element | null {
  if (view.fill === null) return null;
  return (
    <div
      class={`bar level-${view.level}`}
      role="meter"
      aria-label="Context"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(view.fill * 100)}
      aria-valuetext={view.label}
      title={view.facts.join("\n")}
    >
      <div class="bar-track">
        <div class="bar-fill" style={{ width: share(view.fill) }} />
      </div>
      {view.ticks.map((tick) => (
        <span key={tick.kind} class={`tick tick-${tick.kind}`} style={{ left: share(tick.at) }} title={tick.label} />
      ))}
    </div>
  );
}

function Details({ state, accuracy, onPreview }: { state: SessionState; accuracy: string; onPreview: () => void }): JSX.Element {
  const view = breakdownView(state.breakdown);
  return (
    <div class="breakdown" id="breakdown" tabIndex={-1} role="region" aria-label="Context breakdown">
      <div class="stack" role="img" aria-label={view.label}>
        {view.segments.map((row) => (
          <span key={row.key} class={`segment colour-${row.colour}`} style={{ flexGrow: row.size }} title={row.description} />
        ))}
      </div>
      {view.groups.map((group) => (
        <Group key={group.title} group={group} />
      ))}
      <Total view={view} />
      <div class="gauge-line faint">
        <span>{accuracy}</span>
        <LinkButton onClick={onPreview}>Preview compaction</LinkButton>
      </div>
    </div>
  );
}

function Group({ group }: { group: BreakdownGroup }): JSX.Element {
  return (
    <table class="rows">
      <caption>
        {group.title} <span class="faint">{group.hint}</span>
      </caption>
      <tbody>
        {group.rows.map((row) => (
          <Row key={row.key} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row }: { row: BreakdownRowView }): JSX.Element {
  return (
    <tr title={row.description}>
      <th scope="row">
        <span class={`swatch colour-${row.colour}`} aria-hidden="true" />
        {row.label} <span class="faint">{row.items}</span>
      </th>
      <td class="number">{row.exactTokens}</td>
      <td class="number faint">{row.share}</td>
    </tr>
  );
}

function Total({ view }: { view: BreakdownView }): JSX.Element {
  const [open, setOpen] = useState(false);
  const count = view.empty.length;
  return (
    <div class="rows-total">
      <div class="gauge-line">
        <strong>Total</strong>
        {count === 0 ? null : (
          <LinkButton
            onClick={() => {
              setOpen(!open);
            }}
          >
            {open ? "Hide empty" : `${count} empty`}
          </LinkButton>
        )}
        <span class="spacer" />
        <strong class="number total">{view.total}</strong>
      </div>
      {open ? <p class="faint empty-rows">{view.empty.map((label) => `${label} 0`).join(" · ")}</p> : null}
    </div>
  );
}

export function share(value: number): string {
  return `${(100 * Math.min(1, Math.max(0, value))).toFixed(2)}%`;
}
