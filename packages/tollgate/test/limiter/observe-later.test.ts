import { combine, createLimiter, type Limiter, type Observation, perMinute, perSecond, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { EVERY_STORE, limiterOver } from "./every-store.ts";

const clockAndLimit = () => ({ clock: manualClock(START_MS), limits: [perSecond(3, { name: "calls" })] });

/** What an observer is notified of, as one text each. */
function recorder(): { readonly seen: string[]; readonly observe: (one: Observation) => void } {
  const seen: string[] = [];
  return { seen, observe: (one) => void seen.push(one.type === "decision" ? `${one.verb} ${one.keys}` : one.type) };
}

describe("an observer that comes while the limiter runs", () => {
  it.each(EVERY_STORE)("is notified from then on, until it is removed, over %s", async (_name, store) => {
    const { seen, observe } = recorder();
    const limiter = limiterOver(store(), { name: "api", ...clockAndLimit() });
    const handle = limiter.handle("h");
    const decide = async () => {
      await limiter.allow("a");
      await limiter.consume("c");
      await handle.allow();
      await limiter.wait("w");
    };
    await decide();
    const remove = limiter.observe(observe);
    await decide();
    expect(seen).toEqual(["allow a", "consume c", "allow h", "wait w"]);
    remove();
    remove();
    await decide();
    expect(seen).toHaveLength(4);
    expect(await limiter.allow("a")).toBe(false);
  });

  it.each(EVERY_STORE)("is notified of changes of limits, over %s", async (_name, make) => {
    const store = make();
    const clock = manualClock(START_MS);
    const of = (units: number) =>
      limiterOver(store, { name: "api", limits: [perMinute(units, { name: "calls" })], clock });
    const [before, after] = [of(5), of(7)];
    await before.allow("a", 5);
    await after.peek("b");
    const { seen, observe } = recorder();
    after.observe(observe, { types: ["change"] });
    await after.allow("a");
    await after.allow("c");
    expect(seen).toEqual(["change"]);
  });

  it("gets the types that it asks for alone", () => {
    const clock = manualClock(START_MS);
    const limits = [tokenBucket({ capacity: 1, refill: 1, per: "1s", blockFor: "10s" })];
    const limiter = createLimiter({ name: "api", limits, clock });
    const all = recorder();
    const blocks: Observation[] = [];
    limiter.observe(all.observe);
    limiter.observe((one) => blocks.push(one), { types: ["block"] });
    for (let i = 0; i < 3; i += 1) limiter.allow("a");
    expect(all.seen).toEqual(["allow a", "allow a", "block", "allow a"]);
    expect(blocks).toEqual([{ type: "block", limiter: "api", keys: ["a"], block: { endsInMs: 10_000 } }]);
  });

  it.each(EVERY_STORE)("is notified when keys are blocked and unblocked, over %s", async (_name, store) => {
    const limiter = limiterOver(store(), { name: "api", ...clockAndLimit() });
    const seen: Observation[] = [];
    limiter.observe((one) => seen.push(one), { types: ["block"] });
    await limiter.block("a", "1m", { reason: "spam" });
    await limiter.handle("b").block({ until: START_MS + 5_000 });
    await limiter.allow("a");
    await limiter.unblock("a");
    await limiter.unblock("a");
    const of = (key: string, block: unknown) => ({ type: "block", limiter: "api", keys: [key], block });
    expect(seen).toEqual([
      of("a", { endsInMs: 60_000, reason: "spam" }),
      of("b", { endsInMs: 5_000 }),
      of("a", undefined),
    ]);
  });

  it("is notified of calls that go on being denied while others wait", async () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(1)], clock });
    limiter.allow("a");
    const waiting = limiter.wait("a");
    const { seen, observe } = recorder();
    const remove = limiter.observe(observe);
    expect(limiter.allow("a")).toBe(false);
    clock.advance(1_000);
    expect((await waiting).allowed).toBe(true);
    expect(seen).toEqual(["allow a", "wait a"]);
    remove();
    expect(limiter.allow("b")).toBe(true);
    expect(seen).toHaveLength(2);
  });

  it("may remove itself and add others while it is notified", () => {
    const limiter = createLimiter(clockAndLimit());
    const { seen, observe } = recorder();
    const remove = limiter.observe(() => {
      remove();
      limiter.observe(observe);
    });
    for (let i = 0; i < 3; i += 1) limiter.allow("a");
    expect(seen).toEqual(["allow a", "allow a"]);
  });

  it.each([
    [[undefined], "observe: expected a function that is given observations, got undefined"],
    [[() => {}, { type: [] }], 'observe: unknown option "type"; did you mean "types"?'],
    [[() => {}, { types: "change" }], 'types: expected a list, got "change"'],
    [[() => {}, { types: ["sweep"] }], 'types: expected one of "decision", "degradation", "change", "block"'],
  ])("has to fit: %j", (args, message) => {
    const limiter = createLimiter(clockAndLimit());
    expect(() => limiter.observe(...(args as unknown as Parameters<typeof limiter.observe>))).toThrow(message);
  });
});

describe("observers of combinations", () => {
  type Call = { readonly user: string; readonly route: string };
  const sharedClock = manualClock(START_MS);
  const twoLimiters = (): readonly [Limiter<Call>, Limiter<Call>] => {
    const limits = [perSecond(9)];
    return [
      createLimiter({ name: "user", key: ({ user }: Call) => user, limits, clock: sharedClock }),
      createLimiter({ name: "route", key: ({ route }: Call) => route, limits, clock: sharedClock }),
    ];
  };
  const CALL: Call = { user: "ann", route: "/a" };

  it("are notified of the combination's calls, those of its limiters of both", () => {
    const [user, route] = twoLimiters();
    const both = combine(user, route);
    const nested = combine(
      both,
      createLimiter({ key: (call: Call) => `to ${call.route}`, limits: [perSecond(9)], clock: sharedClock }),
    );
    const [ofUser, ofBoth] = [recorder(), recorder()];
    const removals = [user.observe(ofUser.observe), both.observe(ofBoth.observe)];
    both.allow(CALL);
    user.allow(CALL);
    nested.consume(CALL);
    expect(ofBoth.seen).toEqual(["allow ann,/a", "consume ann,/a,to /a"]);
    expect(ofUser.seen).toEqual(["allow ann,/a", "allow ann", "consume ann,/a,to /a"]);
    for (const remove of removals) remove();
    nested.allow(CALL);
    both.allow(CALL);
    user.allow(CALL);
    expect([ofUser.seen.length, ofBoth.seen.length]).toEqual([3, 2]);
  });

  it("are notified once, even if several limiters have them", () => {
    const [user, route] = twoLimiters();
    const both = combine(user, route);
    const { seen, observe } = recorder();
    for (const limiter of [user, route, both]) limiter.observe(observe);
    both.allow(CALL);
    expect(seen).toEqual(["allow ann,/a"]);
  });
});
