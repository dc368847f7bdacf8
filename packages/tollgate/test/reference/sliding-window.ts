import type { LimitRules, LimitState, Wait } from "./limit-state.ts";
import type { ModelSlidingWindow } from "./model-limit.ts";
import { ceilDiv, larger, smaller } from "./whole-numbers.ts";

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
  /** How many groups count at the same time. */
  readonly most: bigint;

  constructor(limit: ModelSlidingWindow) {
    this.capacity = limit.limit;
    this.windowUs = limit.windowUs;
    this.spanUs = larger(limit.resolutionUs, 1n);
    this.most = smaller(limit.limit, ceilDiv(limit.windowUs, this.spanUs)) + 1n;
  }

  fresh(): SlidingWindow {
    return new SlidingWindow(this, []);
  }
}

export class SlidingWindow implements LimitState {
  readonly #rules: SlidingWindowRules;
  /** The groups that may still count, oldest first. */
  readonly #groups: readonly Group[];

  constructor(rules: SlidingWindowRules, groups: readonly Group[]) {
    this.#rules = rules;
    this.#groups = groups;
  }

  conforms(nowUs: bigint, cost: bigint): boolean {
    return this.used(nowUs) + cost <= this.#rules.capacity;
  }

  take(nowUs: bigint, cost: bigint): SlidingWindow {
    if (cost === 0n) return this;
    const newest = this.#groups.at(-1);
    const filled = this.#groups.findLast(({ units }) => units > 0n);
    if (newest === undefined || filled === undefined || this.#hasLeft(filled, nowUs)) {
      // A key without units in use is idle: a sweep may have dropped it, which must change no decision.
      return new SlidingWindow(this.#rules, [{ openUs: nowUs, lastUs: nowUs, units: cost }]);
    }
    const effectiveUs = larger(nowUs, newest.lastUs);
    const older = this.#groups.slice(0, -1);
    const opening = { openUs: effectiveUs, lastUs: effectiveUs, units: cost };
    const joins = effectiveUs - newest.openUs < this.#rules.spanUs;
    // The next group replaces one that a refund emptied.
    if (!joins && newest.units === 0n) return new SlidingWindow(this.#rules, [...older, opening]);
    if (joins || !this.#mayOpen(nowUs)) {
      const joined = { openUs: newest.openUs, lastUs: effectiveUs, units: newest.units + cost };
      return new SlidingWindow(this.#rules, [...older, joined]);
    }
    // A group that had left when a ring that is full opened the newest stays out even if the clock goes back.
    const kept = [...this.#groups, opening].slice(-Number(this.#rules.most));
    return new SlidingWindow(this.#rules, kept);
  }

  /**
   * Removes the newest units first. The newest of the emptied groups stays, because its opening still counts. A refund
   * of the last unit in use makes the key idle.
   */
  refund(nowUs: bigint, cost: bigint): SlidingWindow {
    const used = this.used(nowUs);
    if (used === 0n) return this;
    if (cost >= used) return this.#rules.fresh();
    let left = cost;
    const groups = this.#groups
      .toReversed()
      .map((group) => {
        const back = smaller(group.units, left);
        left -= back;
        return { ...group, units: group.units - back };
      })
      .toReversed();
    const lastFilled = groups.findLastIndex(({ units }) => units > 0n);
    const newest = groups.at(-1);
    if (newest === undefined || lastFilled === groups.length - 1) {
      return new SlidingWindow(this.#rules, groups);
    }
    const kept = [...groups.slice(0, lastFilled + 1), newest];
    return new SlidingWindow(this.#rules, kept);
  }

  /** Removes units of the group that has them: the first that leaves no sooner than they. An empty group goes. */
  giveBack(nowUs: bigint, units: bigint, untilUs: bigint): SlidingWindow {
    const cameUs = untilUs - this.#rules.windowUs;
    const at = this.#groups.findIndex(({ lastUs }) => lastUs >= cameUs);
    const group = this.#groups[at];
    if (nowUs >= untilUs || group === undefined) return this;
    const isNewest = at === this.#groups.length - 1;
    const isExtended = isNewest && group.openUs <= cameUs;
    const given = smaller(units, group.units);
    if (given === 0n || (group.lastUs - cameUs >= this.#rules.spanUs && !isExtended)) return this;
    if (given === this.used(nowUs)) return this.#rules.fresh();
    const left = { ...group, units: group.units - given };
    const goes = left.units === 0n && !isNewest;
    const groups = goes ? this.#groups.toSpliced(at, 1) : this.#groups.with(at, left);
    return new SlidingWindow(this.#rules, groups);
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

  /** The groups from the oldest one that counts. */
  counting(nowUs: bigint): readonly Group[] {
    const first = this.#groups.findIndex((group) => group.units > 0n && !this.#hasLeft(group, nowUs));
    return first < 0 ? [] : this.#groups.slice(first);
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

  /** Whether fewer groups count than may. */
  #mayOpen(nowUs: bigint): boolean {
    return this.#groups.filter((group) => !this.#hasLeft(group, nowUs)).length < this.#rules.most;
  }
}
