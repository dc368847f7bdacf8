import { inspect } from "node:util";
import { combine, createLimiter, perMinute } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { describe, expect, it } from "vitest";
import { SECRET_WORDS } from "../../src/stores/local/key-hash.ts";
import { SECRET_AT } from "../../src/stores/shared/memory-layout.ts";
import { EVERY_STORE } from "./every-store.ts";

const limits = [perMinute(5)];

describe.each(EVERY_STORE)("the JSON of a limiter, as loggers write it, over %s", (_name, createStore) => {
  it("is its name and its kind, whatever its options", async () => {
    const store = createStore();
    const fixed = createLimiter({ name: "fixed", limits, store });
    const chosen = createLimiter({ name: "chosen", limits: () => limits, store });
    const lookedUp = createLimiter({ name: "looked up", key: async (key: string) => key, limits, store });
    for (const limiter of [fixed, chosen, lookedUp, combine(fixed, chosen), combine(fixed, lookedUp)]) {
      await limiter.allow("ann");
      const { name, kind } = limiter;
      expect(JSON.stringify({ limiter })).toBe(JSON.stringify({ limiter: { name, kind } }));
    }
  });

  it("is an empty object for a handle", async () => {
    const limiter = createLimiter({ name: "api", limits, store: createStore() });
    const handle = limiter.handle("ann");
    await handle.allow();
    expect(JSON.stringify([handle, limiter.byKey("ann")])).toBe("[{},{}]");
  });
});

describe("the JSON of a store", () => {
  it.each(EVERY_STORE)("has its kind: %s", async (_name, createStore) => {
    const store = createStore();
    await createLimiter({ name: "api", limits, store }).allow("ann");
    expect(JSON.parse(JSON.stringify(store))).toMatchObject({ kind: store.kind });
  });

  it("has no secret of a shared store, and neither has its inspection", () => {
    const store = sharedStore({ maxKeys: 10 });
    const { memory } = store.handle;
    const words = new Int32Array("buffer" in memory ? memory.buffer : memory);
    const secret = words.slice(SECRET_AT, SECRET_AT + SECRET_WORDS);
    expect(secret.every((word) => word !== 0)).toBe(true);
    for (const text of [JSON.stringify(store), inspect(store, { depth: 9 })]) {
      for (const word of secret) expect(text).not.toContain(String(word));
    }
  });
});
