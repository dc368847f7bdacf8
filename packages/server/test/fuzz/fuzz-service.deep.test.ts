import { describe, expect, it } from "vitest";
import { fuzz } from "./fuzz-run.ts";
import { freshSeed } from "./options.ts";
import { failureText } from "./report.ts";

describe("the service", () => {
  it("neither crashes nor hangs nor grows, whatever clients send and whatever its limits files say", async () => {
    const report = await fuzz({ seed: freshSeed(), seconds: 40, first: 0, last: Number.POSITIVE_INFINITY });
    expect(failureText(report)).toBe("");
    for (const [kind, count] of Object.entries(report.inputs)) expect(count, kind).toBeGreaterThan(0);
  });
});
