import { randomUUID } from "node:crypto";
import type { RedisStoreObservation } from "tollgate/redis";
import { type ConnectedClient, EVERY_CLIENT, type TestClient } from "../../clients/kit/every-client.ts";
import { eventuallyTrue } from "../../servers/eventually.ts";
import { Lane, type Policy } from "./lane.ts";

/** Longer than the default, because tests run on busy machines. */
const TIMEOUT_MS = 200;

const WARM_CALLS = 3;
const MOST_OPENING_MS = 15_000;

const [IOREDIS, IOVALKEY, NODE_REDIS, GLIDE] = EVERY_CLIENT as readonly [
  TestClient,
  TestClient,
  TestClient,
  TestClient,
];

/** Clients, and the failure policies of the stores over each. */
export type Members = readonly (readonly [TestClient, readonly Policy[]])[];

/** Every client, and every policy with the first of them. */
export const EVERY_MEMBER: Members = [
  [IOREDIS, ["allow", "deny", "fraction"]],
  [IOVALKEY, ["deny"]],
  [NODE_REDIS, ["deny"]],
  [GLIDE, ["deny"]],
];

export interface FleetOptions {
  readonly members: Members;
  readonly connect: (client: TestClient) => Promise<ConnectedClient>;
  readonly timeoutMs?: number;
}

/** Clients, and lanes over them that share their counts. */
export class Fleet {
  readonly prefix: string;
  readonly lanes: readonly Lane[];
  readonly #clients: readonly ConnectedClient[];

  private constructor(prefix: string, lanes: readonly Lane[], clients: readonly ConnectedClient[]) {
    this.prefix = prefix;
    this.lanes = lanes;
    this.#clients = clients;
  }

  static async of({ members, connect, timeoutMs = TIMEOUT_MS }: FleetOptions): Promise<Fleet> {
    const prefix = `c-${randomUUID().slice(0, 8)}`;
    const clients: ConnectedClient[] = [];
    const lanes: Lane[] = [];
    for (const [client, policies] of members) {
      const connected = await connect(client);
      clients.push(connected);
      for (const policy of policies) {
        lanes.push(new Lane({ name: client.name, client: connected.client, policy, prefix, timeoutMs }));
      }
    }
    const fleet = new Fleet(prefix, lanes, clients);
    await fleet.#warm();
    return fleet;
  }

  /** Waits until every circuit has opened: on a busy machine that takes longer. Tests report circuits that did not. */
  async circuitsOpened(): Promise<void> {
    const haveOpened = () => this.lanes.every(({ observed }) => observed.some(isOpening));
    await eventuallyTrue("open circuits", haveOpened, { patienceMs: MOST_OPENING_MS }).catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.all(this.lanes.map(({ store }) => store.close()));
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  /** Waits for the first replies: the first calls connect, load the script and compile. */
  async #warm(): Promise<void> {
    for (const lane of this.lanes) {
      for (let times = 0; times < WARM_CALLS; times += 1) {
        await eventuallyTrue("a first answer", async () => (await lane.single()).degraded === undefined);
      }
      lane.calls.length = 0;
      lane.observed.length = 0;
      lane.observedCauses.clear();
    }
  }
}

function isOpening({ type }: RedisStoreObservation): boolean {
  return type === "down";
}
