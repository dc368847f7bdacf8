import {
  type AsyncLimiter,
  combine,
  createLimiter,
  type Limit,
  memoryStore,
  type Observation,
  perDay,
  perMinute,
} from "tollgate";
import { header, rateLimit } from "tollgate/fetch";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../start-ms.ts";
import { EVERY_STORE } from "./every-store.ts";

interface User {
  readonly id: string;
}

const PLANS: Readonly<Record<string, readonly Limit[]>> = { ann: [perDay(2)], bob: [perDay(1)] };

async function planOf({ id }: User): Promise<readonly Limit[] | "deny"> {
  await Promise.resolve();
  if (id === "eve") throw new RangeError("no such user");
  return PLANS[id] ?? "deny";
}

describe.each(EVERY_STORE)("a limiter over %s whose limits are looked up", (_name, createStore) => {
  const clock = manualClock(START_MS);
  const make = (observe?: (one: Observation) => void): AsyncLimiter<User> =>
    createLimiter({
      name: "plans",
      key: (user: User) => user.id,
      limits: planOf,
      clock,
      store: createStore(),
      ...(observe === undefined ? {} : { observe }),
    });
  const [ann, bob, eve, guest] = ["ann", "bob", "eve", "guest"].map((id) => ({ id })) as [User, User, User, User];

  it("is asynchronous, and has every verb", async () => {
    const limiter = make();
    expect(limiter.kind).toBe("async");
    expect(await limiter.allow(ann)).toBe(true);
    const decision = await limiter.consume(ann);
    expect(decision).toMatchObject({ allowed: true, remaining: 0, limiter: "plans" });
    expect(await limiter.peek(ann)).toMatchObject({ allowed: false });
    expect((await limiter.explain(ann)).map(({ key, used }) => [key, used])).toEqual([["ann", 2]]);
    expect(await limiter.charge(ann, 3)).toMatchObject({ allowed: false });
    await limiter.refund(ann, 1, decision);
    expect((await limiter.byKey("ann").explain()).map(({ used }) => used)).toEqual([4]);
    expect(await limiter.size()).toBe(1);
    await limiter.reset(ann);
    expect(await limiter.allow(ann)).toBe(true);
    await limiter.clear();
    expect([await limiter.size(), await limiter.sweep()]).toEqual([0, 0]);
    await limiter.close();
  });

  it("decides a batch after all look-ups", async () => {
    const limiter = make();
    const out = new Uint8Array(6);
    expect(await limiter.allowMany([ann, bob, ann, bob, ann, guest], out)).toBe(3);
    expect([...out]).toEqual([1, 1, 1, 0, 0, 0]);
    await expect(limiter.allowMany([ann, eve], out)).rejects.toThrow("no such user");
  });

  it("rejects a call whose look-up rejects, and counts nothing", async () => {
    const seen: Observation[] = [];
    const limiter = make((one) => void seen.push(one));
    const handle = limiter.handle(eve);
    for (const call of [() => limiter.allow(eve), () => limiter.consume(eve), () => handle.allow()]) {
      await expect(call()).rejects.toThrow(new RangeError("no such user"));
    }
    expect([await limiter.size(), seen]).toEqual([0, []]);
  });

  it("looks up once for a handle", async () => {
    const lookUp = vi.fn<(user: User) => Promise<readonly Limit[]>>(async () => [perDay(2)]);
    const limiter = createLimiter({
      name: "once",
      key: ({ id }: User) => id,
      limits: lookUp,
      async: true,
      clock,
      store: createStore(),
    });
    const handle = limiter.handle(ann);
    expect(await Promise.all([handle.allow(), handle.allow(), handle.allow()])).toEqual([true, true, false]);
    await handle.reset();
    expect((await handle.consume(2)).allowed).toBe(true);
    expect(lookUp).toHaveBeenCalledOnce();
  });

  it("combines with limiters that look nothing up", async () => {
    const store = createStore();
    const looked = createLimiter({ name: "plan", key: (user: User) => user.id, limits: planOf, clock, store });
    const all = createLimiter({ name: "all", key: (_user: User) => "all", limits: [perDay(3)], clock, store });
    const both = combine(all, looked);
    expect(both.kind).toBe("async");
    expect([await both.allow(ann), await both.allow(ann), await both.allow(ann)]).toEqual([true, true, false]);
    await expect(Promise.resolve(both.allow(eve))).rejects.toThrow("no such user");
    // Denied by its plan: the other limiter counts nothing.
    expect(await both.consume(guest)).toMatchObject({ allowed: false, reason: "denied", limiter: "plan" });
    expect((await all.explain(ann)).map(({ used }) => used)).toEqual([2]);
    expect((await combine(both).handle(bob).consume()).allowed).toBe(true);
    expect((await all.explain(ann)).map(({ used }) => used)).toEqual([3]);
  });
});

