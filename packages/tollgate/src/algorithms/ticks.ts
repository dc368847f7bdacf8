import { type TickScale, tickScale } from "../core/limits/tick-scale.ts";

/** Ticks and unit counts stay whole numbers up to here. */
export const LAST_EXACT: number = Number.MAX_SAFE_INTEGER;

/** Ticks are exact within 20 years of their origin; beyond, another origin is needed. */
export const REACH_US: number = 20 * 365.25 * 86_400_000_000;

/**
 * Time counted in one token bucket's own units. A tick is a fixed part of a unit, so that a bucket's state, a moment in
 * ticks, is an exact integer in a float64 (docs/internals/ticks.md).
 */
export class Ticks {
  readonly #scale: TickScale;
  /** Ticks count from here. For inexact scales it is a multiple of the period, so that all origins round alike. */
  readonly originUs: number;
  readonly #ticksPerPeriod: number;
  readonly #ticksPerUs: number;
  /** A product this close to a whole number may be on its other side. */
  readonly #doubt: number;

  constructor(capacity: number, refill: number, perUs: number, originUs: number) {
    const scale = tickScale(capacity, refill, perUs);
    this.#scale = scale;
    this.originUs = scale.exact ? originUs : Math.floor(originUs / scale.periodUs) * scale.periodUs;
    this.#ticksPerPeriod = scale.units * scale.ticksPerUnit;
    this.#ticksPerUs = scale.exact ? scale.units : this.#ticksPerPeriod / scale.periodUs;
    this.#doubt = this.#ticksPerPeriod * 2 ** -51;
  }

  /**
   * The most ticks that a bucket may be from full: the exact integers beyond its reach. This is at least four
   * capacities, and does not depend on the origin.
   */
  get mostDebt(): number {
    return LAST_EXACT - this.#ticksAfter(REACH_US) - this.#ticksPerPeriod;
  }

  get exact(): boolean {
    return this.#scale.exact;
  }

  /** Ticks in a microsecond; a whole number if ticks are exact. */
  get perUs(): number {
    return this.#ticksPerUs;
  }

  /** Ticks in a unit. */
  get perUnit(): number {
    return this.#scale.ticksPerUnit;
  }

  /** The last tick that is not after this moment. */
  at(us: number): number {
    return this.#ticksAfter(us - this.originUs);
  }

  /** The least whole number of microseconds after which this tick has come: 0 if it has. */
  untilUs(ticks: number, nowUs: number): number {
    const elapsedUs = this.#scale.exact ? Math.ceil(ticks / this.#ticksPerUs) : this.#inexactUsAt(ticks);
    return Math.max(0, elapsedUs - (nowUs - this.originUs));
  }

  /** The first whole microsecond after the origin at which this tick has come. */
  #inexactUsAt(ticks: number): number {
    const { periodUs } = this.#scale;
    const ticksPerPeriod = this.#ticksPerPeriod;
    const periods = Math.floor(ticks / ticksPerPeriod);
    const rest = ticks - periods * ticksPerPeriod;
    const quotient = rest / this.#ticksPerUs;
    const up = Math.ceil(quotient) - quotient;
    const doubt = periodUs * 2 ** -51;
    const isSure = up > doubt && up < 1 - doubt;
    const restUs = isSure ? Math.ceil(quotient) : quotientOf(rest, periodUs, ticksPerPeriod, ticksPerPeriod - 1);
    return periods * periodUs + restUs;
  }

  /** The last tick that is not after so many microseconds from the origin. */
  #ticksAfter(elapsedUs: number): number {
    const { exact, periodUs } = this.#scale;
    if (exact) return elapsedUs * this.#ticksPerUs;
    const periods = Math.floor(elapsedUs / periodUs);
    const restUs = elapsedUs - periods * periodUs;
    const product = restUs * this.#ticksPerUs;
    const whole = Math.floor(product);
    const fraction = product - whole;
    const isSure = fraction > this.#doubt && fraction < 1 - this.#doubt;
    const restTicks = isSure ? whole : quotientOf(restUs, this.#ticksPerPeriod, periodUs);
    return periods * this.#ticksPerPeriod + restTicks;
  }
}

/** ⌊(a·b + plus) ÷ c⌋, exactly. For where floats cannot tell on which side of a whole number the quotient is. */
function quotientOf(a: number, b: number, c: number, plus = 0): number {
  return Number((BigInt(a) * BigInt(b) + BigInt(plus)) / BigInt(c));
}
