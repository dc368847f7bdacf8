import { TollgateError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { AsyncSpace, AsyncStore, Call, LimiterContext, TakenFrom, Verb } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { DenialMemory } from "./batch/denial-memory.ts";
import type { KeyCall } from "./batch/key-call.ts";
import { AnswerWaiter } from "./batch/waiter.ts";
import { findPort } from "./clients/find-port.ts";
import { DenyCache } from "./denials/deny-cache.ts";
import type { BreakerState } from "./failure/breaker.ts";
import { ASK_AGAIN_US, type FailurePolicy } from "./failure/failure-policy.ts";
import { failurePolicyOf } from "./failure/on-failure.ts";
import { BYPASSED, Outage, OVERLOADED } from "./failure/outage.ts";
import {
  type CheckedRedisOptions,
  checkRedisOptions,
  type RedisStoreObservation,
  type RedisStoreOptions,
} from "./options.ts";
import { RedisSpace, type SpaceOwner } from "./redis-space.ts";
import { SCRIPT_SHA } from "./script/sha.ts";
import { SCRIPT } from "./script/source.ts";
import { Server } from "./server.ts";

/** A store on a server that all nodes of a fleet share. */
export interface RedisStore extends AsyncStore {
  /** Whether the server is asked, or is being tried again after it failed. */
  readonly breaker: BreakerState;
  /**
   * The kill switch: while it is `true` the server is asked about no call, and `onFailure` decides. `reset`, `clear`, `sweep` and
   * `size` reach the server all the same.
   */
  bypass: boolean;
}

/**
 * One quota for a fleet, in Redis or Valkey: a decision is one round trip, whatever the number of limits, and those of one turn of
 * the event loop share it. When the server cannot be asked, `onFailure` decides within `timeoutMs`, and the decision says so.
 *
 * The script does the arithmetic of the algorithms in float64 as this package does: decisions are the same to the bit.
 *
 * @throws TollgateError `ERR_OPTION` that says what was expected and what came.
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
  const checked = checkRedisOptions(options);
  const policy = failurePolicyOf(checked.onFailure);
  const port = findPort(options.client, { sha: SCRIPT_SHA, source: SCRIPT });
  return new StoreOnServer(checked, policy, (memory, observe) => new Server(port, checked, memory, observe));
}

class StoreOnServer implements RedisStore, SpaceOwner, DenialMemory {
  readonly kind = "async";
  readonly #options: CheckedRedisOptions;
  readonly #policy: FailurePolicy;
  readonly #server: Server;
  readonly #denials: DenyCache;
  readonly #decideAlone = (error: unknown, call: KeyCall, nowUs: number): boolean =>
    this.#decideWithout(error, "take", [call], nowUs).admitted;
  #bypass = false;
  #closing: Promise<void> | undefined;

  constructor(
    options: CheckedRedisOptions,
    policy: FailurePolicy,
    connect: (memory: DenialMemory, changed: (state: BreakerState) => void) => Server,
  ) {
    this.#options = options;
    this.#policy = policy;
    this.#denials = new DenyCache(options.denyCache);
    this.#server = connect(this, (state) => this.#tell({ type: "breaker", state }));
  }

  get breaker(): BreakerState {
    return this.#server.breaker;
  }

  get bypass(): boolean {
    return this.#bypass;
  }

  set bypass(bypass: boolean) {
    if (bypass === this.#bypass) return;
    this.#bypass = bypass;
    this.#tell({ type: "bypass", bypass });
  }

  open(plan: Plan, host: LimiterContext): AsyncSpace {
    const { scope } = plan;
    if (typeof scope !== "string") {
      throw new TollgateError("ERR_NAME", "name: expected a name, by which all nodes know the limiter, got undefined");
    }
    const stand = this.#policy.open(plan, host);
    return new RedisSpace({ owner: this, plan, limiter: scope, stand, host, ...this.#options });
  }

  /** Makes as few promises as it can: of a flood there are many at a time. */
  transact(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell, takenFrom?: TakenFrom): Promise<Report> {
    this.#checkOpen();
    const nowUs = now[0]!;
    const keyed = calls.map(({ space, key, costs }) => (space as RedisSpace).call(key, costs, nowUs));
    const without = (error: unknown) => this.#decideWithout(error, verb, keyed, nowUs, takenFrom);
    // Corrected where it was made, though the server may be back.
    if (takenFrom?.degraded !== undefined) return Promise.resolve(without(new Outage(takenFrom.degraded)));
    if (this.#bypass) return Promise.resolve(without(BYPASSED));
    const denied = this.#deniedHere(verb, keyed, nowUs);
    if (denied !== undefined) return Promise.resolve(denied);
    const decided = this.#server.apply(verb, keyed, nowUs, without);
    return verb === "charge" || verb === "refund" ? this.#changing(keyed, decided) : decided;
  }

  allow(call: KeyCall, nowUs: number): Promise<boolean> {
    this.#checkOpen();
    if (this.#bypass) return Promise.resolve(this.#decideAlone(BYPASSED, call, nowUs));
    if (this.#denials.denies(call, nowUs)) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#server.ask("take", [call], nowUs, new AnswerWaiter(resolve, call, nowUs, this.#decideAlone));
    });
  }

  async drop(call: KeyCall, nowUs: number): Promise<void> {
    this.#checkOpen();
    call.space.stand.drop(call.key);
    await this.#changing([call], this.#server.drop(call, nowUs));
  }

  async clear(space: RedisSpace): Promise<void> {
    this.#checkOpen();
    space.stand.clear();
    this.#denials.clear();
    await this.#server.clear(space);
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

  admitted({ name }: KeyCall): void {
    this.#denials.forget(name);
  }

  denied(call: KeyCall, report: Report, nowUs: number, changes: number): void {
    this.#denials.note(call, report, nowUs, changes);
  }

  /** Remembers no denial of these keys while units are given back or charged. */
  #changing<T>(calls: readonly KeyCall[], work: Promise<T>): Promise<T> {
    return this.#denials.suspend(
      calls.map(({ name }) => name),
      work,
    );
  }

  /** @throws TollgateError `ERR_STORE` after `close`: connections that break would go unnoticed, and calls could count twice. */
  #checkOpen(): void {
    if (this.#closing === undefined) return;
    throw new TollgateError("ERR_STORE", "redisStore: expected a store that is open, got a call after close()");
  }

  #deniedHere(verb: Verb, calls: readonly KeyCall[], nowUs: number): Report | undefined {
    if (verb !== "take") return undefined;
    if (calls.length === 1) return this.#denials.reportOf(calls[0]!, nowUs);
    for (const { name } of calls) this.#denials.forget(name);
    return undefined;
  }

  /** @throws the error, if it is no outage. */
  #decideWithout(error: unknown, verb: Verb, calls: readonly KeyCall[], nowUs: number, takenFrom?: TakenFrom): Report {
    if (!(error instanceof Outage)) throw error;
    if (error.kind === "overload") return UNASKED;
    const report = this.#policy.decide(
      verb,
      calls.map(({ space, key, costs }) => ({ stand: space.stand, key, costs })),
      nowUs,
      takenFrom,
    );
    report.degraded = error.reason;
    return report;
  }

  #tell(observation: RedisStoreObservation): void {
    try {
      this.#options.observe?.(observation);
    } catch {
      // As the option says: a call that happens to see the change is not to fail for it.
    }
  }
}

/** Of calls that are too many, whatever the policy: or they would admit themselves. One for all of them: it is only read. */
const UNASKED = denyUnasked();

function denyUnasked(): Report {
  const report = new Report();
  report.admitted = false;
  report.unavailableForUs = ASK_AGAIN_US;
  report.degraded = OVERLOADED.reason;
  return report;
}
