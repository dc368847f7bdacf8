import { describe, expect, it } from "vitest";
import { readOptions } from "../orchestrate/options.ts";

describe("readOptions", () => {
  it("makes five rounds of everything", () => {
    expect(readOptions([], {})).toEqual({ rounds: 5, quick: false, only: "" });
  });

  it("makes one quick round", () => {
    expect(readOptions(["--quick", "--only", "hot"], {})).toEqual({ rounds: 1, quick: true, only: "hot" });
  });

  it("makes as many rounds as it is told", () => {
    expect(readOptions(["--quick"], { BENCH_ROUNDS: "3" })).toMatchObject({ rounds: 3 });
  });

  it.each(["0", "1.5", "many"])("BENCH_ROUNDS=%s is refused", (rounds) => {
    expect(() => readOptions([], { BENCH_ROUNDS: rounds })).toThrow("BENCH_ROUNDS: expected a whole number from 1 up");
  });

  it("refuses an unknown flag", () => {
    expect(() => readOptions(["--quik"], {})).toThrow("--quik");
  });
});
