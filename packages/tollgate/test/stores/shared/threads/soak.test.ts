import { describe, expect, it } from "vitest";
import type { LimitOf } from "./library.ts";
import { type Soak, soak } from "./soak.ts";

/** At least so many workers have to have died while they were replacing a key's cells. TOLLGATE_DEATHS asks for more. */
const DEATHS = Number(process.env["TOLLGATE_DEATHS"] ?? 100);
const ANSWER_MS = 10;
/** A third of all deaths are of the kind that counts, and to start a worker takes a tenth of a second on a busy machine. */
const PATIENCE_MS = 30_000 + 1_000 * DEATHS;
const CAPACITY = 1_000_000;

/** With so many cells, most of a call's time goes into copying them. */
const WIDE: readonly LimitOf[] = [
  ["tokenBucket", { name: "bucket", capacity: CAPACITY, refill: 1, per: "1h" }],
  ["slidingWindow", { name: "window", limit: CAPACITY, window: "200m", resolution: "1m" }],
];

/** A busy machine may make the caller itself wait now and then. */
function expectAnswers({ answersMs, store }: Soak): void {
  const late = answersMs.filter((ms) => ms > ANSWER_MS);
  expect(late.length, `${late.join(", ")} ms`).toBeLessThanOrEqual(0.02 * answersMs.length + 1);
  expect(store.overflowCount).toBe(0);
}

describe("workers that are terminated at random instants leave no key stuck or in between", () => {
  it(`many cells a key, ${DEATHS} deaths while a key's cells were being replaced`, {
    timeout: PATIENCE_MS,
  }, async () => {
    const done = await soak(WIDE, ({ deathsInWriteSlots }) => deathsInWriteSlots.size >= DEATHS);
    expectAnswers(done);
    expect(done.deathsInWriteSlots.size).toBeLessThan(done.deaths);
  });

  it("one cell a key", { timeout: PATIENCE_MS }, async () => {
    expectAnswers(await soak(WIDE.slice(0, 1), ({ deaths }) => deaths >= DEATHS / 2));
  });
});
