import { describe, expect, it } from "vitest";
import { VARIANTS } from "../redis/catalog.ts";
import { judge, TARGETS, type Target } from "../redis/report/targets.ts";
import { sample } from "./support/redis-samples.ts";

const target = { kind: "ratio", text: "ours over theirs", ours: "ours", theirs: "theirs" } as const;

describe("a target", () => {
  it.each([
    [250, "reached"],
    [249, "missed"],
  ])("of at least 2.5: %d beside 100", (ours, verdict) => {
    const atLeast: Target = { ...target, measure: "decisions", aim: { atLeast: 2.5 } };
    const judged = judge(atLeast, [sample("ours", 1, ours), sample("theirs", 1, 100)], []);
    expect(judged).toMatchObject({ text: "ours over theirs", aim: "≥ 2.50", verdict });
    expect(judged.measured).toBe((ours / 100).toFixed(2));
  });

  it.each([
    [{ atMost: 0.5 }, 5, "≤ 0.50", "reached"],
    [{ atMost: 0.5 }, 5.1, "≤ 0.50", "missed"],
    [{ below: 1 }, 9.9, "< 1.00", "reached"],
    [{ below: 1 }, 10, "< 1.00", "missed"],
  ])("of a latency, %o: %d beside 10", (aim, p99Ms, words, verdict) => {
    const ofLatency: Target = { ...target, measure: "p99", aim };
    const samples = [sample("ours", 1, 1, { p99Ms }), sample("theirs", 1, 1, { p99Ms: 10 })];
    expect(judge(ofLatency, samples, [])).toMatchObject({ aim: words, verdict });
  });

  it("of decisions is told by processor time, too", () => {
    const atLeast: Target = { ...target, measure: "decisions", aim: { atLeast: 1 } };
    const samples = [sample("ours", 1, 50, { clientUs: 2 }), sample("theirs", 1, 100, { clientUs: 5 })];
    expect(judge(atLeast, samples, [])).toMatchObject({ measured: "0.50", processor: "2.50", verdict: "missed" });
  });

  it("is about 512 calls in flight", () => {
    const atLeast: Target = { ...target, measure: "decisions", aim: { atLeast: 1 } };
    const samples = [sample("ours", 1, 100, { inFlight: 64 }), sample("theirs", 1, 100, { inFlight: 64 })];
    expect(judge(atLeast, samples, [])).toMatchObject({ measured: "", verdict: "not measured" });
  });

  it.each([
    [128, "reached"],
    [129, "missed"],
  ])("of at most 128 bytes: %d", (bytes, verdict) => {
    const ofBytes: Target = { kind: "bytes", text: "bytes", of: "ours", atMost: 128 };
    const judged = judge(ofBytes, [], [{ variant: "ours", bytes }]);
    expect(judged).toEqual({ text: "bytes", aim: "≤ 128", measured: String(bytes), range: "", processor: "", verdict });
    expect(judge(ofBytes, [], [])).toMatchObject({ verdict: "not measured" });
  });

  it("has a text of its own, and is about rows that there are", () => {
    expect(new Set(TARGETS.map(({ text }) => text)).size).toBe(TARGETS.length);
    const named = TARGETS.flatMap((one) => (one.kind === "bytes" ? [one.of] : [one.ours, one.theirs]));
    expect(VARIANTS.map(({ id }) => id)).toEqual(expect.arrayContaining(named));
  });
});
