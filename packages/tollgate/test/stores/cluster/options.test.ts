import { EventEmitter } from "node:events";
import { createLimiter, perDay, perMinute } from "tollgate";
import { clusterStore, serveWorkers } from "tollgate/cluster";
import { expect, it } from "vitest";
import { connect } from "./primary-process.ts";

it("a process without a channel is told to use the primary's store itself", () => {
  expect(() => clusterStore({ channel: new EventEmitter() })).toThrow(/in the primary, pass the store of serveWorkers/);
});

it("a limiter over it needs a name, by which all workers know it", () => {
  const store = clusterStore({ channel: connect().channel });
  expect(() => createLimiter({ limits: [perMinute(1)], store })).toThrow(/ERR_NAME|name: expected a name/);
});

it.each([
  [{ timeout: 0 }, "timeout"],
  [{ connectTimeout: "2h" }, "connectTimeout"],
  [{ maxPending: 0 }, "maxPending"],
  [{ onFailure: "maybe" }, "onFailure"],
  [{ observe: 1 }, "observe"],
  [{ warnings: 1 }, "warnings"],
  [{ name: "" }, "name"],
  [{ store: 1 }, "store"],
])("the options %o are refused", (options, named) => {
  expect(() => clusterStore({ channel: connect().channel, ...options } as never)).toThrow(named);
});

it("a cluster has one store of a name, until that is closed", () => {
  const { cluster } = connect();
  const served = serveWorkers({ cluster, name: "one" });
  expect(() => serveWorkers({ cluster, name: "one" })).toThrow(/expected one that no other store of this cluster has/);
  serveWorkers({ cluster, name: "two" }).close();
  served.close();
  serveWorkers({ cluster, name: "one" }).close();
  expect(() => serveWorkers({ cluster: {} } as never)).toThrow("node:cluster");
  expect(() => serveWorkers({ cluster, store: {} } as never)).toThrow("a store in this process");
});

it("a primary with other messages decides nothing, and says so", async () => {
  const { cluster, channel } = connect(({ data, ...message }: { data?: object }) => ({
    ...message,
    data: { ...data, outcome: "other-version" },
  }));
  serveWorkers({ cluster });
  const store = clusterStore({ channel, onFailure: "deny", warnings: false });
  const limiter = createLimiter({ name: "api", limits: [perMinute(1)], store });
  const degraded = "the primary has another version of tollgate";
  expect(await limiter.consume("ann")).toMatchObject({ allowed: false, degraded });
  await store.close();
});

it("a flood is messages of at most 512 calls, of which two wait for their answers", async () => {
  const waiting = new Set<number>();
  const sizes: number[] = [];
  let most = 0;
  const { cluster, channel } = connect((message) => {
    const { id, calls, nowMs } = (message as { data: { id: number; calls?: readonly unknown[]; nowMs?: number } }).data;
    if (nowMs !== undefined) waiting.delete(id);
    else if (calls !== undefined && calls.length > 0) {
      waiting.add(id);
      sizes.push(calls.length);
    }
    most = Math.max(most, waiting.size);
    return message;
  });
  serveWorkers({ cluster });
  const store = clusterStore({ channel, timeout: "10s", warnings: false });
  const limiter = createLimiter({ name: "api", limits: [perDay(600)], store });
  const flood = await Promise.all(Array.from({ length: 1_500 }, async () => limiter.allow("ann")));
  expect(flood.filter(Boolean)).toHaveLength(600);
  expect([most, Math.max(...sizes)]).toEqual([2, 512]);
  await store.close();
});

it("many calls are two messages, which are answered in turn, also if the first came late", async () => {
  const sent: (readonly [id: number, calls: number])[] = [];
  const { cluster, channel } = connect((message) => {
    const { data } = message as { data: { id: number; calls?: readonly unknown[] } };
    if (data.calls === undefined || data.calls.length === 0) return message;
    sent.push([data.id, data.calls.length]);
    return sent.length === 1 ? { ...message, data: { ...data, dueMs: -1 } } : message;
  });
  serveWorkers({ cluster });
  const store = clusterStore({ channel, timeout: "10s", warnings: false });
  const limiter = createLimiter({ name: "api", limits: [perDay(150)], store });
  const answered: number[] = [];
  const ask = async (_: unknown, call: number) => {
    const { allowed } = await limiter.consume("ann");
    answered.push(call);
    return allowed;
  };
  const decided = await Promise.all(Array.from({ length: 200 }, ask));
  expect(sent).toEqual([
    [1, 100],
    [2, 100],
    [1, 100],
  ]);
  // The first message is decided after the second.
  expect(decided).toEqual(range(0, 200).map((call) => call >= 100 || call < 50));
  expect(answered).toEqual([...range(100, 200), ...range(0, 100)]);
  await store.close();
});

function range(from: number, until: number): number[] {
  return Array.from({ length: until - from }, (_, i) => from + i);
}
