import type { Cost } from "../../../core/cost.ts";
import type { KeptScriptCall, KeptReceipt as NamedReceipt } from "../script/transaction.ts";

/** A limit: the unit that costs name, whether a plain number counts for it, its kind, and the cells of its ring. */
export type KeptLimit = readonly [unit: string, isPlain: boolean, kind: "place" | "bucket" | "window", ring?: number];

/** The row of a key, its plan for the script, the name of its counts for the cache of denials, and its limits. */
export type KeptRow = readonly [name: string, plan: string, countsName: string, limits: readonly KeptLimit[]];

/** What does not change. */
export interface KeptHead {
  /** The ids of the parts in other slots. */
  readonly others: readonly string[];
  /** Whether costs in other units are refused. */
  readonly refusesOthers: boolean;
  /** Whether it ends when it would have, although it is renewed: windows by the calendar are known until then. */
  readonly endsOnTime: boolean;
  readonly rows: readonly KeptRow[];
  /** Set in a first part that has ended, until the others have: the actual cost, or `null` if it was cancelled. */
  readonly ended?: Cost | null;
}

/** What one call took: the moment of each row, and for each limit what is left of it and when that leaves. */
export interface KeptTake {
  readonly moments: readonly number[];
  readonly left: readonly number[];
  readonly untilUs: readonly number[];
}

/** A change of a part. */
export type PartChange = Omit<NamedReceipt, "name">;

export type Words = readonly (string | number)[];

/** The words of a receipt. `sinceUs` is the caller's time, if that also says when units of a bucket leave. */
export function receiptWords(
  ttlUs: number,
  sinceUs: number,
  head: KeptHead,
  counted: readonly number[],
  takes: readonly KeptTake[],
): Words {
  const numbers = takes.flatMap(({ moments, left, untilUs }) => [
    ...moments,
    ...left.flatMap((units, i) => [units, untilUs[i]!]),
  ]);
  return [ttlUs, sinceUs, encodeURIComponent(JSON.stringify(head)), ...counted, ...numbers];
}

/** The part of a kept reservation that is in one slot, as it was read. */
export class KeptPart {
  readonly id: string;
  readonly head: KeptHead;
  readonly limits: readonly KeptLimit[];
  /** What the call counts for under each limit, or how many places it took. */
  readonly counted: readonly number[];
  readonly takes: readonly KeptTake[];
  readonly #revision: number;
  readonly #ttlUs: number;

  constructor(id: string, text: string) {
    const [, revision, ends, ttlUs, sinceUs, head = "", ...words] = text.split(" ");
    this.id = id;
    this.head = JSON.parse(decodeURIComponent(head)) as KeptHead;
    this.#revision = Number(revision);
    this.#ttlUs = Number(ttlUs);
    const { rows } = this.head;
    this.limits = rows.flatMap(([, , , limits]) => limits);
    const numbers = words.map(Number);
    const count = this.limits.length;
    this.counted = numbers.slice(0, count);
    const takes: KeptTake[] = [];
    // From a caller's clock to the server's.
    const shiftUs = Number(sinceUs) === 0 ? 0 : Number(ends) - this.#ttlUs - Number(sinceUs);
    for (let at = count; at < numbers.length; at += rows.length + 2 * count) {
      const from = at + rows.length;
      const left = this.limits.map((_, i) => numbers[from + 2 * i]!);
      const untilUs = this.limits.map(
        ([, , kind], i) => numbers[from + 2 * i + 1]! + (kind === "bucket" ? shiftUs : 0),
      );
      takes.push({ moments: numbers.slice(at, from), left, untilUs });
    }
    this.takes = takes;
  }

  get rows(): readonly KeptRow[] {
    return this.head.rows;
  }

  isPlace(i: number): boolean {
    return this.limits[i]![2] === "place";
  }

