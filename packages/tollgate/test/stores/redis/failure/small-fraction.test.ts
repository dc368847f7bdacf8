import fc from "fast-check";
import { createLimiter, type Limit, memoryStore, perDay, slidingWindow, tokenBucket } from "tollgate";
import { tableStore } from "tollgate/table";
import { describe, expect, it } from "vitest";
import { createPlan } from "../../../../src/core/plan.ts";
import type { TooSlow } from "../../../../src/stores/remote/fraction-of-rate.ts";
import { fractionOfPlan } from "../../../../src/stores/remote/fraction-store.ts";
import { limitSpec, magnitude } from "../../../properties/limit-arbitrary.ts";
import { libraryLimit } from "../../../properties/limit-spec.ts";
import { useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();

const DAY_MS = 86_400_000;
const TEN_YEARS_US = 3_652.5 * DAY_MS * 1_000;
const YEARLY = tokenBucket({ name: "yearly", capacity: 10, refill: 1, per: "365d" });

function fractionOf<L extends Limit>(limit: L, share: number, tooSlow: TooSlow = "throws"): L {
  const [kept] = fractionOfPlan(createPlan("api", "api", [limit]), share, tooSlow).limits;
  return kept as L;
}

function storeWithShare(share: number) {
  return inUse.redis.store({ onFailure: { fallback: memoryStore(), share } });
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return "nothing was thrown";
}

describe("a fraction that gains less than one unit in ten years", () => {
  it("createLimiter throws with the option, the limit and the least fraction", () => {
    const limits = [perDay(100), YEARLY];
    const make = (share: number) => () => createLimiter({ name: "api", limits, store: storeWithShare(share) });
    expect(make(0.09)).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message:
          'onFailure.share: expected at least 0.1 for the limit "yearly", whose share would gain less than one unit in 10 years, ' +
          "got 0.09",
      }),
    );
    expect(make(0.1)).not.toThrow();
  });

  it("with limits chosen per call no call fails, and the fraction gains one unit in ten years", async () => {
    const store = storeWithShare(0.01);
    const limiter = createLimiter({ name: "api", limits: () => [YEARLY], store });
    expect(await limiter.consume("ann", 2)).toMatchObject({ allowed: true, remaining: 8, limit: YEARLY });
    store.bypass = true;
    expect(await limiter.consume("ann")).toMatchObject({ allowed: true, degraded: "bypassed", limit: YEARLY });
    const denied = await limiter.consume("ann");
    expect(denied).toMatchObject({ allowed: false, reason: "exhausted", degraded: "bypassed" });
    expect(denied).toHaveProperty("retryAfterMs", expect.closeTo(TEN_YEARS_US / 1_000, -4));
  });
});

const LEAST = /^onFailure\.share: expected at least (\S+) for the limit /;

describe("a fallback without capacity for a limiter's limits", () => {
  const wide = slidingWindow({ name: "wide", limit: 1_000, window: "1h", resolution: 0 });
  const options = { onFailure: { fallback: tableStore({ maxKeys: 1_000_000 }), share: 1 } };

  it("createLimiter throws with the name of the option", () => {
    const store = inUse.redis.store(options);
    expect(() => createLimiter({ name: "api", limits: [wide], store })).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message: expect.stringMatching(/^onFailure\.fallback: limits: expected /),
        cause: expect.objectContaining({ code: "ERR_LIMITS" }),
      }),
    );
  });
});

/** A fraction that may be tiny. */
const anyShare = fc.oneof(
  fc.double({ min: 0, max: 1, minExcluded: true, noNaN: true }),
  fc.integer({ min: 0, max: 60 }).map((power) => 2 ** -power),
);

describe("fractions of random limits", () => {
  it("fractions never exceed the limit, and the least fraction in the error is accepted", () => {
    const bucketSpec = fc.record({
      capacity: fc.integer({ min: 1, max: 1_000_000 }),
      refill: magnitude(20),
      perUs: fc.oneof(magnitude(48), fc.constant(TEN_YEARS_US)),
      initial: fc.constantFrom("full" as const, "empty" as const),
    });
    const bucket = bucketSpec
      .filter(({ refill, perUs }) => refill <= perUs)
      .map(({ perUs, ...rest }) => tokenBucket({ ...rest, per: perUs / 1_000 }));
    const other = limitSpec.map((spec) => libraryLimit(spec, "one"));
    fc.assert(
      fc.property(fc.oneof(bucket, other), anyShare, (limit, share) => {
        const message = messageOf(() => expectShare(limit, share));
        if (message === "nothing was thrown") return;
        expect(message).toMatch(LEAST);
        const [, least] = LEAST.exec(message) ?? [];
        expect(Number(least)).toBeGreaterThan(share);
        expectShare(limit, Number(least));
        expect(() => fractionOf(limit, Number(least) * 0.98)).toThrow("onFailure.share");
      }),
      { numRuns: 2_000 },
    );
  });
});

/** A node counts at most its fraction, but at least one unit. */
function expectShare(limit: Limit, share: number): void {
  const kept = fractionOf(limit, share);
  const { name, unit, mode, algorithm } = limit;
  expect(kept).toMatchObject({
    name,
    unit,
    mode,
    algorithm,
    capacity: Math.max(1, Math.floor(limit.capacity * share)),
  });
  if (limit.algorithm !== "token-bucket" || kept.algorithm !== "token-bucket") return;
  const wholeShare = (limit.refill / limit.perMs) * share;
  expect((kept.refill / kept.perMs) * (1 - 1e-12)).toBeLessThanOrEqual(wholeShare);
}
