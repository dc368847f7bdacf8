import { memoryStore } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { type AnyStore, storeContract } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { AsyncTwin } from "./async-twin.ts";
import { BROKEN_STORES } from "./broken-stores.ts";

describe.each<[string, () => AnyStore]>([
  ["the memory store", () => memoryStore()],
  ["the asynchronous twin of the memory store", () => new AsyncTwin()],
  ["the table store", () => tableStore({ maxKeys: 10_000, maxBytes: 2 ** 30 })],
  ["the shared store", () => sharedStore({ maxKeys: 10_000, maxBytes: 2 ** 30 })],
])("%s meets the contract:", (_name, createStore) => {
  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
});

describe("the contract rejects a store that", () => {
  it.each(BROKEN_STORES)("$flaw", async ({ createStore, rejectedBy }) => {
    const [contractCase] = storeContract({ createStore }).filter(({ name }) => name === rejectedBy);
    await expect(contractCase?.run()).rejects.toThrow(/: expected .+, got /);
  });
});

describe("skipped cases of the contract", () => {
  it("have a reason", () => {
    const name = "every string is a key";
    const skipped = storeContract({ createStore: memoryStore, skip: { [name]: "keys end at 512 bytes" } });
    expect(skipped.filter(({ skip }) => skip !== undefined).map((one) => [one.name, one.skip])).toEqual([
      [name, "keys end at 512 bytes"],
    ]);
  });

  it("may be a group", () => {
    const cases = storeContract({ createStore: memoryStore, skip: { "when limits change": "counts are separate" } });
    const skipped = cases.filter(({ skip }) => skip !== undefined);
    expect(skipped.length).toBeGreaterThan(5);
    expect(skipped).toEqual(cases.filter(({ name }) => name.startsWith("when limits change")));
  });

  it("must have names of cases", () => {
    expect(() => storeContract({ createStore: memoryStore, skip: { nonsense: "why not" } })).toThrow(
      'skip: expected names of cases, got "nonsense"',
    );
  });

  it.each<[unknown, string]>([
    [null, "skip: expected an object of reasons, by the names of cases, got null"],
    [["every string is a key"], "skip: expected an object of reasons, by the names of cases, got an array"],
    [{ "every string is a key": true }, 'skip: "every string is a key": expected the reason as text, got true'],
    [{ "every string is a key": "" }, 'skip: "every string is a key": expected the reason as text, got ""'],
  ])("must have texts as reasons: %j", (skip, message) => {
    const attempt = () => storeContract({ createStore: memoryStore, skip: skip as never });
    expect(attempt).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
  });
});

describe("createStore of the contract", () => {
  it.each<[unknown, string]>([
    [undefined, "undefined"],
    [null, "null"],
    [memoryStore, "a function"],
    [{ kind: "sync", open: () => {} }, "an object"],
    [{ kind: "sync", open: "yes", close: "yes" }, "an object"],
  ])("has to make a store: case %#", async (store, shown) => {
    const [first] = storeContract({ createStore: () => store as never });
    const message = `createStore(): expected a store, which has open and close, got ${shown}`;
    await expect(first?.run()).rejects.toMatchObject({ code: "ERR_OPTION", message });
  });
});
