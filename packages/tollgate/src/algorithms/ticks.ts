import { type TickScale, tickScale } from "../core/limits/tick-scale.ts";
import type { TimeCell } from "../core/time-cell.ts";

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
  /** The tick that `note` found. */
  readonly noted: Float64Array = new Float64Array(1);
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

  /** Notes the last tick that is not after now. A result would be boxed if this were not inlined. */
  note(now: TimeCell): void {
    this.noted[0] = now[0]! - this.originUs;
    if (this.#scale.exact) this.noted[0] *= this.#ticksPerUs;
    else this.#scaleNoted();
  }

  /** The last tick that is not after this moment. */
  at(us: number): number {
    return this.#ticksAfter(us - this.originUs);
  }

  /** The least whole number of microseconds after which this tick has come: 0 if it has. */
  untilUs(ticks: number, nowUs: number): number {
    return Math.max(0, this.#elapsedUsAt(ticks) - (nowUs - this.originUs));
  }

  /**
   * A moment of another origin in ticks of this one. Beyond 2^53 ticks it is off by a tick or two. It is never cut,
   * because a clock that jumps there and back must find what it left.
   */
  translate(ticks: number, from: Ticks): number {
    if (!Number.isFinite(ticks)) return ticks;
    const betweenUs = BigInt(from.originUs) - BigInt(this.originUs);
    const { exact, periodUs, units } = this.#scale;
    const between = exact ? betweenUs * BigInt(units) : (betweenUs / BigInt(periodUs)) * BigInt(this.#ticksPerPeriod);
    return Number(BigInt(ticks) + between);
  }

  /** The first whole microsecond after the origin at which this tick has come. */
  #elapsedUsAt(ticks: number): number {
    this.noted[0] = ticks;
    this.#unscaleNoted();
    return this.noted[0];
  }

  /** Turns the tick that is noted into the first whole microsecond after the origin at which it has come. */
  #unscaleNoted(): void {
    const ticks = this.noted[0]!;
    if (this.#scale.exact) {
      this.noted[0] = Math.ceil(ticks / this.#ticksPerUs);
      return;
    }
    const periods = Math.floor(ticks / this.#ticksPerPeriod);
    const rest = ticks - periods * this.#ticksPerPeriod;
    const quotient = rest / this.#ticksPerUs;
    const whole = Math.ceil(quotient);
    const doubt = this.#scale.periodUs * 2 ** -51;
    const sure = whole - quotient > doubt && whole - quotient < 1 - doubt;
    let us = periods * this.#scale.periodUs + whole;
    if (!sure && Math.abs(us) <= LAST_EXACT) {
      while (this.#isToCome(ticks, us)) us += 1;
      while (!this.#isToCome(ticks, us - 1)) us -= 1;
    }
    this.noted[0] = us;
  }

  /** Whether a tick has not come yet so many microseconds after the origin. */
  #isToCome(ticks: number, elapsedUs: number): boolean {
    this.noted[0] = elapsedUs;
    this.#scaleNoted();
    return this.noted[0] < ticks;
  }

  #ticksAfter(elapsedUs: number): number {
    if (this.#scale.exact) return elapsedUs * this.#ticksPerUs;
    this.noted[0] = elapsedUs;
    this.#scaleNoted();
    return this.noted[0];
  }

  /** Turns the microseconds after the origin that are noted into ticks. */
  #scaleNoted(): void {
    const { periodUs } = this.#scale;
    const elapsedUs = this.noted[0]!;
    const periods = Math.floor(elapsedUs / periodUs);
    const restUs = elapsedUs - periods * periodUs;
    const product = restUs * this.#ticksPerUs;
    const whole = Math.floor(product);
    const fraction = product - whole;
    const sure = fraction > this.#doubt && fraction < 1 - this.#doubt;
    this.noted[0] = periods * this.#ticksPerPeriod + (sure ? whole : this.#wholeOf(restUs, whole));
  }

  /** ⌊restUs × ticksPerPeriod / periodUs⌋ where the float product cannot tell: `guess` is at most one off. */
  #wholeOf(restUs: number, guess: number): number {
    const remainder = productDifference(restUs, this.#ticksPerPeriod, guess, this.#scale.periodUs);
    if (remainder < 0) return guess - 1;
    return remainder >= this.#scale.periodUs ? guess + 1 : guess;
  }
}

/**
 * a·b − c·d, exactly, for whole numbers whose products are close: each product as an unevaluated sum of two floats.
 * Source: Dekker, "A floating-point technique for extending the available precision", 1971.
 */
function productDifference(a: number, b: number, c: number, d: number): number {
  const ab = a * b;
  const cd = c * d;
  return ab - cd + (productError(a, b, ab) - productError(c, d, cd));
}

/** a·b − product, exactly. */
function productError(a: number, b: number, product: number): number {
  const aHigh = highHalf(a);
  const aLow = a - aHigh;
  const bHigh = highHalf(b);
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

/** The upper 26 bits of a float64's 53 (Veltkamp's splitting). */
function highHalf(value: number): number {
  const shifted = value * (2 ** 27 + 1);
  return shifted - (shifted - value);
}
