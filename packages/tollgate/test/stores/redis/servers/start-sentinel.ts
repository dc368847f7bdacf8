import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventuallyTrue } from "./eventually.ts";
import { RedisServer } from "./redis-server.ts";
import { isPrimary, waitForLink } from "./replication.ts";
import { type ReservedPort, reservePort } from "./reserved-port.ts";
import type { Reply } from "./resp.ts";
import { startRedis } from "./start-redis.ts";

const SENTINEL_COUNT = 3;
const QUORUM = 2;

/** The name of the primary and its replica for the Sentinels. */
const NAME = "main";

/**
 * In milliseconds, ten by default at a second each. The first ping follows one period after a server is met, and its
 * reply must arrive before that server counts as down. A replica is promoted only if it replied within the last five.
 * Shorter periods fail on busy machines.
 */
const PERIODS = ["PING-PERIOD", 300, "ASK-PERIOD", 100, "PUBLISH-PERIOD", 500, "INFO-PERIOD", 200] as const;

export interface SentinelOptions {
  /** A primary that does not reply for so long counts as down. */
  readonly downAfterMs?: number;
}

/** A primary, its replica, and their Sentinels. */
export class RedisSentinel {
  readonly name = NAME;
  /** Initially the primary and the replica. */
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];

  constructor(servers: readonly RedisServer[], sentinels: readonly RedisServer[]) {
    this.servers = servers;
    this.sentinels = sentinels;
  }

  /** The addresses of the Sentinels, as clients take them. */
  get addresses(): readonly { readonly host: string; readonly port: number }[] {
    return this.sentinels.map(({ host, port }) => ({ host, port }));
  }

  /** The primary by agreement of all Sentinels, running or not. Waits until they agree. */
  async primary(): Promise<RedisServer> {
    let agreed: RedisServer | undefined;
    await eventuallyTrue("the sentinels to agree", async () => {
      agreed = await this.#agreed();
      return agreed !== undefined;
    });
    return agreed!;
  }

  /** kill -9. Returns the server, which can be restarted. */
  async killPrimary(): Promise<RedisServer> {
    const primary = await this.primary();
    await primary.kill();
    return primary;
  }

  /** Waits until all Sentinels agree on a primary that replies as such, and returns it. */
  async waitForFailover(patienceMs = 20_000): Promise<RedisServer> {
    let leader: RedisServer | undefined;
    await eventuallyTrue(
      "the failover",
      async () => {
        leader = await this.#agreed();
        return leader?.isAnswering === true && (await isPrimary(leader));
      },
      { patienceMs, everyMs: 20 },
    );
    return leader!;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers].map(async (server) => server.stop()));
  }

  /** Waits until every Sentinel could fail over: it knows the others and a linked replica. */
  async waitForOk(patienceMs = 20_000): Promise<void> {
    await eventuallyTrue(
      "the sentinels to be ready",
      async () => {
        const ready = await Promise.all(this.#answeringSentinels().map(isReady));
        return ready.every(Boolean);
      },
      { patienceMs, everyMs: 20 },
    );
  }

  #answeringSentinels(): readonly RedisServer[] {
    return this.sentinels.filter(({ isAnswering }) => isAnswering);
  }

  async #agreed(): Promise<RedisServer | undefined> {
    const ports = await Promise.all(
      this.#answeringSentinels().map(async (sentinel) => {
        const [, port] = (await sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)) as readonly Reply[];
        return Number(port);
      }),
    );
    return this.servers.find((server) => ports.every((port) => port === server.port));
  }
}

async function isReady(sentinel: RedisServer): Promise<boolean> {
  const usable = String(await sentinel.command("SENTINEL", "CKQUORUM", NAME));
  if (!usable.startsWith(`OK ${SENTINEL_COUNT} `)) return false;
  const replicas = (await sentinel.command("SENTINEL", "REPLICAS", NAME)) as readonly (readonly Reply[])[];
  return replicas.some((fields) => fields[fields.indexOf("master-link-status") + 1] === "ok");
}

/** Starts a primary with a replica, and three Sentinels. Resolves when they could fail over, after about a second. */
export async function startSentinel({ downAfterMs = 1_000 }: SentinelOptions = {}): Promise<RedisSentinel> {
  const primary = await startRedis();
  const replica = await startRedis({ replicaOf: primary.port });
  await waitForLink(replica);
  const ports = await Promise.all(Array.from({ length: SENTINEL_COUNT }, reservePort));
  const sentinels = await Promise.all(
    ports.map(async (reserved) =>
      RedisServer.start(async (_, folder) => {
        const file = join(folder, "sentinel.conf");
        await writeFile(file, configuration(reserved, ports, [primary, replica], downAfterMs, folder));
        return [file, "--sentinel"];
      }, reserved),
    ),
  );
  await Promise.all(sentinels.map(async (sentinel) => sentinel.command("SENTINEL", "DEBUG", ...PERIODS)));
  const all = new RedisSentinel([primary, replica], sentinels);
  await all.waitForOk();
  return all;
}

/** Introduces the other Sentinels and the replica: discovery takes two seconds. */
function configuration(
  itsPort: ReservedPort,
  ports: readonly ReservedPort[],
  [primary, replica]: readonly [RedisServer, RedisServer],
  downAfterMs: number,
  folder: string,
): string {
  const lines = [
    `port ${itsPort.port}`,
    "bind 127.0.0.1",
    `dir ${folder}`,
    `sentinel myid ${idOf(itsPort)}`,
    `sentinel monitor ${NAME} ${primary.host} ${primary.port} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} ${downAfterMs}`,
    `sentinel failover-timeout ${NAME} 2000`,
    `sentinel known-replica ${NAME} ${replica.host} ${replica.port}`,
  ];
  for (const other of ports) {
    if (other === itsPort) continue;
    lines.push(`sentinel known-sentinel ${NAME} 127.0.0.1 ${other.port} ${idOf(other)}`);
  }
  return `${lines.join("\n")}\n`;
}

function idOf({ port }: ReservedPort): string {
  return port.toString(16).padStart(40, "0");
}