describe("a look-up", () => {
  it("works behind an adapter, which settles under what was looked up", async () => {
    const limiter = createLimiter({ key: header("x-user"), limits: async ({ path }) => planOf({ id: path.slice(1) }) });
    const limited = rateLimit({ limiter, chargeAfter: () => 2, onError: "deny", logError: () => {} });
    const worker = limited(() => new Response("passed"));
    const statusOf = async (id: string) => {
      const response = await worker(new Request(`http://here.example/${id}`, { headers: { "x-user": id } }));
      await response.text();
      return response.status;
    };
    expect([await statusOf("ann"), await statusOf("guest"), await statusOf("eve")]).toEqual([200, 403, 503]);
    await vi.waitFor(async () => {
      expect((await limiter.byKey("ann").explain()).map(({ used }) => used)).toEqual([2]);
    });
    expect(await statusOf("ann")).toBe(429);
  });

  it("does not wait for another", async () => {
    const waiting = new Map<string, () => void>();
    const limiter = createLimiter({
      key: (user: User) => user.id,
      limits: async ({ id }) => {
        await new Promise<void>((resolve) => waiting.set(id, resolve));
        return [perMinute(1)];
      },
    });
    const slow = limiter.allow({ id: "slow" });
    const quick = limiter.allow({ id: "quick" });
    await vi.waitFor(() => expect([...waiting.keys()]).toEqual(["slow", "quick"]));
    waiting.get("quick")?.();
    expect(await quick).toBe(true);
    waiting.get("slow")?.();
    expect(await slow).toBe(true);
  });

  it("by a function that is not written as async needs async: true", async () => {
    const limits = () => Promise.resolve([perDay(1)]);
    const unmarked = createLimiter({ limits });
    expect(() => unmarked.allow("ann")).toThrow(
      'limits: expected a list of at least one limit, "unlimited" or "deny", got a promise; ' +
        "for look-ups, pass an async function, or set async: true",
    );
    const marked = createLimiter({ limits, async: true });
    expect([await marked.allow("ann"), await marked.allow("ann")]).toEqual([true, false]);
  });

  it("counts the cost of the moment of the call, and does not begin for a malformed one", async () => {
    let lookUps = 0;
    const limits = [perDay(10), perDay(100, { unit: "tokens" })];
    const limiter = createLimiter({
      key: () => "ann",
      limits: async () => {
        lookUps += 1;
        return limits;
      },
      clock: manualClock(START_MS),
    });
    const cost = { requests: 1, tokens: 5 };
    const calls = [limiter.allow("a", cost), limiter.handle("a").consume(cost), limiter.charge("a", cost)];
    cost.tokens = 1_000;
    await Promise.all(calls);
    expect((await limiter.explain("a")).map(({ used }) => used)).toEqual([3, 15]);
    expect(lookUps).toBe(4);
    const malformed = { code: "ERR_COST" };
    await expect(limiter.allow("a", -1)).rejects.toMatchObject(malformed);
    await expect(limiter.refund("a", { tokens: 0.5 })).rejects.toMatchObject(malformed);
    expect(lookUps).toBe(4);
  });

  it("that fails twice at once ends no process", async () => {
    const limiter = createLimiter({
      key: (_user: User): Promise<string> => Promise.reject(new RangeError("no key")),
      limits: (): never => {
        throw new RangeError("no limits");
      },
      async: true,
    });
    await expect(limiter.allow({ id: "ann" })).rejects.toThrow(RangeError);
  });

  it("that fails for a handle without calls ends no process", async () => {
    const ended = vi.fn<(error: unknown) => void>();
    process.once("unhandledRejection", ended);
    const limiter = createLimiter({ limits: async () => Promise.reject(new RangeError("no limits")) });
    limiter.handle("ann");
    await new Promise((resolve) => setTimeout(resolve));
    process.off("unhandledRejection", ended);
    expect(ended).not.toHaveBeenCalled();
  });

  it("may be left out with async: true, for the same code over every store", async () => {
    const limiter = createLimiter({ limits: [perDay(1)], async: true, store: memoryStore() });
    expect([limiter.kind, await limiter.allow("ann"), await limiter.allow("ann")]).toEqual(["async", true, false]);
    expect(() => createLimiter({ limits: [perDay(1)], async: false as never })).toThrow(
      "async: expected true, got false",
    );
  });
});
