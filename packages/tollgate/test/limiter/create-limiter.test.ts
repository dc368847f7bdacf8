import {
  type AsyncLimiter,
  createLimiter,
  type Key,
  type Limit,
  type Limiter,
  type LimiterOptions,
  memoryStore,
  perDay,
  perMinute,
  perSecond,
} from "tollgate";
import { clientIp } from "tollgate/fetch";
import type { SyncStore } from "tollgate/store";
import { describe, expect, expectTypeOf, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";

const CHOICES = 'a list of at least one limit, "unlimited" or "deny"';

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe("createLimiter", () => {
  it("infers its input type from the key function", () => {
    const keyed = createLimiter({ key: (user: { id: string }) => user.id, limits: [perSecond(1)] });
    expectTypeOf(keyed).toEqualTypeOf<Limiter<{ id: string }>>();
    const chosen = createLimiter({
      key: (user: { id: string; paid: boolean }) => user.id,
      limits: (user) => [user.paid ? perSecond(9) : perSecond(1)],
    });
    expectTypeOf(chosen).toEqualTypeOf<Limiter<{ id: string; paid: boolean }>>();
    // @ts-expect-error a number is no user
    expect(() => keyed.allow(5)).toThrow();
  });

  it("returns a type that differs from a limiter of another input", () => {
    const keyed = createLimiter({ key: (user: { id: string; paid: boolean }) => user.id, limits: [perSecond(1)] });
    // @ts-expect-error it needs to know whether the user paid
    const other: Limiter<{ id: string }> = keyed;
    expect(other.allow({ id: "a" })).toBe(true);
  });

  it("over a store of either kind returns a limiter of either kind", async () => {
    for (const isFar of [true, false]) {
      const options = { name: "api", limits: [perDay(1)] };
      const limiter = createLimiter({ ...options, store: isFar ? new AsyncTwin() : memoryStore() });
      expectTypeOf(limiter).toEqualTypeOf<Limiter<Key> | AsyncLimiter<Key>>();
      const keyed = createLimiter({
        ...options,
        key: (user: { id: string }) => user.id,
        store: isFar ? new AsyncTwin() : undefined,
      });
      expectTypeOf(keyed).toEqualTypeOf<Limiter<{ id: string }> | AsyncLimiter<{ id: string }>>();
      expect([limiter.kind, keyed.kind]).toEqual(isFar ? ["async", "async"] : ["sync", "sync"]);
      expect([await limiter.allow("a"), await limiter.allow("a")]).toEqual([true, false]);
      expect([await keyed.allow({ id: "a" }), await keyed.allow({ id: "a" })]).toEqual([true, false]);
    }
  });

  it("is asynchronous by its type if a key or limits function is, or if it says so", () => {
    const key = (user: { id: string }) => [user.id, 7n] as const;
    const limits = [perSecond(1)];
    expectTypeOf(createLimiter({ key, limits })).toEqualTypeOf<Limiter<{ id: string }>>();
    const later = [
      createLimiter({ key: async (user: { id: string }) => key(user), limits }),
      createLimiter({ key, limits: async (user) => (user.id === "a" ? "unlimited" : limits) }),
      createLimiter({ key, limits, async: true }),
      createLimiter({ key, limits: (user) => (user.id === "a" ? Promise.resolve(limits) : limits), async: true }),
    ];
    expectTypeOf(later).toEqualTypeOf<AsyncLimiter<{ id: string }>[]>();
    expect(later.map(({ kind }) => kind)).toEqual(["async", "async", "async", "async"]);
  });

  it("accepts any input where nothing tells what it is", () => {
    const limits = [perSecond(1)];
    const all = createLimiter({ key: () => "all", limits });
    expectTypeOf(all).toExtend<Limiter<unknown>>();
    expect([all.allow(), all.allow({ id: "ann" }), all.peek().remaining]).toEqual([true, false, 0]);
    // biome-ignore lint/suspicious/noExplicitAny: untyped requests are common.
    expectTypeOf(createLimiter({ key: (request: any) => request.ip, limits })).toEqualTypeOf<Limiter<any>>();
    expectTypeOf(createLimiter({ limits, async: true })).toEqualTypeOf<AsyncLimiter<Key>>();
    expectTypeOf(createLimiter<{ id: string }>({ key: (user) => user.id, limits })).toEqualTypeOf<
      Limiter<{ id: string }>
    >();
  });

  it("without a key function returns a limiter whose input is the key", () => {
    expectTypeOf(createLimiter({ limits: [perSecond(1)] })).toEqualTypeOf<Limiter<Key>>();
    expectTypeOf(createLimiter({ limits: () => [perSecond(1)] })).toEqualTypeOf<Limiter<Key>>();
    expectTypeOf(createLimiter({ limits: (key: string) => [perSecond(key.length)] })).toEqualTypeOf<Limiter>();
  });

  it("over an asynchronous store rejects misuse before it sends a message", async () => {
    const limiter = createLimiter({ limits: [perSecond(2)], store: new AsyncTwin() });
    await expect(limiter.allow("a", -1)).rejects.toMatchObject({ code: "ERR_COST" });
    await expect(limiter.consume(null as never)).rejects.toMatchObject({ code: "ERR_KEY" });
    await expect(limiter.charge("a", undefined as never)).rejects.toMatchObject({ code: "ERR_COST" });
    expect(await limiter.size()).toBe(0);
    const unlimited = createLimiter({ limits: () => "unlimited", store: new AsyncTwin() });
    expect(await unlimited.consume("a", 9)).toMatchObject({ allowed: true, remaining: Number.POSITIVE_INFINITY });
  });

  it("does not close a store that it was given", () => {
    let closed = 0;
    const inner = memoryStore();
    const store: SyncStore = {
      kind: "sync",
      open: (plan, context) => inner.open(plan, context),
      close: () => {
        closed += 1;
      },
    };
    createLimiter({ limits: [perSecond(1)], store }).close();
    expect(closed).toBe(0);
  });

  const create = (options: unknown) => () => createLimiter(options as LimiterOptions<string>);
  const limits = [perSecond(1)];
  it.each<[string, () => unknown, string, string]>([
    [
      "no options",
      create(undefined),
      "ERR_OPTION",
      "createLimiter: expected an object of options, got undefined; write { limits: [perMinute(100, { burst: 20 })] }",
    ],
    ["no limits", create({}), "ERR_LIMITS", "limits: expected a list of at least one limit, got undefined"],
    ["an empty list", create({ limits: [] }), "ERR_LIMITS", "limits: expected a list of at least one limit, got none"],
    [
      "one limit alone",
      create({ limits: perSecond(1) }),
      "ERR_LIMITS",
      "limits: expected a list of at least one limit, got an object; write limits: [limit]",
    ],
    [
      "an object in the list that is not a limit",
      create({ limits: [perSecond(1), { capacity: 5 }] }),
      "ERR_LIMITS",
      "limits: expected limits made by tokenBucket, perSecond, slidingWindow, fixedWindow …, got an object",
    ],
    [
      "a store without a method",
      create({ store: { kind: "sync" }, limits }),
      "ERR_STORE",
      "store: expected a store such as memoryStore() or redisStore({ client }), got an object",
    ],
    [
      "a name that cannot be printed",
      create({ name: revoked(), limits }),
      "ERR_NAME",
      "name: expected 1 to 128 printable ASCII characters without double quotes, backslashes and braces, got a value that cannot be shown",
    ],
    [
      "one name twice",
      create({ limits: [perSecond(1), perMinute(1, { name: "1-per-1s" })] }),
      "ERR_LIMITS",
      'limits: expected names that differ, got "1-per-1s" twice; name one of them with { name }',
    ],
    [
      "a function that makes key functions",
      create({ key: clientIp, limits }),
      "ERR_OPTION",
      "key: clientIp is a function that makes key functions; call it: clientIp()",
    ],
  ])("refuses %s", (_name, attempt, code, message) => {
    expect(attempt).toThrow(expect.objectContaining({ code, message }));
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, `limits: expected ${CHOICES}, got undefined`],
    ["an empty list", [], `limits: expected ${CHOICES}, got none`],
    ["another word", "unlimitted", `limits: expected ${CHOICES}, got "unlimitted"`],
    ["one limit", perSecond(1), `limits: expected ${CHOICES}, got an object; write limits: [limit]`],
    [
      "a promise",
      Promise.resolve([]),
      `limits: expected ${CHOICES}, got a promise; for look-ups, pass an async function, or set async: true`,
    ],
  ])("refuses a limits function that returns %s, and counts nothing", (_name, returned, message) => {
    const limiter = createLimiter({ limits: () => returned as Limit[] });
    expect(() => limiter.allow("a")).toThrow(expect.objectContaining({ code: "ERR_LIMITS", message }));
    expect(limiter.size).toBe(0);
  });

  it("reads the clock once for each call, after it has checked the input", () => {
    let reads = 0;
    const limiter = createLimiter({
      limits: [perSecond(1), perMinute(1)],
      clock: {
        now: () => {
          reads += 1;
          return START_MS + reads;
        },
      },
    });
    const before = reads;
    expect(() => limiter.allow(null as never)).toThrow();
    expect(() => limiter.allow("a", -1)).toThrow();
    expect(reads).toBe(before);
    limiter.allow("a");
    limiter.consume("a");
    expect(reads).toBe(before + 2);
  });
});
