import { describe, expect, it } from "vitest";
import { ceilDiv, floorDiv, greatestCommonDivisor, larger, smaller } from "./whole-numbers.ts";

describe("the model's arithmetic on whole numbers", () => {
  it("rounds quotients down and up on both sides of zero", () => {
    expect([floorDiv(7n, 2n), floorDiv(-7n, 2n), floorDiv(-8n, 2n)]).toEqual([3n, -4n, -4n]);
    expect([ceilDiv(7n, 2n), ceilDiv(-7n, 2n), ceilDiv(8n, 2n)]).toEqual([4n, -3n, 4n]);
  });

  it("finds the larger, the smaller and the greatest common divisor of two numbers", () => {
    expect([larger(2n, 3n), larger(3n, 2n), smaller(2n, 3n), smaller(3n, 2n)]).toEqual([3n, 3n, 2n, 2n]);
    expect([greatestCommonDivisor(12n, 18n), greatestCommonDivisor(7n, 0n)]).toEqual([6n, 7n]);
  });
});
