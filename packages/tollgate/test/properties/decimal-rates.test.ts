import fc from "fast-check";
import { createLimiter, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { expect, it } from "vitest";
import { ExactBucketRules } from "../reference/exact-bucket.ts";
import { greatestCommonDivisor } from "../reference/whole-numbers.ts";
import { runs } from "./runs.ts";
import { hasRoom, isExact } from "./tick-room.ts";

const MILLION = 1_000_000n;

/** Millionths of a unit, mostly few places: 0.5, 1.5, 0.1, 2.345678. */
const millionths = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((tenths) => BigInt(tenths) * 100_000n),
  fc.integer({ min: 1, max: 10_000 }).map((thousandths) => BigInt(thousandths) * 1_000n),
  fc.bigInt({ min: 1n, max: 20_000_000n }),
);

const buckets = fc
  .record({
    millionths,
    perUs: fc.constantFrom(1_000_000n, 60_000_000n, 1_500_000n, 1_000n),
    capacity: fc.integer({ min: 1, max: 20 }),
  })
  .filter(({ millionths: refill, perUs, capacity }) => {
    const divisor = greatestCommonDivisor(refill, perUs * MILLION);
    const whole = { refill: Number(refill / divisor), perUs: Number((perUs * MILLION) / divisor) };
    const spec = { kind: "token-bucket", unit: "requests", mode: "enforce", capacity, ...whole } as const;
    const full = { ...spec, initial: "full", idleTtlUs: undefined } as const;
    return isExact(full) && hasRoom(full, 40n, 200n);
  });

/** Parts of the time in which a unit comes, and the cost that is then asked for. */
const steps = fc.array(fc.record({ part: fc.integer({ min: 0, max: 30 }), cost: fc.integer({ min: 1, max: 3 }) }), {
  maxLength: 40,
});

it("a bucket with decimals in its rate decides in exact rational arithmetic", () => {
  fc.assert(
    fc.property(buckets, steps, ({ millionths: refill, perUs, capacity }, calls) => {
      const rules = new ExactBucketRules({
        ...{ kind: "token-bucket", unit: "requests", mode: "enforce", initial: "full", idleTtlUs: 0n },
        ...{ capacity: BigInt(capacity), refill, perUs: perUs * MILLION },
      });
      const clock = manualClock(0);
      const limit = tokenBucket({ capacity, refill: Number(refill) / 1e6, per: Number(perUs) / 1e3 });
      const limiter = createLimiter({ limits: [limit], clock });
      const unitUs = (perUs * MILLION) / refill;
      let bucket = rules.fresh(0n);
      let nowUs = 0n;
      for (const { part, cost } of calls) {
        // A tenth of a unit's time, more or less: every second step is on the microsecond in which something conforms.
        const waitUs = bucket.waitUs(nowUs, 1n);
        nowUs += part % 2 === 0 && waitUs !== "never" ? waitUs : (unitUs * BigInt(part)) / 10n;
        clock.set(Number(nowUs) / 1e3);
        const isAllowed = bucket.conforms(nowUs, BigInt(cost));
        const exactUs = bucket.waitUs(nowUs, BigInt(cost));
        if (isAllowed) bucket = bucket.take(nowUs, BigInt(cost));
        const decision = limiter.consume("ann", cost);
        expect(decision.allowed).toBe(isAllowed);
        expect(decision.remaining).toBe(capacity - Number(bucket.used(nowUs)));
        if (!isAllowed) {
          const exactMs = exactUs === "never" ? Number.POSITIVE_INFINITY : Number(exactUs) / 1e3;
          expect(decision.retryAfterMs).toBe(exactMs);
        }
      }
    }),
    { numRuns: runs(100) },
  );
});
