import { createLimiter, perMinute } from "tollgate";
import { type SharedStoreOptions, sharedStore } from "tollgate/shared";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bufferOf, refuseMemory, useNoWebAssembly } from "./two-ends.ts";

const create = (options: unknown) => sharedStore(options as SharedStoreOptions);

function refusal(message: string, code = "ERR_OPTION") {
  return expect.objectContaining({ name: "TollgateError", code, message });
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("the options of sharedStore", () => {
  it("must include maxKeys", () => {
    expect(() => create(undefined)).toThrow(refusal("sharedStore: expected an object of options, got undefined"));
    expect(() => create({})).toThrow(refusal("maxKeys: expected a whole number from 1 to 10000000, got undefined"));
  });

  it.each([
    [0, "0"],
    [-8, "-8"],
    [1_000, "1000"],
    [4_000_000.5, "4000000.5"],
    [2 ** 32 + 8, "4294967304"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    ["4000000", '"4000000"'],
    [null, "null"],
  ])("have no maxBytes of %s", (maxBytes, shown) => {
    const message = expect.stringMatching(
      `^maxBytes: expected a whole number from \\d+ to 4294967296, got ${shown.replace(".", "\\.")}$`,
    );
    expect(() => create({ maxKeys: 10, maxBytes })).toThrow(
      expect.objectContaining({ name: "TollgateError", code: "ERR_OPTION", message }),
    );
  });

  it.each([1, 1_000, 10_000_000])("accept maxKeys of %d, which both attachments report", (maxKeys) => {
    const store = sharedStore({ maxKeys, overflow: "deny" });
    const facts = { kind: "sync", maxKeys, overflow: "deny", size: 0, overflowCount: 0 };
    expect(store).toMatchObject(facts);
    expect(sharedStore.attach(store.handle)).toMatchObject(facts);
  });

  it("round maxBytes down to a multiple of 8", () => {
    useNoWebAssembly();
    expect(bufferOf(sharedStore({ maxKeys: 10, maxBytes: 8_000_007 })).byteLength).toBe(8_000_000);
  });

  it("give a store that works with `using` and leaves its keys to other attachments", () => {
    const store = sharedStore({ maxKeys: 10 });
    const options = { name: "api", limits: [perMinute(1)] };
    {
      using end = sharedStore.attach(store.handle);
      expect(createLimiter({ ...options, store: end }).allow("ann")).toBe(true);
    }
    expect(createLimiter({ ...options, store }).allow("ann")).toBe(false);
  });
});

describe("sharedStore without shared memory", () => {
  const advice =
    "sharedStore: expected SharedArrayBuffer, got none; in a browser serve the page with the headers " +
    "Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp, " +
    "elsewhere use memoryStore() or tableStore()";

  it.each(["SharedArrayBuffer", "Atomics"])("throws an error with advice if %s is missing", (name) => {
    const { handle } = sharedStore({ maxKeys: 10 });
    vi.stubGlobal(name, undefined);
    expect(() => sharedStore({ maxKeys: 10 })).toThrow(refusal(advice, "ERR_STORE"));
    expect(() => sharedStore.attach(handle)).toThrow(refusal(advice, "ERR_STORE"));
  });

  it("checks its options first", () => {
    vi.stubGlobal("SharedArrayBuffer", undefined);
    expect(() => sharedStore({ maxKeys: 0 })).toThrow(expect.objectContaining({ code: "ERR_OPTION" }));
  });

  it("throws an error with the number of bytes if there is too little memory", () => {
    useNoWebAssembly();
    vi.stubGlobal("SharedArrayBuffer", refuseMemory);
    expect(() => sharedStore({ maxKeys: 10, maxBytes: 8_000_000 })).toThrow(
      refusal(
        "sharedStore: expected 8000000 bytes of shared memory, got less; pass fewer maxKeys or maxBytes",
        "ERR_STORE",
      ),
    );
  });

  it("uses a plain buffer if only WebAssembly memory is missing", () => {
    useNoWebAssembly();
    const { memory } = sharedStore({ maxKeys: 10 }).handle;
    expect(memory).toBeInstanceOf(SharedArrayBuffer);
  });
});

describe("a limiter over a shared store", () => {
  const message = "name: expected a name, by which all threads identify the limiter, got undefined";

  it("needs a name when it is made", () => {
    const store = sharedStore({ maxKeys: 10 });
    expect(() => createLimiter({ limits: [perMinute(1)], store })).toThrow(refusal(message, "ERR_NAME"));
  });

  it("needs a name at its first call if its limits are chosen per call", () => {
    const store = sharedStore({ maxKeys: 10 });
    const limiter = createLimiter({ key: (key: string) => key, limits: () => [perMinute(1)], store });
    expect(() => limiter.allow("ann")).toThrow(refusal(message, "ERR_NAME"));
    expect(() => limiter.consume("ann")).toThrow(refusal(message, "ERR_NAME"));
    expect(store.size).toBe(0);
  });
});
