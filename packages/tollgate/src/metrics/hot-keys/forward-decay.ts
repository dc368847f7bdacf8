/** The weight is computed so many times in a half-life. */
const STEPS_PER_HALF = 4_096;
/** Weights are scaled down before they exceed 2^60. */
const MOST_HALVES = 60;

/**
 * The weights of events that count for half as much after each half-life. Earlier weights stay, and that of the next
 * event grows instead. All are scaled together now and then.
 *
 * @see Cormode, Shkapenyuk, Srivastava, Xu: "Forward Decay: A Practical Time Decay Model for Streaming Systems"
 *   (ICDE 2009).
 */
export class ForwardDecay {
  readonly #halfLifeMs: number;
  readonly #stepMs: number;
  #lastMs: number;
  /** Half-lives since the moment at which an event weighs 1. */
  #halves = 0;
  #weight = 1;

  constructor(halfLifeMs: number, nowMs: number) {
    this.#halfLifeMs = halfLifeMs;
    this.#stepMs = halfLifeMs / STEPS_PER_HALF;
    this.#lastMs = nowMs;
  }

  /** The weight of an event now. While a clock goes back, no time passes. */
  weightAt(nowMs: number): number {
    const passedMs = nowMs - this.#lastMs;
    if (!(passedMs < 0 || passedMs >= this.#stepMs)) return this.#weight;
    this.#lastMs = nowMs;
    if (passedMs > 0) {
      this.#halves += passedMs / this.#halfLifeMs;
      this.#weight = 2 ** this.#halves;
    }
    return this.#weight;
  }

  /** What all weights have to be multiplied by first, if they have become too great; events weigh 1 again then. */
  restart(): number | undefined {
    if (this.#halves < MOST_HALVES) return undefined;
    const factor = 2 ** -this.#halves;
    this.#halves = 0;
    this.#weight = 1;
    return factor;
  }
}
