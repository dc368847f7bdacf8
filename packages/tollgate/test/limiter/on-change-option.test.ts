import {
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  memoryStore,
  perDay,
  perMinute,
  slidingWindow,
} from "tollgate";
import { sharedStore } from "tollgate/shared";
import { createPlan, type LimiterContext, type OnChange, type Plan, type SyncStore } from "tollgate/store";
import { tableStore } from "tollgate/table";
import { describe, expect, it } from "vitest";
import { AsyncTwin } from "../testing/async-twin.ts";

/** A store that notes the plans that limiters open. */
function watched(): { readonly store: SyncStore; readonly plans: Plan[] } {
  const inner = memoryStore();
  const plans: Plan[] = [];
  const open = (plan: Plan, context: LimiterContext) => {
    plans.push(plan);
    return inner.open(plan, context);
  };
  return { store: { kind: "sync", open, close: () => inner.close() }, plans };
}

const NAMED = perMinute(5, { name: "calls" });

describe("onChange", () => {
  it.each<[string, readonly Limit[], OnChange]>([
    ["derived names", [perMinute(5), slidingWindow({ limit: 5, window: "1m" })], "separate"],
    ["a chosen name", [NAMED], "carry-over"],
    ["a chosen name that is the derived one", [perMinute(5, { name: "5-per-1m" })], "carry-over"],
    [
      "a chosen name among others",
      [perMinute(9), fixedWindow({ limit: 5, window: "1m", name: "calls" })],
      "carry-over",
    ],
  ])("follows from the names of the limits: %s", (_names, limits, onChange) => {
    const { store, plans } = watched();
    createLimiter({ limits, store });
    expect(plans.map((plan) => plan.onChange)).toEqual([onChange]);
    expect(createPlan("api", "api", limits).onChange).toBe(onChange);
  });

  it("follows from the names of each list that a function chooses", () => {
    const { store, plans } = watched();
    createLimiter({ limits: (key: string) => [key === "a" ? NAMED : perMinute(5)], store }).allow("a");
    expect(plans.map((plan) => plan.onChange)).toEqual(["carry-over"]);
    const chosen = watched();
    createLimiter({ limits: (_key: string) => [NAMED], store: chosen.store, onChange: "keep-first" }).allow("a");
    expect(chosen.plans.map((plan) => plan.onChange)).toEqual(["keep-first"]);
  });

  it("is as the limiter says", () => {
    for (const onChange of ["carry-over", "keep-first", "separate"] as const) {
      for (const limits of [[NAMED], [perMinute(5)]]) {
        const { store, plans } = watched();
        createLimiter({ limits, store, onChange });
        expect(plans.map((plan) => plan.onChange)).toEqual([onChange]);
      }
    }
  });

  it("is one of three words", () => {
    const attempt = () => createLimiter({ limits: [NAMED], onChange: "carry" as never });
    const message = 'onChange: expected one of "carry-over", "keep-first", "separate", got "carry"';
    expect(attempt).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
  });

  it("needs a name where others share the store, because they find the counts by it", () => {
    const limits = [NAMED];
    const shared = sharedStore({ maxKeys: 10 });
    for (const store of [shared, new AsyncTwin()]) {
      for (const onChange of ["carry-over", "keep-first"] as const) {
        const message =
          'onChange: expected "separate" for a limiter without a name over a store that others share, ' +
          `got "${onChange}"`;
        const attempt = () => createLimiter({ limits, store, onChange });
        expect(attempt).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
        expect(createLimiter({ name: "api", limits, store, onChange }).name).toBe("api");
      }
      expect(createLimiter({ name: "other", limits, store, onChange: "separate" }).name).toBe("other");
    }
    for (const store of [memoryStore(), tableStore({ maxKeys: 10 })]) {
      expect(createLimiter({ limits, store, onChange: "carry-over" }).name).toBe("limiter");
    }
  });

  it.each([
    ["memoryStore", () => memoryStore()],
    ["tableStore", () => tableStore({ maxKeys: 100 })],
    ["sharedStore", () => sharedStore({ maxKeys: 100 })],
  ])("separate counts of other lists can be given back after a reset or a clear of one list in %s", (_name, open) => {
    const store = open();
    const [narrow, wide] = [5, 50].map((day) =>
      createLimiter({ name: "api", limits: [perMinute(5), perDay(day)], store }),
    ) as [Limiter, Limiter];
    const usedOf = (limiter: Limiter) => limiter.explain("ann").map(({ used }) => used);
    for (const forget of [() => narrow.reset("ann"), () => narrow.clear()]) {
      narrow.consume("ann");
      const [forgotten, reserved] = [narrow.reserve("ann", 2), wide.reserve("ann", 3)];
      forget();
      narrow.consume("ann");
      forgotten.cancel();
      expect(usedOf(wide)).toEqual([3, 3]);
      reserved.settle(1);
      expect([usedOf(narrow), usedOf(wide)]).toEqual([
        [1, 1],
        [1, 1],
      ]);
      narrow.reset("ann");
      wide.reset("ann");
    }
  });
});
