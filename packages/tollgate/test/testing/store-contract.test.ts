import { memoryStore } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { type AnyStore, storeContract } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { AsyncTwin } from "./async-twin.ts";
import { BROKEN_STORES } from "./broken-stores.ts";

describe.each<[string, () => AnyStore]>([
  ["the memory store", () => memoryStore()],
  ["its asynchronous twin", () => new AsyncTwin()],
  ["the table store", () => tableStore({ maxKeys: 10_000, maxBytes: 2 ** 30 })],
  ["the shared store", () => sharedStore({ maxKeys: 10_000, maxBytes: 2 ** 30 })],
])("%s keeps the contract", (_name, createStore) => {
  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
});

describe("the contract rejects a store that", () => {
  it.each(BROKEN_STORES)("$flaw", async ({ createStore, rejectedBy }) => {
    const rejections = await rejectionsOf(createStore);
    expect([...rejections.keys()]).toContain(rejectedBy);
    expect(rejections.get(rejectedBy)).toMatch(/: expected .+, got /);
  });
});

describe("skips", () => {
  it("carry their reason", () => {
    const name = "every string is a key";
    const skipped = storeContract({ createStore: memoryStore, skip: { [name]: "keys end at 512 bytes" } });
    expect(skipped.filter(({ skip }) => skip !== undefined).map((one) => [one.name, one.skip])).toEqual([
      [name, "keys end at 512 bytes"],
    ]);
  });

  it("must name cases", () => {
    expect(() => storeContract({ createStore: memoryStore, skip: { nonsense: "why not" } })).toThrow(
      'skip: expected names of cases, got "nonsense"',
    );
  });
});

/** The messages of the cases that a store fails, by the case's name. */
async function rejectionsOf(createStore: () => AnyStore): Promise<Map<string, string>> {
  const rejections = new Map<string, string>();
  for (const { name, run } of storeContract({ createStore })) {
    await run().catch((error: unknown) => rejections.set(name, String(error)));
  }
  return rejections;
}
