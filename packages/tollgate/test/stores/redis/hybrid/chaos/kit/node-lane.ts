import { createLimiter, fixedWindow, type Limit } from "tollgate";
import { type HybridStore, hybridStore } from "tollgate/hybrid";
import type { StoreClient } from "tollgate/redis";

/** Its leases last for ten seconds, and no unit comes back while a test runs. */
export const CAPACITY = 12_000;
export const LIMITS: readonly Limit[] = [fixedWindow({ limit: CAPACITY, window: "1d", anchor: "first-use" })];
export const KEY = "one";

/** Calls that a node starts in each turn. */
const CALLS_OF_TURN = 3;
/** Enough for all units that a node can hold. */
const MOST_CALLS = CAPACITY;

/** A call of a node and its result. Times are those of `performance.now()`. */
export interface NodeCall {
  readonly startedMs: number;
  /** `NaN` while it is in flight. */
  endedMs: number;
  admitted: boolean;
  /** The cause of a decision without the server. */
  degraded: string | undefined;
  error: unknown;
}

export interface NodeLaneOptions {
  readonly name: string;
  readonly client: StoreClient;
  readonly prefix: string;
  readonly policy: "allow" | "deny";
  readonly timeoutMs: number;
}

/** One node of a fleet: a hybrid store over a client of its own, and its callers. */
export class NodeLane {
  readonly name: string;
  readonly policy: NodeLaneOptions["policy"];
  readonly timeoutMs: number;
  readonly store: HybridStore;
  readonly calls: NodeCall[] = [];
  readonly #consume: () => Promise<{ readonly allowed: boolean; readonly degraded?: string | undefined }>;
  readonly #underWay = new Set<Promise<NodeCall>>();

  constructor({ name, client: redis, prefix, policy, timeoutMs }: NodeLaneOptions) {
    this.name = name;
    this.policy = policy;
    this.timeoutMs = timeoutMs;
    this.store = hybridStore({ client: redis, prefix, timeout: timeoutMs, warnings: false, onFailure: policy });
    const limiter = createLimiter({ name: "fleet", limits: LIMITS, store: this.store });
    this.#consume = () => limiter.consume(KEY);
  }

  /** Units that it took in advance and has not spent. */
  get held(): number {
    const { leased, spent, returned, expired } = this.store.stats();
    return leased - spent - returned - expired;
  }

  turn(): void {
    for (let call = 0; call < CALLS_OF_TURN; call += 1) void this.call();
  }

  call(): Promise<NodeCall> {
    const call: NodeCall = {
      startedMs: performance.now(),
      endedMs: Number.NaN,
      admitted: false,
      degraded: undefined,
      error: undefined,
    };
    this.calls.push(call);
    const end = this.#follow(call);
    this.#underWay.add(end);
    return end.finally(() => this.#underWay.delete(end));
  }

  /** Calls until a call is decided without the server. */
  async spendAll(): Promise<void> {
    for (let times = 0; times < MOST_CALLS; times += 1) if ((await this.call()).degraded !== undefined) return;
  }

  /** Resolves when all calls have ended. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  async #follow(call: NodeCall): Promise<NodeCall> {
    try {
      const { allowed, degraded } = await this.#consume();
      call.admitted = allowed;
      call.degraded = degraded;
    } catch (error) {
      call.error = error;
    }
    call.endedMs = performance.now();
    return call;
  }
}
