import { createLimiter, perMinute } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";
import { type AnyStore, EVERY_STORE } from "./every-store.ts";

/** It can neither list what is blocked nor end all blocks. */
const TWIN = "the asynchronous twin";
/** It has no texts of keys, so it cannot list what is blocked. */
const SHARED = "the shared store";

function setUp(createStore: () => AnyStore) {
  const clock = manualClock(START_MS);
  const common = { clock, store: createStore(), limits: [perMinute(5)] };
  return { clock, limiter: createLimiter({ ...common, name: "api" }), other: createLimiter({ ...common, name: "b" }) };
}

describe.each(EVERY_STORE.filter(([name]) => name !== TWIN && name !== SHARED))("over %s", (_name, createStore) => {
  it("blocked lists the keys that are blocked now, in their limiter alone", async () => {
    const { clock, limiter, other } = setUp(createStore);
    const long = "k".repeat(200);
    await limiter.block("ann", "10m", { reason: "scraping" });
    await limiter.block(long, "5s");
    await limiter.byKey(["bob", 42]).block("1h");
    await limiter.block("eve", "1h");
    await limiter.unblock("eve");
    await other.block("max", "1h");
    clock.advance(1_000);
    const byEnd = async () => (await limiter.blocked()).toSorted((one, later) => one.endsInMs - later.endsInMs);
    expect(await byEnd()).toEqual([
      { key: long, endsInMs: 4_000 },
      { key: "ann", endsInMs: 599_000, reason: "scraping" },
      { key: '["bob",42]', endsInMs: 3_599_000 },
    ]);
    clock.advance(4_000);
    expect((await byEnd()).map(({ key }) => key)).toEqual(["ann", '["bob",42]']);
  });
});

describe.each(EVERY_STORE.filter(([name]) => name !== TWIN))("over %s", (_name, createStore) => {
  it("clear ends blocks and forgets offences only if asked, and those of no other limiter", async () => {
    const { limiter, other } = setUp(createStore);
    for (const one of [limiter, other]) {
      await one.allow("ann", 3);
      await one.block("ann", "1h");
    }
    await limiter.clear();
    expect([await limiter.allow("ann"), (await limiter.explain("ann"))[0]?.used]).toEqual([false, 0]);
    await limiter.clear({ blocks: true });
    expect([await limiter.blockedUntil("ann"), await limiter.allow("ann", 5)]).toEqual([undefined, true]);
    expect([await other.allow("ann"), (await other.explain("ann"))[0]?.used]).toEqual([false, 3]);
  });
});

describe.each(EVERY_STORE)("a blocked key over %s", (_name, createStore) => {
  it("has nothing remaining, until it is unblocked", async () => {
    const { limiter } = setUp(createStore);
    const remaining = async () => [
      (await limiter.peek("ann")).remaining,
      (await limiter.consume("ann")).remaining,
      (await limiter.charge("ann", 1)).remaining,
    ];
    await limiter.block("ann", "1h");
    expect(await remaining()).toEqual([0, 0, 0]);
    await limiter.unblock("ann");
    expect(await remaining()).toEqual([3, 3, 2]);
  });
});

it("a store without the texts of keys says that it cannot list them", async () => {
  const { limiter } = setUp(() => sharedStore({ maxKeys: 100 }));
  await limiter.block("ann", "1h");
  await expect(async () => limiter.blocked()).rejects.toMatchObject({ code: "ERR_STORE" });
});

it("a store that cannot list blocked keys says so, and forgets nothing", async () => {
  const { limiter } = setUp(() => new AsyncTwin());
  await limiter.allow("ann", 3);
  await limiter.block("ann", "1h");
  await expect(async () => limiter.blocked()).rejects.toMatchObject({ code: "ERR_STORE" });
  await expect(async () => limiter.clear({ blocks: true })).rejects.toMatchObject({ code: "ERR_STORE" });
  expect((await limiter.explain("ann"))[0]?.used).toBe(3);
});
