import { TollgateError } from "../../core/errors.ts";
import { Report } from "../../core/report.ts";
import type { Verb } from "../../core/store.ts";
import { Batcher } from "./batch/batcher.ts";
import type { CallEnd } from "./batch/call-end.ts";
import { Dispatcher } from "./batch/dispatcher.ts";
import { SingleWork } from "./batch/single-work.ts";
import type { KeyCall } from "./batch/work.ts";
import type { RedisPort } from "./clients/redis-port.ts";
import { Breaker, type BreakerState } from "./failure/breaker.ts";
import { within } from "./failure/deadline.ts";
import { Outage } from "./failure/outage.ts";
import { throwMeaning } from "./failure/throw-meaning.ts";
import type { CheckedRedisOptions } from "./options.ts";
import type { RedisSpace } from "./redis-space.ts";
import type { TransactionOutcome } from "./script/decode-reply.ts";
import type { ScriptVerb } from "./script/encode-call.ts";
import { type Ask, type AskOptions, applyToSlots } from "./several-slots.ts";
import { partsBySlot, type SlotPart } from "./slots.ts";

/** The server as the store asks it: in batches, each within its time, and not while the circuit is open. */
export class Server {
  readonly #port: RedisPort;
  readonly #breaker: Breaker;
  readonly #dispatcher: Dispatcher;
  readonly #batcher: Batcher;
  readonly #timeoutMs: number;

  constructor(port: RedisPort, options: CheckedRedisOptions, changed: (state: BreakerState) => void) {
    this.#port = port;
    this.#timeoutMs = options.timeoutMs;
    this.#breaker = new Breaker(changed);
    this.#dispatcher = new Dispatcher({ ...options, port, breaker: this.#breaker });
    this.#batcher = new Batcher(options.batch, port.cluster, (batch) => this.#dispatcher.send(batch));
  }

  get breaker(): BreakerState {
    return this.#breaker.state;
  }

  /** A take of which only the answer is wanted. */
  allow(call: KeyCall, nowUs: number, end: CallEnd): Promise<boolean> {
    return this.#batcher.allow(call, nowUs, end);
  }

  /** @throws Outage when the server could not be asked. */
  async apply(verb: Verb, calls: readonly KeyCall[], nowUs: number, end: CallEnd): Promise<Report> {
    const ask: Ask = async (asked, of, options) => {
      const { reports, decidedUs } = await this.#ask(asked, of, nowUs, end, options);
      return { report: reports[0] ?? new Report(), decidedUs };
    };
    const parts = this.#port.cluster && calls.length > 1 ? partsBySlot(calls) : [];
    return parts.length > 1 ? this.#applyInTime(verb, parts, ask) : (await ask(verb, calls)).report;
  }

  /** @throws TollgateError `ERR_STORE` when it could not be done. */
  async drop({ name }: KeyCall): Promise<void> {
    // After what was asked before it.
    this.#batcher.flush();
    await this.#tend(() => this.#port.unlink([name]));
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
      for (const { admitted } of outcomes) removed += admitted;
      for (const name of fresh) seen.add(name);
    }
    if (removed > 0) space.host.swept?.(removed, seen.size - removed);
    return removed;
  }

  close(): void {
    this.#batcher.flush();
    this.#dispatcher.close();
  }

  /**
   * However many slots are asked in turn, their call takes no longer than any other. Nothing more is taken once nobody waits, and so
   * what was taken is given back.
   */
  #applyInTime(verb: Verb, parts: readonly SlotPart[], ask: Ask): Promise<Report> {
    let isGivenUp = false;
    const askInTime: Ask = async (asked, of, options) => {
      if (isGivenUp && asked === "take") throw new Outage("timed out");
      return ask(asked, of, options);
    };
    return within(this.#timeoutMs, applyToSlots(verb, parts, askInTime), () => {
      isGivenUp = true;
    });
  }

  #ask(
    verb: ScriptVerb,
    calls: readonly KeyCall[],
    nowUs: number,
    end?: CallEnd,
    options?: AskOptions,
  ): Promise<TransactionOutcome> {
    const work = new SingleWork(verb, calls, options?.nowUs ?? nowUs, end, options);
    this.#batcher.add(work, work.nowUs);
    const changes = verb === "charge" || verb === "refund";
    return changes && end !== undefined ? end.changing(calls, work.outcome) : work.outcome;
  }

  #sweepKey(space: RedisSpace, name: string, nowUs: number): Promise<TransactionOutcome> {
    return this.#ask("drop", [space.callByName(name)], nowUs).catch(tellOperator);
  }

  async *#pages(space: RedisSpace): AsyncGenerator<readonly string[]> {
    const pages = this.#port.scan(space.head)[Symbol.asyncIterator]();
    for (;;) {
      const page = await this.#tend(() => pages.next());
      if (page.done === true) return;
      yield page.value;
    }
  }

  /** One call that an operator waits for: there is nobody to decide in the server's place. */
  #tend<T>(call: () => Promise<T>): Promise<T> {
    const answer = this.#breaker.run(() => within(this.#timeoutMs, call().catch(throwMeaning), () => {}));
    return answer.catch(tellOperator);
  }
}

function tellOperator(error: unknown): never {
  if (!(error instanceof Outage)) throw error;
  throw new TollgateError("ERR_STORE", `redisStore: the server could not be asked: ${error.reason}`, { cause: error });
}
