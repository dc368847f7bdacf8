import type { Report } from "../../../../../src/store/index.ts";
import { capacityOf, type LimitSpec, spansUs } from "../../../../properties/limit-spec.ts";
import { YEAR_US } from "../../../../properties/times.ts";
import type { Random } from "./random.ts";
import type { ClockKind } from "./trace-flavour.ts";

const ROUND_US = [1_000, 15_625, 125_000, 500_000, 1_000_000, 60_000_000, 10_546_875, 10_800_000_000] as const;

/** A clock that moves to critical moments: those in reports, and a microsecond before and after them. */
export class TraceClock {
  readonly #random: Random;
  readonly #kind: ClockKind;
  readonly #specs: readonly LimitSpec[];
  readonly #earliestUs: number;
  readonly #latestUs: number;
  nowUs: number;

  constructor(
    random: Random,
    kind: ClockKind,
    specs: readonly LimitSpec[],
    startUs: number,
    reachUs: [number, number],
  ) {
    this.#random = random;
    this.#kind = kind;
    this.#specs = specs;
    [this.#earliestUs, this.#latestUs] = reachUs;
    this.nowUs = startUs;
  }

  /** Advances. `last` is the latest report. */
  move(last: Report | undefined): void {
    this.nowUs = Math.max(this.#earliestUs, Math.min(this.nowUs + this.#stepUs(last), this.#latestUs));
  }

  #stepUs(last: Report | undefined): number {
    const random = this.#random;
    switch (this.#kind) {
      case "forward":
        return this.#forwardUs(last);
      case "back-and-forth":
        return random.chance(0.25) ? this.#backUs() : this.#forwardUs(last);
      case "crowded":
        return random.chance(0.1) ? -random.between(1, 20) : random.between(0, 3);
      case "paced":
        return random.chance(0.07) ? -this.#spanUs(1, 4) : random.between(0, 2 * groupUs(random.of(this.#specs)));
      case "round":
        return random.chance(0.3) ? 0 : random.of(ROUND_US);
      default:
        return this.#kind satisfies never;
    }
  }

  #forwardUs(last: Report | undefined): number {
    const random = this.#random;
    switch (random.weighted({ none: 6, one: 2, retry: 6, reset: 3, span: 4, later: 2, far: 1 })) {
      case "none":
        return 0;
      case "one":
        return 1;
      case "retry":
        return this.#until(last?.waitUs);
      case "reset":
        return this.#until(last?.resetUs);
      case "span":
        return this.#spanUs(0, 20);
      case "later":
        return random.magnitude(33);
      default:
        return Math.min(random.magnitude(48), YEAR_US);
    }
  }

  #backUs(): number {
    const random = this.#random;
    switch (random.weighted({ little: 1, far: 1, jump: 0.5, span: 1 })) {
      case "little":
        return -random.between(1, 3);
      case "far":
        return -random.magnitude(41);
      case "jump":
        return this.#earliestUs + Math.floor(random.part() * (this.#latestUs - this.#earliestUs)) - this.nowUs;
      default:
        return -this.#spanUs(1, 12);
    }
  }

  /** Eighths of a duration of some limit. */
  #spanUs(least: number, most: number): number {
    return Math.floor((this.#random.of(spansUs(this.#random.of(this.#specs))) * this.#random.between(least, most)) / 8);
  }

  /** The moment in a figure of the latest report, give or take a microsecond. */
  #until(figures: readonly number[] | undefined): number {
    const us = this.#random.of(figures ?? [0]);
    const plus = this.#random.between(-1, 1);
    return us < YEAR_US ? Math.max(0, us + plus) : 0;
  }
}

/** Intervals that open about as many groups as a window holds. */
function groupUs(spec: LimitSpec): number {
  const [finestUs, wholeUs] = spansUs(spec);
  return Math.max(finestUs, Math.ceil(wholeUs / capacityOf(spec)));
}
