import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { perSecond } from "../../algorithms/limits/token-bucket.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import { type AnyLimiter, type Bench, type ContractTests, randomBelow, same } from "./contract-case.ts";

const LISTS: readonly (readonly Limit[])[] = [
  [perSecond(20)],
  [slidingWindow({ limit: 20, window: "2s" })],
  [fixedWindow({ limit: 15, window: "1s", anchor: "first-use" }), perSecond(12)],
];
const KEYS = ["a", "b"];
const TURNS = 8;
const CALLS = 50;

/** Calls made without waiting for answers: stores may join them, but each counts as if it came alone. */
export const together: ContractTests = {
  "calls that are made together decide as calls one after another": async (bench) => {
    for (const [list, limits] of LISTS.entries()) {
      await makeTogether(bench, list, limits, 0);
    }
  },
  "calls that are made together decide each at its own time": async (bench) => {
    for (const [list, limits] of LISTS.entries()) {
      await makeTogether(bench, list, limits, 10);
    }
  },
};

/** Makes calls, and advances the clock by less than `mostMs` after some of them. */
async function makeTogether(bench: Bench, list: number, limits: readonly Limit[], mostMs: number): Promise<void> {
  const name = `list-${list}-${mostMs}`;
  const limiter: AnyLimiter = bench.limiter(limits, name);
  const reference: Limiter = bench.reference(limits, name);
  const below = randomBelow(list);
  for (let turn = 0; turn < TURNS; turn += 1) {
    // The charge keeps keys in use. A sweep at the time of the last call could drop an idle key of an earlier call.
    for (const key of KEYS) {
      same(`list ${list}, turn ${turn}, charge`, await limiter.charge(key, 10), reference.charge(key, 10));
    }
    const decisions: unknown[] = [];
    const expected: unknown[] = [];
    for (let call = 0; call < CALLS; call += 1) {
      const key = KEYS[below(KEYS.length)]!;
      // Most calls are the same, so that a store can join them.
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
