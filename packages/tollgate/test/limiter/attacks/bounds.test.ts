import { createLimiter, memoryStore, perMinute, TollgateError } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { instrumented } from "../../metrics/instrumented.ts";
import { linesOf } from "../../metrics/scrape.ts";
import { START_MS } from "../../start-ms.ts";

const MAX_BYTES = 65_536;

describe("maxBytes bounds what a store takes for 40 limiters", () => {
  it.each([
    ["memory", () => memoryStore({ maxBytes: MAX_BYTES })],
    ["table", () => tableStore({ maxKeys: 10, maxBytes: MAX_BYTES })],
  ])("of fixed limits, and of chosen ones: %s", (_which, create) => {
    for (const isChosen of [false, true]) {
      const store = create();
      const clock = manualClock(START_MS);
      const reasons = new Set<string>();
      for (let i = 0; i < 40; i += 1) {
        const own = [perMinute(5 + i), perMinute(5_000 + i, { name: "calls" })];
        const options = { name: `limiter-${i}`, clock, store, key: (key: string) => key };
        try {
          const limiter = createLimiter({ ...options, limits: isChosen ? () => own : own });
          for (let key = 0; key < 50; key += 1) {
            const decision = limiter.consume(`key-${key}`);
            reasons.add(decision.allowed ? "allowed" : decision.reason);
            expect(store.bytes).toBeLessThanOrEqual(MAX_BYTES);
          }
        } catch (error) {
          if (!(error instanceof TollgateError)) throw error;
          reasons.add(error.code);
        }
        expect(store.bytes).toBeLessThanOrEqual(MAX_BYTES);
      }
      // Some are decided, and those for which there is no memory are refused.
      expect(reasons).toContain("allowed");
      expect([...reasons].some((reason) => reason === "store-full" || reason === "ERR_STORE")).toBe(true);
    }
  });
});

it("metrics name a thousand limits of a limiter, and count the calls under all others together", async () => {
  const limits = (call: number) => [perMinute(1, { name: `limit-${call}` })];
  const limiter = createLimiter({ name: "api", key: () => "all", limits, clock: manualClock(START_MS) });
  const { registry } = instrumented(limiter);
  for (let call = 0; call < 20_000; call += 1) limiter.allow(call);
  const lines = await linesOf(registry, "rate_limit_acquire_total");
  expect(lines.length).toBeLessThanOrEqual(1_001);
  expect(lines.at(-1)).toMatch(/limiter="api",limit="other",result="allow"\} (18999|19000)$/);
});
