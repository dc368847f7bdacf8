import { type AsyncLimiter, createLimiter, type Decision } from "tollgate";
import { type RedisStoreOptions, redisStore } from "tollgate/redis";
import { ordersOfChild, sendToParent } from "./child.ts";
import type { Algorithm, ClientName, Policy } from "./flood.ts";
import { limitOf, onFailureOf } from "./limiter-options.ts";
import { loadClient, type Whereabouts } from "./open-client.ts";

/** The orders of a process that calls a limiter without waiting for answers. It begins on a message. */
export interface CallerOrders extends Whereabouts {
  readonly client: ClientName;
  readonly algorithm: Algorithm;
  readonly policy: Policy;
  readonly capacity: number;
  readonly verb: "allow" | "consume";
  /**
   * `"warm"` makes the calls after the client is connected and the script is loaded. `"cold"` makes them as soon as the
   * client exists.
   */
  readonly start: "warm" | "cold";
  /** The number of clients, each with a connection, a store and a limiter of its own. */
  readonly clients: number;
  /** The calls of each client. */
  readonly calls: number;
  /** The calls in one turn of the event loop; by default all. */
  readonly turn?: number;
  /** When the next turn makes calls: after all calls of the turn before have ended, or at once. */
  readonly pace?: "ended" | "next";
  /** The number of keys, which the calls use in turn. */
  readonly keys: number;
  readonly options?: Pick<RedisStoreOptions, "timeout" | "connectTimeout">;
}

export interface CallerFindings {
  readonly admitted: number;
  /** Degraded decisions. `allow` does not report them. */
  readonly degraded: number;
  /** Calls that threw. */
  readonly thrown: number;
  readonly opened: number;
  /** The growth of the process at its peak. */
  readonly grownMb: number;
}

const orders = ordersOfChild<CallerOrders>();
const open = await loadClient(orders.client);
const counts = { admitted: 0, degraded: 0, thrown: 0, opened: 0 };

async function makeLimiter(): Promise<AsyncLimiter> {
  const { client, connected } = await open(orders);
  if (orders.start === "warm") await connected;
  else connected.catch(() => {});
  const store = redisStore({
    client,
    onFailure: onFailureOf(orders.policy),
    observe: (observation) => {
      if (observation.type === "down") counts.opened += 1;
    },
    ...orders.options,
  });
  return createLimiter({ name: "calls", limits: [limitOf(orders.algorithm, orders.capacity)], store });
}

async function makeLimiters(): Promise<readonly AsyncLimiter[]> {
  return Promise.all(Array.from({ length: orders.clients }, makeLimiter));
}

/** The number of calls that have not ended, and a function that runs after the last one. */
const pending = { calls: 0, onEnd: (): void => {} };

function callOnce(limiter: AsyncLimiter, key: string): void {
  if (orders.verb === "allow") limiter.allow(key).then(noteAnswer, noteThrown);
  else limiter.consume(key).then(noteDecision, noteThrown);
}

function noteAnswer(allowed: boolean): void {
  if (allowed) counts.admitted += 1;
  noteEnd();
}

function noteDecision({ allowed, degraded }: Decision): void {
  if (degraded !== undefined) counts.degraded += 1;
  noteAnswer(allowed);
}

function noteThrown(): void {
  counts.thrown += 1;
  noteEnd();
}

function noteEnd(): void {
  pending.calls -= 1;
  if (pending.calls === 0) pending.onEnd();
}

async function allEnded(): Promise<void> {
  if (pending.calls === 0) return;
  await new Promise<void>((resolve) => {
    pending.onEnd = resolve;
  });
}

async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function callAll(limiters: readonly AsyncLimiter[]): Promise<CallerFindings> {
  const { calls, keys, turn = calls, pace = "ended" } = orders;
  const names = Array.from({ length: keys }, (_, key) => `key ${key}`);
  const beforeKb = process.memoryUsage().rss / 1024;
  for (let from = 0; from < calls; from += turn) {
    pending.calls += (Math.min(calls, from + turn) - from) * limiters.length;
    for (const limiter of limiters) {
      for (let call = from; call < from + turn && call < calls; call += 1) callOnce(limiter, names[call % keys]!);
    }
    await (pace === "ended" ? allEnded() : nextTurn());
  }
  await allEnded();
  return {
    ...counts,
    grownMb: Math.round((process.resourceUsage().maxRSS - beforeKb) / 1024),
  };
}

const warmed = orders.start === "warm" ? await makeLimiters() : undefined;
if (warmed !== undefined) await Promise.all(warmed.map((limiter) => limiter.consume("warm")));
process.on("message", () => {
  void (warmed === undefined ? makeLimiters() : Promise.resolve(warmed)).then(callAll).then(sendToParent);
});
sendToParent({ ready: true });
