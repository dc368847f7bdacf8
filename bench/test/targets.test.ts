import { describe, expect, it } from "vitest";
import { type Judged, judge, TARGETS } from "../report/targets.ts";
import { results, rival, row, weight } from "./support/results.ts";

const FASTEST = "`allow` over the fastest rival, 1 hot key";
const TWO = "two limits over one, the same key, 1,000 keys, memory";
const BYTES = "bytes a key at 1,000,000 keys, table";

function judged(text: string, measured: Parameters<typeof judge>[1]): Judged {
  const target = TARGETS.find((one) => one.text === text);
  if (target === undefined) throw new Error(`no target says ${text}`);
  return judge(target, measured);
}

describe("a target", () => {
  it("of times faster is reached at its bound", () => {
    const measured = results({ hot: [row("memory", 60), row("table", 50), rival("fast", 65)] });
    expect(judged(FASTEST, measured)).toEqual({
      text: FASTEST,
      aim: "≥ 1.3 × faster",
      measured: "1.30 ×",
      verdict: "reached",
    });
  });

  it("of times faster is missed below it", () => {
    const measured = results({ hot: [row("memory", 50), rival("fast", 64)] });
    expect(judged(FASTEST, measured)).toMatchObject({ measured: "1.28 ×", verdict: "missed" });
  });

  it.each([
    [65, "1.30 ×", "reached"],
    [66, "1.32 ×", "missed"],
  ])("of times the time: %d over 50", (two, shown, verdict) => {
    const measured = results({ thousand: [row("memory", 50), row("memory-two-limits", two)] });
    expect(judged(TWO, measured)).toMatchObject({ aim: "≤ 1.3 × the time", measured: shown, verdict });
  });

  it.each([
    [50, "reached"],
    [50.1, "missed"],
  ])("of a bound: %d bytes", (bytes, verdict) => {
    const measured = results({}, [weight("table", bytes, 1)]);
    expect(judged(BYTES, measured)).toMatchObject({
      aim: "≤ 50 bytes",
      measured: `${bytes.toFixed(1)} bytes`,
      verdict,
    });
  });

  it("that was not measured is neither", () => {
    const nothing = results({});
    expect(new Set(TARGETS.map((target) => judge(target, nothing).verdict))).toEqual(new Set(["not measured"]));
  });

  it("has a text of its own", () => {
    expect(new Set(TARGETS.map(({ text }) => text)).size).toBe(TARGETS.length);
  });
});
