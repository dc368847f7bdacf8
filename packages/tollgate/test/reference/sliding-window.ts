import type { LimitRules, LimitState, Wait } from "./limit-state.ts";
import type { ModelSlidingWindow } from "./model-limit.ts";
import { ceilDiv, larger, smaller } from "./whole-numbers.ts";

const MOST_GROUPS = 1_024n;

/** Units that came close together and leave together. */
interface Group {
  readonly openUs: bigint;
  readonly lastUs: bigint;
  readonly units: bigint;
}

export class SlidingWindowRules implements LimitRules {
  readonly capacity: bigint;
  readonly recordsFirstTouch = false;
  readonly idleTtlUs = 0n;
  readonly windowUs: bigint;
  /** A unit that comes less than this after a group's opening joins the group. */
  readonly spanUs: bigint;
  /** How many groups are kept. */
  readonly ring: bigint;

  constructor(limit: ModelSlidingWindow) {
    this.capacity = limit.limit;
    this.windowUs = limit.windowUs;
    this.spanUs = larger(limit.resolutionUs, 1n);
    this.ring = smaller(MOST_GROUPS, smaller(limit.limit, ceilDiv(limit.windowUs, this.spanUs)) + 2n);
  }

  fresh(): SlidingWindow {
    return new SlidingWindow(this, 0n, []);
  }
}

export class SlidingWindow implements LimitState {
  readonly #rules: SlidingWindowRules;
  /** How many groups were ever opened. */
  readonly #opened: bigint;
  /** The groups that may still count, oldest first: the last of them is group number `#opened - 1`. */
  readonly #groups: readonly Group[];

  constructor(rules: SlidingWindowRules, opened: bigint, groups: readonly Group[]) {
    this.#rules = rules;
    this.#opened = opened;
    this.#groups = groups;
  }

  conforms(nowUs: bigint, cost: bigint): boolean {
    return this.used(nowUs) + cost <= this.#rules.capacity;
  }

  take(nowUs: bigint, cost: bigint): SlidingWindow {
    if (cost === 0n) return this;
    const newest = this.#groups.at(-1);
    // With nothing in use a key is as new: it may have been dropped meanwhile, and must decide the same.
    if (newest !== undefined && this.#hasLeft(newest, nowUs)) return this.#rules.fresh().take(nowUs, cost);
    const effectiveUs = newest === undefined ? nowUs : larger(nowUs, newest.lastUs);
    if (newest !== undefined && (effectiveUs - newest.openUs < this.#rules.spanUs || !this.#mayOpen(nowUs))) {
      const joined = {
        openUs: newest.openUs,
        lastUs: effectiveUs,
        units: newest.units + cost,
      };
      return new SlidingWindow(this.#rules, this.#opened, [...this.#groups.slice(0, -1), joined]);
    }
    const opened = this.#opened + 1n;
    const groups = [...this.#groups, { openUs: effectiveUs, lastUs: effectiveUs, units: cost }];
    // A ring that has gone round keeps the running total of its oldest group as the base to count from: that group
    // had left when the newest was opened, and has left for good even if the clock goes back.
    const kept = opened > this.#rules.ring ? groups.slice(-Number(this.#rules.ring - 1n)) : groups;
    return new SlidingWindow(this.#rules, opened, kept);
  }

  /** Newest units first; groups that are left empty are gone, and with the last unit in use everything is as new. */
  giveBack(nowUs: bigint, cost: bigint): SlidingWindow {
    const used = this.used(nowUs);
    if (used === 0n) return this;
    if (cost >= used) return this.#rules.fresh();
    const groups = [...this.#groups];
    let left = cost;
    let newest = groups.pop();
    while (newest !== undefined && newest.units <= left) {
      left -= newest.units;
      newest = groups.pop();
    }
    if (newest === undefined) throw new Error("units are left in use, so some group has them");
    const dropped = this.#groups.length - groups.length - 1;
    // Only the newest group's opening is remembered: for the one before it, its last unit stands in.
    const openUs = dropped === 0 ? newest.openUs : newest.lastUs;
    const opened = this.#opened > this.#rules.ring ? this.#opened : this.#opened - BigInt(dropped);
    return new SlidingWindow(this.#rules, opened, [...groups, { ...newest, openUs, units: newest.units - left }]);
  }

  waitUs(nowUs: bigint, cost: bigint): Wait {
    if (cost > this.#rules.capacity) return "never";
    let used = this.used(nowUs);
    if (used + cost <= this.#rules.capacity) return 0n;
    for (const group of this.#groups) {
      if (this.#hasLeft(group, nowUs)) continue;
      used -= group.units;
      if (used + cost <= this.#rules.capacity) return group.lastUs + this.#rules.windowUs - nowUs;
    }
    throw new Error("a window without units has room for any cost up to its limit");
  }

  used(nowUs: bigint): bigint {
    return this.#groups.reduce((sum, group) => (this.#hasLeft(group, nowUs) ? sum : sum + group.units), 0n);
  }

  resetUs(nowUs: bigint): bigint {
    const last = this.#groups.findLast((group) => group.units > 0n && !this.#hasLeft(group, nowUs));
    return last === undefined ? 0n : last.lastUs + this.#rules.windowUs - nowUs;
  }

  #hasLeft(group: Group, nowUs: bigint): boolean {
    return group.lastUs + this.#rules.windowUs <= nowUs;
  }

  /** Whether the group that would become the oldest of the ring has left; always, while the ring has never been full. */
  #mayOpen(nowUs: bigint): boolean {
    if (this.#opened < this.#rules.ring) return true;
    const oldestNumber = this.#opened - this.#rules.ring + 1n;
    const firstKept = this.#opened - BigInt(this.#groups.length);
    const oldest = this.#groups[Number(oldestNumber - firstKept)];
    return oldest === undefined || this.#hasLeft(oldest, nowUs);
  }
}
