import { type AsyncLimiter, combine, createLimiter, memoryStore, type OnFailure, perDay } from "tollgate";
import type { RedisStore } from "tollgate/redis";
import { describe, expect, it } from "vitest";
import { bypassedStore } from "../kit/bypassed-store.ts";
import { refusedClient, silentClient } from "../kit/unavailable-client.ts";
import { openStore, useRedis } from "../kit/use-redis.ts";
import { eventuallyTrue } from "../servers/eventually.ts";

const MAY_HAVE_RUN = "store: the server did not answer: timed out; it may have carried out the call";
const inUse = useRedis();

type Named = Readonly<Record<string, OnFailure | undefined>>;

/** A limiter for each policy, over one store that is out of service. */
function limitersOf<const Policies extends Named>(policies: Policies, store: RedisStore) {
  const limiters = Object.entries(policies).map(([name, onFailure]) => [
    name,
    createLimiter({ name, limits: [perDay(8)], store, ...(onFailure !== undefined && { onFailure }) }),
  ]);
  return Object.fromEntries(limiters) as { readonly [Name in keyof Policies]: AsyncLimiter };
}

describe("the failure policy of a limiter", () => {
  it("holds in place of the store's", async () => {
    const { store } = bypassedStore(inUse.redis, { onFailure: "deny" });
    const fallback = memoryStore();
    const all = limitersOf({ own: "allow", local: { fallback, share: 0.25 }, store: undefined }, store);
    expect((await all.own.consume("ann", 9)).allowed).toBe(true);
    expect(await all.store.consume("ann")).toMatchObject({ reason: "store-unavailable", degraded: "bypassed" });
    expect(await all.local.consume("ann", 2)).toMatchObject({ allowed: true, remaining: 0, degraded: "bypassed" });
    expect((await all.local.consume("ann")).allowed).toBe(false);
  });

  it("decides with those of others: all take, or none", async () => {
    const { store } = bypassedStore(inUse.redis);
    const fallback = memoryStore();
    const share = 0.25;
    const all = limitersOf(
      { open: "allow", closed: "deny", one: { fallback, share }, two: { fallback, share: 0.5 } },
      store,
    );
    const both = combine(all.one, all.open, all.two);
    expect(await both.consume("ann", 1)).toMatchObject({ allowed: true, limiter: "one", remaining: 1 });
    expect(await both.consume("ann", 2)).toMatchObject({ allowed: false, limiter: "one", reason: "exhausted" });
    expect(await combine(all.two, all.closed).consume("ann")).toMatchObject({ reason: "store-unavailable" });
    // What was denied took nothing: three of the four units are left.
    expect((await all.two.peek("ann", 3)).allowed).toBe(true);
    expect((await all.two.peek("ann", 4)).allowed).toBe(false);
    expect((await combine(all.open, all.closed).peek("ann")).allowed).toBe(false);
  });

  it("gives back what it took, even if the server is back", async () => {
    const { store } = bypassedStore(inUse.redis);
    const all = limitersOf({ open: "allow", local: { fallback: memoryStore(), share: 0.5 } }, store);
    const both = combine(all.open, all.local);
    const decision = await both.consume("ann", 4);
    store.bypass = false;
    await both.refund("ann", 3, decision);
    store.bypass = true;
    expect((await all.local.peek("ann", 3)).allowed).toBe(true);
    expect((await all.local.peek("ann", 4)).allowed).toBe(false);
    await all.local.reset("ann");
    expect((await all.local.peek("ann", 4)).allowed).toBe(true);
  });

  it("is checked when the limiter is made", () => {
    const limits = [perDay(1)];
    const wrong = (onFailure: unknown) => () => createLimiter({ limits, onFailure: onFailure as OnFailure });
    expect(wrong("admit")).toThrow('onFailure: expected "allow", "deny", "throw" or { fallback, share }, got "admit"');
    expect(wrong({ fallback: memoryStore(), share: 2 })).toThrow("onFailure.share: expected a number above 0");
    expect(wrong({ fallback: {}, share: 1 })).toThrow("onFailure.fallback: expected a store in this process");
  });
});

