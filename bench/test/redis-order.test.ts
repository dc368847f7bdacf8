import { describe, expect, it } from "vitest";
import { VARIANTS } from "../redis/catalog.ts";
import { orderOfRound } from "../redis/measure/order.ts";
import { nameOf } from "../redis/variant.ts";

function idsOf(round: number): string[] {
  return orderOfRound(VARIANTS, round).map(({ id }) => id);
}

describe("the order of a round", () => {
  it.each([1, 2, 3, 4, 5])("has every variant once: round %d", (round) => {
    expect(idsOf(round).toSorted()).toEqual(VARIANTS.map(({ id }) => id).toSorted());
  });

  it.each([1, 2, 3, 4, 5])("keeps those with the same keys side by side: round %d", (round) => {
    const workloads = orderOfRound(VARIANTS, round).map(({ workload }) => workload);
    const changes = workloads.filter((workload, i) => workload !== workloads[i - 1]);
    expect(changes).toHaveLength(new Set(workloads).size);
  });

  it("differs by round, and is the same for the same round", () => {
    expect(new Set([1, 2, 3, 4, 5].map((round) => idsOf(round).join()))).toHaveLength(5);
    expect(idsOf(3)).toEqual(idsOf(3));
  });
});

describe("the catalog", () => {
  it("has an id and a name of its own for each variant", () => {
    expect(new Set(VARIANTS.map(({ id }) => id)).size).toBe(VARIANTS.length);
    expect(new Set(VARIANTS.map(nameOf)).size).toBe(VARIANTS.length);
  });
});
