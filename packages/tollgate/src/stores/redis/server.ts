import { TollgateError } from "../../core/errors.ts";
import type { Report } from "../../core/report.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import type { SentBatch } from "../../core/store-readings.ts";
import type { Verb } from "../../core/verbs.ts";
import { Batcher } from "./batch/batcher.ts";
import { Dispatcher } from "./batch/dispatcher.ts";
import type { AskOptions, KeyCall } from "./batch/key-call.ts";
import { type Answer, ReportWaiter, type ReportWithout, type Waiter } from "./batch/waiter.ts";
import type { DenialMemory } from "./batch/work.ts";
import { CALLS_AT_ONCE, inPortions } from "./clients/portions.ts";
import type { RedisPort } from "./clients/redis-port.ts";
import { partsBySlot } from "./cluster-slots.ts";
import { monotonicMs } from "./event-loop.ts";
import { Breaker, type BreakerState } from "./failure/breaker.ts";
import { ReplyWatch } from "./failure/reply-watch.ts";
import { translateError } from "./failure/translate-error.ts";
import { CIRCUIT_OPEN, causeOf, OVERLOADED, TIMED_OUT, UnavailableError } from "./failure/unavailable-error.ts";
import { withTimeout } from "./failure/with-timeout.ts";
import type { CheckedRedisOptions } from "./redis-options.ts";
import type { RedisSpace } from "./redis-space.ts";
import type { ScriptVerb } from "./script/transaction.ts";
import { applyToSlots } from "./several-slots.ts";

/** A call that is queued for so many timeouts is denied as overload, even if the server answers other calls. */
const MOST_TIMEOUTS = 10;

/** How often per timeout it checks for late calls. */
const CHECKS_PER_TIMEOUT = 4;

/**
 * Sends the store's calls to the server: in batches, with bounded work in flight, and not while the circuit is open.
 */
export class Server {
  readonly #port: RedisPort;
  readonly #options: CheckedRedisOptions;
  readonly #watch: ReplyWatch;
  readonly #breaker: Breaker;
  readonly #dispatcher: Dispatcher;
  readonly #batcher: Batcher;
  /** When it last checked for late calls. */
  #checkedMs = 0;
  /** Set while `close` waits for pending calls. */
  #drained: (() => void) | undefined;

