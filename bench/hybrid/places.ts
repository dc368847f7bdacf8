import { Redis } from "ioredis";
import { type AsyncLimiter, concurrency, createLimiter } from "tollgate";
import { hybridStore } from "tollgate/hybrid";
import { redisStore } from "tollgate/redis";

/** What four stores did that hold places of one limit. */
export interface MeasuredPlaces {
  readonly factor: number;
  readonly strategy: "lease" | "strict";
  readonly asked: number;
  readonly admitted: number;
  /** Script calls of the server. */
  readonly calls: number;
  /** Places in use, of all stores together. */
  readonly average: number;
  readonly most: number;
}

const NODES = 4;
const MAX = 400;
const HOLD_MS = 500;
/** So many calls a second that hold places for half a second use all of them. */
const FULL_PER_SECOND = (MAX * 1_000) / HOLD_MS;
const FACTORS = [0.5, 0.9, 2, 5];
const TICK_MS = 4;
/** The places fill up in this time. It is not counted. */
const WARM_MS = 1_500;

/** Four stores of this process, each with a client of its own, under four loads. */
export async function measurePlaces(port: number, seconds: number): Promise<MeasuredPlaces[]> {
  const measured: MeasuredPlaces[] = [];
  for (const factor of FACTORS) {
    for (const strategy of ["lease", "strict"] as const) {
      measured.push(await measureOnce(port, factor, strategy, seconds));
    }
  }
  return measured;
}

async function measureOnce(
  port: number,
  factor: number,
  strategy: MeasuredPlaces["strategy"],
  seconds: number,
): Promise<MeasuredPlaces> {
  const clients = Array.from({ length: NODES }, () => new Redis(port, "127.0.0.1"));
  await clients[0]!.flushall();
  const nodes = clients.map((client) => openNode(client, strategy));
  const load = new Load(nodes.map(({ limiter }) => limiter));
  await load.run(WARM_MS, factor * FULL_PER_SECOND);
  await clients[0]!.config("RESETSTAT");
  load.begin();
  await load.run(seconds * 1_000, factor * FULL_PER_SECOND);
  const { asked, admitted, average, most } = load;
  const stats = await clients[0]!.info("commandstats");
  await load.end();
  for (const { store } of nodes) await store.close();
  for (const client of clients) client.disconnect();
  const calls = Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  return { factor, strategy, asked, admitted, calls, average, most };
}

function openNode(client: Redis, strategy: MeasuredPlaces["strategy"]) {
  const options = { timeout: "10s", onFailure: "deny" } as const;
  const store = strategy === "strict" ? redisStore({ client, ...options }) : hybridStore({ redis: client, ...options });
  const limits = [concurrency({ name: "jobs", max: MAX, ttl: "30s" })];
  return { store, limiter: createLimiter({ name: "fleet", limits, store }) };
}

/** Calls at a fixed rate, each of which holds its place for half a second. */
class Load {
  asked = 0;
  admitted = 0;
  most = 0;
  readonly #limiters: readonly AsyncLimiter[];
  readonly #open = new Set<Promise<void>>();
  #inUse = 0;
  #sum = 0;
  #looks = 0;

  constructor(limiters: readonly AsyncLimiter[]) {
    this.#limiters = limiters;
  }

  /** Counts from now on. */
  begin(): void {
    this.asked = 0;
    this.admitted = 0;
    this.#sum = 0;
    this.#looks = 0;
  }

  get average(): number {
    return this.#sum / this.#looks;
  }

  async run(forMs: number, perSecond: number): Promise<void> {
    const fromMs = performance.now();
    let due = 0;
    for (let passedMs = 0; passedMs < forMs; passedMs = performance.now() - fromMs) {
      for (const until = (passedMs / 1_000) * perSecond; due < until; due += 1) this.#call();
      this.#sum += this.#inUse;
      this.#looks += 1;
      await sleep(TICK_MS);
    }
  }

  async end(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  #call(): void {
    const limiter = this.#limiters[this.asked % this.#limiters.length]!;
    this.asked += 1;
    const call = this.#hold(limiter);
    this.#open.add(call);
    void call.finally(() => this.#open.delete(call));
  }

  async #hold(limiter: AsyncLimiter): Promise<void> {
    const reservation = await limiter.reserve("hot");
    if (!reservation.decision.allowed) return;
    this.admitted += 1;
    this.#inUse += 1;
    this.most = Math.max(this.most, this.#inUse);
    await sleep(HOLD_MS);
    this.#inUse -= 1;
    await reservation.settle(1);
  }
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

export function placesTable(all: readonly MeasuredPlaces[]): string {
  const rows = all.map((one) => {
    const strict = all.find(({ factor, strategy }) => factor === one.factor && strategy === "strict")!;
    const perThousand = (measured: MeasuredPlaces) => (measured.calls / measured.asked) * 1_000;
    return [
      `${one.factor} ×`,
      one.strategy,
      perThousand(one).toFixed(1),
      one === strict ? "" : `${((1 - perThousand(one) / perThousand(strict)) * 100).toFixed(1)} %`,
      one.average.toFixed(0),
      one.most.toFixed(0),
      `${((one.admitted / strict.admitted) * 100).toFixed(1)} %`,
    ];
  });
  const head = ["load", "strategy", "calls per 1,000", "fewer than strict", "in use", "at most", "admitted, of strict"];
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
