import { createLimiter, type Decision, perHour, tokenBucket } from "tollgate";
import { decisionOf, rateLimit } from "tollgate/fetch";
import { describe, expect, it, vi } from "vitest";
import { AsyncTwin } from "../testing/async-twin.ts";

const SHADOW = perHour(1, { name: "shadow", mode: "shadow" });
const key = (): string => "all";

function request(): Request {
  return new Request("http://here.example/");
}

describe("the decision that handlers find", () => {
  it("has every property of the limiter's own, which stays as it was", async () => {
    const observed: Decision[] = [];
    const observe = (observation: { readonly type: string; readonly decision?: Decision }): void => {
      if (observation.decision !== undefined) observed.push(observation.decision);
    };
    const store = new AsyncTwin();
    const limits = [tokenBucket({ name: "bucket", capacity: 2, refill: 1, per: "1h" }), SHADOW];
    const near = createLimiter({ key, limits, observe });
    const far = createLimiter({ name: "far", key, limits, store, observe });
    const found: (Decision | undefined)[] = [];
    for (const limiter of [near, near, near, far]) {
      store.outage = { cause: "gone", policy: "allow" };
      const asked = request();
      await rateLimit({ limiter })(() => new Response("hello"))(asked);
      found.push(decisionOf(asked));
    }
    expect(observed.map(({ allowed }) => allowed)).toEqual([true, true, false, true]);
    expect(observed.flatMap((decision) => Object.keys(decision))).toEqual(
      expect.arrayContaining(["shadowDenied", "degraded"]),
    );
    for (const [index, decision] of observed.entries()) {
      expect(decision).not.toHaveProperty("settle");
      const { settle, ...others } = { settle: undefined, ...found[index] };
      expect(settle).toBeTypeOf("function");
      expect(others).toEqual(decision);
    }
  });
});

describe("settle", () => {
  it("has the runtime wait for an asynchronous store", async () => {
    const limiter = createLimiter({ name: "far", key, limits: [perHour(9)], store: new AsyncTwin() });
    const waitUntil = vi.fn<(task: Promise<unknown>) => void>();
    const handle = rateLimit({ limiter, settle: true })((asked: Request, _context: unknown) => {
      decisionOf(asked)?.settle(4);
      return new Response("hello");
    });
    await handle(request(), { waitUntil });
    expect(waitUntil).toHaveBeenCalledTimes(1);
    await waitUntil.mock.calls[0]?.[0];
    expect((await limiter.peek({}, 0)).remaining).toBe(5);
  });
});
