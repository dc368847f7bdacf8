import { fixedWindow } from "../../core/limits/fixed-window.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { slidingWindow } from "../../core/limits/sliding-window.ts";
import { perSecond } from "../../core/limits/token-bucket.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import { type AnyLimiter, type Bench, type ContractTests, same } from "./contract-case.ts";
import { randomBelow } from "./random-below.ts";

const LISTS: readonly (readonly Limit[])[] = [
  [perSecond(20)],
  [slidingWindow({ limit: 20, window: "2s" })],
  [fixedWindow({ limit: 15, window: "1s", anchor: "first-use" }), perSecond(12)],
];
const KEYS = ["a", "b"];
const TURNS = 8;
const CALLS = 50;

/** Calls that wait for no answer: stores may join them, but each counts as if it had come alone. */
export const together: ContractTests = {
  "calls that are made together decide as one after another": async (bench) => {
    for (const [list, limits] of LISTS.entries()) {
      await makeTogether(bench, list, limits, 0);
    }
  },
  "calls that are made together are decided each at its own moment": async (bench) => {
    for (const [list, limits] of LISTS.entries()) {
      await makeTogether(bench, list, limits, 10);
    }
  },
};

/** The clock goes on by less than so many milliseconds after each call. */
async function makeTogether(bench: Bench, list: number, limits: readonly Limit[], mostMs: number): Promise<void> {
  const name = `list-${list}-${mostMs}`;
  const limiter: AnyLimiter = bench.limiter(limits, name);
  const reference: Limiter = bench.reference(limits, name);
  const below = randomBelow(list);
  for (let turn = 0; turn < TURNS; turn += 1) {
    // Keys in use are not swept, or a sweep at the time of the last call could drop one that an earlier call is about.
    for (const key of KEYS) {
      same(`list ${list}, turn ${turn}, charge`, await limiter.charge(key, 10), reference.charge(key, 10));
    }
    const decisions: unknown[] = [];
    const expected: unknown[] = [];
    for (let call = 0; call < CALLS; call += 1) {
      const key = KEYS[below(KEYS.length)]!;
      // Mostly the same call, so that there is something to join.
      const cost = below(5) === 0 ? below(4) : 1;
      const verb = (["consume", "consume", "consume", "consume", "allow", "peek", "charge", "refund"] as const)[
        below(8)
      ]!;
      decisions.push(limiter[verb](key, cost));
      expected.push(reference[verb](key, cost));
      if (mostMs > 0 && below(3) === 0) bench.clock.advance(below(mostMs));
    }
    const seen = await Promise.all(decisions);
    for (const [call, decision] of seen.entries()) {
      same(`list ${list}, turn ${turn}, call ${call}`, decision, expected[call]);
    }
    bench.clock.advance(below(1_800));
  }
}
