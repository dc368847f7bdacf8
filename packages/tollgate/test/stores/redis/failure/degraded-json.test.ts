import { createLimiter, type Decision, memoryStore, perMinute, slidingWindow } from "tollgate";
import { type OnFailure, type RedisStoreOptions, redisStore } from "tollgate/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { refusedClient } from "../kit/unavailable-client.ts";

const CAPACITY = 8;
const POLICIES: Record<string, () => OnFailure> = {
  allow: () => "allow",
  deny: () => "deny",
  fraction: () => ({ fallback: memoryStore(), share: 0.5 }),
};

function limiterOn(options: RedisStoreOptions) {
  const store = redisStore({ connectTimeout: 0, timeout: "20ms", warnings: false, ...options });
  onTestFinished(() => void store.close());
  const limits = [perMinute(CAPACITY), slidingWindow({ limit: 100, window: "1h" })];
  return { store, limiter: createLimiter({ name: "api", limits, store }) };
}

/** A decision as clients of an API get it. */
function inJson(decision: Decision): Record<string, unknown> {
  expect(decision.degraded).toBeDefined();
  const text = JSON.stringify(decision);
  expect(text).not.toContain("null");
  return JSON.parse(text) as Record<string, unknown>;
}

function expectFigures(json: Record<string, unknown>, policy: string): void {
  const { remaining, limitRemaining, retryAfterMs, resetMs } = json;
  for (const ms of [retryAfterMs, resetMs]) expect(ms).toBeGreaterThanOrEqual(0);
  if (policy !== "fraction") {
    expect(json).not.toHaveProperty("remaining");
    expect(json).not.toHaveProperty("limitRemaining");
  } else {
    for (const units of [remaining, limitRemaining]) {
      expect(Number.isSafeInteger(units)).toBe(true);
      expect(units).toBeLessThanOrEqual(CAPACITY / 2);
    }
  }
  if (json["allowed"] === false) expect(retryAfterMs).toBeGreaterThan(0);
}

describe.each(Object.keys(POLICIES))("a degraded decision in JSON, under the policy %s", (policy) => {
  const onFailure = (): OnFailure => POLICIES[policy]!();

  it.each(["bypassed", "connection refused"])("has finite figures or none: %s", async (cause) => {
    const { store, limiter } = limiterOn({ client: refusedClient(), onFailure: onFailure() });
    store.bypass = cause === "bypassed";
    // The fraction of the first limit is 4 units. The last cost is more than the fraction, and less than the limit.
    for (const cost of [1, 3, 1, CAPACITY]) {
      const decision = await limiter.consume("ann", cost);
      expect(decision.degraded).toBe(cause);
      expectFigures(inJson(decision), policy);
    }
    expectFigures(inJson(await limiter.peek("ann")), policy);
    expectFigures(inJson(await limiter.peek("bob")), policy);
    expectFigures(inJson(await limiter.charge("ann", 3)), policy);
    expect(JSON.stringify(await limiter.explain("ann"))).not.toContain("null");
  });

  it("has null for a remaining without end, if no limit applies", async () => {
    const { store } = limiterOn({ client: refusedClient(), onFailure: onFailure() });
    const limiter = createLimiter({ name: "none", limits: () => "unlimited", store });
    const json = JSON.parse(JSON.stringify(await limiter.consume("ann"))) as object;
    expect(json).toMatchObject({ allowed: true, remaining: null, retryAfterMs: 0, resetMs: 0 });
  });
});
