import { createLimiter, perDay, perSecond, TollgateError } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

/** Two attachments of one store, as two threads have them, with a limiter of one name over each. */
function twoThreads(limits = [perDay(100)], maxKeys = 1_000) {
  const store = sharedStore({ maxKeys });
  const clock = manualClock(1_790_000_000_123);
  const inWorker = sharedStore.attach(structuredClone(store.handle));
  const [one, other] = [store, inWorker].map((each) => createLimiter({ name: "api", limits, clock, store: each }));
  return { store, clock, one: one!, other: other! };
}

describe("a block of one thread", () => {
  it("denies in the others with the next call, with its reason", () => {
    const { clock, one, other } = twoThreads();
    const handle = other.handle("ann");
    expect([other.allow("ann"), handle.allow()]).toEqual([true, true]);
    const reason = "ä€\u{10ffff}".repeat(25);
    one.block("ann", "1h", { reason });
    expect([other.allow("ann"), handle.allow(), other.allow("bob")]).toEqual([false, false, true]);
    expect(other.consume("ann")).toMatchObject({ reason: "blocked", block: { endsInMs: 3_600_000, reason } });
    expect(other.blockedUntil("ann")).toBe(clock.now() + 3_600_000);
    expect([other.unblock("ann"), one.unblock("ann"), one.allow("ann")]).toEqual([true, false, true]);
  });

  it("stays in a table that is full, and a further one throws", () => {
    const { clock, one, other } = twoThreads([perDay(100)], 1);
    const refused: string[] = [];
    for (let i = 0; i < 200; i += 1) {
      try {
        one.block(`key-${i}`, "1h");
      } catch (error) {
        if (!(error instanceof TollgateError)) throw error;
        refused.push(error.code);
      }
    }
    expect(new Set(refused)).toEqual(new Set(["ERR_STORE"]));
    expect(other.allow("key-0")).toBe(false);
    clock.advance(3_600_000);
    one.block("another", "1h");
    expect([other.allow("another"), other.allow("key-0")]).toEqual([false, true]);
  });

  it("ends by clear({ blocks: true }) of another, with its offences; the blocks of other limiters stay", () => {
    const blockFor = { durations: ["1m", "10m"], forgetAfter: "1d" } as const;
    const { store, clock, one, other } = twoThreads([perSecond(1, { blockFor })]);
    one.clear({ blocks: true });
    const another = createLimiter({ name: "another", limits: [perDay(100)], clock, store });
    another.block("ann", "1h");
    for (const key of ["ann", "bob"]) expect([one.allow(key), one.allow(key)]).toEqual([true, false]);
    other.clear({ blocks: true });
    expect([one.blockedUntil("ann"), one.allow("ann"), another.allow("ann")]).toEqual([undefined, true, false]);
    expect([other.allow("bob"), other.allow("bob")]).toEqual([true, false]);
    expect(one.peek("bob").block?.endsInMs).toBe(60_000);
  });
});
