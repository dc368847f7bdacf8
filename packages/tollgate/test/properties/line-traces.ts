import {
  createLimiter,
  DeniedError,
  fixedWindow,
  type Limit,
  type Limiter,
  type Observation,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import type { SyncStore } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { ModelLine } from "../reference/line.ts";
import { createModel, type Model } from "../reference/model.ts";
import { randomBelow } from "../stores/local/random-words.ts";
import { modelLimit } from "./limit-spec.ts";

/** A moment in 2026. */
const START_US = 1_790_000_000_123_000;
const KEY = "ann";

interface Side {
  readonly name: string;
  readonly limits: readonly Limit[];
  /** How much later than the truth a hint may be: what no report tells. */
  readonly lateUs: bigint;
}

const SIDES: readonly Side[] = [
  { name: "a bucket", limits: [tokenBucket({ capacity: 4, refill: 2, per: "1s" })], lateUs: 0n },
  { name: "a bucket of odd numbers", limits: [tokenBucket({ capacity: 7, refill: 11, per: "3s" })], lateUs: 5n },
  { name: "a sliding window", limits: [slidingWindow({ limit: 5, window: "2s" })], lateUs: 0n },
  { name: "a fixed window", limits: [fixedWindow({ limit: 5, window: "2s", anchor: "first-use" })], lateUs: 0n },
  {
    name: "three limits",
    limits: [slidingWindow({ limit: 5, window: "2s" }), perSecond(3), fixedWindow({ limit: 9, window: "5s" })],
    lateUs: 5n,
  },
];

/**
 * Plays calls that wait, calls that do not, aborts, refunds, charges and advances with the library and with the model.
 *
 * @throws Error at the first operation after which they differ.
 */
export async function playLines(createStore: () => SyncStore, seed: number, operations: number): Promise<void> {
  const side = SIDES[seed % SIDES.length]!;
  const trace = new Trace(side, createStore(), seed);
  for (let i = 0; i < operations; i += 1) {
    try {
      await trace.step();
    } catch (error) {
      throw new Error(`${side.name}, seed ${seed}, operation ${i}: ${String(error)}`, { cause: error });
    }
  }
}

/** Whose wait ended, how and when. */
type End = readonly [id: number, end: string, atUs: number | undefined];

/** Calls that are denied at one moment have no order. */
function endsOf(ends: readonly End[], meant: string): End[] {
  const some = ends.filter(([, end]) => end === meant);
  return meant === "denied" ? some.toSorted(([one], [other]) => one - other) : some;
}

class Trace {
  readonly #below: (bound: number) => number;
  readonly #clock = manualClock(START_US / 1000);
  readonly #limiter: Limiter;
  readonly #model: Model;
  readonly #line: ModelLine;
  readonly #lateUs: bigint;
  readonly #most: number;
  /** How the library's waits ended, in that order, as the model's. */
  readonly #ends: End[] = [];
  /** When they ended: promises tell only after the clock has moved on. */
  readonly #endsUs: number[] = [];
  readonly #signals = new Map<number, AbortController>();
  #nowUs = START_US;
  #nextId = 0;

  constructor({ limits, lateUs }: Side, store: SyncStore, seed: number) {
    this.#below = randomBelow(seed);
    this.#limiter = createLimiter({ limits, store, clock: this.#clock, observe: (one) => this.#note(one) });
    this.#model = createModel({ limits: limits.map(modelLimit) });
    this.#line = new ModelLine(this.#model, KEY);
    this.#lateUs = lateUs;
    this.#most = Math.min(...limits.map(({ capacity }) => capacity));
  }

  async step(): Promise<void> {
    const kind = this.#below(20);
    if (kind < 7) this.#wait();
    else if (kind < 9) this.#abort();
    else if (kind < 13) this.#advance();
    else if (kind < 17) this.#call();
    else this.#correct(kind);
    for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
    const expected = this.#line.ends.map(({ id, end, atUs }): End => [id, end, Number(atUs)]);
    for (const end of ["served", "denied"]) same(end, endsOf(this.#ends, end), endsOf(expected, end));
    this.#ends.length = 0;
    this.#line.ends.length = 0;
  }

  #wait(): void {
    const cost = this.#below(6) === 0 ? this.#most : 1 + this.#below(2);
    const id = this.#nextId;
    this.#nextId += 1;
    const waitUs = this.#line.waitUs(BigInt(cost), this.#now);
    // Often the very time that the wait takes, or a microsecond less, where the forecast is exact.
    const isExact = this.#lateUs === 0n && waitUs !== "never" && waitUs > 1n && this.#below(2) === 0;
    const longestUs = isExact ? Number(waitUs) - this.#below(2) : 1 + this.#below(6_000_000);
    const forUs = this.#below(3) === 0 ? longestUs : undefined;
    const signal = new AbortController();
    this.#signals.set(id, signal);
    const maxWait = forUs === undefined ? {} : { maxWait: forUs / 1000 };
    void this.#limiter.wait(KEY, cost, { signal: signal.signal, ...maxWait }).then(
      () => this.#ends.push([id, "served", this.#endsUs.shift()]),
      (error: unknown) => {
        if (error instanceof DeniedError) this.#ends.push([id, "denied", this.#endsUs.shift()]);
        else same("the reason of an abort", error, id);
      },
    );
    const deadlineUs = forUs === undefined ? undefined : this.#now + BigInt(forUs);
    this.#line.join({ id, cost: BigInt(cost), deadlineUs }, this.#now);
  }

  #abort(): void {
    const { waiters } = this.#line;
    const waiter = waiters[this.#below(Math.max(1, waiters.length))];
    if (waiter === undefined) return;
    this.#signals.get(waiter.id)?.abort(waiter.id);
    this.#line.abort(waiter.id, this.#now);
  }

  /** Often to the very moment at which the head is due. */
  #advance(): void {
    const head = this.#line.waiters[0];
    const dueUs =
      head === undefined
        ? 0
        : Math.max(0, ...this.#model.explain(KEY, this.#now, head.cost).map((one) => Number(one.retryAfterUs)));
    const byUs = this.#below(2) === 0 && dueUs > 0 ? dueUs - this.#below(2) : this.#below(1_500_000);
    this.#clock.advance(byUs / 1000);
    this.#nowUs += byUs;
    this.#line.serve(this.#now, this.#now - BigInt(byUs));
  }

  #call(): void {
    const cost = this.#below(4);
    const verb = (["allow", "consume", "peek"] as const)[this.#below(3)]!;
    const isBehind = this.#line.waiters.length > 0 && cost > 0;
    const waitUs = this.#line.waitUs(BigInt(cost), this.#now);
    const expected = isBehind
      ? false
      : this.#model.apply(verb === "peek" ? "peek" : "take", KEY, this.#now, BigInt(cost)).allowed;
    const result = this.#limiter[verb](KEY, cost);
    if (typeof result === "boolean") {
      same(verb, result, expected);
      return;
    }
    same(
      verb,
      [result.allowed, isBehind && !result.allowed && result.reason],
      [expected, isBehind && (waitUs === "never" ? "cost-over-capacity" : "others-waiting")],
    );
    if (!isBehind || waitUs === "never") return;
    const hintUs = BigInt(Math.round(result.retryAfterMs * 1000));
    if (hintUs < waitUs || hintUs > waitUs + this.#lateUs)
      throw new Error(`the hint: expected ${waitUs}, got ${hintUs}`);
  }

  #correct(kind: number): void {
    const cost = 1 + this.#below(3);
    if (kind === 17) {
      this.#limiter.charge(KEY, cost);
      this.#model.apply("charge", KEY, this.#now, BigInt(cost));
      this.#line.review(this.#now);
    } else if (kind === 18) {
      this.#limiter.refund(KEY, cost);
      this.#model.apply("refund", KEY, this.#now, BigInt(cost));
      this.#line.serve(this.#now);
    } else if (this.#below(4) === 0) {
      this.#limiter.reset(KEY);
      this.#model.reset(KEY);
      this.#line.serve(this.#now);
    }
  }

  #note(observation: Observation): void {
    if (observation.type !== "decision" || observation.verb !== "wait") return;
    this.#endsUs.push(Math.round(this.#clock.now() * 1000));
  }

  get #now(): bigint {
    return BigInt(this.#nowUs);
  }
}

function same(what: string, got: unknown, expected: unknown): void {
  if (JSON.stringify(got) === JSON.stringify(expected)) return;
  throw new Error(`${what}: got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
}
