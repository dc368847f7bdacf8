import { readFileSync } from "node:fs";
import { join } from "node:path";
import { combine, createLimiter, perMinute, perSecond } from "tollgate";
import type { AsyncStore, SyncStore } from "tollgate/store";
import { type ContractCase, manualClock, storeContract } from "tollgate/testing";
import { afterAll, describe, expect, it } from "vitest";
import { Examples } from "./examples.ts";
import { MemoryTable } from "./memory-table.ts";

const PAGE = "docs/writing-a-store.md";
const examples = new Examples(({ place }) => place.startsWith(PAGE));
examples.write();
afterAll(() => examples.remove());

const { MapStore } = (await import(join(examples.folder, "map-store.ts"))) as { MapStore: new () => SyncStore };
const { TableStore } = (await import(join(examples.folder, "table-store.ts"))) as {
  TableStore: new (table: MemoryTable) => AsyncStore;
};

/** The stores of the guide ignore `onChange`. */
function contractOf(createStore: () => SyncStore | AsyncStore): ContractCase[] {
  const skip = { "when limits change": "counts are separate" };
  return storeContract({ createStore, skip }).filter((one) => one.skip === undefined);
}

describe("the store of docs/writing-a-store.md", () => {
  it.each(contractOf(() => new MapStore()))("meets the contract: $name", async ({ run }) => {
    await run();
  });

  it("has about 60 lines, and imports nothing but tollgate/store", () => {
    const code = readFileSync(join(examples.folder, "map-store.ts"), "utf8");
    const lines = code.split("\n").filter((line) => !/^\s*($|\/|import|export \{\})/.test(line));
    expect(lines.length).toBeLessThan(70);
    expect([...code.matchAll(/from "(.*)"/g)].map(([, from]) => from)).toEqual(["tollgate/store", "tollgate/store"]);
  });

  it("decides combinations all or nothing", () => {
    const store = new MapStore();
    const clock = manualClock();
    const perUser = createLimiter({ name: "user", limits: [perSecond(2)], store, clock });
    const perRoute = createLimiter({ name: "route", limits: [perMinute(1)], store, clock });
    const both = combine(perUser, perRoute);
    expect([both.allow("a"), both.allow("a")]).toEqual([true, false]);
    expect(perUser.peek("a", 0).remaining).toBe(1);
  });

  it("drops idle keys as calls come in", () => {
    const clock = manualClock();
    const limiter = createLimiter({ limits: [perSecond(1)], store: new MapStore(), clock });
    for (let i = 0; i < 100; i += 1) limiter.allow(`old-${i}`);
    clock.advance(1_000);
    for (let i = 0; i < 200; i += 1) limiter.allow("new");
    expect(limiter.size).toBe(1);
  });

  it("denies new keys beyond its capacity until others are idle", () => {
    const clock = manualClock();
    const limiter = createLimiter({ limits: [perSecond(1)], store: new MapStore(), clock });
    for (let i = 0; i < 100_000; i += 1) limiter.allow(`key-${i}`);
    expect(limiter.consume("late")).toMatchObject({ allowed: false, reason: "store-full" });
    expect(limiter.allow("late", 0)).toBe(true);
    clock.advance(1_000);
    limiter.allow("late");
    expect(limiter.allow("late")).toBe(true);
  });
});

describe("the asynchronous store of docs/writing-a-store.md", () => {
  const cases = contractOf(() => new TableStore(new MemoryTable()));
  it.each(cases)("meets the contract over a table of rows: $name", async ({ run }) => {
    await run();
  });

  it("admits no unit twice when two processes share the table", async () => {
    const table = new MemoryTable();
    const processes = Array.from({ length: 3 }, () =>
      createLimiter({ name: "api", limits: [perMinute(10)], store: new TableStore(table), clock: manualClock() }),
    );
    const calls = Array.from({ length: 10 }, () => processes.map((limiter) => limiter.allow("a"))).flat();
    const answers = await Promise.all(calls);
    expect(answers.filter(Boolean)).toHaveLength(10);
  });
});
