import { createLimiter, perMinute } from "tollgate";
import { type SharedStore, type SharedStoreHandle, sharedStore } from "tollgate/shared";
import { describe, expect, it } from "vitest";
import { LAYOUT_VERSION, VERSION_AT } from "../../../src/stores/shared/memory-layout.ts";
import { randomWords } from "../local/random-words.ts";
import { bufferOf } from "./two-ends.ts";

const attach = (handle: unknown) => sharedStore.attach(handle as SharedStoreHandle);
const handleOf = (memory: unknown) => ({ kind: "tollgate/shared", memory });
const NOT_SHARED = /^sharedStore\.attach: expected a handle whose memory is shared, got one with .+workerData/;

function refusal(message: string | RegExp) {
  return expect.objectContaining({ name: "TollgateError", code: "ERR_STORE", message: expect.stringMatching(message) });
}

function storeInUse(): SharedStore {
  const store = sharedStore({ maxKeys: 100 });
  const limiter = createLimiter({ name: "api", limits: [perMinute(1)], store });
  const pair = createLimiter({ name: "pair", limits: [perMinute(1), perMinute(2, { name: "other" })], store });
  expect([limiter.allow("ann"), pair.allow("ann")]).toEqual([true, true]);
  return store;
}

describe("attach throws for", () => {
  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [5, "5"],
    ["tollgate/shared", '"tollgate/shared"'],
    [[], "an array"],
    [{}, "an object"],
    [{ kind: "sync" }, "an object"],
    [new ArrayBuffer(8), "an object"],
    [new SharedArrayBuffer(8), "an object"],
    [() => {}, "a function"],
  ])("what is no handle: %o", (handle, shown) => {
    expect(() => attach(handle)).toThrow(
      refusal(`^sharedStore\\.attach: expected the handle of a shared store, got ${shown}$`),
    );
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a number", 5],
    ["an ArrayBuffer", new ArrayBuffer(8)],
    ["a view of one", new Int32Array(2)],
    ["an object", {}],
  ])("a handle whose memory is %s", (_name, memory) => {
    expect(() => attach(handleOf(memory))).toThrow(refusal(NOT_SHARED));
  });

  it.each([0, 8, 1_000, 3_000_001])("shared memory of %d bytes", (bytes) => {
    expect(() => attach(handleOf(new SharedArrayBuffer(bytes)))).toThrow(
      refusal(`^sharedStore\\.attach: expected the memory of a shared store, got ${bytes} bytes$`),
    );
  });

  it.each(["nothing", "anything"])("shared memory that contains %s", (what) => {
    const buffer = new SharedArrayBuffer(8_000_000);
    if (what === "anything") {
      const word = randomWords(1);
      new Int32Array(buffer).set(Array.from({ length: buffer.byteLength / 4 }, word));
    }
    expect(() => attach(handleOf(buffer))).toThrow(
      refusal("^sharedStore\\.attach: expected the memory of a shared store, got memory of something else$"),
    );
  });

  it.each([LAYOUT_VERSION + 1, LAYOUT_VERSION - 1, -1])("a store of layout version %d", (version) => {
    const store = storeInUse();
    new Int32Array(bufferOf(store))[VERSION_AT] = version;
    expect(() => attach(store.handle)).toThrow(
      refusal(
        `^sharedStore\\.attach: expected a handle of layout version ${LAYOUT_VERSION}, got version ${version}; ` +
          "all threads have to run the same version of tollgate$",
      ),
    );
  });
});
