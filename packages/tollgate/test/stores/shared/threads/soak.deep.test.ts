import { describe, expect, it } from "vitest";
import { wide } from "./plans.ts";
import { expectAnswers, soak } from "./soak.ts";

/** This many workers have to die while they replace a key's cells. TOLLGATE_DEATHS sets another number. */
const DEATHS = Number(process.env["TOLLGATE_DEATHS"] ?? 15);
const WIDE = wide(1_000_000);

describe("workers that are terminated at random times leave no key stuck or half written", () => {
  it(`many cells a key, ${DEATHS} deaths while a thread replaces a key's cells`, async () => {
    const done = await soak([WIDE], ({ deathsInWriteSlots }) => deathsInWriteSlots >= DEATHS);
    expectAnswers(done);
    expect(done.deathsInWriteSlots).toBeLessThan(done.deaths);
  });

  it("one cell a key", async () => {
    expectAnswers(await soak([WIDE.slice(0, 1)], ({ deaths }) => deaths >= DEATHS / 2));
  });
});