  /** Charges, and goes on with other counts. */
  charged(costs: readonly number[]): PartChange {
    const counted = this.counted.map((count, i) => count + costs[i]!);
    return { ...this.#change(counted, joined(this.takes), 0), verb: "charge", calls: this.#calls(costs) };
  }

  /** Keeps the places, and begins the time to live anew. */
  renewed(): PartChange {
    const places = this.limits.map((_, i) =>
      this.isPlace(i) ? this.takes.find(({ left }) => left[i]! > 0) : undefined,
    );
    const costs = places.map((take, i) => take?.left[i] ?? 0);
    const without = this.takes.map((take) => ({
      ...take,
      left: take.left.map((units, i) => (this.isPlace(i) ? 0 : units)),
    }));
    const untilUs = places.map((take, i) => take?.untilUs[i] ?? 0);
    const hasPlaces = this.limits.some((_, i) => this.isPlace(i));
    const moments = this.rows.map((_, row) => Math.max(...places.map((take) => take?.moments[row] ?? 0)));
    const change = this.#change(this.counted, without, this.head.endsOnTime ? 0 : this.#ttlUs);
    return { ...change, verb: "renew", calls: hasPlaces ? this.#calls(costs, { moments, left: costs, untilUs }) : [] };
  }

  /** Whether all places are there that the call took. */
  get hasAllPlaces(): boolean {
    const left = (i: number) => this.takes.reduce((sum, take) => sum + take.left[i]!, 0);
    return this.counted.every((count, i) => !this.isPlace(i) || left(i) === count);
  }

  /** Charges what is missing, gives back what is too much, of the latest take first, and frees the places. */
  ended(after: readonly number[], cost: Cost | null): PartChange {
    const more = after.map((count, i) => (this.isPlace(i) ? 0 : Math.max(0, count - this.counted[i]!)));
    let missing = after.map((count, i) => Math.max(0, this.counted[i]! - count));
    const given = this.takes.toReversed().flatMap((take) => {
      const costs = take.left.map((left, i) => (this.isPlace(i) ? left : Math.min(left, missing[i]!)));
      missing = missing.map((count, i) => count - costs[i]!);
      return this.#calls(costs, take);
    });
    const calls = this.#calls(more).filter(costsSomething);
    const isLast = this.head.others.length === 0;
    const words = isLast ? undefined : receiptWords(this.#ttlUs, 0, { ...this.head, ended: cost }, this.counted, []);
    return { ...this.forgotten(), words, given: given.filter(costsSomething), calls };
  }

  /** Removes the receipt, and corrects nothing. */
  forgotten(): PartChange {
    return { revision: this.#revision, ttlUs: 0, words: undefined, given: [], verb: "charge", calls: [] };
  }

  #change(counted: readonly number[], takes: readonly KeptTake[], ttlUs: number): Omit<PartChange, "verb" | "calls"> {
    const words = receiptWords(this.#ttlUs, 0, this.head, counted, takes);
    return { revision: this.#revision, ttlUs, words, given: [] };
  }

  #calls(costs: readonly number[], take?: KeptTake): KeptScriptCall[] {
    let at = 0;
    return this.rows.map(([name, plan, , limits], row) => {
      const from = at;
      at += limits.length;
      const untilUs = limits.map((_, i) => take?.untilUs[from + i] ?? 0);
      const ringCells = limits.map(([, , , ring = 0]) => ring);
      return { name, plan, costs: costs.slice(from, at), untilUs, decidedUs: take?.moments[row] ?? 0, ringCells };
    });
  }
}

function costsSomething({ costs }: KeptScriptCall): boolean {
  return costs.some((cost) => cost > 0);
}

/** A reservation with so many takes joins them. */
const MOST_TAKES = 64;

/** Two charges in a row become one, which is given back until the first of them leaves. The first take has places. */
function joined([first, ...charges]: readonly KeptTake[]): readonly KeptTake[] {
  if (first === undefined || charges.length < MOST_TAKES) return first === undefined ? [] : [first, ...charges];
  const pairs = charges.flatMap((one, i) => (i % 2 === 0 ? [[one, charges[i + 1] ?? NOTHING] as const] : []));
  return [first, ...pairs.map(([one, other]) => join(one, other))];
}

const NOTHING: KeptTake = { moments: [], left: [], untilUs: [] };

function join(one: KeptTake, other: KeptTake): KeptTake {
  const leaves = (take: KeptTake, i: number) => ((take.left[i] ?? 0) > 0 ? take.untilUs[i]! : Number.MAX_SAFE_INTEGER);
  return {
    moments: one.moments,
    left: one.left.map((units, i) => units + (other.left[i] ?? 0)),
    untilUs: one.untilUs.map((_, i) => Math.min(leaves(one, i), leaves(other, i))),
  };
}
