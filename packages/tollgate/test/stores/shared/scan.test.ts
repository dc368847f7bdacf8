import { createLimiter, fixedWindow, type Limit, perMinute } from "tollgate";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SharedSlots } from "../../../src/stores/shared/shared-slots.ts";
import { twoEnds } from "./two-ends.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const LISTS: readonly (readonly [name: string, limits: readonly Limit[]])[] = [
  ["one cell", [perMinute(2)]],
  ["several cells", [perMinute(2), fixedWindow({ limit: 2, window: "1h" })]],
];

describe.each(LISTS)("a limiter over a shared store, with keys of %s", (_name, limits) => {
  function setUp() {
    const [here, there] = twoEnds({ maxKeys: 100, maxBytes: 2 ** 24 }).map((store) =>
      createLimiter({ name: "api", limits, store }),
    );
    return { here: here!, there: there!, firstKey: vi.spyOn(SharedSlots.prototype, "firstKey") };
  }

  it("scans no slots while no thread has inserted a key", () => {
    const { here, there, firstKey } = setUp();
    here.peek("ann");
    there.explain("ann");
    expect([here.size, here.sweep()]).toEqual([0, 0]);
    here.clear();
    expect(firstKey).not.toHaveBeenCalled();
  });

  it("scans the slots once another thread has inserted a key", () => {
    const { here, there, firstKey } = setUp();
    expect(here.size).toBe(0);
    there.allow("ann", 2);
    expect(here.size).toBe(1);
    here.clear();
    expect([here.size, there.size, there.allow("ann", 2)]).toEqual([0, 0, true]);
    expect(firstKey).toHaveBeenCalled();
  });

  it("finds no key of another limiter in a scan", () => {
    const { here } = setUp();
    const [store] = twoEnds({ maxKeys: 100, maxBytes: 2 ** 24 });
    const [one, other] = ["one", "other"].map((name) => createLimiter({ name, limits, store }));
    for (let i = 0; i < 50; i += 1) one!.allow(`key-${i}`);
    other!.allow("ann");
    expect([one!.size, other!.size, store.size, here.size]).toEqual([50, 1, 51, 0]);
    other!.clear();
    expect([one!.size, other!.size, store.size]).toEqual([50, 0, 50]);
  });
});
