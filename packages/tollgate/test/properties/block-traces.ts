import { combine, createLimiter, type Limit, perSecond, slidingWindow, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import type { AnyLimiter, AnyStore } from "../limiter/every-store.ts";
import {
  type BlockedOutcome,
  type BlockingModel,
  block,
  callWithBlocks,
  createBlockingModel,
  isBlocked,
} from "../reference/blocks.ts";
import type { ModelVerb } from "../reference/model.ts";
import { randomBelow } from "../stores/local/random-words.ts";
import { modelBlockFor, modelLimit } from "./limit-spec.ts";

/** A moment in 2026. */
const START_US = 1_790_000_000_123_000;
const KEYS = ["ann", "bob", "a rather long key, of more than a few units"] as const;
const COSTS = [0, 0, 1, 1, 1, 1, 1, 2, 3, 7] as const;
const REASONS = [undefined, "scraping", "ключ \ud83d\udd11"] as const;

const LADDER = { durations: ["1s", "5s", "20s"], forgetAfter: "30s" } as const;

const LISTS: Readonly<Record<string, readonly Limit[]>> = {
  bucket: [tokenBucket({ capacity: 4, refill: 2, per: "1s", blockFor: { duration: "3s", extend: true } })],
  windows: [slidingWindow({ limit: 3, window: "2s", blockFor: LADDER }), perSecond(2, { blockFor: "2s" })],
  plain: [perSecond(6)],
};

/**
 * Plays calls, blocks and advances of the clock with the library and with the model.
 *
 * @throws Error at the first operation at which they differ.
 */
export async function playBlocks(store: AnyStore, seed: number, operations: number): Promise<void> {
  const below = randomBelow(seed);
  const clock = manualClock(START_US / 1000);
  const lists = Object.entries(LISTS);
  const models = lists.map(([, limits]) => createBlockingModel(limits.map(modelLimit), limits.map(modelBlockFor)));
  const limiters = lists.map(([name, limits]) => createLimiter({ name: `${name}-${seed}`, limits, store, clock }));
  const both = combine(...(limiters.slice(0, 2) as never[])) as AnyLimiter;
  let nowUs = START_US;
  for (let i = 0; i < operations; i += 1) {
    if (below(3) === 0) nowUs += advanceUs(below, models, BigInt(nowUs));
    clock.set(nowUs / 1000);
    const who = below(lists.length + 1);
    const targets = who === lists.length ? [0, 1] : [who];
    const limiter = who === lists.length ? both : (limiters[who] as AnyLimiter);
    const trace = new Step(
      limiter,
      targets.map((t) => models[t]!),
      KEYS[below(KEYS.length)]!,
      BigInt(nowUs),
    );
    try {
      await trace.play(below);
    } catch (error) {
      throw new Error(`seed ${seed}, operation ${i}: ${String(error)}`, { cause: error });
    }
  }
}

/** Often to the very moment at which a block ends. */
function advanceUs(below: (bound: number) => number, models: readonly BlockingModel[], now: bigint): number {
  const ends = models.flatMap(({ blocks }) => [...blocks.values()].map(({ untilUs }) => Number(untilUs - now)));
  const endUs = Math.min(...ends.filter((us) => us > 0));
  if (Number.isFinite(endUs) && below(4) === 0) return endUs;
  return below(4) === 0 ? below(30_000_000) : below(700_000);
}

/** One operation on a limiter and on its models. */
class Step {
  readonly #limiter: AnyLimiter;
  readonly #models: readonly BlockingModel[];
  readonly #key: string;
  readonly #now: bigint;

  constructor(limiter: AnyLimiter, models: readonly BlockingModel[], key: string, now: bigint) {
    this.#limiter = limiter;
    this.#models = models;
    this.#key = key;
    this.#now = now;
  }

  async play(below: (bound: number) => number): Promise<void> {
    const kind = below(24);
    const cost = COSTS[below(COSTS.length)]!;
    if (kind === 0)
      return this.#block(1 + below(below(2) === 0 ? 4_000_000 : 30_000_000), REASONS[below(REASONS.length)]);
    if (kind < 3) return this.#unblock();
    if (kind === 3) return this.#blockedUntil();
    if (kind === 4) return this.#forget(below(3));
    if (kind < 12) return this.#allow(cost, below(3));
    return this.#decide(kind < 19 ? "take" : kind < 21 ? "peek" : "charge", cost);
  }

  async #block(forUs: number, reason: string | undefined): Promise<void> {
    const untilUs = this.#now + BigInt(forUs);
    const span = forUs % 2 === 0 ? forUs / 1000 : { until: Number(untilUs) / 1000 };
    await this.#limiter.block(this.#key, span, reason === undefined ? undefined : { reason });
    for (const model of this.#models) block(model, this.#key, untilUs, reason, this.#now);
  }

  async #unblock(): Promise<void> {
    const expected = this.#models.some((model) => isBlocked(model, this.#key, this.#now));
    for (const { blocks } of this.#models) blocks.delete(this.#key);
    same("unblock", await this.#limiter.unblock(this.#key), expected);
  }

  async #blockedUntil(): Promise<void> {
    const ends = this.#models.map(({ blocks }) => blocks.get(this.#key)?.untilUs ?? 0n).filter((us) => us > this.#now);
    const expected = ends.length === 0 ? undefined : Math.max(...ends.map(Number)) / 1000;
    same("blockedUntil", await this.#limiter.blockedUntil(this.#key), expected);
  }

  async #forget(what: number): Promise<void> {
    if (what === 0) await this.#limiter.reset(this.#key);
    else await this.#limiter.sweep();
    for (const { model } of this.#models) {
      if (what === 0) model.reset(this.#key);
      else model.sweep(this.#now);
    }
  }

  async #allow(cost: number, by: number): Promise<void> {
    const expected = this.#expect("take", cost);
    const handle = this.#limiter.handle(this.#key);
    const allowed =
      by === 0
        ? await this.#limiter.allow(this.#key, cost)
        : by === 1
          ? await handle.allow(cost)
          : (await this.#limiter.allowMany([this.#key], new Uint8Array(1), cost)) === 1;
    same("allow", allowed, expected.allowed);
    await this.#compareUse();
  }

  async #decide(verb: ModelVerb, cost: number): Promise<void> {
    const expected = this.#expect(verb, cost);
    const limiter = this.#limiter;
    const decision =
      verb === "take"
        ? await limiter.consume(this.#key, cost)
        : verb === "peek"
          ? await limiter.peek(this.#key, cost)
          : await limiter.charge(this.#key, cost);
    const { block: inForce } = decision;
    const got = [decision.allowed || decision.reason, decision.retryAfterMs, inForce?.endsInMs, inForce?.reason];
    // The model does not say how long a call waits that would come after one that it only peeked at.
    const retryMs = verb === "peek" && expected.allowed ? decision.retryAfterMs : inMs(expected.retryAfterUs);
    const endsInMs = expected.block && Number(expected.block.endsInUs) / 1000;
    same(verb, got, [expected.allowed || expected.reason, retryMs, endsInMs, expected.block?.reason]);
    await this.#compareUse();
  }

  #expect(verb: ModelVerb, cost: number): BlockedOutcome {
    const calls = this.#models.map((of) => ({ of, key: this.#key, cost: BigInt(cost) }));
    return callWithBlocks(verb, calls, this.#now);
  }

  async #compareUse(): Promise<void> {
    const got = (await this.#limiter.explain(this.#key)).map(({ used }) => used);
    const expected = this.#models.flatMap(({ model }) =>
      model.explain(this.#key, this.#now, 1n).map(({ used }) => Number(used)),
    );
    same("used", got, expected);
  }
}

function inMs(us: bigint | "never"): number | "never" {
  return us === "never" ? us : Number(us) / 1000;
}

function same(what: string, got: unknown, expected: unknown): void {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, one: unknown) => (one === Number.POSITIVE_INFINITY ? "never" : one));
  if (text(got) !== text(expected)) throw new Error(`${what}: got ${text(got)}, expected ${text(expected)}`);
}
