import type { LimitRules, LimitState, Wait } from "./limit-state.ts";
import type { ModelTokenBucket } from "./model-limit.ts";
import { type TickScale, tickScale } from "./tick-scale.ts";
import { ceilDiv, larger, smaller } from "./whole-numbers.ts";

/** The token bucket as specified: its whole state is the tick at which it will be full. */
export class TickBucketRules implements LimitRules {
  readonly capacity: bigint;
  readonly recordsFirstTouch: boolean;
  readonly idleTtlUs: bigint;
  readonly scale: TickScale;

  constructor(limit: ModelTokenBucket) {
    this.capacity = limit.capacity;
    this.recordsFirstTouch = limit.initial === "empty";
    this.idleTtlUs = this.recordsFirstTouch ? limit.idleTtlUs : 0n;
    this.scale = tickScale(limit);
  }

  fresh(nowUs: bigint): TickBucket {
    const missing = this.recordsFirstTouch ? this.capacity * this.scale.ticksPerUnit : 0n;
    return new TickBucket(this, this.scale.ticks(nowUs) + missing);
  }
}

export class TickBucket implements LimitState {
  readonly #rules: TickBucketRules;
  readonly fullAt: bigint;

  constructor(rules: TickBucketRules, fullAt: bigint) {
    this.#rules = rules;
    this.fullAt = fullAt;
  }

  conforms(nowUs: bigint, cost: bigint): boolean {
    const now = this.#rules.scale.ticks(nowUs);
    return larger(this.fullAt, now) + this.#beyondCapacity(cost) <= now;
  }

  take(nowUs: bigint, cost: bigint): TickBucket {
    if (cost === 0n) return this;
    const { ticks, ticksPerUnit, mostDebt } = this.#rules.scale;
    const now = ticks(nowUs);
    const fullAt = smaller(larger(this.fullAt, now) + cost * ticksPerUnit, now + mostDebt);
    return new TickBucket(this.#rules, larger(this.fullAt, fullAt));
  }

  refund(nowUs: bigint, cost: bigint): TickBucket {
    const { ticks, ticksPerUnit } = this.#rules.scale;
    const now = ticks(nowUs);
    if (cost === 0n || this.fullAt <= now) return this;
    return new TickBucket(this.#rules, larger(this.fullAt - cost * ticksPerUnit, now));
  }

  giveBack(nowUs: bigint, units: bigint, untilUs: bigint): TickBucket {
    return nowUs < untilUs ? this.refund(nowUs, units) : this;
  }

  waitUs(nowUs: bigint, cost: bigint): Wait {
    if (cost > this.#rules.capacity) return "never";
    // Since cost <= capacity, a moment that is not later than now means no wait.
    return larger(this.#rules.scale.firstUs(this.fullAt + this.#beyondCapacity(cost)) - nowUs, 0n);
  }

  used(nowUs: bigint): bigint {
    const { ticks, ticksPerUnit } = this.#rules.scale;
    return ceilDiv(larger(this.fullAt - ticks(nowUs), 0n), ticksPerUnit);
  }

  resetUs(nowUs: bigint): bigint {
    return larger(this.#rules.scale.firstUs(this.fullAt) - nowUs, 0n);
  }

  /** The ticks by which the cost exceeds a full bucket; negative if it is less. */
  #beyondCapacity(cost: bigint): bigint {
    return (cost - this.#rules.capacity) * this.#rules.scale.ticksPerUnit;
  }
}
