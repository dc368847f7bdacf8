import { describe, expect, it } from "vitest";
import { ratioOf } from "../http/report/ratios.ts";
import { sample } from "./support/http-samples.ts";

describe("a ratio", () => {
  it("is the median of the rounds' own ratios", () => {
    const samples = [
      sample("bare", 1, 100),
      sample("ours", 1, 90),
      sample("bare", 2, 1_000),
      sample("ours", 2, 500),
      sample("bare", 3, 10),
      sample("ours", 3, 8),
    ];
    expect(ratioOf(samples, "ours", "bare", "requests")).toEqual({ median: 0.8, min: 0.5, max: 0.9 });
  });

  it("leaves out rounds that lack one of the two", () => {
    const samples = [sample("bare", 1, 100), sample("ours", 1, 90), sample("bare", 2, 100), sample("ours", 3, 10)];
    expect(ratioOf(samples, "ours", "bare", "requests")).toEqual({ median: 0.9, min: 0.9, max: 0.9 });
  });

  it("of the processor is above 1 for who takes less of it", () => {
    const samples = [sample("bare", 1, 1, { cpuUsPerRequest: 20 }), sample("ours", 1, 1, { cpuUsPerRequest: 25 })];
    expect(ratioOf(samples, "ours", "bare", "processor")?.median).toBeCloseTo(0.8);
    expect(ratioOf(samples, "bare", "ours", "processor")?.median).toBeCloseTo(1.25);
  });

  it("is none where nothing was measured", () => {
    expect(ratioOf([sample("bare", 1, 100)], "ours", "bare", "requests")).toBeUndefined();
  });
});
