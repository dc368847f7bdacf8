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

/** The name that the sentinels give to the primary and its replica. */
const NAME = "main";

/**
 * In milliseconds; a second to ten by default. The first ping goes out one period after a server is met, and has to be answered
 * before that server counts as down; a replica is promoted only if heard of within the last five. Shorter ones fail when the
 * machine is busy.
 */
const PERIODS = ["PING-PERIOD", 300, "ASK-PERIOD", 100, "PUBLISH-PERIOD", 500, "INFO-PERIOD", 200] as const;

export interface SentinelOptions {
  /** After that long without an answer the primary counts as down. */
  readonly downAfterMs?: number;
}

/** A primary and its replica, and the sentinels that watch them. */
export class RedisSentinel {
  readonly name = NAME;
  /** At first, the primary and the replica. */
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];

  constructor(servers: readonly RedisServer[], sentinels: readonly RedisServer[]) {
    this.servers = servers;
    this.sentinels = sentinels;
  }

  /** Of the sentinels, as clients are given them. */
  get addresses(): readonly { readonly host: string; readonly port: number }[] {
    return this.sentinels.map(({ host, port }) => ({ host, port }));
  }

  /** The one that all sentinels take for the primary, whether it runs or not; waits until they agree. */
  async primary(): Promise<RedisServer> {
    let agreed: RedisServer | undefined;
    await eventuallyTrue("the sentinels to agree", async () => {
      agreed = await this.#agreed();
      return agreed !== undefined;
    });
    return agreed!;
  }

  /** kill -9; gives the server, which may be started again. */
  async killPrimary(): Promise<RedisServer> {
    const primary = await this.primary();
    await primary.kill();
    return primary;
  }

  /** Waits until all sentinels agree on a primary that answers and takes itself for one; gives it. */
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

  /** Waits until every sentinel could fail over: it knows the other sentinels and a replica that follows. */
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

/** A primary with a replica, and three sentinels. Resolves when they could fail over, after about a second. */
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

/** Names the other sentinels and the replica: to find them by themselves takes the sentinels two seconds. */
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
