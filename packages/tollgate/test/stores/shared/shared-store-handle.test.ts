import { createLimiter, perMinute } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { describe, expect, it } from "vitest";
import { KINDS_OF_MEMORY } from "./two-ends.ts";

describe.each(KINDS_OF_MEMORY)("the handle of a store in %s", (_name, use) => {
  it("can be passed on by a thread that has attached", () => {
    use();
    const store = sharedStore({ maxKeys: 10 });
    const further = sharedStore.attach(structuredClone(sharedStore.attach(structuredClone(store.handle)).handle));
    const limits = [perMinute(1)];
    expect(createLimiter({ name: "api", limits, store: further }).allow("ann")).toBe(true);
    expect(createLimiter({ name: "api", limits, store }).allow("ann")).toBe(false);
  });
});
