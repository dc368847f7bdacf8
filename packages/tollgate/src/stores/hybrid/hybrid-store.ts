import type { AsyncBlocks } from "../../core/blocks.ts";
import { all, later, mapMaybeAsync } from "../../core/maybe-async.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace, AsyncStore, Call, LimiterContext } from "../../core/store.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import type { SentBatch, StoreReadings } from "../../core/store-readings.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { checkRedisOptions } from "../redis/redis-options.ts";
import { connectStore, type StoreOnServer } from "../redis/redis-store.ts";
import { closedError } from "../redis/translate-error.ts";
import type { BreakerState } from "../remote/breaker.ts";
import type { DecidingSpace } from "./deciding-space.ts";
import { type CheckedHybridOptions, checkHybridOptions, type HybridStoreOptions } from "./hybrid-options.ts";
import { HybridSpace } from "./hybrid-space.ts";
import { KnownKeys } from "./leases/known-keys.ts";
import type { LeaseNode } from "./leases/lease-node.ts";
import { leaseNumbers } from "./leases/lease-numbers.ts";
import { LiveKeys } from "./leases/live-keys.ts";
import { clockTime, PROCESS_TIME } from "./leases/node-time.ts";
import { PendingRequests } from "./leases/pending-requests.ts";
import { createStats, type HybridStats } from "./stats.ts";
import { ThresholdNode } from "./threshold/threshold-node.ts";
import { ThresholdSpace } from "./threshold/threshold-space.ts";

/** A store on a server that all nodes of a fleet share, and that few calls have to ask. */
export interface HybridStore extends AsyncStore {
  /** The state of the circuit breaker: whether requests reach the server. */
  readonly breaker: BreakerState;
  /**
   * The kill switch, as that of `redisStore`. Setting it to `true` gives back what this node holds. Setting it to
   * anything else than a boolean throws `ERR_OPTION`.
   */
  bypass: boolean;
  /** What the store did since it was created. */
  stats(): HybridStats;
}

/** One key may have this fraction of the pending calls. */
const FRACTION_OF_KEY = 1 / 4;

/**
 * Creates a store in Redis or Valkey that usually decides without a round trip: one quota for a fleet, of which each
 * node takes units in advance. The server counts what nodes may still spend, so no more is admitted than by
 * `redisStore`. It may be less, by the units that a node holds and does not spend.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_DURATION`, with the expected and the actual value.
 * @example
 * ```ts
 * import { Redis } from "ioredis";
 * import { createLimiter, perSecond } from "tollgate";
 * import { hybridStore } from "tollgate/hybrid";
 *
 * const client = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379");
 * const store = hybridStore({ client, onFailure: "deny" });
 * const limiter = createLimiter({ name: "search", limits: [perSecond(1_000)], store });
 * console.log(await limiter.allow("ann")); // true
 * await store.close();
 * await client.quit();
 * ```
 */
export function hybridStore(options: HybridStoreOptions): HybridStore {
  const checked = checkHybridOptions(options);
  return new NodeStore(connectStore(checked.redisOptions), checked);
}

class NodeStore implements HybridStore {
  readonly kind = "async";
  readonly label = "hybrid";
  readonly #redis: StoreOnServer;
  readonly #byLimitersClock: boolean;
  readonly #threshold: number | undefined;
  readonly #node: LeaseNode;
  readonly #counts: ThresholdNode;
  #closing: Promise<void> | undefined;

