import { TollgateError } from "../../core/errors.ts";
import type { Report } from "../../core/report.ts";
import type { Verb } from "../../core/store.ts";
import { Batcher } from "./batch/batcher.ts";
import type { DenialMemory } from "./batch/denial-memory.ts";
import { Dispatcher } from "./batch/dispatcher.ts";
import type { AskOptions, KeyCall } from "./batch/key-call.ts";
import { type Answer, ReportWaiter, type ReportWithout, type Waiter } from "./batch/waiter.ts";
import type { RedisPort } from "./clients/redis-port.ts";
import { Breaker, type BreakerState } from "./failure/breaker.ts";
import { monotonicMs } from "./failure/monotonic-time.ts";
import { CIRCUIT_OPEN, Outage, OVERLOADED, TIMED_OUT } from "./failure/outage.ts";
import { ReplyWatch } from "./failure/reply-watch.ts";
import { translateError } from "./failure/translate-error.ts";
import { withTimeout } from "./failure/with-timeout.ts";
import type { CheckedRedisOptions } from "./options.ts";
import type { RedisSpace } from "./redis-space.ts";
import type { ScriptVerb } from "./script/encode-call.ts";
import { applyToSlots } from "./several-slots.ts";
import { partsBySlot } from "./slots.ts";

/** A call that is not sent for so many timeouts, though the server answers others, is one too many. */
const MOST_TIMEOUTS = 10;

const LOOKS_PER_TIMEOUT = 4;

/** The server as the store asks it: in batches, as much at a time as it can bear, and not while the circuit is open. */
export class Server {
  readonly #port: RedisPort;
  readonly #options: CheckedRedisOptions;
  readonly #watch: ReplyWatch;
  readonly #breaker: Breaker;
  readonly #dispatcher: Dispatcher;
  readonly #batcher: Batcher;
  /** When it last looked for calls that wait for too long. */
  #lookedMs = 0;
  /** Set once the store is closed. */
  #drained: (() => void) | undefined;

