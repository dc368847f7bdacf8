import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type * as Tollgate from "tollgate";
import type * as TollgateHybrid from "tollgate/hybrid";
import { sharedNowMs } from "../../fleet/shared-clock.ts";
import { load } from "../../kit/load-source.ts";

const { concurrency, createLimiter } = await load<typeof Tollgate>("index.ts");
const { hybridStore } = await load<typeof TollgateHybrid>("stores/hybrid/index.ts");

/** What a process is told at its start. */
export interface PlaceOrders {
  readonly port: number;
  readonly prefix: string;
  readonly max: number;
  readonly ttlMs: number;
  /** How many calls it makes at a time. */
  readonly callers: number;
  /** How long a call holds its place at most. */
  readonly mostMs: number;
}

/** A call holds a place since a moment of the clock that processes share, or has held it until then. */
export interface PlaceNews {
  readonly call: number;
  readonly fromMs: number;
  readonly untilMs?: number;
}

/** What a process says in the end. */
export interface PlacesDone {
  readonly asks: number;
  readonly admitted: number;
  readonly spent: number;
}

const WAIT_MS = 2;
const TIMEOUT_MS = 400;

const { port, prefix, max, ttlMs, callers, mostMs } = JSON.parse(process.argv[2]!) as PlaceOrders;
const redis = new Redis(port, { maxRetriesPerRequest: 0 });
redis.on("error", () => {});
await redis.ping();
const store = hybridStore({ redis, prefix, timeout: TIMEOUT_MS, onFailure: "deny", warnings: false });
const limiter = createLimiter({ name: "fleet", limits: [concurrency({ max, ttl: ttlMs })], store });

const stop = new AbortController();
let admitted = 0;

async function work(): Promise<void> {
  while (!stop.signal.aborted) {
    const reservation = await limiter.reserve("one");
    if (!reservation.decision.allowed) {
      await sleep(WAIT_MS);
      continue;
    }
    admitted += 1;
    const [call, fromMs] = [admitted, sharedNowMs()];
    say({ call, fromMs });
    await sleep(1 + Math.random() * mostMs);
    say({ call, fromMs, untilMs: sharedNowMs() });
    await reservation.settle(1);
  }
}

async function end(all: readonly Promise<void>[]): Promise<void> {
  await Promise.all(all);
  const { asks, spent } = store.stats();
  say({ asks, admitted, spent });
}

function say(news: PlaceNews | PlacesDone | "ready"): void {
  process.send?.(news);
}

process.once("disconnect", () => process.exit());
process.once("message", () => {
  const all = Array.from({ length: callers }, work);
  process.once("message", () => {
    stop.abort();
    void end(all);
  });
});
say("ready");
