import type { AsyncBlocks, ReportedBlock } from "../../core/blocks.ts";
import { optionError } from "../../core/check-options.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { KeptReservation } from "../../core/kept-reservation.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import { createPlan, type Plan, type Scope } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace, AsyncStore, Call, LimiterContext, ReservationKeeper } from "../../core/store.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import type { SentBatch, StoreReadings } from "../../core/store-readings.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Verb } from "../../core/verbs.ts";
import type { BreakerState } from "../remote/breaker.ts";
import { partsByOwner } from "../remote/call-parts.ts";
import { Listeners } from "../remote/listeners.ts";
import { Notifier } from "../remote/notifier.ts";
import { asPart, BYPASSED, UnavailableError } from "../remote/unavailable-error.ts";
import { decideWithout, Fallbacks } from "../remote/without-server.ts";
import { CallQueue } from "./batch/call-queue.ts";
import type { AskOptions, KeyCall } from "./batch/key-call.ts";
import { answerWithout, type DecideWithout, type LeaseWaiter } from "./batch/waiter.ts";
import { checkClient } from "./clients/check-client.ts";
import { findPort } from "./clients/find-port.ts";
import type { RedisPort } from "./clients/redis-port.ts";
import { slotOf } from "./cluster-slots.ts";
import { DenyCache } from "./denials/deny-cache.ts";
import { type AskAlone, KeyScan } from "./key-scan.ts";
import { type KeeperOf, type ReceiptOperations, RedisReceipts } from "./receipts/redis-receipts.ts";
import { type BlockOperations, RedisBlocks } from "./redis-blocks.ts";
import { type CheckedRedisOptions, checkRedisOptions, type RedisStoreOptions } from "./redis-options.ts";
import { RedisSpace, type StoreOperations } from "./redis-space.ts";
import { correctionOf } from "./script/correction.ts";
import { type EncodeCall, encodeCall } from "./script/encode-call.ts";
import type { LeaseAsk } from "./script/lease.ts";
import { SCRIPT, SCRIPT_SHA } from "./script/source.generated.ts";
import type { ScriptBlock, ScriptVerb } from "./script/transaction.ts";
import { ServerLink } from "./server-link.ts";
import { applyToSlots } from "./several-slots.ts";
import { limiterName } from "./space-keys.ts";
import { closedError, rethrow, throwStoreError } from "./translate-error.ts";

/** A store on a server that all nodes of a fleet share. */
export interface RedisStore extends AsyncStore {
  /** The state of the circuit breaker: whether calls reach the server. */
  readonly breaker: BreakerState;
  /**
   * The kill switch. While it is `true`, `onFailure` decides all calls without the server. `reset`, `clear`, `sweep`
   * and `size` still reach the server. Setting it to anything else than a boolean throws `ERR_OPTION`.
   */
  bypass: boolean;
  /**
   * Adds an observer while the store runs, as the option `observe` does, and returns a function that removes it.
   *
   * @throws TollgateError `ERR_OPTION`.
   */
  readonly observe: (observer: (observation: StoreObservation) => void) => () => void;
  /**
   * What any process has handed over with `reservation.keep`, by its id. Nothing is asked yet. An id that no process
   * has given is one of a reservation that is over.
   *
   * @throws TollgateError `ERR_OPTION` unless `id` is a string.
   */
  readonly reservation: (id: string) => KeptReservation;
}

/**
 * Creates a store in Redis or Valkey: one quota for a fleet. A decision is one round trip for any number of limits, and
 * the calls of one turn of the event loop share it. While the server is unavailable, `onFailure` decides within
 * `timeout`, and the decision has `degraded`.
 *
 * The script runs the arithmetic of the algorithms in float64, as this package does: decisions are equal to the bit.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_DURATION`, with the expected and the actual value.
 * @example
 * ```ts
 * import { Redis } from "ioredis";
 * import { createLimiter, perMinute } from "tollgate";
 * import { redisStore } from "tollgate/redis";
 *
 * const client = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379");
 * const store = redisStore({ client, onFailure: "deny" });
 * const limiter = createLimiter({ name: "login", limits: [perMinute(2)], store });
 * console.log(await limiter.allow("ann"), await limiter.allow("ann"), await limiter.allow("ann")); // true true false
 * await client.quit();
 * ```
 */
export function redisStore(options: RedisStoreOptions): RedisStore {
  return connectStore(options, (store, checked, isCluster) => new RedisReceipts(store, checked, isCluster));
}

/** The store as the stores on top of it see it. Throws as `redisStore`. */
export function connectStore(options: RedisStoreOptions, keeperOf?: KeeperOf): StoreOnServer {
  const checked = checkRedisOptions(options);
  const fallbacks = new Fallbacks(checked.onFailure);
  checkClient(options.client);
  const port = findPort(options.client, { sha: SCRIPT_SHA, source: SCRIPT });
  return new StoreOnServer(checked, fallbacks, port, "redis", encodeCall, keeperOf);
}

