import type { AsyncBlocks, ReportedBlock } from "../../core/blocks.ts";
import { optionError } from "../../core/check-options.ts";
import { TollgateError } from "../../core/errors.ts";
import { createPlan, type Plan, type Scope } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { AsyncSpace, AsyncStore, Call, LimiterContext } from "../../core/store.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import type { SentBatch, StoreReadings } from "../../core/store-readings.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Verb } from "../../core/verbs.ts";
import type { KeyCall } from "./batch/key-call.ts";
import { AnswerWaiter, type LeaseWaiter } from "./batch/waiter.ts";
import type { DenialMemory } from "./batch/work.ts";
import { checkClient } from "./clients/check-client.ts";
import { findPort } from "./clients/find-port.ts";
import { DenyCache } from "./denials/deny-cache.ts";
import type { BreakerState } from "./failure/breaker.ts";
import { type FailurePolicy, NO_QUOTA_STATE, RETRY_HINT_US } from "./failure/failure-policy.ts";
import { failurePolicyOf } from "./failure/on-failure.ts";
import { BYPASSED, OVERLOADED, UnavailableError } from "./failure/unavailable-error.ts";
import { Notifier } from "./notifier.ts";
import { type BlockOperations, RedisBlocks } from "./redis-blocks.ts";
import { type CheckedRedisOptions, checkRedisOptions, type RedisStoreOptions } from "./redis-options.ts";
import { RedisSpace, type StoreOperations } from "./redis-space.ts";
import { isNamedByMoment } from "./script/algorithms.ts";
import type { LeaseAsk } from "./script/lease.ts";
import { SCRIPT_VERBS } from "./script/script-verbs.ts";
import { SCRIPT, SCRIPT_SHA } from "./script/source.generated.ts";
import type { ScriptBlock } from "./script/transaction.ts";
import { Server, throwStoreError } from "./server.ts";

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
  return connectStore(options);
}

/** The store as the stores on top of it see it. Throws as `redisStore`. */
export function connectStore(options: RedisStoreOptions): StoreOnServer {
  const checked = checkRedisOptions(options);
  const policy = failurePolicyOf(checked.onFailure);
  checkClient(options.client);
  const port = findPort(options.client, { sha: SCRIPT_SHA, source: SCRIPT });
  return new StoreOnServer(checked, policy, (memory, observe) => new Server(port, checked, memory, observe));
}

/** @throws TollgateError `ERR_NAME` for a limiter without a name. */
function nameOf(scope: Scope): string {
  if (typeof scope === "string") return scope;
  throw new TollgateError("ERR_NAME", "name: expected a name, by which all nodes know the limiter, got undefined");
}

/** The store of a server. */
export class StoreOnServer implements RedisStore, StoreOperations, BlockOperations, DenialMemory {
  readonly kind = "async";
  readonly label = "redis";
  readonly #options: CheckedRedisOptions;
  readonly #policy: FailurePolicy;
  readonly #notifier: Notifier;
  readonly #server: Server;
  readonly #denials: DenyCache;
  readonly #decideAlone = (error: unknown, call: KeyCall, nowUs: number): boolean =>
    this.decideWithout(error, "take", [call], nowUs).admitted;
  #bypass = false;
  #closing: Promise<void> | undefined;

  constructor(
    options: CheckedRedisOptions,
    policy: FailurePolicy,
    connect: (memory: DenialMemory, notify: (observation: StoreObservation) => void) => Server,
  ) {
    this.#options = options;
    this.#policy = policy;
    this.#notifier = new Notifier(options);
    this.#denials = new DenyCache(options.denyCache);
    this.#server = connect(this, (observation) => this.#notifier.notify(observation));
  }

  get breaker(): BreakerState {
    return this.#server.breaker;
  }

  get bypass(): boolean {
    return this.#bypass;
  }

