import { larger } from "./whole-numbers.ts";

/** Units that came close together and leave together. */
interface Group {
  readonly openUs: bigint;
  lastUs: bigint;
  units: bigint;
}

/**
 * A sliding window with unbounded memory: a log of every group, which never merges or forgets one. A unit joins the
 * newest group if that opened less than `spanUs` ago. A group leaves a window after its last unit.
 */
export class SlidingLog {
  readonly #limit: bigint;
  readonly #windowUs: bigint;
  /** A unit that comes less than this after a group's opening joins the group. */
  readonly #spanUs: bigint;
  readonly #groups: Group[] = [];
  /** How many groups had left at the last call. */
  #left = 0;
  /** Units in the groups that had not left. */
  #used = 0n;

  constructor(limit: bigint, windowUs: bigint, resolutionUs: bigint) {
    this.#limit = limit;
    this.#windowUs = windowUs;
    this.#spanUs = larger(resolutionUs, 1n);
  }

  conforms(nowUs: bigint, cost: bigint): boolean {
    return this.used(nowUs) + cost <= this.#limit;
  }

  used(nowUs: bigint): bigint {
    while (this.#left < this.#groups.length && this.#hasLeft(this.#groups[this.#left], nowUs)) {
      this.#used -= this.#groups[this.#left]?.units ?? 0n;
      this.#left += 1;
    }
    while (this.#left > 0 && !this.#hasLeft(this.#groups[this.#left - 1], nowUs)) {
      this.#left -= 1;
      this.#used += this.#groups[this.#left]?.units ?? 0n;
    }
    return this.#used;
  }

  /** Takes the units whether or not they conform. */
  take(nowUs: bigint, cost: bigint): void {
    if (cost === 0n) return;
    // A key without units in use is idle: its earlier groups play no part.
    if (this.used(nowUs) === 0n) this.#forget();
    const newest = this.#groups.at(-1);
    // After the clock went back, a unit still comes no earlier than the one before it.
    const comesUs = newest === undefined ? nowUs : larger(nowUs, newest.lastUs);
    this.#used += cost;
    if (newest !== undefined && comesUs - newest.openUs < this.#spanUs) {
      newest.units += cost;
      newest.lastUs = comesUs;
      return;
    }
    if (newest?.units === 0n) this.#groups.pop();
    this.#groups.push({ openUs: comesUs, lastUs: comesUs, units: cost });
  }

  /** Removes the newest units first. The newest of the emptied groups stays, because its opening still counts. */
  refund(nowUs: bigint, cost: bigint): void {
    const used = this.used(nowUs);
    if (used === 0n) return;
    if (cost >= used) {
      this.#forget();
      return;
    }
    const newest = this.#groups.at(-1);
    let left = cost;
    while (left > 0n) {
      const last = this.#groups.at(-1);
      if (last === undefined) throw new Error("a log with units in use has groups");
      if (last.units > left) {
        last.units -= left;
        left = 0n;
      } else {
        left -= last.units;
        this.#groups.pop();
      }
    }
    this.#used -= cost;
    if (newest === undefined || newest === this.#groups.at(-1)) return;
    this.#groups.push({ ...newest, units: 0n });
  }

  /** The least time after which `cost`, at most the limit, conforms if no other call arrives. */
  waitUs(nowUs: bigint, cost: bigint): bigint {
    let used = this.used(nowUs);
    if (used + cost <= this.#limit) return 0n;
    for (let i = this.#left; i < this.#groups.length; i += 1) {
      const group = this.#groups[i];
      if (group === undefined) break;
      used -= group.units;
      if (used + cost <= this.#limit) return group.lastUs + this.#windowUs - nowUs;
    }
    throw new Error("a window without units has room for any cost up to its limit");
  }

  #hasLeft(group: Group | undefined, nowUs: bigint): boolean {
    return group === undefined || group.lastUs + this.#windowUs <= nowUs;
  }

  #forget(): void {
    this.#groups.length = 0;
    this.#left = 0;
    this.#used = 0n;
  }
}
