import { sharedStore } from "tollgate/shared";
import { describe, expect, it } from "vitest";
import type { SharedVariant } from "../threads/rows.ts";
import * as shared from "../threads/shared.ts";
import { Barrier, inWindow, millionPerSecond, type ThreadSample } from "../threads/window.ts";

/** The work of one thread, in this one. */
function decided(form: SharedVariant["form"]) {
  const limiter = shared.openLimiter(sharedStore({ maxKeys: 100_000 }), { clock: "per call" });
  const decide = shared.deciderOf(form, limiter, 0);
  const sample = () =>
    inWindow({ warmUpMs: 1, windowMs: 1 }, new Barrier(Barrier.memory(), 1), (deadlineMs, phase) =>
      shared.decideUntil(deadlineMs, decide, phase === "warm-up" ? shared.keysOf(form) : 0),
    );
  return { limiter, sample };
}

describe("a row in shared memory", () => {
  it.each(["handle", "string", "strings"] as const)("fails where its calls and its keys differ: %s", async (form) => {
    const startMs = performance.now();
    const { limiter, sample } = decided(form);
    const right = await sample();
    expect(right.callsInAll).toBeGreaterThanOrEqual(shared.keysOf(form));
    const check = (calls: number, admitted: number) => () => {
      const changed = { ...right, callsInAll: right.callsInAll + calls, admittedInAll: right.admittedInAll + admitted };
      shared.checkAdmitted(limiter, form, [changed], () => performance.now() - startMs);
    };
    check(0, 0)();
    // More units of each key than come back while a test runs.
    const missing = 100 * shared.keysOf(form);
    expect(check(missing, missing)).toThrow(/^units taken: expected \d+, got \d+$/);
    expect(check(-right.callsInAll, -right.admittedInAll)).toThrow("expected 0, got");
    expect(check(0, -1)).toThrow("calls admitted: expected");
  });
});

describe("the keys of a thread", () => {
  it("are all keys, in an order of its own, round and round", () => {
    const [first, second] = [shared.keyOrder(0, 1_000), shared.keyOrder(1, 1_000)];
    expect(new Set(first)).toEqual(new Set(Array.from({ length: 1_000 }, (_, index) => index)));
    expect(new Set(second)).toEqual(new Set(first));
    expect(second).not.toEqual(first);
  });
});

describe("the speed of several threads", () => {
  it("has all calls of the window until the last thread is done", () => {
    const sample = (endMs: number, calls: number): ThreadSample => {
      return { startMs: 1_000, endMs, calls, callsInAll: 2 * calls, admittedInAll: 0 };
    };
    expect(millionPerSecond([sample(1_250, 300), sample(1_500, 200)])).toBe(0.001);
  });
});
