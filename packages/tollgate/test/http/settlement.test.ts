import { createLimiter, type Limit, perMinute } from "tollgate";
import { decisionOf, type HttpFacts, type RateLimited, type RateLimitOptions, rateLimit } from "tollgate/fetch";
import type { Verb } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { AsyncTwin } from "../testing/async-twin.ts";

const REQUESTS = perMinute(1_000, { name: "requests" });
const TOKENS = perMinute(1_000, { name: "tokens", unit: "tokens" });

/** Fails some calls of a verb. */
class FailingStore extends AsyncTwin {
  readonly failing: Verb[] = [];

  override async transact(...[verb, ...others]: Parameters<AsyncTwin["transact"]>): ReturnType<AsyncTwin["transact"]> {
    if (this.failing[0] !== verb) return super.transact(verb, ...others);
    this.failing.shift();
    throw new Error(`no ${verb}`);
  }
}

/** A key of which other requests have taken 100 of each unit. */
async function busyKey(limits: readonly Limit[], store = new FailingStore()) {
  const key = () => "all";
  const limiter = createLimiter({
    name: "far",
    key,
    limits: [...limits],
    store,
    clock: manualClock(1_790_000_000_000),
  });
  const facts = {} as HttpFacts;
  await limiter.consume(facts, Object.fromEntries(limits.map(({ unit }) => [unit, 100])));
  const errors: string[] = [];
  const logError = (error: unknown) => void errors.push((error as Error).message);
  return {
    store,
    errors,
    /** Handles a request; resolves to what then counts, when all is settled. */
    handle: async (
      cost: RateLimitOptions<HttpFacts>["cost"] & {},
      tell: (rateLimit: RateLimited) => Promise<void> | void,
    ): Promise<number[]> => {
      const limit = rateLimit({ limiter, cost, settle: true, logError });
      const answer = limit(async (request) => {
        await tell(decisionOf(request)!);
        return new Response("hello");
      });
      await answer(new Request("http://here.example/"));
      await settled();
      return (await limiter.explain(facts, 0)).map(({ used }) => used);
    },
  };
}

/** The store answers in the next turn of the event loop. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("settle over an asynchronous store", () => {
  it("refunds nothing that a failed charge has not taken", async () => {
    const { store, errors, handle } = await busyKey([REQUESTS]);
    store.failing.push("charge");
    const used = await handle(10, ({ settle }) => {
      settle(60);
      settle(5);
    });
    expect([used, errors]).toEqual([[105], ["no charge"]]);
  });

  it("refunds later what a failed refund has not given back", async () => {
    const { store, errors, handle } = await busyKey([REQUESTS]);
    store.failing.push("refund");
    const used = await handle(10, ({ settle }) => {
      settle(5);
      settle(7);
    });
    expect([used, errors]).toEqual([[107], ["no refund"]]);
  });

  it("charges one unit only once if the refund of another fails", async () => {
    const { store, handle } = await busyKey([REQUESTS, TOKENS]);
    store.failing.push("refund");
    const used = await handle({ requests: 1, tokens: 50 }, async ({ settle }) => {
      settle({ requests: 4, tokens: 20 });
      await settled();
      settle({ requests: 4, tokens: 20 });
    });
    expect(used).toEqual([104, 120]);
  });

  it("settles a cost that follows an unknown unit", async () => {
    const { errors, handle } = await busyKey([REQUESTS]);
    const used = await handle(10, ({ settle }) => {
      expect(() => settle({ tokens: 1 })).toThrow('cost: expected units among "requests", got "tokens"');
      settle(7);
    });
    expect([used, errors]).toEqual([[107], []]);
  });

  it("settles the cost that the cost function returned, even if it returns the same object again", async () => {
    const { handle } = await busyKey([REQUESTS, TOKENS]);
    const costs = { requests: 1, tokens: 10 };
    const used = await Promise.all(
      [10, 300].map((tokens) =>
        handle(
          () => Object.assign(costs, { tokens }),
          ({ settle }) => settle({ tokens: 0 }),
        ),
      ),
    );
    expect(used.at(-1)).toEqual([102, 100]);
  });
});
