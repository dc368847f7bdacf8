import fc from "fast-check";
import { createLimits, type Facts, type Limits, type LimitsFile, type RuleWords } from "tollgate/config";
import type { AsyncStore } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { EVERY_STORE } from "../limiter/every-store.ts";
import { AsyncTwin } from "../testing/async-twin.ts";

const fileOf = (limits: Readonly<Record<string, RuleWords>>): LimitsFile => ({
  version: 1,
  domains: { api: { limits } },
});

/** A request as an Envoy descriptor. */
const entries = (descriptor: Readonly<Record<string, string>>): { readonly facts: Facts } => ({
  facts: { descriptor },
});

const FILE = fileOf({
  user: { match: { descriptor: { user: "*" } }, by: "user", quota: "3/1d" },
  route: { match: { descriptor: { route: "*" } }, by: "route", quota: "5/1d" },
  banned: { match: { descriptor: { banned: "yes" } }, limit: "deny" },
});

function limitsOver(file: LimitsFile = FILE): Limits {
  return createLimits(file, { clock: manualClock() });
}

describe("consumeAll", () => {
  it("takes from all requests or from none, and says what each would get alone", () => {
    const limits = limitsOver();
    limits.consume("api", entries({ user: "ann" }).facts, 3);
    const both = [entries({ route: "/a" }), entries({ user: "ann" })];
    const { decision, parts } = limits.consumeAll("api", both);
    expect(decision).toMatchObject({ allowed: false, limiter: "api/user", reason: "exhausted" });
    expect(parts).toMatchObject([
      { allowed: true, limiter: "api/route", limitRemaining: 5 },
      { allowed: false, limiter: "api/user", limitRemaining: 0, retryAfterMs: 86_400_000 },
    ]);
    const others = limits.consumeAll("api", [entries({ route: "/a" }), entries({ user: "bob" }), entries({})]);
    expect(others.decision).toMatchObject({ allowed: true, limiter: "api/user", limitRemaining: 2 });
    expect(others.parts.map(({ limitRemaining }) => limitRemaining)).toEqual([4, 2, Number.POSITIVE_INFINITY]);
  });

  it("costs what the file says, if the caller says nothing", () => {
    const limits = limitsOver(
      fileOf({
        llm: { by: "user", match: { descriptor: { user: "*" } }, rate: { tokens: "100/1m" }, cost: { tokens: 40 } },
        calls: { quota: "9/1d" },
      }),
    );
    const one = entries({ user: "ann" });
    expect(limits.consumeAll("api", [one, entries({ user: "bob" })]).decision.allowed).toBe(true);
    expect(limits.consumeAll("api", [one, one]).decision).toMatchObject({ allowed: false, limiter: "api/llm" });
    expect(limits.peek("api", one.facts, { tokens: 60, requests: 7 }).allowed).toBe(true);
    expect(limits.peek("api", one.facts, { tokens: 60, requests: 8 }).allowed).toBe(false);
  });

  it("decides requests of one key apart if the plan of some denies or is unlimited", () => {
    const is = { out: "deny", staff: "unlimited" } as const;
    const file = fileOf({ org: { by: "descriptor.org", plans: { from: "descriptor.plan", is }, quota: "3/1d" } });
    const limits = limitsOver(file);
    const allowed = (...plans: readonly string[]) => {
      const { decision, parts } = limits.consumeAll(
        "api",
        plans.map((plan) => entries({ org: "acme", plan })),
      );
      return [decision.allowed, ...parts.map((part) => part.allowed)];
    };
    expect(allowed("free", "out")).toEqual([false, true, false]);
    expect(allowed("staff", "out", "staff")).toEqual([false, true, false, true]);
    expect(allowed("staff", "free", "staff", "free")).toEqual([true, true, true, true, true]);
    expect(allowed("staff", "free", "free")).toEqual([false, true, false, false]);
    expect(allowed("free", "staff", "staff")).toEqual([true, true, true, true]);
    expect(limits.peek("api", entries({ org: "acme" }).facts, 0).remaining).toBe(0);
  });

  it("takes nothing beside a request that the file denies, or whose key is blocked", () => {
    const limits = limitsOver();
    const ann = entries({ user: "ann" });
    const denied = limits.consumeAll("api", [ann, entries({ banned: "yes" })]);
    expect(denied.decision).toMatchObject({ allowed: false, reason: "denied" });
    expect(denied.parts.map(({ allowed }) => allowed)).toEqual([true, false]);
    limits.block("api", entries({ route: "/a" }).facts, "1m");
    const blocked = limits.consumeAll("api", [ann, entries({ route: "/a" })]);
    expect(blocked.parts).toMatchObject([{ allowed: true }, { allowed: false, reason: "blocked" }]);
    expect(limits.peek("api", ann.facts, 0).remaining).toBe(3);
  });

  it("refuses rules with places, and notifies observers once", () => {
    const limits = limitsOver(fileOf({ ...FILE.domains["api"]!.limits, slow: { inflight: { max: 1, ttl: "1m" } } }));
    expect(() => limits.consumeAll("api", [entries({ user: "ann" })])).toThrow(/use reserve/);
    const observed = limitsOver();
    const decisions: unknown[] = [];
    observed.limiter("api").observe((observation) => void decisions.push(observation.type), { types: ["decision"] });
    observed.consumeAll("api", [entries({ user: "ann" }), entries({ user: "bob" }), entries({ route: "/" })]);
    expect(decisions).toEqual(["decision"]);
  });
});

it("returns a promise over a store elsewhere, also for requests that no rule counts", async () => {
  const limits = createLimits(FILE, { clock: manualClock(), store: new AsyncTwin() });
  const call = limits.consumeAll("api", [entries({})]);
  expect(call).toBeInstanceOf(Promise);
  expect((await call).decision.allowed).toBe(true);
});

describe.each(EVERY_STORE)("consumeAll over %s", (_name, makeStore) => {
  it("allows requests together that a count of their keys allows", async () => {
    const requestArbitrary = fc.record({
      user: fc.option(fc.constantFrom("ann", "bob", "eve")),
      route: fc.option(fc.constantFrom("/a", "/b")),
      cost: fc.integer({ min: 1, max: 3 }),
    });
    const steps = fc.array(fc.array(requestArbitrary, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(steps, async (calls) => {
        const limits = createLimits(FILE, {
          store: makeStore() as AsyncStore,
          clock: manualClock(),
        });
        const left = new Map<string, number>();
        const leftOf = (key: string) => left.get(key) ?? (key.startsWith("user") ? 3 : 5);
        for (const call of calls) {
          const costs = new Map<string, number>();
          for (const { user, route, cost } of call) {
            const keys = [...(user === null ? [] : [`user ${user}`]), ...(route === null ? [] : [`route ${route}`])];
            for (const key of keys) costs.set(key, (costs.get(key) ?? 0) + cost);
          }
          const expected = [...costs].every(([key, cost]) => cost <= leftOf(key));
          if (expected) for (const [key, cost] of costs) left.set(key, leftOf(key) - cost);
          const asked = call.map(({ user, route, cost }) => ({
            ...entries({ ...(user !== null && { user }), ...(route !== null && { route }) }),
            cost,
          }));
          expect((await limits.consumeAll("api", asked)).decision.allowed).toBe(expected);
        }
        for (const [key, count] of left) {
          const [name = "", value = ""] = key.split(" ");
          expect((await limits.peek("api", entries({ [name]: value }).facts, 0)).remaining).toBe(count);
        }
        await limits.close();
      }),
      { numRuns: 60 },
    );
  });
});
