import { concurrency, fixedWindow, type Limit, perDay, systemClock } from "tollgate";
import { expect, it } from "vitest";
import { createPlan } from "../../../../src/core/plan.ts";
import type { Report } from "../../../../src/core/report.ts";
import type { AsyncSpace, AsyncStore } from "../../../../src/core/store.ts";
import type { Taken } from "../../../../src/core/taken.ts";
import { createTimeCell } from "../../../../src/core/time-cell.ts";
import type { Verb } from "../../../../src/core/verbs.ts";

/** One key of a limiter. */
class Key {
  readonly #store: AsyncStore;
  readonly #space: AsyncSpace;

  constructor(store: AsyncStore, limits: readonly Limit[]) {
    this.#store = store;
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
    const until = costs.map((_, i) => untilUs[i] ?? Date.now() * 1_000 + resetUs[i]!);
    return { where: "own", degraded: undefined, resets, untilUs: until };
  }

  reset(): Promise<void> {
    return this.#space.drop("ann");
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

/** What a receipt corrects over a server. Another server has no row of the key after `lose`. */
export function receiptCases(createStore: () => AsyncStore, lose: () => Promise<unknown>): void {
  const keyOf = (...limitsOfKey: readonly Limit[]) => new Key(createStore(), limitsOfKey);
  const limits = [concurrency({ max: 2, ttl: "1m" }), fixedWindow({ limit: 9, window: "1h", unit: "tokens" })];

  const bucket = perDay(9, { unit: "bytes" });
  it.each(["reset", "lose"] as const)("a correction gives back nothing of a later call: after %s", async (forget) => {
    const key = keyOf(...limits, bucket);
    const forgotten = await key.take([1, 4, 4]);
    await (forget === "reset" ? key.reset() : lose());
    await key.take([2, 5, 5]);
    await key.apply("refund", [1, 4, 4], forgotten);
    expect((await key.apply("renew", [1, 0, 0], forgotten)).admitted).toBe(false);
    expect(await key.used()).toEqual([2, 5, 5]);
  });

  it("so it is if another list stays in the row, whose own corrections go on", async () => {
    const [one, other] = [keyOf(fixedWindow({ limit: 9, window: "1h" })), keyOf(bucket)];
    const [forgotten, kept] = [await one.take([4]), await other.take([3])];
    await one.reset();
    await one.take([5]);
    await one.apply("refund", [4], forgotten);
    await other.apply("refund", [2], kept);
    expect([await one.used(), await other.used()]).toEqual([[5], [1]]);
  });
}