  constructor(
    port: RedisPort,
    options: CheckedRedisOptions,
    memory: DenialMemory,
    changed: (state: BreakerState) => void,
  ) {
    this.#port = port;
    this.#options = options;
    const { timeoutMs, connectTimeoutMs } = options;
    this.#watch = new ReplyWatch({ timeoutMs, connectTimeoutMs, stepped: () => this.#step() });
    const probe = () => this.#dispatcher.probe(timeoutMs);
    this.#breaker = new Breaker((state) => {
      changed(state);
      if (state === "open") this.#batcher.failWaiting(CIRCUIT_OPEN, () => true);
    }, probe);
    this.#batcher = new Batcher({
      mostKeys: options.batch,
      bySlot: port.cluster,
      time: options.time,
      maxPending: options.maxPending,
      mayStart: () => this.#mayStart(),
      nowMs: () => this.#watch.nowMs,
      memory,
      send: (batch) => void this.#dispatcher.send(batch),
    });
    this.#dispatcher = new Dispatcher({ ...options, port, breaker: this.#breaker, watch: this.#watch }, this.#batcher);
  }

  get breaker(): BreakerState {
    return this.#breaker.state;
  }

  /** Asks the server about keys of one slot. The waiter gets the answer, or why there is none. */
  ask(verb: ScriptVerb, calls: readonly KeyCall[], nowUs: number, waiter: Waiter, options?: AskOptions): void {
    if (!this.#breaker.isClosed) {
      waiter.failed(CIRCUIT_OPEN);
      return;
    }
    this.#batcher.ask(verb, calls, nowUs, waiter, options);
  }

  /** What the server decides, or, where it does not, what is decided without it. */
  apply(verb: Verb, calls: readonly KeyCall[], nowUs: number, without: ReportWithout): Promise<Report> {
    const parts = this.#port.cluster && calls.length > 1 ? partsBySlot(calls) : [];
    if (parts.length > 1) {
      const answer = applyToSlots(verb, parts, (asked, of, options) => this.#answer(asked, of, nowUs, options));
      return answer.catch(without);
    }
    const waiter = new ReportWaiter(without);
    this.ask(verb, calls, nowUs, waiter);
    return waiter.report;
  }

  /** @throws TollgateError `ERR_STORE` when it could not be done. */
  async drop(call: KeyCall, nowUs: number): Promise<void> {
    // After what was asked before it.
    this.#batcher.flush();
    if (this.#batcher.isWaiting(call.name)) await this.#report("explain", [call], nowUs).catch(() => {});
    await this.#tend(() => this.#port.unlink([call.name]));
  }

  /** @throws TollgateError `ERR_STORE` when not all could be removed. */
  async clear(space: RedisSpace): Promise<void> {
    this.#batcher.flush();
    for await (const names of this.#pages(space)) await this.#tend(() => this.#port.unlink(names));
  }

  /** @throws TollgateError `ERR_STORE` when they could not be counted. */
  async size(space: RedisSpace): Promise<number> {
    this.#batcher.flush();
    const seen = new Set<string>();
    for await (const names of this.#pages(space)) for (const name of names) seen.add(name);
    return seen.size;
  }

  /** @throws TollgateError `ERR_STORE` when not all could be looked at. */
  async sweep(space: RedisSpace, nowUs: number): Promise<number> {
    this.#batcher.flush();
    const seen = new Set<string>();
    let removed = 0;
    for await (const names of this.#pages(space)) {
      const fresh = names.filter((name) => !seen.has(name));
      const outcomes = await Promise.all(fresh.map((name) => this.#sweepKey(space, name, nowUs)));
      for (const { admitted } of outcomes) if (admitted) removed += 1;
      for (const name of fresh) seen.add(name);
    }
    if (removed > 0) space.host.onSweep?.(removed, seen.size - removed);
    return removed;
  }

  /** Lets the calls that are under way end, and nothing more begin. */
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

  /** Whether the client has had neither a connection so far nor the time to make one. */
  get #isConnecting(): boolean {
    return this.#watch.isPatient && !this.#port.connected;
  }

  /** While it may not, the watch looks again. The client may have begun to connect only after the calls came. */
  #mayStart(): boolean {
    if (!this.#isConnecting) return true;
    this.#watch.start();
    return false;
  }

  /** Looks after what waits. Says whether something does. */
  #step(): boolean {
    if (!this.#isConnecting) this.#batcher.flush();
    if (!this.#watch.isPatient) this.#failLate();
    if (this.#batcher.pending > 0) return true;
    this.#drained?.();
    return false;
  }

  /** Seldom: it looks at all that waits. */
  #failLate(): void {
    const { timeoutMs } = this.#options;
    const { nowMs } = this.#watch;
    if (nowMs - this.#lookedMs < timeoutMs / LOOKS_PER_TIMEOUT) return;
    this.#lookedMs = nowMs;
    this.#batcher.failWaiting(TIMED_OUT, (work) => this.#watch.isSilent(this.#batcher.slotOf(work), work.sinceMs));
    const sinceMs = nowMs - MOST_TIMEOUTS * timeoutMs;
    this.#batcher.failWaiting(OVERLOADED, (work) => work.sinceMs <= sinceMs);
  }

  #report(verb: ScriptVerb, calls: readonly KeyCall[], nowUs: number): Promise<Report> {
    const waiter = new ReportWaiter();
    this.ask(verb, calls, nowUs, waiter);
    return waiter.report;
  }

  async #answer(verb: ScriptVerb, calls: readonly KeyCall[], nowUs: number, options?: AskOptions): Promise<Answer> {
    const waiter = new ReportWaiter();
    this.ask(verb, calls, options?.nowUs ?? nowUs, waiter, options);
    return { report: await waiter.report, decidedUs: waiter.decidedUs };
  }

  #sweepKey(space: RedisSpace, name: string, nowUs: number): Promise<Report> {
    return this.#report("drop", [space.callByName(name)], nowUs).catch(tellOperator);
  }

  async *#pages(space: RedisSpace): AsyncGenerator<readonly string[]> {
    const pages = this.#port.scan(space.head)[Symbol.asyncIterator]();
    for (;;) {
      const page = await this.#tend(() => pages.next());
      if (page.done === true) return;
      yield page.value;
    }
  }

  /** One call that an operator waits for: nothing decides in the server's place. */
  async #tend<T>(call: () => Promise<T>): Promise<T> {
    if (!this.#breaker.isClosed) return tellOperator(CIRCUIT_OPEN);
    const sentAtMs = monotonicMs();
    try {
      const answer = await withTimeout(this.#watch.leftMs, call().catch(translateError));
      this.#breaker.succeeded();
      return answer;
    } catch (error) {
      if (error instanceof Outage && error.kind === "server") this.#breaker.failed(sentAtMs);
      return tellOperator(error);
    }
  }
}

function tellOperator(error: unknown): never {
  if (!(error instanceof Outage)) throw error;
  throw new TollgateError("ERR_STORE", `redisStore: the server could not be asked: ${error.reason}`, { cause: error });
}
