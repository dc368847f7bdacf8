import { Redis } from "ioredis";
import { type AsyncLimiter, createLimiter, perSecond } from "tollgate";
import { type HybridStore, hybridStore } from "tollgate/hybrid";
import { type RedisStore, redisStore } from "tollgate/redis";
import { keysOf } from "./keys.ts";
import { callsBy, type Load } from "./loads.ts";

export type Strategy = "lease" | "threshold" | "strict";

/** What a process of the fleet does. */
export interface NodeOrder {
  readonly strategy: Strategy;
  readonly port: number;
  readonly node: number;
  readonly load: Load;
  readonly startAtMs: number;
  readonly seconds: number;
}

export interface NodeResult {
  readonly asked: number;
  readonly decidedLocally: number;
  /** Units admitted in each slot of `SLOT_MS`. */
  readonly slots: readonly number[];
  /** For each key the slots in which its units were admitted, in their order. */
  readonly keys: readonly (readonly number[])[];
  readonly p50Us: number;
  readonly p99Us: number;
}

export const SLOT_MS = 10;
const TICK_MS = 2;
const RESTART_MS = 1_000;
/** One call in so many is timed. */
const TIMED_EVERY = 4;

/** One process: calls at its rate until the end, whether or not earlier calls were answered. */
export async function runNode(order: NodeOrder): Promise<NodeResult> {
  const client = new Redis(order.port, "127.0.0.1");
  const fleet = new NodeInFleet(order, client);
  await client.ping();
  if (Date.now() > order.startAtMs) throw new Error("expected a process that starts in time: the machine is too busy");
  await sleepUntil(order.startAtMs);
  const endMs = order.startAtMs + order.seconds * 1_000;
  for (let nowMs = Date.now(); nowMs < endMs; nowMs = Date.now()) {
    fleet.callUntil(nowMs);
    await sleepUntil(nowMs + TICK_MS);
  }
  await fleet.end();
  client.disconnect();
  return fleet.result();
}

class NodeInFleet {
  readonly #order: NodeOrder;
  readonly #client: Redis;
  readonly #keyOf: () => number;
  readonly #slots: number[] = [];
  readonly #slotsOfKeys: number[][];
  readonly #latenciesUs: number[] = [];
  #store: HybridStore | RedisStore;
  #limiter: AsyncLimiter;
  #asked = 0;
  #local = 0;
  #answered = 0;
  #restartAtMs: number;

  constructor(order: NodeOrder, client: Redis) {
    this.#order = order;
    this.#client = client;
    this.#keyOf = keysOf(order.load.keys);
    this.#slotsOfKeys = Array.from({ length: order.load.keys }, () => []);
    this.#restartAtMs = order.startAtMs + RESTART_MS * (1 + order.node);
    this.#store = this.#open();
    this.#limiter = this.#limit();
  }

  callUntil(nowMs: number): void {
    const { load, startAtMs, node } = this.#order;
    if (load.restarts === true && nowMs >= this.#restartAtMs) this.#restart();
    const passedMs = nowMs - startAtMs;
    const due = callsBy(load, node, passedMs);
    while (this.#asked < due) this.#call();
  }

  async end(): Promise<void> {
    while (this.#answered < this.#asked) await sleepUntil(Date.now() + TICK_MS);
    this.#noteLocal();
    await this.#store.close();
  }

  result(): NodeResult {
    const sorted = this.#latenciesUs.sort((one, other) => one - other);
    const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
    const [p50Us, p99Us] = [at(0.5), at(0.99)];
    const [slots, keys] = [this.#slots, this.#slotsOfKeys];
    return { asked: this.#asked, decidedLocally: this.#local, slots, keys, p50Us, p99Us };
  }

  #call(): void {
    this.#asked += 1;
    const isTimed = this.#asked % TIMED_EVERY === 0;
    const sinceMs = isTimed ? performance.now() : 0;
    void this.#ask(isTimed, sinceMs);
  }

  async #ask(isTimed: boolean, sinceMs: number): Promise<void> {
    const key = this.#keyOf();
    const isAdmitted = await this.#limiter.allow(`key ${key}`);
    this.#answered += 1;
    if (isTimed) this.#latenciesUs.push((performance.now() - sinceMs) * 1_000);
    if (!isAdmitted) return;
    const slot = Math.floor((Date.now() - this.#order.startAtMs) / SLOT_MS);
    while (this.#slots.length <= slot) this.#slots.push(0);
    this.#slots[slot]! += 1;
    this.#slotsOfKeys[key]!.push(slot);
  }

  /** Another process takes the place of this one: what it held is lost. */
  #restart(): void {
    this.#noteLocal();
    this.#restartAtMs += RESTART_MS * this.#order.load.perSecond.length;
    this.#store = this.#open();
    this.#limiter = this.#limit();
  }

  #open(): HybridStore | RedisStore {
    const options = { timeout: "10s", onFailure: "deny" } as const;
    const client = this.#client;
    const { strategy } = this.#order;
    if (strategy === "strict") return redisStore({ client, ...options });
    return hybridStore({ redis: client, strategy, ...options });
  }

  #limit(): AsyncLimiter {
    return createLimiter({ name: "fleet", limits: [perSecond(this.#order.load.capacity)], store: this.#store });
  }

  #noteLocal(): void {
    if ("stats" in this.#store) this.#local += this.#store.stats().decidedLocally;
  }
}

async function sleepUntil(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, ms - Date.now())));
}
