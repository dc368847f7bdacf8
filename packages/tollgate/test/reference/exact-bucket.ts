import type { LimitRules, LimitState, Wait } from "./limit-state.ts";
import type { ModelTokenBucket } from "./model-limit.ts";
import { ceilDiv, greatestCommonDivisor, larger } from "./whole-numbers.ts";

/**
 * The token bucket in exact rational arithmetic: no rounding, no saturation.
 *
 * With a rate of N/P units per microsecond in lowest terms a unit takes P/N µs to come back, so every moment that
 * matters is a rational with the denominator N. A moment is its numerator: `moment(us) = us·N`, a unit is P.
 */
export class ExactBucketRules implements LimitRules {
  readonly capacity: bigint;
  readonly recordsFirstTouch: boolean;
  readonly idleTtlUs: bigint;
  /** N */
  readonly momentsPerUs: bigint;
  /** P */
  readonly momentsPerUnit: bigint;

  constructor(limit: ModelTokenBucket) {
    const divisor = greatestCommonDivisor(limit.refill, limit.perUs);
    this.momentsPerUs = limit.refill / divisor;
    this.momentsPerUnit = limit.perUs / divisor;
    this.capacity = limit.capacity;
    this.recordsFirstTouch = limit.initial === "empty";
    this.idleTtlUs = this.recordsFirstTouch ? limit.idleTtlUs : 0n;
  }

  fresh(nowUs: bigint): ExactBucket {
    const missing = this.recordsFirstTouch ? this.capacity : 0n;
    return new ExactBucket(this, nowUs * this.momentsPerUs + missing * this.momentsPerUnit);
  }
}

export class ExactBucket implements LimitState {
  readonly #rules: ExactBucketRules;
  /** The moment at which the bucket is full, as a numerator over N. */
  readonly fullAt: bigint;

  constructor(rules: ExactBucketRules, fullAt: bigint) {
    this.#rules = rules;
    this.fullAt = fullAt;
  }

  conforms(nowUs: bigint, cost: bigint): boolean {
    const { capacity, momentsPerUnit } = this.#rules;
    return this.#missing(nowUs) + cost * momentsPerUnit <= capacity * momentsPerUnit;
  }

  take(nowUs: bigint, cost: bigint): ExactBucket {
    if (cost === 0n) return this;
    const { momentsPerUs, momentsPerUnit } = this.#rules;
    return new ExactBucket(this.#rules, larger(this.fullAt, nowUs * momentsPerUs) + cost * momentsPerUnit);
  }

  refund(nowUs: bigint, cost: bigint): ExactBucket {
    if (cost === 0n || this.#missing(nowUs) === 0n) return this;
    const { momentsPerUs, momentsPerUnit } = this.#rules;
    return new ExactBucket(this.#rules, larger(this.fullAt - cost * momentsPerUnit, nowUs * momentsPerUs));
  }

  giveBack(nowUs: bigint, units: bigint, untilUs: bigint): ExactBucket {
    return nowUs < untilUs ? this.refund(nowUs, units) : this;
  }

  waitUs(nowUs: bigint, cost: bigint): Wait {
    const { capacity, momentsPerUs, momentsPerUnit } = this.#rules;
    if (cost > capacity) return "never";
    const tooMuch = this.#missing(nowUs) + (cost - capacity) * momentsPerUnit;
    return tooMuch <= 0n ? 0n : ceilDiv(tooMuch, momentsPerUs);
  }

  used(nowUs: bigint): bigint {
    return ceilDiv(this.#missing(nowUs), this.#rules.momentsPerUnit);
  }

  resetUs(nowUs: bigint): bigint {
    return ceilDiv(this.#missing(nowUs), this.#rules.momentsPerUs);
  }

  /** Whether `cost` conforms less than one tick of `ticksPerUnit` later: a tick bucket may be early by that. */
  conformsWithinATick(nowUs: bigint, cost: bigint, ticksPerUnit: bigint): boolean {
    const { capacity, momentsPerUnit } = this.#rules;
    const tooMuch = this.#missing(nowUs) + (cost - capacity) * momentsPerUnit;
    return tooMuch * ticksPerUnit < momentsPerUnit;
  }

  /** The time until the bucket is full, as a numerator over N; 0 when it is full. */
  #missing(nowUs: bigint): bigint {
    return larger(this.fullAt - nowUs * this.#rules.momentsPerUs, 0n);
  }
}
