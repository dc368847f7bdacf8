import { describe, expect, it } from "vitest";
import { createLimiter, perDay, type TokenBucketLimit, tokenBucket } from "../../../../src/index.ts";
import { manualClock } from "../../../../src/testing/index.ts";
import { Random } from "./kit/random.ts";
import { call, encoded, NOW_US } from "./kit/script-call.ts";
import { type ScriptServer, useScriptServer } from "./kit/script-server.ts";

const RUNS = 150;
const started = useScriptServer();

/** A bucket on the server, with a manual clock. */
class Bucket {
  readonly #server: ScriptServer;
  readonly #plan: ReturnType<typeof encoded>;
  readonly #key: string;

  constructor(limit: TokenBucketLimit, key: string) {
    this.#server = started.server;
    this.#plan = encoded(limit);
    this.#key = key;
  }

  /** Whether the take was admitted, and the script's time of it. */
  async take(nowUs: number, cost: number): Promise<{ readonly admitted: boolean; readonly takenUs: number }> {
    const [outcome] = (await this.#run(call("take", this.#plan, this.#key, cost, { nowUs }))) ?? [];
    return { admitted: outcome?.admitted === 1, takenUs: outcome?.reports[0]?.resets ?? Number.NaN };
  }

  async refund(nowUs: number, cost: number, takenUs: number): Promise<void> {
    await this.#run(call("refund", this.#plan, this.#key, cost, { nowUs, takenUs }));
  }

  /** Microseconds until the bucket is full. */
  async resetUs(nowUs: number): Promise<number> {
    return (await this.#explain(nowUs))?.resetUs[0] ?? Number.NaN;
  }

  async used(nowUs: number): Promise<number> {
    return (await this.#explain(nowUs))?.used[0] ?? Number.NaN;
  }

  async #explain(nowUs: number) {
    const [outcome] = (await this.#run(call("explain", this.#plan, this.#key, 0, { nowUs }))) ?? [];
    return outcome?.reports[0];
  }

  async #run(transaction: Parameters<ScriptServer["run"]>[0]["transactions"][number]) {
    return this.#server.run({ time: "transactions", transactions: [transaction] });
  }
}

/** Longer than a test, because keys expire by the server's clock. */
const EACH_50_S = tokenBucket({ capacity: 1, refill: 1, per: "50s" });
const SECOND_US = 1_000_000;

describe("a take that lost a race", () => {
  it("nothing is given back after a change of limits, because other numbers may have refilled more", async () => {
    const [own, other] = [10, 15].map((capacity) => perDay(capacity, { name: "calls" })) as [
      TokenBucketLimit,
      TokenBucketLimit,
    ];
    for (const [between, used] of [
      [own, 1],
      [other, 5],
    ] as const) {
      const name = `changed to ${between.capacity}`;
      const bucket = new Bucket(own, name);
      const { takenUs } = await bucket.take(NOW_US, 4);
      await new Bucket(between, name).take(NOW_US, 1);
      await bucket.refund(NOW_US, 4, takenUs);
      expect(await bucket.used(NOW_US)).toBe(used);
    }
  });

  it("units that have refilled are not given back", async () => {
    const bucket = new Bucket(EACH_50_S, "refilled");
    const { takenUs } = await bucket.take(NOW_US, 1);
    expect(takenUs).toBe(NOW_US);
    expect(await bucket.take(NOW_US + 50 * SECOND_US, 1)).toMatchObject({ admitted: true });
    await bucket.refund(NOW_US + 60 * SECOND_US, 1, takenUs);
    expect(await bucket.take(NOW_US + 62 * SECOND_US, 1)).toMatchObject({ admitted: false });
    expect(await bucket.take(NOW_US + 100 * SECOND_US, 1)).toMatchObject({ admitted: true });
  });

  it("all units are given back at the same moment, and less with each microsecond, to the tick", async () => {
    for (const passedUs of [0, 1, 20 * SECOND_US, 50 * SECOND_US - 1]) {
      const bucket = new Bucket(tokenBucket({ capacity: 3, refill: 1, per: "50s" }), `passed ${passedUs}`);
      await bucket.take(NOW_US, 2);
      const { takenUs } = await bucket.take(NOW_US, 1);
      await bucket.refund(NOW_US + passedUs, 1, takenUs);
      expect(await bucket.resetUs(NOW_US + passedUs)).toBe(100 * SECOND_US);
    }
  });

  it("nothing is given back before the take", async () => {
    const behind = new Bucket(EACH_50_S, "behind");
    await behind.take(NOW_US, 1);
    await behind.refund(NOW_US - 1, 1, NOW_US);
    expect(await behind.resetUs(NOW_US)).toBe(50 * SECOND_US);
  });

  it(`giving back never admits more than without the take, in ${RUNS} random histories`, async () => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const random = new Random(seed);
      const capacity = random.between(1, 5);
      const limit = tokenBucket({ capacity, refill: random.between(1, 7), per: random.of(["1m", "1h", 333_333.333]) });
      const unitUs = Math.ceil((limit.perMs * 1_000) / limit.refill);
      const bucket = new Bucket(limit, `history ${seed}`);
      const clock = manualClock(NOW_US / 1_000);
      const without = createLimiter({ limits: [limit], clock });
      const taken: { readonly takenUs: number; readonly cost: number }[] = [];
      let nowUs = NOW_US;
      for (let step = 0; step < 30; step += 1) {
        nowUs += random.between(0, Math.ceil(unitUs * random.of([0.1, 1, 2])));
        clock.set(nowUs / 1_000);
        const cost = random.between(1, capacity);
        const lost = random.chance(0.3) ? taken.shift() : undefined;
        if (lost !== undefined) {
          await bucket.refund(nowUs, lost.cost, lost.takenUs);
          continue;
        }
        const { admitted, takenUs } = await bucket.take(nowUs, cost);
        if (admitted && random.chance(0.4)) taken.push({ takenUs, cost });
        else if (admitted) expect([seed, step, without.allow("", cost)]).toEqual([seed, step, true]);
      }
    }
  });
});
