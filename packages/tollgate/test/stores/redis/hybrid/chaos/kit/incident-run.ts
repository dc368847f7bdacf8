import { createLimiter } from "tollgate";
import { redisStore } from "tollgate/redis";
import { afterAll, beforeAll } from "vitest";
import { LagMeter } from "../../../chaos/kit/lag-meter.ts";
import { pass } from "../../../chaos/kit/traffic-run.ts";
import { Uncaught } from "../../../chaos/kit/uncaught.ts";
import { type ConnectedClient, EVERY_CLIENT, type TestClient } from "../../../clients/kit/every-client.ts";
import { freshPrefix } from "../../../kit/use-redis.ts";
import { eventuallyTrue } from "../../../servers/eventually.ts";
import type { RedisServer } from "../../../servers/redis-server.ts";
import { leasedUnits } from "./leased-units.ts";
import { KEY, LIMITS, NodeLane } from "./node-lane.ts";

const TURN_MS = 10;
/** Normal traffic before the incident: the nodes hold leases then. */
const CALM_MS = 600;
/** Longer than any call may take. */
const HANGS_AFTER_MS = 3_000;
/** Longer than the default, because tests run on busy machines. */
export const TIMEOUT_MS = 400;
/** The connections to a server that the traffic does not use. */
const PATIENT = "10s";

const [IOREDIS, IOVALKEY, NODE_REDIS] = EVERY_CLIENT as readonly [TestClient, TestClient, TestClient, TestClient];
const MEMBERS = [
  [IOREDIS, "deny"],
  [NODE_REDIS, "allow"],
  [IOVALKEY, "deny"],
] as const;

/** Servers, and the connections of nodes to them. */
export interface Place {
  connect(client: TestClient, node: number): Promise<ConnectedClient>;
  /** The server that has the counts. */
  primary(): Promise<RedisServer>;
  stop(): Promise<void>;
}

/** What an incident came to. */
export interface Told<Result> {
  readonly nodes: readonly NodeLane[];
  readonly lag: LagMeter;
  readonly uncaught: readonly unknown[];
  /** How many calls had not ended long after the last call started. */
  readonly hanging: number;
  readonly result: Result;
  /** The server's count after all nodes have closed. */
  readonly used: number;
  /** The part of it in leases that no node has: their answers were lost, or the report that they were spent. */
  readonly inLeases: number;
  /** Whether the server admits what it says is left, and one unit more. */
  readonly admitsLeft: boolean;
  readonly admitsMore: boolean;
}

/** Runs an incident under the traffic of three nodes, before the tests of this block. */
export function underTraffic<Here extends Place, Result>(
  open: () => Promise<Here>,
  happening: (place: Here, nodes: readonly NodeLane[]) => Promise<Result>,
): () => Told<Result> {
  let place: Here | undefined;
  let told: Told<Result> | undefined;
  beforeAll(async () => {
    place = await open();
    told = await run(place, happening);
  });
  afterAll(async () => {
    await place?.stop();
  });
  return () => {
    if (told === undefined) throw new Error("expected a call within a test, got one before the incident");
    return told;
  };
}

async function run<Here extends Place, Result>(
  place: Here,
  happening: (place: Here, nodes: readonly NodeLane[]) => Promise<Result>,
): Promise<Told<Result>> {
  const prefix = freshPrefix();
  const clients = await Promise.all(MEMBERS.map(([client], node) => place.connect(client, node)));
  const nodes = MEMBERS.map(([{ name }, policy], node) => {
    return new NodeLane({ name, client: clients[node]!.client, policy, prefix, timeoutMs: TIMEOUT_MS });
  });
  for (const node of nodes) {
    await eventuallyTrue("a first answer", async () => (await node.call()).degraded === undefined);
    // The first calls connect, load the script and compile. They count, too.
    for (const call of node.calls) call.endedMs = Math.min(call.endedMs, call.startedMs);
  }
  const [lag, uncaught] = [new LagMeter(), new Uncaught()];
  lag.start();
  uncaught.start();
  const timer = setInterval(() => {
    for (const node of nodes) node.turn();
  }, TURN_MS);
  try {
    await pass(CALM_MS);
    const result = await happening(place, nodes);
    clearInterval(timer);
    await Promise.race([Promise.all(nodes.map((node) => node.settled())), pass(HANGS_AFTER_MS)]);
    // Unhandled rejections are reported in a later turn.
    await pass(20);
    const hanging = nodes.flatMap(({ calls }) => calls).filter(({ endedMs }) => Number.isNaN(endedMs)).length;
    await Promise.all(nodes.map(({ store }) => store.close()));
    const counted = await countedBy(await place.primary(), prefix);
    return { nodes, lag, uncaught: uncaught.errors, hanging, result, ...counted };
  } finally {
    clearInterval(timer);
    lag.stop();
    uncaught.stop();
    await Promise.all(clients.map((client) => client.close()));
  }
}

async function countedBy(server: RedisServer, prefix: string) {
  const inLeases = await leasedUnits(server, prefix);
  const aside = await IOREDIS.connect(server);
  const store = redisStore({ client: aside.client, prefix, timeout: PATIENT, onFailure: "deny" });
  const limiter = createLimiter({ name: "fleet", limits: LIMITS, store });
  const [explained] = await limiter.explain(KEY);
  const { used, remaining } = explained!;
  const admitsLeft = remaining === 0 || (await limiter.allow(KEY, remaining));
  const admitsMore = await limiter.allow(KEY);
  await store.close();
  await aside.close();
  return { used, inLeases, admitsLeft, admitsMore };
}