  constructor(
    port: RedisPort,
    options: CheckedRedisOptions,
    memory: DenialMemory,
    notify: (observation: StoreObservation) => void,
  ) {
    this.#port = port;
    this.#options = options;
    const { timeoutMs, connectTimeoutMs } = options;
    this.#watch = new ReplyWatch({ timeoutMs, connectTimeoutMs, onStep: () => this.#step() });
    this.#breaker = new Breaker({
      probe: () => this.#dispatcher.probe(timeoutMs),
      down: (cause) => {
        notify({ type: "down", cause });
        this.#batcher.failWaiting(CIRCUIT_OPEN, () => true);
      },
      up: (downForMs) => notify({ type: "up", downForMs }),
      probeFailed: (error) => notify({ type: "probe", cause: causeOf(error) }),
    });
    this.#batcher = new Batcher({
      mostKeys: options.batch,
      bySlot: port.cluster,
      byLimitersClock: options.byLimitersClock,
      maxPending: options.maxPending,
      mayStart: () => this.#mayStart(),
      nowMs: () => this.#watch.nowMs,
      memory,
      send: (batch) => this.#dispatcher.send(batch),
      deliver: (slot, sinceMs, works, ended) => this.#dispatcher.deliver(slot, sinceMs, works, ended),
    });
    this.#dispatcher = new Dispatcher({ ...options, port, breaker: this.#breaker, watch: this.#watch }, this.#batcher);
  }

  get breaker(): BreakerState {
    return this.#breaker.state;
  }

  /** Calls back when a batch has ended. Returns a function that ends this. */
  watchBatches(watch: (batch: SentBatch) => void): () => void {
    return this.#dispatcher.watches.add(watch);
  }

  /** Applies a verb to keys of one slot. The waiter gets the answer or the error. */
  ask(verb: ScriptVerb, calls: readonly KeyCall[], nowUs: number, waiter: Waiter, options?: AskOptions): void {
    if (!this.#breaker.isClosed) {
      waiter.failed(CIRCUIT_OPEN);
      return;
    }
    this.#batcher.ask(verb, calls, nowUs, waiter, options);
  }

  /** The server's decision, or that of `without` if the server is unavailable. */
  apply(
    verb: Verb,
    calls: readonly KeyCall[],
    nowUs: number,
    without: ReportWithout,
    own?: AskOptions,
  ): Promise<Report> {
    const parts = this.#port.cluster && calls.length > 1 ? partsBySlot(calls) : [];
    if (parts.length > 1) {
      const answer = applyToSlots(verb, parts, (asked, of, options) => this.#answer(asked, of, nowUs, options ?? own));
      return answer.catch(without);
    }
    const waiter = new ReportWaiter(without);
    this.ask(verb, calls, nowUs, waiter, own);
    return waiter.report;
  }

  /** Applies a verb to one key. @throws TollgateError `ERR_STORE` when the server is unavailable. */
  askAlone(verb: ScriptVerb, call: KeyCall, nowUs: number, options?: AskOptions): Promise<Report> {
    return this.#report(verb, [call], nowUs, options).catch(throwStoreError);
  }

  /** @throws TollgateError `ERR_STORE` when the server is unavailable. */
  async drop(call: KeyCall, nowUs: number): Promise<void> {
    // After the earlier calls for the key.
    this.#batcher.flush();
    if (this.#dispatcher.describing !== undefined) await this.#dispatcher.describing;
    await this.askAlone("forget", call, nowUs);
  }

  /** @throws TollgateError `ERR_STORE` when the server becomes unavailable before all keys were removed. */
  async clear(space: RedisSpace, nowUs: number): Promise<void> {
    this.#batcher.flush();
    for await (const names of this.#pages(space)) {
      const forget = (name: string) => this.askAlone("forget", space.callByName(name), nowUs);
      const atOnce = Math.min(CALLS_AT_ONCE, this.#options.maxPending);
      await inPortions(names, atOnce, (some) => Promise.all(some.map(forget)));
    }
  }

  /** @throws TollgateError `ERR_STORE` when the server is unavailable. */
  async size(space: RedisSpace): Promise<number> {
    this.#batcher.flush();
    const seen = new Set<string>();
    for await (const names of this.#pages(space)) for (const name of names) seen.add(name);
    return seen.size;
  }

  /** @throws TollgateError `ERR_STORE` when the server becomes unavailable before all keys were checked. */
  async sweep(space: RedisSpace, nowUs: number): Promise<number> {
    this.#batcher.flush();
    const seen = new Set<string>();
    let removed = 0;
    for await (const names of this.#pages(space)) {
      const fresh = names.filter((name) => !seen.has(name));
      const outcomes = await Promise.all(fresh.map((name) => this.askAlone("drop", space.callByName(name), nowUs)));
      for (const { admitted } of outcomes) if (admitted) removed += 1;
      for (const name of fresh) seen.add(name);
    }
    if (removed > 0) space.context.onSweep?.(removed, seen.size - removed);
    return removed;
  }

  /** Waits for the pending calls. The store accepts no more calls. */
  async close(): Promise<void> {
    if (this.#batcher.pending > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
        this.#batcher.flush();
        this.#watch.start();
      });
    }
    this.#dispatcher.close();
    this.#breaker.close();
  }

  /** Whether the client is still within the time for its first connection. */
  get #isConnecting(): boolean {
    return this.#watch.isPatient && !this.#port.connected;
  }

  /** If not, the watch checks again: the client may connect with the first call. */
  #mayStart(): boolean {
    if (!this.#isConnecting) return true;
    this.#watch.start();
    return false;
  }

  /** Sends or fails waiting calls. Returns whether calls are pending. */
  #step(): boolean {
    if (!this.#isConnecting) this.#batcher.flush();
    if (!this.#watch.isPatient) this.#failLate();
    if (this.#batcher.pending > 0) return true;
    this.#drained?.();
    return false;
  }

  /** Fails late calls. It visits all waiting calls, so it runs only a few times per timeout. */
  #failLate(): void {
    const { timeoutMs } = this.#options;
    const { nowMs } = this.#watch;
    if (nowMs - this.#checkedMs < timeoutMs / CHECKS_PER_TIMEOUT) return;
    this.#checkedMs = nowMs;
    this.#batcher.failWaiting(TIMED_OUT, (work) => this.#watch.isSilent(this.#batcher.slotOf(work), work.sinceMs));
    const sinceMs = nowMs - MOST_TIMEOUTS * timeoutMs;
    this.#batcher.failWaiting(OVERLOADED, (work) => work.sinceMs <= sinceMs);
  }

  #report(verb: ScriptVerb, calls: readonly KeyCall[], nowUs: number, options?: AskOptions): Promise<Report> {
    const waiter = new ReportWaiter();
    this.ask(verb, calls, nowUs, waiter, options);
    return waiter.report;
  }

  async #answer(verb: ScriptVerb, calls: readonly KeyCall[], nowUs: number, options?: AskOptions): Promise<Answer> {
    const waiter = new ReportWaiter();
    this.ask(verb, calls, options?.nowUs ?? nowUs, waiter, options);
    return { report: await waiter.report, decidedUs: waiter.decidedUs };
  }

  async *#pages(space: RedisSpace): AsyncGenerator<readonly string[]> {
    const pages = this.#port.scan(space.head)[Symbol.asyncIterator]();
    for (;;) {
      const page = await this.#administer(() => pages.next());
      if (page.done === true) return;
      yield page.value;
    }
  }

  /** Runs an administrative call. No failure policy applies. */
  async #administer<T>(call: () => Promise<T>): Promise<T> {
    if (!this.#breaker.isClosed) return throwStoreError(CIRCUIT_OPEN);
    const sentAtMs = monotonicMs();
    try {
      const answer = await withTimeout(this.#watch.leftMs, call().catch(translateError));
      this.#breaker.succeeded();
      return answer;
    } catch (error) {
      if (error instanceof UnavailableError && error.kind === "server") this.#breaker.failed(sentAtMs, error.reason);
      return throwStoreError(error);
    }
  }
}

export function throwStoreError(error: unknown): never {
  if (!(error instanceof UnavailableError)) throw error;
  throw new TollgateError("ERR_STORE", `redisStore: the server could not be asked: ${error.reason}`, { cause: error });
}
