import { Redis } from "ioredis";
import { createLimiter } from "tollgate";
import { redisStore } from "tollgate/redis";
import { UpstashServer } from "../../stores/redis/clients/upstash-server.ts";
import type { RedisServer } from "../../stores/redis/servers/redis-server.ts";
import { startProxy, type TcpProxy } from "../../stores/redis/servers/start-proxy.ts";
import { type Algorithm, type Condition, type Flood, LIMIT } from "./flood.ts";
import { EXHAUSTED, pathOf } from "./keys.ts";
import { limitOf } from "./limiter-options.ts";
import type { Whereabouts } from "./open-client.ts";

const STALL_MS = 150;
/** A round trip takes 20 ms. */
const ONE_WAY_MS = 10;

/** The programs between a server of the flood and Redis, and the disturbances of Redis. */
export class Surroundings implements AsyncDisposable {
  readonly whereabouts: Whereabouts;
  readonly #redis: RedisServer;
  readonly #condition: Condition;
  readonly #proxy: TcpProxy | undefined;
  readonly #upstash: UpstashServer | undefined;

  private constructor(
    redis: RedisServer,
    condition: Condition,
    proxy: TcpProxy | undefined,
    upstash: UpstashServer | undefined,
  ) {
    this.#redis = redis;
    this.#condition = condition;
    this.#proxy = proxy;
    this.#upstash = upstash;
    const { port } = proxy ?? redis;
    this.whereabouts = upstash === undefined ? { port } : { port, upstash: { url: upstash.url, token: upstash.token } };
  }

  /** Starts them, after it has cleared the counts of earlier floods. */
  static async prepare(redis: RedisServer, { client, condition }: Flood): Promise<Surroundings> {
    await redis.command("CONFIG", "SET", "maxmemory", "0");
    await redis.command("FLUSHALL");
    const proxy = condition === "slow by 20 ms" ? await startProxy(redis) : undefined;
    const upstash = client === "upstash" ? await UpstashServer.start(proxy ?? redis) : undefined;
    return new Surroundings(redis, condition, proxy, upstash);
  }

  /** Runs after the server has connected and loaded its script. */
  async before(algorithm: Algorithm): Promise<void> {
    switch (this.#condition) {
      case "slow by 20 ms":
        this.#proxy!.delay(ONE_WAY_MS);
        break;
      case "full":
        await this.#exhaust(algorithm);
        // Less memory than Redis uses, as if it were full.
        await this.#redis.command("CONFIG", "SET", "maxmemory", "1");
        break;
      default:
    }
  }

  /** Runs several times during the flood. Redis stalls each time, but restarts only the first time. */
  async during(times: number): Promise<void> {
    switch (this.#condition) {
      case "stalled for 150 ms":
        this.#redis.pause();
        await new Promise((resolve) => setTimeout(resolve, STALL_MS));
        this.#redis.resume();
        break;
      case "restarting":
        if (times === 0) await this.#redis.restart("kept");
        break;
      default:
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#upstash?.stop();
    await this.#proxy?.stop();
  }

  /** Exhausts the key like another node, so that the server of the flood remembers no denial. */
  async #exhaust(algorithm: Algorithm): Promise<void> {
    const client = new Redis(this.#redis.port);
    const store = redisStore({ client, timeout: "5s", onFailure: "deny" });
    const limiter = createLimiter({ name: "flood", limits: [limitOf(algorithm, LIMIT)], store });
    await limiter.allow(pathOf(EXHAUSTED), LIMIT);
    if (await limiter.allow(pathOf(EXHAUSTED))) throw new Error("expected the key to be exhausted");
    await store.close();
    client.disconnect();
  }
}
