import { sharedStore } from "tollgate/shared";
import { describe, expect, it } from "vitest";
import { Barrier } from "../threads/measure/barrier.ts";
import { decideInWindow } from "../threads/measure/decide-in-window.ts";
import { perSecondOf, type ThreadSample } from "../threads/measure/thread-sample.ts";
import type { SharedVariant } from "../threads/row.ts";
import { checkAdmitted, checkDenied } from "../threads/shared/check.ts";
import { deciderOf, keysOf } from "../threads/shared/deciders.ts";
import { keyOrder, timesEach } from "../threads/shared/key-order.ts";
import { openLimiter } from "../threads/shared/open-limiter.ts";

const PLAN = { warmUpMs: 1, windowMs: 1 };
const ALONE = 1;
/** More units of each key than come back while a test runs. */
const MISSING_EACH = 100;

/** What a thread of a row does, here. */
function decided(form: SharedVariant["form"], limit: SharedVariant["limit"]) {
  const variant = { form, limit, clock: "per call", limits: 1 } as const;
  const limiter = openLimiter(sharedStore({ maxKeys: 100_000 }), variant);
  const decide = deciderOf(form, limiter, 0);
  const sample = () => decideInWindow(decide, new Barrier(Barrier.memory(), ALONE), PLAN, keysOf(form));
  return { limiter, sample };
}

describe("a row in shared memory", () => {
  it.each(["handle", "string", "strings"] as const)(
    "%s: admits all calls, and of each key as many as it says",
    (form) => {
      const startMs = performance.now();
      const { limiter, sample } = decided(form, "ample");
      const right = sample();
      expect(right.callsInAll).toBeGreaterThanOrEqual(keysOf(form));
      expect(right.callsInAll).toBeGreaterThan(right.calls);
      checkAdmitted(limiter, form, [right], performance.now() - startMs);
      const missing = MISSING_EACH * keysOf(form);
      const more = { ...right, callsInAll: right.callsInAll + missing, admittedInAll: right.admittedInAll + missing };
      expect(() => checkAdmitted(limiter, form, [more], performance.now() - startMs)).toThrow(
        /^units taken from key \d+: expected \d+, got \d+$/,
      );
      const none = { ...right, callsInAll: 0, admittedInAll: 0 };
      expect(() => checkAdmitted(limiter, form, [none], performance.now() - startMs)).toThrow("expected 0, got");
      const denied = { ...right, admittedInAll: right.admittedInAll - 1 };
      expect(() => checkAdmitted(limiter, form, [denied], performance.now() - startMs)).toThrow(
        "calls admitted: expected",
      );
    },
  );

  it("denied: admits none, once the limit is exhausted", () => {
    const { limiter, sample } = decided("string", "exhausted");
    expect(() => checkDenied(limiter, [sample()])).toThrow("calls admitted: expected 0, got 1");
    checkDenied(limiter, [sample()]);
  });
});

describe("the keys of a thread", () => {
  it("are all of them, in an order of its own", () => {
    const [first, second] = [keyOrder(0, 1_000), keyOrder(1, 1_000)];
    expect([...first].sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
    expect(new Set(second)).toEqual(new Set(first));
    expect(second).not.toEqual(first);
  });

  it("come round and round", () => {
    expect([...timesEach([2, 0, 1], 7)]).toEqual([2, 2, 3]);
    expect([...timesEach([2, 0, 1], 2)]).toEqual([1, 0, 1]);
  });
});

describe("perSecondOf", () => {
  it("has all calls of the window, until the last thread is done", () => {
    const sample = (endMs: number, calls: number): ThreadSample => ({
      startMs: 1_000,
      endMs,
      calls,
      callsInAll: 2 * calls,
      admittedInAll: 0,
    });
    expect(perSecondOf([sample(1_250, 300), sample(1_500, 200)])).toBe(1_000);
  });
});