/**
 * The store of a server. A call goes one way: `CallQueue` makes a `Batch` of the calls of a turn, `ServerLink` has the
 * deadline and the circuit, a `RedisPort` sends the batch, which takes the reply.
 */
export class StoreOnServer implements RedisStore, StoreOperations, BlockOperations, ReceiptOperations {
  readonly kind = "async";
  readonly keeper: ReservationKeeper | undefined;
  /** The time of the script, if tests give it. */
  clock: Clock = systemClock;
  readonly label: string;
  readonly #options: CheckedRedisOptions;
  readonly #fallbacks: Fallbacks;
  readonly #notifier: Notifier;
  readonly #port: RedisPort;
  readonly #link: ServerLink;
  readonly #watches = new Listeners<SentBatch>();
  readonly #queue: CallQueue;
  readonly #scan: KeyScan;
  readonly #denials: DenyCache;
  #bypass = false;
  /** A closed store rejects calls, whatever `bypass` is. */
  #isBypassed = false;
  #closing: Promise<void> | undefined;

  /** `encode` writes a batch for another server than Redis, whose store has its own `label`. */
  constructor(
    options: CheckedRedisOptions,
    fallbacks: Fallbacks,
    port: RedisPort,
    label = "redis",
    encode: EncodeCall = encodeCall,
    keeperOf?: KeeperOf,
  ) {
    this.#options = options;
    this.label = label;
    this.#fallbacks = fallbacks;
    this.#port = port;
    this.#notifier = new Notifier(`${label}Store`, options);
    this.#denials = new DenyCache(options.denyCache);
    this.#link = new ServerLink(port, options, (observation) => this.#notifier.notify(observation));
    this.#queue = new CallQueue({
      mostKeys: options.batch,
      bySlot: port.cluster,
      byLimitersClock: options.byLimitersClock,
      encode,
      inOrder: port.isUnordered !== true,
      maxPending: options.maxPending,
      memory: this.#denials,
      link: this.#link,
      watches: this.#watches,
    });
    this.keeper = keeperOf?.(this, options, port.cluster);
    const ask: AskAlone = (verb, call, nowUs) => this.#askAlone(verb, call, nowUs);
    this.#scan = new KeyScan(port, this.#link, options.maxPending, ask);
  }

  get breaker(): BreakerState {
    return this.#link.circuit.state;
  }

  /** The keys on the server. Sends the calls that were made before. @throws TollgateError `ERR_STORE` after `close`. */
  get scan(): KeyScan {
    this.#checkOpen();
    this.#queue.flush();
    return this.#scan;
  }

  get bypass(): boolean {
    return this.#bypass;
  }

  set bypass(bypass: boolean) {
    if (typeof bypass !== "boolean") throw optionError("bypass", "true or false", bypass);
    if (bypass === this.#bypass) return;
    this.#bypass = bypass;
    this.#isBypassed = bypass && this.#closing === undefined;
    this.#notifier.notify({ type: "bypass", bypass });
  }

  observe(observer: (observation: StoreObservation) => void): () => void {
    return this.#notifier.add(observer);
  }

  readings(): StoreReadings {
    return { breaker: this.breaker };
  }

  watchBatches(watch: (batch: SentBatch) => void): () => void {
    return this.#watches.add(watch);
  }

  open(plan: Plan, context: LimiterContext): RedisSpace {
    const limiter = limiterName(plan.scope);
    this.#notifier.opened(context);
    if (this.#options.byLimitersClock) this.clock = context.clock;
    const fallback = this.#fallbacks.open(plan, context);
    return new RedisSpace({ store: this, plan, limiter, fallback, context, ...this.#options });
  }

  /** Reports at once where the server is not asked, because a flood has many calls at a time. */
  transact(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell, taken?: readonly Taken[]): Maybe<Report> {
    this.#checkOpen();
    const nowUs = now[0]!;
    const keyed = calls.map(({ space, key, costs }, i): KeyCall => {
      const call = (space as RedisSpace).call(key, costs);
      return taken === undefined ? call : { ...call, ...correctionOf(space.plan, taken[i]!, nowUs) };
    });
    const without: DecideWithout = (error) => this.decideWithout(error, verb, keyed, nowUs, taken);
    // A degraded decision is corrected in its quota state, even if the server is back.
    const degraded = taken?.[0]?.degraded;
    if (degraded !== undefined) return without(new UnavailableError(degraded));
    if (this.#isBypassed) return without(BYPASSED);
    const denied = this.#denials.reportOnCall(verb, keyed, nowUs);
    if (denied !== undefined) return denied;
    const parts = this.#port.cluster && keyed.length > 1 ? partsByOwner(keyed, ({ name }) => slotOf(name)) : [];
    if (parts.length < 2) return this.#ask(verb, keyed, nowUs, without);
    return applyToSlots(verb, parts, (asked, of, options) => this.answer(asked, of, nowUs, options)).catch(
      (error: unknown) => without(asPart(error)),
    );
  }

  take(call: KeyCall, nowUs: number): Promise<boolean>;
  take<T>(call: KeyCall, nowUs: number, read: (report: Report) => T): Promise<T>;
  take<T>(call: KeyCall, nowUs: number, read?: (report: Report) => T): Promise<T | boolean> {
    const wantsReport = read !== undefined;
    const denied = this.#isBypassed ? undefined : this.#denials.reportOn(call, nowUs, wantsReport);
    if (denied !== undefined) return Promise.resolve(wantsReport && read(denied));
    const keys = [call];
    const without: DecideWithout = (error) => this.decideWithout(error, "take", keys, nowUs);
    return new Promise((resolve) => {
      const waiter = { wantsReport, read, resolve, without };
      if (this.#isBypassed) answerWithout(waiter, BYPASSED);
      else this.#queue.add("take", keys, nowUs, waiter);
    });
  }

  /** Takes for calls that wait, and units in advance. `decideWithout` takes the error of a failure. */
  lease(call: KeyCall, nowUs: number, ask: LeaseAsk, waiter: LeaseWaiter): void {
    if (this.#isBypassed) waiter.failed(BYPASSED);
    else this.#queue.add("lease", [call], nowUs, waiter, { lease: ask });
  }

  blocks(scope: Scope, limiter: string, context: LimiterContext): AsyncBlocks {
    const plan = createPlan(limiterName(scope), limiter, []);
    const parts = { store: this, plan, limiter: limiterName(scope), fallback: "deny" as const, context };
    return new RedisBlocks(limiter, new RedisSpace({ ...parts, ...this.#options }), this);
  }

  reservation(id: string): KeptReservation {
    return this.keeper?.open(id) as KeptReservation;
  }

  /** Begins or ends an operator's block. @throws TollgateError `ERR_STORE` when the server is unavailable. */
  async setBlock(call: KeyCall, nowUs: number, block: ScriptBlock): Promise<boolean> {
    const answer = this.#askAlone("block", call, nowUs, { block });
    return (await answer.finally(() => this.#denials.forgetBlock(call.name))).admitted;
  }

  /** The block in force. @throws TollgateError `ERR_STORE` when the server is unavailable. */
  async findBlock(call: KeyCall, nowUs: number): Promise<ReportedBlock | undefined> {
    if (this.#bypass) throwStoreError(BYPASSED);
    return (await this.#askAlone("peek", call, nowUs)).block;
  }

  async drop(call: KeyCall, nowUs: number): Promise<void> {
    this.#checkOpen();
    const { fallback } = call.space;
    if (typeof fallback === "object") fallback.space.drop(call.key);
    await this.#askAlone("forget", call, nowUs);
  }

  async clear(space: RedisSpace, nowUs: number): Promise<void> {
    this.#checkOpen();
    const { fallback } = space;
    if (typeof fallback === "object") fallback.space.clear();
    this.#denials.clear();
    await this.scan.forgetAll(space, nowUs);
    this.#denials.clear();
  }

  /** Waits for the pending calls. The store accepts no more calls. */
  close(): Promise<void> {
    this.#isBypassed = false;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.close();
    this.#denials.clear();
    this.#link.close();
  }

  /** Asks the server. */
  #ask(
    verb: ScriptVerb,
    keys: readonly KeyCall[],
    nowUs: number,
    without: DecideWithout,
    options?: AskOptions,
  ): Promise<Report> {
    return new Promise<Report>((resolve) => {
      this.#queue.add(verb, keys, nowUs, { wantsReport: true, resolve, without }, options);
    });
  }

  /** Works like `#ask`, but no failure policy applies. */
  answer(verb: ScriptVerb, keys: readonly KeyCall[], nowUs: number, options?: AskOptions): Promise<Report> {
    return this.#ask(verb, keys, options?.nowUs ?? nowUs, rethrow, options);
  }

  /** Applies a verb to one key. @throws TollgateError `ERR_STORE` when the server is unavailable. */
  #askAlone(verb: ScriptVerb, call: KeyCall, nowUs: number, options?: AskOptions): Promise<Report> {
    return this.answer(verb, [call], nowUs, options).catch(throwStoreError);
  }

  /** @throws TollgateError `ERR_STORE` after `close`. */
  #checkOpen(): void {
    if (this.#closing !== undefined) throw closedError();
  }

  /** Decides while the server is unavailable. @throws the error, if it is no `UnavailableError`. */
  decideWithout(
    error: unknown,
    verb: Verb,
    calls: readonly KeyCall[],
    nowUs: number,
    taken?: readonly Taken[],
  ): Report {
    if (!(error instanceof UnavailableError)) throw error;
    return decideWithout(error, verb, calls, nowUs, taken, this.#notifier);
  }
}
