import { concurrency, fixedWindow, type Limit, perDay, systemClock } from "tollgate";
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
    });
  }

  async apply(verb: Verb, costs: readonly number[], taken?: Taken): Promise<Report> {
    const receipts = taken && [taken];
    const now = createTimeCell(Date.now() * 1_000);
    return this.#store.transact(verb, [{ space: this.#space, key: "ann", costs }], now, receipts);
  }

  async take(costs: readonly number[]): Promise<Taken> {
    const { admitted, untilUs, resets = 0, resetUs } = await this.apply("take", costs);
    if (!admitted) throw new Error("expected a call that is admitted");
    const until = costs.map((_, i) => untilUs[i] ?? resets + resetUs[i]!);
    return { where: "own", degraded: undefined, resets, untilUs: until };
  }

  reset(): Promise<void> {
    return this.#space.drop("ann");
  }

  /** As a server does that fails over to a replica without the row. */
  async lose(): Promise<void> {
    const names = (await inUse.redis.command("KEYS", "*:receipts:*")) as string[];
    await inUse.redis.command("DEL", ...names);
  }

  async used(): Promise<readonly number[]> {
    return (
      await this.apply(
        "explain",
        this.#space.plan.limits.map(() => 0),
      )
    ).used;
  }
}

describe("receipts over Redis", () => {
  const limits = [concurrency({ max: 2, ttl: "1m" }), fixedWindow({ limit: 9, window: "1h", unit: "tokens" })];

  const bucket = perDay(9, { unit: "bytes" });
  it.each(["reset", "lose"] as const)("a correction gives back nothing of a later call: after %s", async (forget) => {
    const key = new Key([...limits, bucket]);
    const forgotten = await key.take([1, 4, 4]);
    await key[forget]();
    await key.take([2, 5, 5]);
    await key.apply("refund", [1, 4, 4], forgotten);
    expect((await key.apply("renew", [1, 0, 0], forgotten)).admitted).toBe(false);
    expect(await key.used()).toEqual([2, 5, 5]);
  });

  it("so it is if another list stays in the row, whose own corrections go on", async () => {
    const [one, other] = [new Key([fixedWindow({ limit: 9, window: "1h" })]), new Key([bucket])];
    const [forgotten, kept] = [await one.take([4]), await other.take([3])];
    await one.reset();
    await one.take([5]);
    await one.apply("refund", [4], forgotten);
    await other.apply("refund", [2], kept);
    expect([await one.used(), await other.used()]).toEqual([[5], [1]]);
  });
});
