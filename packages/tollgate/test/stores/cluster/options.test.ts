import { EventEmitter } from "node:events";
import { createLimiter, perMinute } from "tollgate";
import { clusterStore, serveWorkers } from "tollgate/cluster";
import { expect, it } from "vitest";

/** A channel whose messages arrive at once, with what is done to them. */
function connect(change: (message: object) => object = (message) => message) {
  const cluster = new EventEmitter();
  const channel = Object.assign(new EventEmitter(), {
    send: (message: object) => cluster.emit("message", worker, message),
  });
  const worker = { send: (message: object) => setImmediate(() => channel.emit("message", change(message))) };
  return { cluster, channel };
}

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
