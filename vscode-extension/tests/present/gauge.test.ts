import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { breakdownView } from "../../src/present/breakdown";
import { gaugeView } from "../../src/present/gauge";
import { exact, percent, short } from "../../src/present/numbers";
import type { BreakdownRow } from "../../src/protocol.gen";
import { BREAKDOWN, gauge } from "../fixtures/session";

describe("the gauge", () => {
  it("shows use, ticks, where the number comes from and how far it is to a compaction", () => {
    expect(gaugeView(gauge())).toEqual({
      fill: 0.67125,
      level: "calm",
      percent: "67%",
      amount: "21.5k of 32k tokens",
      source: "billed, estimated since",
      until: "compacts in 4.1k tokens",
      accuracy: "estimates off by 0.42% (17 predictions)",
      ticks: [
        { kind: "target", at: 0.5, label: "Target 16,000 tokens: a compaction goes down to here" },
        { kind: "trigger", at: 0.8, label: "Trigger 25,600 tokens: compaction starts here" },
      ],
      held: false,
      label: "Context 67% full, 21.5k of 32k tokens, billed, estimated since, compacts in 4.1k tokens",
      facts: [
        "21,480 tokens in the next request (billed, estimated since)",
        "20,912 tokens billed for the last request",
        "Ceiling 32,000 (said by the provider)",
        "Trigger 25,600, target 16,000",
        "Median error of 17 predictions: 0.42%",
      ],
    });
  });

  it("without a known ceiling shows no percentage and promises no compaction", () => {
    const view = gaugeView(
      gauge({
        usedTokens: 900,
        ceilingTokens: 0,
        triggerTokens: 0,
        targetTokens: 0,
        how: "estimated",
        lastBilledTokens: null,
        errorPercent: null,
        predictions: 0,
        tokensUntilCompaction: null,
      }),
    );
    expect(view).toEqual({
      fill: null,
      level: "calm",
      percent: "",
      amount: "900 tokens",
      source: "estimated",
      until: "no ceiling known, never compacts by itself",
      accuracy: "",
      ticks: [],
      held: false,
      label: "Context holds 900 tokens, ceiling unknown, estimated, no ceiling known, never compacts by itself",
      facts: ["900 tokens in the next request (estimated)", "Ceiling unknown"],
    });
  });

  it("over the ceiling says so instead of stopping at a hundred", () => {
    const view = gaugeView(gauge({ usedTokens: 40_000, tokensUntilCompaction: 0 }));
    expect([view.percent, view.level, view.fill, view.until]).toEqual(["125%", "over", 1, "compacts before the next request"]);
    expect(view.ticks.map((tick) => [tick.kind, tick.at])).toEqual([
      ["target", 0.4],
      ["trigger", 0.64],
      ["ceiling", 0.8],
    ]);
  });

  it.each([
    ["off", "automatic compaction is off"],
    ["held", "automatic compaction is on hold after an undo"],
    ["ask", "asks to compact in 4.1k tokens"],
    ["auto", "compacts in 4.1k tokens"],
  ] as const)("with automatic compaction %s says: %s", (autoCompaction, words) => {
    expect(gaugeView(gauge({ autoCompaction })).until).toBe(words);
  });

  it("from the trigger on it warns", () => {
    expect(gaugeView(gauge({ usedTokens: 25_599 })).level).toBe("calm");
    expect(gaugeView(gauge({ usedTokens: 25_600 })).level).toBe("near");
  });
});

describe("the breakdown", () => {
  const rows = fc.array(
    fc.record({
      kind: fc.constantFrom("system_prompt", "tool_results", "user_text", "new_kind"),
      label: fc.uuid(),
      tokens: fc.oneof(fc.constant(0), fc.nat(200_000)),
      items: fc.nat(50),
      compactable: fc.boolean(),
    }) satisfies fc.Arbitrary<BreakdownRow>,
    { maxLength: 20 },
  );

  it("shows every row once, and what is shown sums to the total", () => {
    fc.assert(
      fc.property(rows, (given) => {
        const totalTokens = given.reduce((sum, row) => sum + row.tokens, 0);
        const view = breakdownView({ rows: given, totalTokens });
        const shown = view.groups.flatMap((group) => group.rows);
        const sum = shown.reduce((total, row) => total + Number(row.exactTokens.replaceAll(",", "")), 0);
        expect(exact(sum)).toBe(view.total);
        expect([...shown.map((row) => row.label), ...view.empty].sort()).toEqual(given.map((row) => row.label).sort());
      }),
    );
  });

  it("tells overhead from what can be compacted, the largest first, and keeps the empty rows apart", () => {
    const view = breakdownView(BREAKDOWN);
    expect(view.groups.map((group) => [group.title, group.tokens, group.rows.map((row) => row.label)])).toEqual([
      [
        "Conversation",
        "17,143",
        ["Results of read_file", "Results of bash", "Tool calls", "Answers", "Thinking", "Your prompts", "Results of grep"],
      ],
      ["Overhead", "4,337", ["Tool definitions", "System prompt", "Project context"]],
    ]);
    expect(view.empty).toEqual(["Skills", "Attachments", "Summary"]);
    expect(view.total).toBe("21,480");
  });

  it("a row says its tokens, its share and how many things it sums", () => {
    const row = breakdownView(BREAKDOWN).groups[0]?.rows[0];
    expect(row).toEqual({
      key: "tool_results/Results of read_file",
      label: "Results of read_file",
      tokens: "9.1k",
      exactTokens: "9,120",
      share: "42%",
      size: 9120 / 21_480,
      colour: "orange",
      items: "8×",
      description: "Results of read_file: 9,120 tokens, 42%, 8 items",
    });
  });

  it("a kind that is new to this version still gets a colour", () => {
    const view = breakdownView({ rows: [{ kind: "mcp", label: "MCP", tokens: 5, items: 1, compactable: true }], totalTokens: 5 });
    expect(view.segments[0]?.colour).toBe("other");
  });
});

describe("numbers", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1k"],
    [12_345, "12.3k"],
    [99_949, "99.9k"],
    [128_000, "128k"],
    [999_499, "999k"],
    [999_500, "1M"],
    [1_234_567, "1.2M"],
    [-4096, "-4.1k"],
  ])("%i tokens read %s", (tokens, words) => {
    expect(short(tokens)).toBe(words);
  });

  it("a share that is not nothing never reads 0%", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 1_000_000 }), (part, whole) => {
        expect(percent(part, whole)).not.toBe("0%");
      }),
    );
    expect([percent(0, 5), percent(1, 100_000), percent(1, 0)]).toEqual(["0%", "<0.1%", ""]);
  });
});
