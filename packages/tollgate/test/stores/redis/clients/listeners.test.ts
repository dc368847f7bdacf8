import { EventEmitter } from "node:events";
import { Cluster, Redis } from "ioredis";
import { createLimiter, perMinute } from "tollgate";
import { redisStore, type StoreClient } from "tollgate/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { findPort } from "../../../../src/stores/redis/clients/find-port.ts";
import { ofFile } from "../../../of-file.ts";
import { eventuallyTrue } from "../servers/eventually.ts";
import { startCluster } from "../servers/start-cluster.ts";
import { startRedis } from "../servers/start-redis.ts";
import { COUNTING_SCRIPT } from "./kit/counting-script.ts";
import { EVERY_CLIENT, OLDER_CLIENTS } from "./kit/every-client.ts";

const STORES = 50;

const redis = await ofFile(startRedis());
const cluster = await ofFile(startCluster({ primaries: 3, replicas: 0 }));

/** Collects the warnings of the process until the test ends. */
function hearWarnings(): Error[] {
  const observed: Error[] = [];
  const hear = (warning: Error): void => {
    observed.push(warning);
  };
  process.on("warning", hear);
  onTestFinished(() => {
    process.off("warning", hear);
  });
  return observed;
}

/** The listeners of a client and of its nodes, by event. */
function listenersOf(client: object): Record<string, number> {
  const nodes = client instanceof Cluster ? client.nodes() : [];
  const counts: Record<string, number> = {};
  for (const emitter of [client, ...nodes]) {
    if (!(emitter instanceof EventEmitter)) continue;
    for (const event of emitter.eventNames()) {
      const name = String(event);
      counts[name] = (counts[name] ?? 0) + emitter.listenerCount(event);
    }
  }
  return counts;
}

async function openAndCloseStores(client: StoreClient): Promise<void> {
  const warnings = hearWarnings();
  const before = listenersOf(client);
  const stores = Array.from({ length: STORES }, () => redisStore({ client, timeout: "10s" }));
  const whileOpen = listenersOf(client);
  for (const [i, store] of stores.entries()) {
    const limiter = createLimiter({ name: `api-${i}`, limits: [perMinute(1)], store });
    expect((await limiter.consume("ann")).degraded).toBeUndefined();
  }
  // Node emits warnings in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings.map(({ message }) => message)).toEqual([]);
  for (const [event, count] of Object.entries(whileOpen)) {
    expect(count - (before[event] ?? 0), `listeners for ${event}`).toBeLessThanOrEqual(cluster.nodes.length);
  }
  for (const store of stores) await store.close();
  expect(listenersOf(client)).toEqual(before);
}

describe.each([...EVERY_CLIENT, ...OLDER_CLIENTS])("fifty stores on one client of $name", (kind) => {
  it("fifty stores add as many listeners as one store, and cause no warning", async () => {
    const { client, close } = await kind.connect(redis);
    onTestFinished(close);
    await openAndCloseStores(client);
  });

  it("fifty stores add as many listeners as one store in a cluster, and cause no warning", async () => {
    const { client, close } = await kind.connectCluster(cluster.addresses);
    onTestFinished(close);
    await openAndCloseStores(client);
  });
});

describe("listeners for the end of a connection", () => {
  it("the listener of a store stays when another store removes its own", async () => {
    const client = new Redis({ port: redis.port, retryStrategy: () => 1 });
    client.on("error", () => {});
    onTestFinished(() => client.disconnect());
    await client.ping();
    const before = listenersOf(client);
    const lost = [0, 0, 0];
    // Each port belongs to a store of its own.
    const stops = lost.map((_, i) =>
      findPort(client, COUNTING_SCRIPT).onLost(() => {
        lost[i]! += 1;
      }),
    );
    const loseConnection = async (until: () => boolean): Promise<void> => {
      client.disconnect(true);
      await eventuallyTrue("the loss", until);
      await client.ping();
    };
    await loseConnection(() => lost[2] === 1);
    stops[0]!();
    stops[0]!();
    await loseConnection(() => lost[2] === 2);
    stops[2]!();
    await loseConnection(() => lost[1] === 3);
    expect(lost).toEqual([1, 3, 2]);
    stops[1]!();
    expect(listenersOf(client)).toEqual(before);

    const stopAnother = findPort(client, COUNTING_SCRIPT).onLost(() => {
      lost[0]! += 1;
    });
    await loseConnection(() => lost[0] === 2);
    stopAnother();
    expect(lost).toEqual([2, 3, 2]);
  });
});