  constructor(redis: StoreOnServer, { redisOptions, threshold }: CheckedHybridOptions) {
    const { byLimitersClock, maxPending } = checkRedisOptions(redisOptions);
    this.#redis = redis;
    this.#byLimitersClock = byLimitersClock;
    this.#threshold = threshold;
    this.#node = {
      stats: createStats(),
      spaces: new Set(),
      isBypassed: false,
      isClosing: false,
      store: redis,
      random: Math.random,
      nextNumber: leaseNumbers(Math.random),
      live: new LiveKeys(),
      known: new KnownKeys(),
      requests: new PendingRequests(),
      mostWaiting: Math.ceil(maxPending * FRACTION_OF_KEY),
    };
    this.#counts = new ThresholdNode(redis, this.#node.stats);
  }

  get breaker(): BreakerState {
    return this.#redis.breaker;
  }

  get bypass(): boolean {
    return this.#redis.bypass;
  }

  set bypass(bypass: boolean) {
    if (bypass && !this.#redis.bypass) this.#giveBackAll();
    this.#redis.bypass = bypass;
    this.#node.isBypassed = bypass;
  }

  observe(observer: (observation: StoreObservation) => void): () => void {
    return this.#redis.observe(observer);
  }

  readings(): StoreReadings {
    return { ...this.#redis.readings(), leases: this.stats() };
  }

  watchBatches(watch: (batch: SentBatch) => void): () => void {
    return this.#redis.watchBatches(watch);
  }

  stats(): HybridStats {
    return { ...this.#node.stats };
  }

  open(plan: Plan, context: LimiterContext): AsyncSpace {
    const redis = this.#redis.open(plan, context);
    const [node, threshold] = [this.#node, this.#threshold];
    const space =
      threshold === undefined
        ? new HybridSpace(redis, node, this.#byLimitersClock ? clockTime(redis.clock) : PROCESS_TIME)
        : new ThresholdSpace({ redis, node: this.#counts, state: node, threshold });
    node.spaces.add(space);
    return space;
  }

  blocks(scope: Scope, limiter: string, context: LimiterContext): AsyncBlocks {
    const blocks = this.#redis.blocks(scope, limiter, context);
    // Before the block of a key changes, this node gives back what it holds of it.
    const giveBack = (key: string): void => {
      if (this.#threshold !== undefined) this.#counts.noteBlocked(scope, key);
      for (const space of this.#node.spaces) if (space.plan.scope === scope) space.giveBack(key);
    };
    return {
      limiter,
      block(key, ...others) {
        giveBack(key);
        return blocks.block(key, ...others);
      },
      unblock(key, now) {
        giveBack(key);
        return blocks.unblock(key, now);
      },
      find: (key, now) => blocks.find(key, now),
    };
  }

  transact(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell, taken?: readonly Taken[]): Promise<Report> {
    if (this.#node.isClosing) throw closedError();
    const [only] = calls;
    const isAlone = only !== undefined && calls.length === 1 && taken?.[0]?.degraded === undefined;
    const decided = isAlone && !this.#node.isBypassed ? this.#decideAlone(verb, only, now, taken) : undefined;
    if (decided !== undefined) return decided;
    // The server decides these together, so their figures must not count what this node holds.
    if (calls.length > 1) for (const { space, key } of calls) (space as DecidingSpace).giveBack(key);
    const asked = this.#ask(verb, calls, now, taken);
    for (const [i, call] of (calls.length > 1 ? calls : []).entries())
      (call.space as DecidingSpace).asked(call, verb, now, asked, taken?.[i]);
    return verb === "explain" ? asked.then((report) => withLeases(report, calls)) : asked;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#giveBackAll();
    this.#node.live.close();
    this.#node.isClosing = true;
    await this.#node.requests.ended();
    // Leases that were on their way.
    this.#giveBackAll();
    await this.#redis.close();
  }

  #decideAlone(
    verb: Verb,
    { space, key, costs }: Call<AsyncSpace>,
    now: TimeCell,
    taken: readonly Taken[] | undefined,
  ): Promise<Report> | undefined {
    const own = space as DecidingSpace;
    const { changes, takes, reports } = VERBS[verb];
    if (changes && takes === "if all conform") return own.consume(key, costs, now[0]!, itself);
    if (takes === "always") {
      const charged = own.charge(key, costs);
      if (charged !== undefined) return Promise.resolve(charged);
    }
    own.settle(key, verb);
    const asked = this.#ask(verb, [{ space, key, costs }], now, taken);
    own.asked({ key, costs }, verb, now, asked, taken?.[0]);
    if (!reports) return asked;
    const restated = asked.then((report) => own.restated(key, costs, report));
    return verb === "explain" ? restated.then((report) => withLeases(report, [{ space, key, costs }])) : restated;
  }

  /** Asks the server for this call alone. */
  #ask(
    verb: Verb,
    calls: readonly Call<AsyncSpace>[],
    now: TimeCell,
    taken: readonly Taken[] | undefined,
  ): Promise<Report> {
    this.#node.stats.asks += 1;
    const strict = calls.map(({ space, key, costs }) => ({ space: (space as DecidingSpace).redis, key, costs }));
    const there = taken && all(taken.map((one, i) => (calls[i]!.space as DecidingSpace).takenThere(one, now)));
    return later(() => mapMaybeAsync(there, (receipts) => this.#redis.transact(verb, strict, now, receipts)));
  }

  #giveBackAll(): void {
    for (const space of this.#node.spaces) space.giveBackAll();
  }
}

function itself(report: Report): Report {
  return report;
}

/** Adds where each limit stands at this node. */
function withLeases(report: Report, calls: readonly Call<AsyncSpace>[]): Report {
  if (report.hasEntries)
    report.leases = calls.flatMap(({ space, key }) => (space as DecidingSpace).leasesOf(key) ?? []);
  return report;
}
