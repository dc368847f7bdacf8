import fc from "fast-check";
import { type Choice, createLimits, type LimitsFile, type RuleWords } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { EVERY_STORE } from "../limiter/every-store.ts";
import { factsArbitrary } from "./facts-arbitrary.ts";
import { limitsFileArbitrary } from "./limits-file-arbitrary.ts";
import { countingRules, type PlainFacts } from "./reference/matching.ts";

const START_MS = Date.UTC(2026, 0, 15, 12);

/** The same rules with one quota a day each: a count is all that a model needs. */
function withQuotas(file: LimitsFile, counts: readonly number[]): LimitsFile {
  let next = 0;
  const quota = () => {
    next += 1;
    return { quota: `${counts[next % counts.length]!}/1d` as const };
  };
  const choiceOf = (choice: Choice): Choice => (typeof choice === "string" ? choice : quota());
  const choices = (some: Readonly<Record<string, Choice>>) =>
    Object.fromEntries(Object.entries(some).map(([name, choice]) => [name, choiceOf(choice)]));
  const rules = Object.entries(file.domains["api"]!.limits).map(([name, rule], i): [string, RuleWords] => {
    const { rate: _, within: __, keys, plans, match, ...rest } = rule;
    return [
      name,
      {
        ...rest,
        // Most rules match most requests, or few would decide together.
        ...(match !== undefined && i % 3 === 0 && { match }),
        ...quota(),
        ...(keys && { keys: choices(keys) }),
        ...(plans && { plans: { ...plans, is: choices(plans.is) } }),
      },
    ];
  });
  return { ...file, domains: { api: { ...file.domains["api"]!, limits: Object.fromEntries(rules) } } };
}

const fileArbitrary = fc
  .tuple(limitsFileArbitrary(5), fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 3, maxLength: 6 }))
  .map(([file, counts]) => withQuotas(file, counts));

type Step =
  | { readonly verb: "consume" | "peek" | "charge" | "refund"; readonly who: number; readonly cost: number }
  | { readonly verb: "update"; readonly file: LimitsFile };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 15,
    arbitrary: fc.record({
      verb: fc.constantFrom(
        "consume" as const,
        "consume" as const,
        "peek" as const,
        "charge" as const,
        "refund" as const,
      ),
      who: fc.nat({ max: 2 }),
      cost: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant("update" as const), file: fileArbitrary }) },
);

const clients = fc.array(factsArbitrary(), { minLength: 3, maxLength: 3 });
const steps = fc.array(stepArbitrary, { minLength: 10, maxLength: 60 });

/** What each key of each rule has used, counted in the plainest way. */
class Model {
  readonly #used = new Map<string, number>();

  decide(verb: "consume" | "peek" | "charge" | "refund", file: LimitsFile, facts: PlainFacts, cost: number): boolean {
    const counting = countingRules(file, facts).map(({ rule, key, choice }) => ({
      at: JSON.stringify([rule, key]),
      isShadow: file.domains["api"]!.limits[rule]!.mode === "shadow",
      choice,
    }));
    const isDenied = counting.some(({ choice, isShadow }) => choice === "deny" && !isShadow);
    const limited = counting.flatMap(({ choice, ...rest }) =>
      typeof choice === "string" ? [] : [{ ...rest, most: Number.parseInt(choice.quota as string, 10) }],
    );
    const conforms = ({ at, most }: { at: string; most: number }) => (this.#used.get(at) ?? 0) + cost <= most;
    const allowed = !isDenied && limited.filter(({ isShadow }) => !isShadow).every(conforms);
    for (const limit of limited) {
      const used = this.#used.get(limit.at) ?? 0;
      if (verb === "consume" && allowed && conforms(limit)) this.#used.set(limit.at, used + cost);
      if (verb === "charge" && !isDenied) this.#used.set(limit.at, used + cost);
      if (verb === "refund") this.#used.set(limit.at, Math.max(0, used - cost));
    }
    return allowed;
  }
}

describe("rules that match together", () => {
  it.each(EVERY_STORE)("take from all or from none, whatever is loaded, over %s", async (_name, storeOf) => {
    const seen = { allowed: 0, denied: 0 };
    await fc.assert(
      fc.asyncProperty(fileArbitrary, clients, steps, async (first, factsOf, played) => {
        const limits = createLimits(first, { store: storeOf({ maxKeys: 2_000 }), clock: manualClock(START_MS) });
        const model = new Model();
        let file = first;
        for (const step of played) {
          if (step.verb === "update") {
            file = step.file;
            limits.update(file);
            continue;
          }
          const { verb, who, cost } = step;
          const facts = factsOf[who]!;
          const expected = model.decide(verb, file, facts, cost);
          const decision = await limits[verb]("api", facts, cost);
          if (decision === undefined) continue;
          expect({ verb, facts, cost, allowed: decision.allowed }).toEqual({ verb, facts, cost, allowed: expected });
          seen[expected ? "allowed" : "denied"] += 1;
        }
        await limits.close();
      }),
      { numRuns: 60 },
    );
    expect(Math.min(seen.allowed, seen.denied)).toBeGreaterThan(30);
  });
});
