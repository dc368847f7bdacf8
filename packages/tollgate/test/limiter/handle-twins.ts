import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { AsyncHandle, Cost, Handle, Limit } from "tollgate";
import { type ManualClock, manualClock } from "tollgate/testing";
import { type AnyLimiter, type AnyStore, dealOneSecret, limiterOver } from "./every-store.ts";
import { START_MS } from "./set-up.ts";

const KEYS = ["ann", "", "a key that is long enough to be cut out of a header", "\ud800"] as const;

const VERBS = ["allow", "allow", "consume", "charge", "refund", "peek", "reset"] as const;

export type Step =
  | {
      readonly does: "handle";
      readonly verb: "allow" | "consume";
      readonly which: number;
      readonly cost: Cost | undefined;
    }
  | {
      readonly does: "settle by handle";
      readonly verb: "charge" | "refund";
      readonly which: number;
      readonly cost: Cost;
    }
  | { readonly does: "call"; readonly verb: (typeof VERBS)[number]; readonly which: number; readonly cost: number }
  | { readonly does: "renew"; readonly which: number }
  | { readonly does: "grow"; readonly keys: number }
  | { readonly does: "wait"; readonly ms: number }
  | { readonly does: "clear" | "sweep" };

/** There are two handles of each key, so that one meets what the other did. */
const which = fc.nat({ max: 2 * KEYS.length - 1 });
const cost = fc.nat({ max: 4 });
const anyCost: fc.Arbitrary<Cost> = fc.oneof(
  cost,
  cost,
  cost.map((requests) => ({ requests })),
);
const YEAR_MS = 365 * 86_400_000;

const stepOf = (farMs: number): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        does: fc.constant("handle" as const),
        verb: fc.constantFrom("allow" as const, "allow" as const, "consume" as const),
        which,
        cost: fc.option(anyCost, { freq: 3, nil: undefined }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant("settle by handle" as const),
        verb: fc.constantFrom("charge" as const, "refund" as const),
        which,
        cost: anyCost,
      }),
    },
    {
      weight: 10,
      arbitrary: fc.record({ does: fc.constant("call" as const), verb: fc.constantFrom(...VERBS), which, cost }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("renew" as const), which }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("grow" as const), keys: fc.constantFrom(3, 40, 2_000) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant("wait" as const),
        ms: fc.constantFrom(0.001, 90, 200, 700, 20_000, -300, farMs, -farMs),
      }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constantFrom("clear" as const, "sweep" as const) }) },
  );

/** Clocks jump to where ticks need another origin. Shared memory has one origin, so its steps stay within reach. */
export const steps: fc.Arbitrary<Step[]> = stepsOf(30 * YEAR_MS);
export const stepsWithinReach: fc.Arbitrary<Step[]> = stepsOf(YEAR_MS / 4);

function stepsOf(farMs: number): fc.Arbitrary<Step[]> {
  return fc.array(stepOf(farMs), { maxLength: 60, size: "max" });
}

/** A limiter called by handles, beside one over a store of the same kind that is called by key. */
export class HandleTwins {
  readonly clock: ManualClock = manualClock(START_MS);
  readonly limiter: AnyLimiter;
  readonly byKey: AnyLimiter;
  readonly #handles: (Handle | AsyncHandle)[];
  #strangers = 0;

  constructor(createStore: () => AnyStore, limits: readonly Limit[] | (() => readonly Limit[])) {
    dealOneSecret();
    const options = { limits, clock: this.clock, name: "twin" };
    [this.limiter, this.byKey] = [limiterOver(createStore(), options), limiterOver(createStore(), options)];
    this.#handles = [...KEYS, ...KEYS].map((key) => this.limiter.handle(key));
  }

  async play(played: readonly Step[]): Promise<void> {
    for (const one of played) await this.#play(one);
    for (const limiter of [this.limiter, this.byKey]) await limiter.sweep();
    deepStrictEqual(await sizeOf(this.limiter), await sizeOf(this.byKey));
  }

  async #play(one: Step): Promise<void> {
    switch (one.does) {
      case "handle": {
        const answer = await this.#handles[one.which]?.[one.verb](one.cost);
        deepStrictEqual(answer, await this.byKey[one.verb](keyAt(one.which), one.cost));
        return;
      }
      case "settle by handle": {
        const answer = await this.#handles[one.which]?.[one.verb](one.cost);
        deepStrictEqual(answer, await this.byKey[one.verb](keyAt(one.which), one.cost));
        return;
      }
      case "call":
        return this.#both((limiter) => limiter[one.verb](keyAt(one.which), one.cost));
      case "renew":
        this.#handles[one.which] = this.limiter.handle(keyAt(one.which));
        return;
      case "grow":
        for (let i = 0; i < one.keys; i += 1) {
          this.#strangers += 1;
          await this.#both((limiter) => limiter.allow(`stranger ${this.#strangers}`, 2));
        }
        return;
      case "wait":
        return this.clock.set(Math.max(0, this.clock.now() + one.ms));
      case "clear":
      case "sweep":
        return this.#both((limiter) => limiter[one.does]());
      default:
        return one satisfies never;
    }
  }

  async #both(call: (limiter: AnyLimiter) => unknown): Promise<void> {
    const answer = await call(this.limiter);
    deepStrictEqual(answer, await call(this.byKey));
  }
}

function keyAt(place: number): string {
  return KEYS[place % KEYS.length] ?? "";
}

async function sizeOf(limiter: AnyLimiter): Promise<number> {
  return limiter.kind === "sync" ? limiter.size : limiter.size();
}
