import { describe, expect, it } from "vitest";
import { VARIANTS } from "../http/catalog.ts";
import { orderOfRound } from "../http/measure/order.ts";

function idsOf(round: number): string[] {
  return orderOfRound(VARIANTS, round).map(({ id }) => id);
}

describe("the order of a round", () => {
  it.each([1, 2, 3, 4, 5])("has every variant once: round %d", (round) => {
    expect(idsOf(round).toSorted()).toEqual(VARIANTS.map(({ id }) => id).toSorted());
  });

  it.each([1, 2, 3, 4, 5])("keeps those of a framework side by side: round %d", (round) => {
    const frameworks = orderOfRound(VARIANTS, round).map(({ framework }) => framework);
    const changes = frameworks.filter((framework, i) => framework !== frameworks[i - 1]);
    expect(changes).toHaveLength(new Set(frameworks).size);
  });

  it("differs by round", () => {
    expect(new Set([1, 2, 3, 4, 5].map((round) => idsOf(round).join()))).toHaveLength(5);
  });

  it("is the same for the same round", () => {
    expect(idsOf(3)).toEqual(idsOf(3));
  });
});

describe("the catalog", () => {
  it("has an id of its own for each variant", () => {
    expect(new Set(VARIANTS.map(({ id }) => id)).size).toBe(VARIANTS.length);
  });

  it("has one bare server of each framework", () => {
    const bare = VARIANTS.filter(({ front }) => front === "nothing").map(({ framework }) => framework);
    expect(bare).toEqual([...new Set(VARIANTS.map(({ framework }) => framework))]);
  });
});
