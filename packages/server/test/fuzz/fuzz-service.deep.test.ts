import { describe, expect, it } from "vitest";
import { fuzz } from "./fuzz-run.ts";
import { failureText } from "./report.ts";

/** The same inputs each time: `npm run fuzz:service` takes fresh ones. */
const SEED = 1_053_667_609;

describe("the service", () => {
  it("neither crashes nor hangs nor grows, whatever clients send and whatever its limits files say", async () => {
    const report = await fuzz({ seed: SEED, seconds: 30, first: 0, last: Number.POSITIVE_INFINITY });
    expect(failureText(report)).toBe("");
    expect(Object.entries(report.inputs).filter(([, count]) => count === 0)).toEqual([]);
  });
});
