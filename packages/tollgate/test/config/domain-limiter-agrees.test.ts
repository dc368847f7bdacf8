import fc from "fast-check";
import { type AsyncLimiter, type Cost, combine, createLimiter, type Decision, perDay } from "tollgate";
import { type CostWord, createLimits, type Facts, type Limits, type LimitsFile, type RuleWords } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { EVERY_STORE } from "../limiter/every-store.ts";
import { factsArbitrary } from "./facts-arbitrary.ts";
import { limitsFileArbitrary } from "./limits-file-arbitrary.ts";
import type { PlainFacts } from "./reference/matching.ts";

const START_MS = Date.UTC(2026, 0, 15, 12);

const costArbitrary: fc.Arbitrary<CostWord | undefined> = fc.constantFrom(undefined, undefined, 2, "header.x-a");

/** Files whose rules state costs, and match most requests. */
const fileArbitrary = fc
  .tuple(limitsFileArbitrary(4), fc.array(costArbitrary, { minLength: 4, maxLength: 4 }))
  .map(([file, costs]): LimitsFile => {
    const rules = Object.entries(file.domains["api"]!.limits).map(
      ([name, { match, ...rule }], i): [string, RuleWords] => {
        const cost = costs[i];
        return [
          name,
          { ...rule, ...(match !== undefined && i % 3 === 0 && { match }), ...(cost !== undefined && { cost }) },
        ];
      },
    );
    return { ...file, domains: { api: { ...file.domains["api"]!, limits: Object.fromEntries(rules) } } };
  });

type Verb = "consume" | "peek" | "charge" | "refund" | "reserve" | "reset" | "update" | "pass time";

const stepArbitrary = fc.record({
  verb: fc.constantFrom<Verb>(
    "consume",
    "consume",
    "consume",
    "peek",
    "charge",
    "refund",
    "reserve",
    "reset",
    "update",
    "pass time",
  ),
  who: fc.nat({ max: 2 }),
  cost: fc.constantFrom<(Cost | undefined)[]>(undefined, undefined, 0, 1, 3, { requests: 2 }, { tokens: 1 }),
});

type Step = typeof stepArbitrary extends fc.Arbitrary<infer S> ? S : never;

type AnyLimits = Limits<"async">;

/** One step by the verbs of the limits. */
async function byVerbs(limits: AnyLimits, { verb, cost }: Step, facts: PlainFacts): Promise<unknown> {
  switch (verb) {
    case "charge":
    case "refund":
      return limits[verb]("api", facts, cost ?? 1);
    case "reserve": {
      const reservation = await limits.reserve("api", facts, cost);
      if (cost !== undefined) await reservation.settle(1);
      return reservation.decision;
    }
    case "reset":
      return limits.reset("api", facts);
    case "consume":
    case "peek":
      return limits[verb]("api", facts, cost);
    default:
      return undefined;
  }
}

/** The same step by the limiter of the domain. */
async function byLimiter(limiter: AsyncLimiter<Facts>, { verb, cost }: Step, facts: PlainFacts): Promise<unknown> {
  switch (verb) {
    case "charge":
    case "refund":
      return limiter[verb](facts, cost ?? 1);
    case "reserve": {
      const reservation = await limiter.handle(facts).reserve(cost);
      if (cost !== undefined) await reservation.settle(1);
      return reservation.decision;
    }
    case "reset":
      return limiter.reset(facts);
    case "consume":
    case "peek":
      return limiter[verb](facts, cost);
    default:
      return undefined;
  }
}

describe.each(EVERY_STORE)("the limiter of a domain and the verbs of its limits, over %s", (_name, storeOf) => {
  it("always agree on two stores, and on what a combination says", async () => {
    const seen = { allowed: 0, denied: 0 };
    const clients = fc.array(factsArbitrary(), { minLength: 3, maxLength: 3 });
    const steps = fc.array(stepArbitrary, { minLength: 10, maxLength: 40 });
    const files = fc.array(fileArbitrary, { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(files, clients, steps, async ([first, second], factsOf, played) => {
        const clock = manualClock(START_MS);
        const open = () => {
          const store = storeOf({ maxKeys: 2_000 });
          const limits = createLimits(first!, { store, clock }) as unknown as AnyLimits;
          return { limits, store };
        };
        const [one, other, third] = [open(), open(), open()];
        const limiter = other.limits.limiter("api");
        // Never the limit that decides.
        const ample = createLimiter({
          name: "ample",
          key: () => "all",
          limits: [perDay(1_000_000, { mode: "shadow" })],
          store: third.store,
          clock,
        });
        const combined = combine(third.limits.limiter("api"), ample);
        let file = second!;
        for (const step of played) {
          if (step.verb === "pass time") clock.advance(700);
          if (step.verb === "update") {
            for (const { limits } of [one, other, third]) limits.update(file);
            file = file === first ? second! : first!;
          }
          const facts = factsOf[step.who]!;
          const expected = await byVerbs(one.limits, step, facts);
          const got = await byLimiter(limiter, step, facts);
          expect(got).toEqual(expected);
          const joint = (await byLimiter(combined, step, facts)) as Decision | undefined;
          const decision = expected as Decision | undefined;
          expect(joint?.allowed).toBe(decision?.allowed);
          expect(joint?.limit).toEqual(decision?.limit);
          if (decision !== undefined) seen[decision.allowed ? "allowed" : "denied"] += 1;
        }
      }),
      { numRuns: 25 },
    );
    // Some files deny few of the calls that chance makes.
    expect(Math.min(seen.allowed, seen.denied)).toBeGreaterThan(0);
  });
});
