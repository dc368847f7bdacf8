import { createLimiter, type Observer, perMinute } from "tollgate";
import { type RedisStoreOptions, redisStore } from "tollgate/redis";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { forgetWarnings } from "../../../../src/core/warnings.ts";
import { refusedClient, silentClient } from "../kit/unavailable-client.ts";

const UNOBSERVED =
  "tollgate: redisStore: onFailure decided a call without the server (connection refused), and no observer was " +
  "notified; pass observe to redisStore or to createLimiter, or warnings: false to redisStore " +
  "(degraded-unobserved)";

/** What was written to stderr since the test began. */
function warnings(): string[] {
  return vi.mocked(console.warn).mock.calls.map(([text]) => String(text));
}

beforeEach(() => {
  forgetWarnings();
  vi.spyOn(console, "warn").mockImplementation(() => {});
});

function openStore(options: Partial<RedisStoreOptions> = {}) {
  const store = redisStore({ client: refusedClient(), connectTimeout: 0, timeout: "20ms", ...options });
  onTestFinished(() => void store.close());
  return store;
}

function limiterOn(options?: Partial<RedisStoreOptions>, observe?: Observer) {
  const store = openStore(options);
  const common = { name: "api", limits: [perMinute(10)], store };
  return { store, limiter: createLimiter(observe === undefined ? common : { ...common, observe }) };
}

describe("decisions without the server that no observer is notified of", () => {
  it("are reported once in the process, whatever the number of calls and stores", async () => {
    for (let i = 0; i < 2; i += 1) {
      const { limiter } = limiterOn();
      await Promise.all(["ann", "bob", "cid"].map((key) => limiter.allow(key)));
      await limiter.consume("ann");
    }
    expect(warnings()).toEqual([UNOBSERVED]);
  });

  it.each<[string, Partial<RedisStoreOptions>]>([
    ["with an observer of the store", { observe: () => {} }],
    ["with warnings: false", { warnings: false }],
  ])("are not reported %s", async (_what, options) => {
    const { limiter } = limiterOn(options);
    expect((await limiter.consume("ann")).degraded).toBe("connection refused");
    expect(warnings()).toEqual([]);
  });

  it("are not reported if one limiter over the store has an observer", async () => {
    const { store, limiter } = limiterOn({}, () => {});
    await createLimiter({ name: "other", limits: [perMinute(1)], store }).consume("ann");
    await limiter.consume("ann");
    expect(warnings()).toEqual([]);
  });

  it("are not reported if the operator turned the kill switch, or if too many calls are pending", async () => {
    const { store, limiter } = limiterOn();
    store.bypass = true;
    const decision = await limiter.consume("ann");
    await limiter.refund("ann", 1, decision);
    expect(decision.degraded).toBe("bypassed");
    const flooded = limiterOn({ client: silentClient(), maxPending: 1, timeout: "1h" }).limiter;
    void flooded.consume("ann");
    expect((await flooded.consume("bob")).degraded).toBe("overloaded");
    expect(warnings()).toEqual([]);
  });
});

describe("an observer of the store that fails", () => {
  it("fails no call, and is reported once", async () => {
    const store = openStore({
      observe: () => {
        throw new Error("the log is full");
      },
    });
    const limiter = createLimiter({ name: "api", limits: [perMinute(1)], store });
    for (const bypass of [true, false, true]) {
      store.bypass = bypass;
      expect((await limiter.consume("ann")).allowed).toBe(true);
    }
    expect(warnings()).toEqual([
      'tollgate: observe: expected a function that does not throw, got Error: "the log is full"; no call failed ' +
        "(observer-error)",
    ]);
  });
});
