import type { LimitRules, LimitState, Wait } from "./limit-state.ts";
import type { ModelFixedWindow } from "./model-limit.ts";
import { floorDiv, larger } from "./whole-numbers.ts";

export class FixedWindowRules implements LimitRules {
  readonly capacity: bigint;
  readonly recordsFirstTouch = false;
  readonly idleTtlUs = 0n;
  readonly windowUs: bigint;
  readonly anchor: "clock" | "first-use";

  constructor(limit: ModelFixedWindow) {
    this.capacity = limit.limit;
    this.windowUs = limit.windowUs;
    this.anchor = limit.anchor;
  }

  fresh(): FixedWindow {
    return new FixedWindow(this, 0n, 0n);
  }

  /** The start of a window whose first unit is taken now. */
  startUs(nowUs: bigint): bigint {
    return this.anchor === "clock" ? floorDiv(nowUs, this.windowUs) * this.windowUs : nowUs;
  }
}

export class FixedWindow implements LimitState {
  readonly #rules: FixedWindowRules;
  readonly startUs: bigint;
  readonly units: bigint;

  constructor(rules: FixedWindowRules, startUs: bigint, units: bigint) {
    this.#rules = rules;
    this.startUs = startUs;
    this.units = units;
  }

  conforms(nowUs: bigint, cost: bigint): boolean {
    return this.used(nowUs) + cost <= this.#rules.capacity;
  }

  take(nowUs: bigint, cost: bigint): FixedWindow {
    if (cost === 0n) return this;
    const used = this.used(nowUs);
    return new FixedWindow(this.#rules, used > 0n ? this.startUs : this.#rules.startUs(nowUs), used + cost);
  }

  refund(nowUs: bigint, cost: bigint): FixedWindow {
    const used = this.used(nowUs);
    if (cost === 0n || used === 0n) return this;
    return new FixedWindow(this.#rules, this.startUs, larger(used - cost, 0n));
  }

  /** A window is known by its end. */
  giveBack(nowUs: bigint, units: bigint, untilUs: bigint): FixedWindow {
    return this.#endUs() === untilUs ? this.refund(nowUs, units) : this;
  }

  waitUs(nowUs: bigint, cost: bigint): Wait {
    if (cost > this.#rules.capacity) return "never";
    return this.conforms(nowUs, cost) ? 0n : this.#endUs() - nowUs;
  }

  /** After the clock has gone back, a window that lies in the future keeps counting. */
  used(nowUs: bigint): bigint {
    return nowUs < this.#endUs() ? this.units : 0n;
  }

  resetUs(nowUs: bigint): bigint {
    return this.used(nowUs) === 0n ? 0n : this.#endUs() - nowUs;
  }

  #endUs(): bigint {
    return this.startUs + this.#rules.windowUs;
  }
}
