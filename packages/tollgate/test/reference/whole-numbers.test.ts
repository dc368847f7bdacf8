import { describe, expect, it } from "vitest";
import { ceilDiv, floorDiv } from "./whole-numbers.ts";

describe("whole numbers", () => {
  it("round down and up on both sides of zero", () => {
    expect([floorDiv(7n, 2n), floorDiv(-7n, 2n), floorDiv(-8n, 2n)]).toEqual([3n, -4n, -4n]);
    expect([ceilDiv(7n, 2n), ceilDiv(-7n, 2n), ceilDiv(8n, 2n)]).toEqual([4n, -3n, 4n]);
  });
});
