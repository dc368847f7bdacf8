import { createLimiter, perMinute } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { describe, expect, it, vi } from "vitest";
import { bufferOf, refuseMemory, useNoWebAssembly } from "./two-ends.ts";

function refusal(message: string, code: string) {
  return expect.objectContaining({ name: "TollgateError", code, message });
}

describe("the options of sharedStore", () => {
  it("round maxBytes down to a multiple of 8", () => {
    useNoWebAssembly();
    expect(bufferOf(sharedStore({ maxKeys: 10, maxBytes: 8_000_007 })).byteLength).toBe(8_000_000);
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
