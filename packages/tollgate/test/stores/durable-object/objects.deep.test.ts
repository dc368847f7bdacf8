import { afterAll, describe, expect, it } from "vitest";
import { startWorker } from "./start-worker.ts";

const worker = await startWorker();
afterAll(() => worker?.end());

it("a flood over several requests at once is admitted up to the limit", async () => {
  const admitted = await Promise.all(
    [1, 2, 3, 4].map(() => worker.ask<number>("flood", { test: "flood", count: 200 })),
  );
  expect(admitted.reduce((sum, count) => sum + count)).toBe(100);
});

it("the calls of one turn are one message to an object", async () => {
  expect(await worker.ask("turns", { test: "turns" })).toEqual([1, 3]);
});

it("an object that is evicted keeps counts, places and blocks, and knows what earlier calls took", async () => {
  expect(await worker.ask("eviction", { test: "eviction" })).toEqual({
    second: ["concurrent-requests-1-for-1h"],
    renewed: true,
    third: true,
    blocked: "blocked",
    afterReset: true,
    used: [1, 1, 1],
  });
});

it("a process that starts again finds the counts", async () => {
  const count = (verb: string) =>
    worker.ask<{ remaining: number; allowed: boolean }>("count", { test: "again", key: "ann", verb });
  await count("consume");
  await count("consume");
  await worker.restart();
  expect(await count("consume")).toMatchObject({ allowed: true, remaining: 0 });
  await worker.restart();
  expect(await count("peek")).toMatchObject({ allowed: false });
});

describe.each([
  ["hangs", "timed out"],
  ["throws", "the object failed"],
  ["is older", "the object has another version of tollgate"],
])("while an object %s", (mode, cause) => {
  it("the failure policy decides, then at once, until a call is answered again", async () => {
    expect(await worker.ask("failing", { test: mode, mode })).toEqual({
      allowed: [false, false, false, false],
      degraded: [cause, cause, cause, "circuit open"],
      requests: 4,
      remaining: 1,
      reset: "undefined",
      breakers: ["open", "closed"],
      seen: [`down: ${cause}`, "up"],
    });
  });
});

it("each policy decides for its limiter, and administrative calls are rejected", async () => {
  expect(await worker.ask("policies", { test: "policies" })).toEqual({
    allow: 9,
    deny: 0,
    share: 2,
    administered: expect.stringMatching(/^ERR_STORE: durableObjectStore: an object could not be asked/),
  });
});

it("keys are counted by shards, in objects of their own or in those that a function names", async () => {
  expect(await worker.ask("shards", { test: "shards" })).toEqual({
    answers: ["true,true,false"],
    names: [0, 1, 2, 3].map((i) => `shard ${i} of 4`),
    sizes: [60, 0],
    own: ["key {ann}"],
    named: ["named a", "named b"],
    cleared: "ERR_STORE: clear: expected a number of shards, because the objects of single keys are unknown",
  });
});

it.each(["windows", "buckets"])("calls on %s in several objects take from all or from none", async (limits) => {
  const { admitted, usedByAll, sum, most, ...rest } = await worker.ask<Record<string, number>>("combined", {
    test: limits,
    limits,
  });
  expect(rest).toEqual({ left: [0, 0, 0, 0, 0], objects: 5, entries: 2 });
  // Units that were given back by calls that lost may have been missed by others.
  expect(admitted).toBeLessThanOrEqual(12);
  expect(admitted).toBeGreaterThan(0);
  expect([usedByAll, sum]).toEqual([admitted, admitted]);
  expect(most).toBeLessThanOrEqual(5);
});

it("requests that wait for a place of another request get it, one after another", async () => {
  const acquired = Array.from({ length: 5 }, () => worker.ask("acquire", { test: "acquire" }));
  expect(await Promise.all(acquired)).toEqual([true, true, true, true, true]);
});

it("answers each of a crowd of requests that wait", async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, () => worker.ask("wait", { test: "wait" })));
  for (const answer of answers) expect(answer).toEqual({ allowed: true });
});

describe("the alarm", () => {
  it("deletes what is idle, and at last the whole object, which then counts anew", async () => {
    const { firstMs, againMs, ...rest } = await worker.ask<Record<string, number>>("alarm", { test: "alarm" });
    expect(rest).toEqual({ sizes: [0, 1], tables: [], counted: [1, 0] });
    // A minute at least, and then when the next row is idle.
    expect(firstMs).toBeGreaterThan(40_000);
    expect(againMs).toBeLessThanOrEqual(60_000);
  });

  it("keeps the tables and values of the user's own", async () => {
    const { tables } = await worker.ask<{ tables: string[] }>("alarm", { test: "own alarm", own: true });
    expect(tables).toContain("mine");
  });
});

it("calls whose object has no database, or a full one, are decided by the policy and counted nowhere", async () => {
  expect(await worker.ask("database", { test: "database" })).toEqual({
    broken: "the object failed",
    full: ["the object failed", "the object failed"],
    denied: "cost-over-capacity",
    remaining: 1,
  });
});
