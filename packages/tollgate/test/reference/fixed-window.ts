import type { LimitRules, LimitState, Wait } from "./limit-state.ts";
import type { ModelFixedWindow } from "./model-limit.ts";
import { floorDiv, larger } from "./whole-numbers.ts";

/** Windows of which one counts at a time. */
export interface WindowRules extends LimitRules {
  /** The end of a window whose first unit is taken now. */
  endUs(nowUs: bigint): bigint;
}

export class FixedWindowRules implements WindowRules {
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

  endUs(nowUs: bigint): bigint {
    return this.anchor === "clock" ? (floorDiv(nowUs, this.windowUs) + 1n) * this.windowUs : nowUs + this.windowUs;
  }
}

export class FixedWindow implements LimitState {
  readonly #rules: WindowRules;
  readonly endUs: bigint;
  readonly units: bigint;

  constructor(rules: WindowRules, endUs: bigint, units: bigint) {
    this.#rules = rules;
    this.endUs = endUs;
    this.units = units;
  }

  conforms(nowUs: bigint, cost: bigint): boolean {
    return this.used(nowUs) + cost <= this.#rules.capacity;
  }

  take(nowUs: bigint, cost: bigint): FixedWindow {
    if (cost === 0n) return this;
    const used = this.used(nowUs);
    return new FixedWindow(this.#rules, used > 0n ? this.endUs : this.#rules.endUs(nowUs), used + cost);
  }

  refund(nowUs: bigint, cost: bigint): FixedWindow {
    const used = this.used(nowUs);
    if (cost === 0n || used === 0n) return this;
    return new FixedWindow(this.#rules, this.endUs, larger(used - cost, 0n));
  }

  /** A window is known by its end. */
  giveBack(nowUs: bigint, units: bigint, untilUs: bigint): FixedWindow {
    return this.endUs === untilUs ? this.refund(nowUs, units) : this;
  }

  waitUs(nowUs: bigint, cost: bigint): Wait {
    if (cost > this.#rules.capacity) return "never";
    return this.conforms(nowUs, cost) ? 0n : this.endUs - nowUs;
  }

  /** After the clock has gone back, a window that lies in the future keeps counting. */
  used(nowUs: bigint): bigint {
    return nowUs < this.endUs ? this.units : 0n;
  }

  resetUs(nowUs: bigint): bigint {
    return this.used(nowUs) === 0n ? 0n : this.endUs - nowUs;
  }
}
