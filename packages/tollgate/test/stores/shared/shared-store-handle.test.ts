import { createLimiter, fixedWindow, type Limit, perMinute } from "tollgate";
import { type SharedStoreHandle, sharedStore } from "tollgate/shared";
import { afterEach, describe, expect, it, vi } from "vitest";
import { KINDS_OF_MEMORY } from "./two-ends.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(KINDS_OF_MEMORY)("the handle of a store in %s", (_name, use) => {
  it("is frozen", () => {
    use();
    const { handle } = sharedStore({ maxKeys: 10 });
    expect(Object.isFrozen(handle)).toBe(true);
    expect(Object.keys(handle)).toEqual(["kind", "memory"]);
  });

  it.each<[string, readonly Limit[]]>([
    ["one cell", [perMinute(2)]],
    ["several cells", [perMinute(2), fixedWindow({ limit: 2, window: "1h" })]],
  ])("can be cloned and then names the same store: keys of %s", (_cells, limits) => {
    use();
    const store = sharedStore({ maxKeys: 10 });
    const clone: SharedStoreHandle = structuredClone(store.handle);
    const inWorker = sharedStore.attach(clone);
    const here = createLimiter({ name: "api", limits, store });
    const there = createLimiter({ name: "api", limits, store: inWorker });
    expect([here.allow("ann"), there.allow("ann"), here.allow("ann"), there.allow("ann")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("can be passed on by a thread that has attached", () => {
    use();
    const store = sharedStore({ maxKeys: 10 });
    const further = sharedStore.attach(structuredClone(sharedStore.attach(structuredClone(store.handle)).handle));
    const limits = [perMinute(1)];
    expect(createLimiter({ name: "api", limits, store: further }).allow("ann")).toBe(true);
    expect(createLimiter({ name: "api", limits, store }).allow("ann")).toBe(false);
  });

  it("keeps the counts alive without any store object", () => {
    use();
    const { handle } = sharedStore({ maxKeys: 10 });
    const limits = [perMinute(1)];
    createLimiter({ name: "api", limits, store: sharedStore.attach(handle) }).allow("ann");
    expect(createLimiter({ name: "api", limits, store: sharedStore.attach(handle) }).allow("ann")).toBe(false);
  });

  it("differs between stores", () => {
    use();
    const limits = [perMinute(1)];
    const stores = [sharedStore({ maxKeys: 10 }), sharedStore({ maxKeys: 10 })];
    const answers = stores.map((store) => createLimiter({ name: "api", limits, store }).allow("ann"));
    expect(answers).toEqual([true, true]);
  });
});