describe("onFailure: throw", () => {
  const rejection = { name: "TollgateError", code: "ERR_STORE" };
  const REFUSED = "connect ECONNREFUSED 127.0.0.1:6379";

  it("rejects every call that decides or corrects, with the client's error as the cause", async () => {
    const store = openStore(refusedClient(), { onFailure: "throw" });
    const limiter = createLimiter({ name: "api", limits: [perDay(8)], store });
    const handle = limiter.handle("ann");
    const calls = [
      () => limiter.allow("ann"),
      () => limiter.consume("ann"),
      () => limiter.peek("ann"),
      () => limiter.charge("ann", 1),
      () => limiter.refund("ann", 1),
      () => limiter.wait("ann", 1, { maxWait: "1s" }),
      () => limiter.allowMany(["ann", "bob"], new Uint8Array(2)),
      () => handle.allow(),
      () => handle.consume(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ ...rejection, cause: { message: REFUSED } });
    // Calls that the open circuit does not send reject, too.
    await eventuallyTrue("an open circuit", async () => {
      await limiter.allow("ann").catch(() => {});
      return store.breaker === "open";
    });
    for (const call of calls) await expect(call()).rejects.toMatchObject(rejection);
  });

  it("rejects late calls and those under the kill switch, which no error of a client caused", async () => {
    const store = openStore(silentClient(), { onFailure: "throw", timeout: "1ms", connectTimeout: 0 });
    const limiter = createLimiter({ name: "api", limits: [perDay(8)], store });
    const late = { message: MAY_HAVE_RUN, mayHaveRun: true, cause: undefined };
    await expect(limiter.consume("ann")).rejects.toMatchObject({ ...rejection, ...late });
    await expect(limiter.allow("ann")).rejects.toMatchObject(rejection);
    store.bypass = true;
    const message = "store: the server could not be asked: bypassed";
    const bypassed = { ...rejection, message, mayHaveRun: undefined };
    await expect(limiter.consume("ann")).rejects.toMatchObject(bypassed);
    await expect(limiter.allow("ann")).rejects.toMatchObject(bypassed);
  });

  it("leaves a correction to be repeated that was not sent", async () => {
    const { store } = bypassedStore(inUse.redis, { onFailure: "throw" });
    store.bypass = false;
    const limiter = createLimiter({ name: "api", limits: [perDay(8)], store });
    const decision = await limiter.consume("ann", 2);
    const reservations = [await limiter.reserve("ann", 2), await limiter.reserve("ann", 2)];
    const corrections = [
      () => limiter.refund("ann", 2, decision),
      () => reservations[0]?.settle(1),
      () => reservations[1]?.cancel(),
    ];
    store.bypass = true;
    for (const correct of corrections) await expect(correct()).rejects.toMatchObject(rejection);
    store.bypass = false;
    for (const correct of [...corrections, ...corrections]) await correct();
    expect((await limiter.peek("ann", 0)).remaining).toBe(7);
  });

  it("wins over the policies of other limiters in one call", async () => {
    const { store } = bypassedStore(inUse.redis);
    const all = limitersOf({ closed: "deny", strict: "throw" }, store);
    await expect(combine(all.closed, all.strict).consume("ann")).rejects.toMatchObject(rejection);
  });

  it("denies a flood: an error may be what admits a request", async () => {
    const store = openStore(silentClient(), { onFailure: "throw", maxPending: 4, timeout: "5ms", connectTimeout: 0 });
    const limiter = createLimiter({ name: "api", limits: [perDay(8)], store });
    const calls = Array.from({ length: 9 }, () => limiter.consume("ann"));
    expect(await calls[8]).toMatchObject({ allowed: false, reason: "store-unavailable", degraded: "overloaded" });
    await limiter.refund("ann", 1, await calls[8]);
    await Promise.allSettled(calls);
  });
});
