import { concurrency, fixedWindow, type Limit, systemClock } from "tollgate";
import { describe, expect, it } from "vitest";
import { createPlan } from "../../../src/core/plan.ts";
import type { Report } from "../../../src/core/report.ts";
import type { AsyncSpace, AsyncStore } from "../../../src/core/store.ts";
import type { Taken } from "../../../src/core/taken.ts";
import { createTimeCell } from "../../../src/core/time-cell.ts";
import type { Verb } from "../../../src/core/verbs.ts";
import { useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();

/** One key of a limiter. */
class Key {
  readonly #store = inUse.redis.store() as AsyncStore;
  readonly #space: AsyncSpace;

  constructor(limits: readonly Limit[]) {
    this.#space = this.#store.open(createPlan("receipts", "receipts", limits), {
      clock: systemClock,
      onSweep: undefined,
    });
  }

  apply(verb: Verb, costs: readonly number[], taken?: Taken): Promise<Report> {
    const receipts = taken && [taken];
    const now = createTimeCell(Date.now() * 1_000);
    return this.#store.transact(verb, [{ space: this.#space, key: "ann", costs }], now, receipts);
  }

  async take(costs: readonly number[]): Promise<Taken> {
    const { admitted, untilUs } = await this.apply("take", costs);
    if (!admitted) throw new Error("expected a call that is admitted");
    return { where: "own", degraded: undefined, resets: 0, untilUs };
  }

  reset(): Promise<void> {
    return this.#space.drop("ann");
  }

  async used(): Promise<readonly number[]> {
    return (await this.apply("explain", [0, 0])).used;
  }
}

describe("receipts over Redis", () => {
  const limits = [concurrency({ max: 2, ttl: "1m" }), fixedWindow({ limit: 9, window: "1h", unit: "tokens" })];

  it("a correction gives back what its own take counts, and a renewal says where places are", async () => {
    const key = new Key(limits);
    const [first, second] = [await key.take([1, 3]), await key.take([1, 4])];
    await key.apply("refund", [1, 2], first);
    expect(await key.used()).toEqual([1, 5]);
    expect((await key.apply("renew", [1, 0], first)).admitted).toBe(false);
    const renewed = await key.apply("renew", [1, 0], second);
    expect(renewed.admitted).toBe(true);
    expect(renewed.untilUs[0]).toBeGreaterThanOrEqual(second.untilUs[0]!);
    await key.apply("refund", [1, 0], { ...second, untilUs: [renewed.untilUs[0]!, 0] });
    expect(await key.used()).toEqual([0, 5]);
  });

  it("settling a call that a reset forgot frees no place of another call", async () => {
    const key = new Key(limits);
    const forgotten = await key.take([1, 0]);
    await key.reset();
    await key.take([2, 0]);
    await key.apply("refund", [1, 0], forgotten);
    expect(await key.used()).toEqual([2, 0]);
  });
});
