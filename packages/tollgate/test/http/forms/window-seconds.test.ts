import fc from "fast-check";
import { createLimiter, fixedWindow, perMinute, type TokenBucketLimit, tokenBucket } from "tollgate";
import { rateLimit } from "tollgate/fetch";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

/** The window in a response's headers. */
async function toldWindow(limit: TokenBucketLimit): Promise<string | undefined> {
  const limiter = createLimiter({ key: () => "everybody", limits: [limit] });
  const response = await rateLimit({ limiter })(() => new Response())(new Request("http://here.example"));
  return /;w=(\d+)$/.exec(response.headers.get("ratelimit-policy") ?? "")?.[1];
}

/** Whole seconds, rounded up. */
function exactWindow({ capacity, refill, perMs }: TokenBucketLimit): string {
  const scaled = BigInt(capacity) * BigInt(Math.round(perMs * 1_000));
  const second = BigInt(refill) * 1_000_000n;
  return String(scaled / second + (scaled % second === 0n ? 0n : 1n));
}

describe("the window of a token bucket", () => {
  it.each<[TokenBucketLimit, string]>([
    [perMinute(60, { burst: 31 }), "31"],
    [perMinute(60, { burst: 62 }), "62"],
    [perMinute(100, { burst: 20 }), "12"],
    [perMinute(60, { burst: 1 }), "1"],
    [tokenBucket({ capacity: 1, refill: 1, per: 0.001 }), "1"],
    [tokenBucket({ capacity: 1, refill: 1, per: 1_000.001 }), "2"],
    [tokenBucket({ capacity: 1_000_000, refill: 1, per: 1 }), "1000"],
    [tokenBucket({ capacity: 1_000_001, refill: 1, per: 1 }), "1001"],
  ])("is, for %j, %s seconds", async (limit, seconds) => {
    expect(await toldWindow(limit)).toBe(seconds);
  });

  it("is the time in which it fills, in whole seconds rounded up, for every limit", async () => {
    const count = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 10_000_000_000 }));
    const perUs = fc.oneof(
      fc.integer({ min: 1, max: 3_600 }).map((seconds) => seconds * 1_000_000),
      fc.integer({ min: 1, max: 86_400_000_000 }),
    );
    const limit = fc.record({ capacity: count, refill: count, perUs }).map(bucketOf);
    await fc.assert(
      fc.asyncProperty(limit, async (bucket) => {
        fc.pre(bucket !== undefined);
        expect(await toldWindow(bucket)).toBe(exactWindow(bucket));
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});

describe("the window of a limit by the calendar", () => {
  it("is as long as the current one, in every form and with a partition", async () => {
    const clock = manualClock(Date.parse("2026-02-10T12:00:00Z"));
    const limits = [fixedWindow({ limit: 9, window: "month", timeZone: "Europe/Berlin", name: "plan" })];
    const limiter = createLimiter({ key: () => "everybody", limits, clock });
    const told = async (options: object) => {
      const handle = rateLimit({ limiter, ...options })(() => new Response());
      const days: unknown[] = [];
      for (const date of ["2026-02-10T12:00:00Z", "2026-03-10T12:00:00Z", "2026-10-10T12:00:00Z"]) {
        clock.set(Date.parse(date));
        const policy = (await handle(new Request("http://here.example"))).headers.get("ratelimit-policy");
        days.push(Number(/;w=(\d+)/.exec(policy ?? "")?.[1]) / 3_600);
      }
      return days;
    };
    const hours = [28 * 24, 31 * 24 - 1, 31 * 24 + 1];
    expect(await told({})).toEqual(hours);
    expect(await told({ headers: "draft-7" })).toEqual(hours);
    expect(await told({ partitionKey: () => "everybody" })).toEqual(hours);
  });
});

/** `undefined` for numbers beyond the bounds of rates and spans. */
function bucketOf(numbers: { capacity: number; refill: number; perUs: number }): TokenBucketLimit | undefined {
  try {
    return tokenBucket({ capacity: numbers.capacity, refill: numbers.refill, per: numbers.perUs / 1_000 });
  } catch {
    return undefined;
  }
}
