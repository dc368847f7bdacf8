import { describe, expect, it } from "vitest";
import type { LimitOf } from "./library.ts";
import { type Soak, soak } from "./soak.ts";

/** This many workers have to die while they replace a key's cells. TOLLGATE_DEATHS sets another number. */
const DEATHS = Number(process.env["TOLLGATE_DEATHS"] ?? 50);
const LATE_MS = 10;
/**
 * On a busy machine the operating system interrupts some calls for longer. A key that is stuck would make every call on
 * it late.
 */
const MOST_LATE = 0.1;
const CAPACITY = 1_000_000;

/** Limits with so many cells that a call spends most of its time copying them. */
const WIDE: readonly LimitOf[] = [
  ["tokenBucket", { name: "bucket", capacity: CAPACITY, refill: 1, per: "1h" }],
  ["slidingWindow", { name: "window", limit: CAPACITY, window: "200m", resolution: "1m" }],
];

function expectAnswers({ answersMs, store }: Soak): void {
  const late = answersMs.filter((ms) => ms > LATE_MS);
  expect(late.length, `${late.join(", ")} ms`).toBeLessThanOrEqual(MOST_LATE * answersMs.length + 1);
  expect(store.overflowCount).toBe(0);
}

describe("workers that are terminated at random times leave no key stuck or half written", () => {
  it(`many cells a key, ${DEATHS} deaths while a thread replaces a key's cells`, async () => {
    const done = await soak(WIDE, ({ deathsInWriteSlots }) => deathsInWriteSlots.size >= DEATHS);
    expectAnswers(done);
    expect(done.deathsInWriteSlots.size).toBeLessThan(done.deaths);
  });

  it("one cell a key", async () => {
    expectAnswers(await soak(WIDE.slice(0, 1), ({ deaths }) => deaths >= DEATHS / 2));
  });
});
