import { describe, expect, it } from "vitest";
import { drawLoad } from "../hybrid/draw.ts";
import { callsBy, LOADS, type Load } from "../hybrid/loads.ts";
import { scaleTableOf } from "../hybrid/scale.ts";

function loadOf(id: string): Load {
  const found = LOADS.find((load) => load.id === id);
  if (found === undefined) throw new Error(`expected a load, got ${id}`);
  return found;
}

describe("a load", () => {
  it("comes at its rate", () => {
    expect([0, 1_000, 1_500].map((ms) => callsBy(loadOf("2"), 0, ms))).toEqual([0, 500, 750]);
  });

  it("comes at the beginning of a period if it is pulsed", () => {
    expect([0, 1_249, 1_250].map((ms) => callsBy(loadOf("pulses"), 0, ms))).toEqual([500, 500, 1_000]);
  });
});

describe("the picture of a load", () => {
  const pictures = [
    [25, 50],
    [25, 0],
  ];
  const svg = drawLoad(loadOf("2"), [
    { strategy: "lease", pictures },
    { strategy: "strict", pictures },
  ]);

  it("has an area for each node under each strategy, and the limit", () => {
    expect(svg.match(/<path /g)).toHaveLength(4);
    expect(svg.match(/stroke-dasharray/g)).toHaveLength(2);
    expect(svg.match(/>1,000</g)).toHaveLength(2);
  });

  it("stacks the nodes", () => {
    const [one, other] = [...svg.matchAll(/d="M56 ([\d.]+)V([\d.]+)/g)].map(([, from, to]) => [from, to]);
    // The first node begins at the bottom, the second one on top of it.
    expect(one?.[0]).toBe("114");
    expect(other?.[0]).toBe(one?.[1]);
    expect(Number(other?.[1])).toBeLessThan(Number(one?.[1]));
  });
});

describe("the table of many nodes", () => {
  it("has the formula beside what was simulated", () => {
    const scales = [1, 4, 16, 64, 256, 1_000].flatMap((nodes) => {
      return [0.5, 0.95, 2].map((factor) => ({ nodes, factor, requests: 2 * nodes, admittedPart: 0.991 }));
    });
    const rows = scaleTableOf(scales).split("\n");
    expect(rows).toContain("| 64 | 213 | 128 | 128 | 128 | 99.1 % |");
    expect(rows).toContain("| 4 | 20 | 8 | 8 | 8 | 99.1 % |");
    expect(rows.at(-1)).toContain("95,000");
    expect(() => scaleTableOf([])).toThrow("expected a result of 1 nodes");
  });
});
