import { describe, expect, it } from "vitest";
import { latencyMs } from "../service/load.ts";

describe("the latencies that wrk prints", () => {
  it.each([
    ["     99%  812.00us", 0.812],
    ["     99%    4.85ms", 4.85],
    ["     99%    1.01s ", 1_010],
    ["     99%    1.50m ", 90_000],
  ])("have a unit: %j is %d ms", (line, ms) => {
    expect(latencyMs(`  Latency Distribution\n     50%    1.00ms\n${line}\n  12 requests\n`, 99)).toBeCloseTo(ms, 6);
  });

  it("have to be there", () => {
    expect(() => latencyMs("     50%    1.00ms\n", 99)).toThrow("expected a line with the latency at 99%");
  });
});
