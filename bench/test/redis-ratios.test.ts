import { describe, expect, it } from "vitest";
import { type Comparison, ratioOf } from "../redis/report/ratios.ts";
import { sample } from "./support/redis-samples.ts";

const comparison: Comparison = { ours: "ours", theirs: "theirs", inFlight: 512, measure: "decisions" };

describe("a ratio", () => {
  it("is the median of the rounds' own ratios", () => {
    const samples = [
      sample("theirs", 1, 100),
      sample("ours", 1, 90),
      sample("theirs", 2, 1_000),
      sample("ours", 2, 500),
      sample("theirs", 3, 10),
      sample("ours", 3, 8),
    ];
    expect(ratioOf(samples, comparison)).toEqual({ median: 0.8, min: 0.5, max: 0.9 });
  });

  it("leaves out rounds that lack one of the two", () => {
    const samples = [sample("theirs", 1, 100), sample("ours", 1, 90), sample("theirs", 2, 100), sample("ours", 3, 10)];
    expect(ratioOf(samples, comparison)).toEqual({ median: 0.9, min: 0.9, max: 0.9 });
  });

  it("is of those with as many calls in flight", () => {
    const samples = [
      sample("theirs", 1, 10, { inFlight: 1 }),
      sample("theirs", 1, 100),
      sample("ours", 1, 10, { inFlight: 64 }),
      sample("ours", 1, 50),
    ];
    expect(ratioOf(samples, comparison)?.median).toBe(0.5);
    expect(ratioOf(samples, { ...comparison, inFlight: 64 })).toBeUndefined();
  });

  it("by processor time is that of the busier process", () => {
    const samples = [
      sample("theirs", 1, 1, { clientUs: 4, serverUs: 1 }),
      sample("ours", 1, 1, { clientUs: 1, serverUs: 2 }),
    ];
    expect(ratioOf(samples, { ...comparison, measure: "decisions by processor time" })?.median).toBe(2);
  });

  it("of latencies is below 1 for who is quicker", () => {
    const samples = [sample("theirs", 1, 1, { p99Ms: 8 }), sample("ours", 1, 1, { p99Ms: 2 })];
    expect(ratioOf(samples, { ...comparison, measure: "p99" })?.median).toBe(0.25);
  });
});
