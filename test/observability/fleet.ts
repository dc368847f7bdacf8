import { createServer } from "node:http";
import { Redis } from "ioredis-5";
import { concurrency, createLimiter, fixedWindow, memoryStore, perSecond, tokenBucket } from "tollgate";
import { hybridStore } from "tollgate/hybrid";
import { redisStore } from "tollgate/redis";
import { startAdmin } from "../../packages/server/src/admin/admin.ts";
import { serviceMetrics } from "../../packages/server/src/admin/service-metrics.ts";
import { LimiterSet } from "../../packages/server/src/limiter-set.ts";
import type { RedisServer } from "../../packages/tollgate/test/stores/redis/servers/redis-server.ts";
import { startRedis } from "../../packages/tollgate/test/stores/redis/servers/start-redis.ts";

/** An application whose limiters have all that the dashboard shows. */
export interface Fleet {
  /** Where its metrics are. */
  readonly url: string;
  /** One client calls as fast as it can, from now on or no more. */
  attack(on: boolean): void;
  /** Redis answers nothing, from now on or no more. */
  freezeRedis(on: boolean): void;
  /** More clients come than the store of logins has slots. */
  crowd(on: boolean): void;
  stop(): Promise<void>;
}

const TURN_MS = 20;
const CLIENTS = 40;

/** Starts limiters of each kind over real stores, and calls them all the time. */
export async function startFleet(): Promise<Fleet> {
  const redis = await startRedis();
  const client = new Redis(redis.port, { lazyConnect: false, maxRetriesPerRequest: 0 });
  client.on("error", () => {});
  const limiters = openLimiters(client);
  const limiterSet = new LimiterSet(Object.values(limiters.byName));
  const application = { routes: {}, adminRoutes: {}, limiters: limiterSet, health: () => ({}), close: () => {} };
  const metrics = serviceMetrics(createServer(), application);
  const admin = await startAdmin({
    host: "127.0.0.1",
    port: 0,
    hosts: [],
    tokens: undefined,
    log: () => {},
    isReady: () => true,
    routes: {},
    health: () => ({}),
    metrics,
  });
  const load = new Load(limiters.byName);
  return {
    url: admin.url,
    attack: (on) => load.attack(on),
    crowd: (on) => load.crowd(on),
    freezeRedis: (on) => (on ? redis.pause() : redis.resume()),
    stop: async () => {
      load.stop();
      await admin.close();
      metrics.close();
      await limiters.close(redis);
    },
  };
}

function openLimiters(client: Redis) {
  // Longer than a busy machine takes for a call, so that a Redis that is frozen stands out.
  const redisBacked = redisStore({ client, timeout: "2s", warnings: false });
  const leasing = hybridStore({ client, timeout: "2s", warnings: false });
  const stores = {
    api: memoryStore({ sweepInterval: "1s" }),
    logins: memoryStore({ maxKeys: 100, sweepInterval: "1s" }),
  };
  const byName = {
    api: createLimiter({ name: "api", store: stores.api, limits: [perSecond(30, { name: "calls" })] }),
    logins: createLimiter({
      name: "logins",
      store: stores.logins,
      limits: [fixedWindow({ limit: 5, window: "2s", name: "guesses", blockFor: "3s" })],
    }),
    quota: createLimiter({ name: "quota", store: redisBacked, limits: [perSecond(40, { name: "fleet" })] }),
    search: createLimiter({ name: "search", store: leasing, limits: [perSecond(400, { name: "queries" })] }),
    jobs: createLimiter({
      name: "jobs",
      limits: [tokenBucket({ capacity: 2, refill: 40, per: "1s", name: "starts" })],
    }),
    uploads: createLimiter({ name: "uploads", limits: [concurrency({ max: 8, ttl: "10s", name: "streams" })] }),
  };
  const close = async (redis: RedisServer): Promise<void> => {
    redis.resume();
    await Promise.all([redisBacked.close(), leasing.close()]);
    client.disconnect();
    for (const store of Object.values(stores)) store.close();
    await redis.stop();
  };
  return { byName, close };
}

type Limiters = ReturnType<typeof openLimiters>["byName"];

/** Calls each limiter every few milliseconds, some clients more often than others. */
class Load {
  readonly #limiters: Limiters;
  readonly #timer: NodeJS.Timeout;
  #isAttacked = false;
  #isCrowded = false;
  #turn = 0;

  constructor(limiters: Limiters) {
    this.#limiters = limiters;
    this.#timer = setInterval(() => this.#next(), TURN_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  attack(on: boolean): void {
    this.#isAttacked = on;
  }

  crowd(on: boolean): void {
    this.#isCrowded = on;
  }

  #next(): void {
    this.#turn += 1;
    const { api, logins, quota, search, jobs, uploads } = this.#limiters;
    // Client 0 makes most calls, and is near its limit when the load swings up.
    const swing = 1 + Math.sin((this.#turn * TURN_MS) / 3_000);
    for (let call = 0; call < 8; call += 1) api.allow(`1:10.0.0.${Math.floor(Math.random() ** 3 * CLIENTS)}`);
    if (this.#isAttacked) for (let call = 0; call < 100; call += 1) api.allow("1:203.0.113.66");
    // One user guesses too often, and is blocked again and again.
    logins.allow(this.#turn % 4 === 0 ? "1:user-0" : `1:user-${this.#turn % 30}`);
    if (this.#isCrowded) for (let call = 0; call < 10; call += 1) logins.allow(`1:new-${this.#turn}-${call}`);
    void quota.consume("tenant-1");
    // Leases cover most of the calls, and are exhausted when the load swings up.
    for (let call = 0; call < 2 + 4 * swing; call += 1) void search.allow("tenant-1");
    if (Math.random() < swing / 2) void quota.allow("tenant-2");
    if (Math.random() < 0.35 + swing / 3) jobs.wait("worker", 1, { maxWait: "5s" }).catch(() => {});
    if (this.#turn % 8 === 0) holdPlace(uploads);
  }
}

/** An upload of 0.2 to 1.2 s. */
function holdPlace(uploads: Limiters["uploads"]): void {
  const reservation = uploads.reserve("disk");
  if (reservation.decision.allowed) setTimeout(() => reservation.cancel(), 200 + Math.random() * 1_000);
}