  set bypass(bypass: boolean) {
    if (typeof bypass !== "boolean") throw optionError("bypass", "true or false", bypass);
    if (bypass === this.#bypass) return;
    this.#bypass = bypass;
    this.#notifier.notify({ type: "bypass", bypass });
  }

  observe(observer: (observation: StoreObservation) => void): () => void {
    return this.#notifier.add(observer);
  }

  readings(): StoreReadings {
    return { breaker: this.breaker };
  }

  watchBatches(watch: (batch: SentBatch) => void): () => void {
    return this.#server.watchBatches(watch);
  }

  open(plan: Plan, context: LimiterContext): RedisSpace {
    const limiter = nameOf(plan.scope);
    this.#notifier.opened(context);
    const quotaState = this.#policy.open(plan, context);
    return new RedisSpace({ store: this, plan, limiter, quotaState, context, ...this.#options });
  }

  /** Creates few promises, because a flood has many calls at a time. */
  transact(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell, taken?: readonly Taken[]): Promise<Report> {
    this.#checkOpen();
    const nowUs = now[0]!;
    const keyed = calls.map(({ space, key, costs }, i): KeyCall => {
      const call = (space as RedisSpace).call(key, costs, nowUs);
      return taken === undefined ? call : { ...call, untilUs: endsOf(space.plan, taken[i]!, nowUs) };
    });
    const without = (error: unknown) => this.decideWithout(error, verb, keyed, nowUs, taken);
    // A degraded decision is corrected in its quota state, even if the server is back.
    const degraded = taken?.[0]?.degraded;
    if (degraded !== undefined) return Promise.resolve(without(new UnavailableError(degraded)));
    if (this.#bypass) return Promise.resolve(without(BYPASSED));
    const denied = this.#cachedDenial(verb, keyed, nowUs);
    if (denied !== undefined) return Promise.resolve(denied);
    const decided = this.#server.apply(verb, keyed, nowUs, without);
    return SCRIPT_VERBS[verb].settles ? this.#denials.suspend(keyed, decided) : decided;
  }

  allow(call: KeyCall, nowUs: number): Promise<boolean> {
    this.#checkOpen();
    if (this.#bypass) return Promise.resolve(this.#decideAlone(BYPASSED, call, nowUs));
    if (this.#denials.denies(call, nowUs)) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#server.ask("take", [call], nowUs, new AnswerWaiter(resolve, call, nowUs, this.#decideAlone));
    });
  }

  /** Takes for calls that wait, and units in advance. `decideWithout` takes the error of a failure. */
  lease(call: KeyCall, nowUs: number, ask: LeaseAsk, waiter: LeaseWaiter): void {
    if (this.#bypass || this.#closing !== undefined) waiter.failed(this.#bypass ? BYPASSED : closedError());
    else this.#server.ask("lease", [call], nowUs, waiter, { lease: ask });
  }

  blocks(scope: Scope, limiter: string, context: LimiterContext): AsyncBlocks {
    const plan = createPlan(nameOf(scope), limiter, []);
    const parts = { store: this, plan, limiter: nameOf(scope), quotaState: NO_QUOTA_STATE, context };
    return new RedisBlocks(limiter, new RedisSpace({ ...parts, ...this.#options }), this);
  }

  /** Begins or ends an operator's block. @throws TollgateError `ERR_STORE` when the server is unavailable. */
  async setBlock(call: KeyCall, nowUs: number, block: ScriptBlock): Promise<boolean> {
    this.#checkOpen();
    this.#denials.forgetBlock(call.name);
    const { admitted } = await this.#server.askAlone("block", call, nowUs, { block });
    this.#denials.forgetBlock(call.name);
    return admitted;
  }

  /** The block in force. @throws TollgateError `ERR_STORE` when the server is unavailable. */
  async findBlock(call: KeyCall, nowUs: number): Promise<ReportedBlock | undefined> {
    this.#checkOpen();
    if (this.#bypass) throwStoreError(BYPASSED);
    return (await this.#server.askAlone("peek", call, nowUs)).block;
  }

  async drop(call: KeyCall, nowUs: number): Promise<void> {
    this.#checkOpen();
    call.space.quotaState.drop(call.key);
    await this.#denials.suspend([call], this.#server.drop(call, nowUs));
  }

  async clear(space: RedisSpace, nowUs: number): Promise<void> {
    this.#checkOpen();
    space.quotaState.clear();
    this.#denials.clear();
    await this.#server.clear(space, nowUs);
    this.#denials.clear();
  }

  async size(space: RedisSpace): Promise<number> {
    this.#checkOpen();
    return this.#server.size(space);
  }

  async sweep(space: RedisSpace, nowUs: number): Promise<number> {
    this.#checkOpen();
    return this.#server.sweep(space, nowUs);
  }

  close(): Promise<void> {
    this.#closing ??= this.#server.close();
    return this.#closing;
  }

  get changes(): number {
    return this.#denials.changes;
  }

  admitted(call: KeyCall): void {
    this.#denials.forget(call);
  }

  denied(call: KeyCall, report: Report, nowUs: number, changes: number): void {
    this.#denials.note(call, report, nowUs, changes);
  }

  /**
   * @throws TollgateError `ERR_STORE` after `close`. The store no longer notices lost connections then, so calls could
   * count twice.
   */
  #checkOpen(): void {
    if (this.#closing === undefined) return;
    throw closedError();
  }

  #cachedDenial(verb: Verb, calls: readonly KeyCall[], nowUs: number): Report | undefined {
    const { decides, changes } = SCRIPT_VERBS[verb];
    if (!(decides && changes)) return undefined;
    if (calls.length === 1) return this.#denials.reportOf(calls[0]!, nowUs);
    for (const call of calls) this.#denials.forget(call);
    return undefined;
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
    if (error.kind === "overload") return OVERLOAD_DENIAL;
    if (error !== BYPASSED && taken?.[0]?.degraded === undefined) {
      this.#notifier.degraded(
        error.reason,
        calls.map(({ space }) => space.context),
      );
    }
    const report = this.#policy.decide(
      verb,
      calls.map(({ space, key, costs }) => ({ quotaState: space.quotaState, key, costs })),
      nowUs,
      taken,
    );
    report.degraded = error.reason;
    return report;
  }
}

/** Until when units count, by the server's time. What no moment names was noted by the limiter's clock. */
function endsOf({ limits }: Plan, { untilUs }: Taken, nowUs: number): readonly number[] {
  return untilUs.map((us, i) => (isNamedByMoment(limits[i]!) ? us : us > nowUs ? Number.MAX_SAFE_INTEGER : 0));
}

export function closedError(): TollgateError {
  return new TollgateError("ERR_STORE", "redisStore: expected a store that is open, got a call after close()");
}

/**
 * The denial of calls beyond `maxPending`. It applies under every policy: otherwise a flood would admit itself. All
 * such calls share it, and only read it.
 */
const OVERLOAD_DENIAL = overloadDenial();

function overloadDenial(): Report {
  const report = new Report();
  report.admitted = false;
  report.unavailableForUs = RETRY_HINT_US;
  report.degraded = OVERLOADED.reason;
  return report;
}
