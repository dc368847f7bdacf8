import { createLimiter, memoryStore, perMinute } from "tollgate";
import type { LimiterContext, Plan, SyncSpace, SyncStore } from "tollgate/store";
import { describe, expect, it } from "vitest";

/** A store that denies, and then reports cells that conform, as after a refund by another thread. */
function racingStore(): SyncStore {
  const inner = memoryStore();
  return {
    kind: "sync",
    open: (plan: Plan, context: LimiterContext): SyncSpace => {
      const space = inner.open(plan, context);
      return {
        plan,
        size: 0,
        allow: () => false,
        apply: (_verb, ...rest) => {
          space.apply("explain", ...rest);
          return false;
        },
        drop: () => {},
        clear: () => {},
        sweep: () => 0,
        maintain: () => {},
        release: () => {},
      };
    },
    close: () => {},
  };
}

describe("a denial whose cause ends before the store reports it", () => {
  it("has a retry time and names the binding limit", () => {
    const limiter = createLimiter({ limits: [perMinute(2)], store: racingStore() });
    for (const decision of [limiter.consume("a"), limiter.peek("a")]) {
      expect(decision).toMatchObject({ allowed: false, retryAfterMs: 1_000, violated: [{ name: "2-per-1m" }] });
    }
  });
});
