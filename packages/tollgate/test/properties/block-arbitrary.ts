import fc from "fast-check";
import { type Limit, perSecond, slidingWindow, tokenBucket } from "tollgate";
import type { Step, StepVerb } from "./scenario.ts";

const LADDER = { durations: ["1s", "5s", "20s"], forgetAfter: "30s" } as const;
/** The first two are also called together. */
export const LISTS_THAT_BLOCK: Readonly<Record<string, readonly Limit[]>> = {
  bucket: [tokenBucket({ capacity: 4, refill: 2, per: "1s", blockFor: { duration: "3s", extend: true } })],
  windows: [slidingWindow({ limit: 3, window: "2s", blockFor: LADDER }), perSecond(2, { blockFor: "2s" })],
  plain: [perSecond(6)],
};

const VERBS: readonly StepVerb[] = [
  ...(["block", "unblock", "unblock", "blocked until", "reset", "sweep", "sweep"] as const),
  ...(["allow", "allow", "allow", "allow", "allow", "allow", "allow"] as const),
  ...(["consume", "consume", "consume", "consume", "consume", "consume", "peek", "peek", "charge", "charge"] as const),
];

/** Calls, blocks and a clock that often goes on to the end of a block. */
export function blockingSteps(count: number): fc.Arbitrary<Step[]> {
  const step = fc.record({
    move: fc.oneof(
      { weight: 16, arbitrary: fc.constant<Step["move"]>({ to: "same" }) },
      { weight: 2, arbitrary: fc.constant<Step["move"]>({ to: "block end" }) },
      { weight: 2, arbitrary: fc.record({ to: fc.constant("later" as const), us: fc.nat(30_000_000) }) },
      { weight: 4, arbitrary: fc.record({ to: fc.constant("later" as const), us: fc.nat(700_000) }) },
    ),
    verb: fc.constantFrom(...VERBS),
    who: fc.nat(3),
    keys: fc.nat(2).map((key) => [key, key] as const),
    cost: fc
      .constantFrom(0, 0, 1, 1, 1, 1, 1, 2, 3, 7)
      .map((count_) => ({ as: "number", amount: { of: "number", count: count_ } }) as const),
    by: fc.constantFrom("input" as const, "handle" as const, "batch" as const),
    blockUs: fc.oneof(fc.integer({ min: 1, max: 4_000_000 }), fc.integer({ min: 1, max: 30_000_000 })),
  });
  // What is used tells whether a call that was denied has counted.
  const told = step.map((one): Step[] => [one, { ...one, move: { to: "same" }, verb: "explain" }]);
  return fc.array(told, { minLength: count, maxLength: count }).map((all) => all.flat());
}
