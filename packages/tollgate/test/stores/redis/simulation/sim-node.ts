import { type AsyncLimiter, createLimiter } from "tollgate";
import { type HybridStore, hybridStore } from "tollgate/hybrid";
import { type RedisStore, redisStore } from "tollgate/redis";
import type { LimitSpec } from "../../../properties/limit-spec.ts";
import { limitsOf } from "./sim-limits.ts";
import type { SimNetwork } from "./sim-network.ts";
import { SimProcess } from "./sim-process.ts";
import type { Timeline } from "./timeline.ts";

/** Long enough for calm weather. */
const TIMEOUT_MS = 200;

export interface NodeOptions {
  readonly name: string;
  readonly kind: "hybrid" | "redis";
  /** What the clocks of processes differ by, and how fast they go. */
  readonly drift: number;
  readonly rate: number;
}

/** A node of a fleet: a process with a limiter over a store of its own. */
export class SimNode {
  readonly #timeline: Timeline;
  readonly #network: SimNetwork;
  readonly #options: NodeOptions;
  #list: readonly LimitSpec[] = [];
  process!: SimProcess;
  store!: HybridStore | RedisStore;
  limiter!: AsyncLimiter;
  version = 0;
  /** When the server last decided on a lease of the node. */
  leasedUs = 0;
  /** The last that the server told the node, and the last that the node corrected or reset. */
  #toldOrder = 0;
  #correctedOrder = 0;
  /** Those of all its processes. */
  readonly #stores: (HybridStore | RedisStore)[] = [];

  constructor(timeline: Timeline, network: SimNetwork, options: NodeOptions, list: readonly LimitSpec[]) {
    this.#timeline = timeline;
    this.#network = network;
    this.#options = options;
    this.start(list, 0);
  }

  /** Starts a process. The one before goes on, if it was not killed. */
  start(list: readonly LimitSpec[], version: number): void {
    const { name, kind, drift, rate } = this.#options;
    const process = new SimProcess(this.#timeline, this.#timeline.random, { drift, rate });
    const client = this.#network.connect(process, ({ order, atUs }, command) => {
      this.noteTold(order);
      if (command.at(-1)?.startsWith('["lease"')) this.leasedUs = Math.max(this.leasedUs, atUs);
    });
    const options = { client, prefix: name, timeout: TIMEOUT_MS, onFailure: "deny", warnings: false } as const;
    const clock = { now: () => process.clockMs };
    this.process = process;
    this.store = this.#timeline.start(process, () => (kind === "hybrid" ? hybridStore(options) : redisStore(options)));
    this.#stores.push(this.store);
    this.version = version;
    this.#list = list;
    this.limiter = createLimiter({ name: "fleet", limits: limitsOf(list), store: this.store, clock });
  }

  /** Does work in the process, when it runs. */
  run(work: () => void): void {
    this.#timeline.add(this.#timeline.nowUs, work, this.process);
  }

  /** Another process takes its place. */
  kill(): void {
    this.process.hasEnded = true;
    this.start(this.#list, this.version);
  }

  close(): void {
    const { store } = this;
    this.run(() => void store.close());
  }

  /** Gives back what the process holds. */
  giveBack(): void {
    const { store } = this;
    this.run(() => {
      store.bypass = true;
      store.bypass = false;
    });
  }

  noteTold(order: number): void {
    this.#toldOrder = Math.max(this.#toldOrder, order);
  }

  noteCorrected(order: number): void {
    this.#correctedOrder = Math.max(this.#correctedOrder, order);
  }

  /** Whether the server told the node anything since it corrected something. */
  get mayDeny(): boolean {
    return this.#toldOrder > this.#correctedOrder;
  }

  /** Units of the first limit that the process may spend without the server. */
  get held(): number {
    const { leased, spent, returned, expired } = statsOf(this.store);
    return leased - spent - returned - expired;
  }

  /** Units of the first limit that were spent from leases. */
  get spent(): number {
    return this.#stores.reduce((sum, store) => sum + statsOf(store).spent, 0);
  }

  /** Those that ended unspent. */
  get expired(): number {
    return this.#stores.reduce((sum, store) => sum + statsOf(store).expired, 0);
  }
}

function statsOf(store: HybridStore | RedisStore) {
  return "stats" in store ? store.stats() : { leased: 0, spent: 0, returned: 0, expired: 0 };
}
