import { ceilDiv, larger, smaller } from "./whole-numbers.ts";

/** Places that free themselves at one moment. */
interface Group {
  readonly untilUs: bigint;
  readonly count: bigint;
  /** Whether places of another moment were put here. */
  readonly isMixed: boolean;
}

/** A limit on concurrency. */
export interface PlaceRules {
  readonly max: bigint;
  readonly ttlUs: bigint;
}

/** A key has no more groups. Up to so many places may each have their own. */
const MOST_GROUPS = 64n;
/** The places of a larger limit free themselves in so many steps. */
const STEPS = 62n;

/** The places of one key in use: immutable. A place is known by the moment at which it frees itself. */
export class Places {
  readonly #rules: PlaceRules;
  /** In the order of their moments. */
  readonly #groups: readonly Group[];

  constructor(rules: PlaceRules, groups: readonly Group[] = []) {
    this.#rules = rules;
    this.#groups = groups;
  }

  conforms(nowUs: bigint, count: bigint): boolean {
    return this.used(nowUs) + count <= this.#rules.max;
  }

  take(nowUs: bigint, count: bigint): Places {
    if (count === 0n) return this;
    const untilUs = this.#untilUs(nowUs);
    const groups = this.#groups.filter((group) => group.untilUs > nowUs);
    const at = groups.findIndex((group) => group.untilUs >= untilUs);
    const isFull = BigInt(groups.length) === smaller(this.#rules.max, MOST_GROUPS);
    // Without space for another group, a later one has the places, or the last one is extended.
    const joined = groups.at(at);
    if (joined !== undefined && (isFull || joined.untilUs === untilUs)) {
      const isMixed = joined.isMixed || joined.untilUs !== untilUs;
      const group = { untilUs: larger(joined.untilUs, untilUs), count: joined.count + count, isMixed };
      return this.#with(groups.with(at, group));
    }
    return this.#with(groups.toSpliced(at < 0 ? groups.length : at, 0, { untilUs, count, isMixed: false }));
  }

  /** When places free themselves that were just taken. */
  takenUntilUs(nowUs: bigint): bigint {
    return this.#groups.find(({ untilUs }) => untilUs >= this.#untilUs(nowUs))?.untilUs ?? 0n;
  }

  /** Frees places that would free themselves at exactly this moment, or that were mixed with those of a later one. */
  giveBack(nowUs: bigint, count: bigint, untilUs: bigint): Places {
    if (untilUs <= nowUs) return this;
    let left = count;
    const groups = this.#groups.map((group) => {
      const freed = this.#mayHave(group, untilUs) ? smaller(left, group.count) : 0n;
      left -= freed;
      return { ...group, count: group.count - freed };
    });
    return this.#with(groups.filter((group) => group.count > 0n));
  }

  #mayHave(group: Group, untilUs: bigint): boolean {
    return group.untilUs === untilUs || (group.untilUs > untilUs && group.isMixed);
  }

  /** Begins the time to live anew; `undefined` if the places are not there any more. */
  extend(nowUs: bigint, count: bigint, untilUs: bigint): Places | undefined {
    const own = this.#groups.filter((group) => this.#mayHave(group, untilUs));
    if (untilUs <= nowUs || own.reduce((sum, group) => sum + group.count, 0n) < count) return undefined;
    return this.giveBack(nowUs, count, untilUs).take(nowUs, count);
  }

  used(nowUs: bigint): bigint {
    return this.#groups.reduce((sum, { untilUs, count }) => (untilUs > nowUs ? sum + count : sum), 0n);
  }

  waitUs(nowUs: bigint, count: bigint): bigint | "never" {
    if (count > this.#rules.max) return "never";
    let used = this.used(nowUs);
    if (used + count <= this.#rules.max) return 0n;
    for (const group of this.#groups) {
      if (group.untilUs > nowUs) used -= group.count;
      if (used + count <= this.#rules.max) return group.untilUs - nowUs;
    }
    throw new Error("without places in use any count up to the limit conforms");
  }

  resetUs(nowUs: bigint): bigint {
    return this.used(nowUs) === 0n ? 0n : this.#groups.at(-1)!.untilUs - nowUs;
  }

  #untilUs(nowUs: bigint): bigint {
    const { max, ttlUs } = this.#rules;
    const stepUs = max <= MOST_GROUPS ? 1n : ceilDiv(ttlUs, STEPS);
    return ceilDiv(nowUs + ttlUs, stepUs) * stepUs;
  }

  #with(groups: readonly Group[]): Places {
    return new Places(this.#rules, groups);
  }
}
