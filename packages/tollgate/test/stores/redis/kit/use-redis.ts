import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { createLimiter, perDay } from "tollgate";
import { type RedisStore, type RedisStoreOptions, redisStore, type StoreClient } from "tollgate/redis";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../../src/stores/redis/limiters-clock.ts";
import type { RedisServer } from "../servers/redis-server.ts";
import type { Reply } from "../servers/resp.ts";
import { type RedisOptions, startRedis } from "../servers/start-redis.ts";

/** Except in tests of failures, busy machines must cause no timeout. */
const PATIENT_MS = 10_000;

export type StoreOptions = Omit<RedisStoreOptions, "client">;

/** A server for all tests of a file, and a client of it. */
export class RedisInUse {
  readonly server: RedisServer;
  readonly client: Redis;

  constructor(server: RedisServer, client: Redis) {
    this.server = server;
    this.client = client;
  }

  /** A store until the test ends, with its own prefix by default. */
  store(options: StoreOptions = {}): RedisStore {
    return openStore(this.client, options);
  }

  /** A store with the limiters' clocks. They stand still while the server's advances, so keys live a day longer. */
  storeByClock(options: StoreOptions = {}): RedisStore {
    return this.store({ ...BY_LIMITERS_CLOCK, ...options });
  }

  command(...command: readonly (string | number)[]): Promise<Reply> {
    return this.server.command(...command);
  }

  /** The number of script calls since the server started, including those with an unknown SHA-1. */
  async scriptCalls(): Promise<number> {
    const fields = await this.server.info("commandstats");
    const calls = /calls=(\d+)/.exec(fields.get("cmdstat_evalsha") ?? "calls=0");
    return Number(calls?.[1]);
  }

  /** The number of script calls of the work. */
  async callsOf(work: () => unknown): Promise<number> {
    const before = await this.scriptCalls();
    await work();
    return (await this.scriptCalls()) - before;
  }
}

export function openStore(client: StoreClient, options: StoreOptions = {}): RedisStore {
  const store = redisStore({ client, prefix: freshPrefix(), timeout: PATIENT_MS, warnings: false, ...options });
  onTestFinished(() => store.close(), PATIENT_MS);
  return store;
}

export function freshPrefix(): string {
  return `t-${randomUUID().slice(0, 8)}`;
}

export function useRedis(options?: RedisOptions): { readonly redis: RedisInUse } {
  let inUse: RedisInUse | undefined;
  beforeAll(async () => {
    const server = await startRedis(options);
    const client = new Redis(server.port);
    inUse = new RedisInUse(server, client);
    // Loads the script, so that later calls are one command each.
    const store = redisStore({ client, prefix: "warm", timeout: PATIENT_MS });
    await warm(store);
    await store.close();
  });
  afterAll(async () => {
    inUse?.client.disconnect();
    await inUse?.server.stop();
  });
  return {
    get redis() {
      if (inUse === undefined) throw new Error("the server runs while tests do");
      return inUse;
    },
  };
}

async function warm(store: RedisStore): Promise<void> {
  await createLimiter({ name: "warm", limits: [perDay(1)], store }).allow("up");
}
