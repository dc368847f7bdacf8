import { type TokenBucketLimit, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";
import { TokenBucketKernel } from "../../../src/algorithms/token-bucket.ts";
import { createTimeCell } from "../../../src/core/time-cell.ts";

const CAPACITY = 2;
/** The bucket refills a unit every two microseconds. */
const US_PER_UNIT = 2;
const START_US = 1_790_000_000_000_123;
/** Other threads call at every microsecond until then. */
const MOMENTS = 7;
/** How often other threads ask for a unit at each moment: enough to empty the bucket. */
const MOST_CALLS = 2;

const EXACT = tokenBucket({ capacity: CAPACITY, refill: 1, per: US_PER_UNIT / 1000 });
/** A rate that differs by less than a millionth, with ticks that do not divide a microsecond. */
const INEXACT = tokenBucket({ capacity: CAPACITY, refill: 999_999_999, per: 1_999_999.999 });

/** A call that takes units, and is denied by another limiter later. */
interface Loser {
  readonly takesAt: number;
  readonly givesBackAt: number;
  readonly cost: number;
}

type GiveBack = "what still counts" | "all";

/** One bucket, and the times at which it admitted units. */
class Run {
  readonly kernel: TokenBucketKernel;
  readonly cells = new Float64Array(1);
  readonly admittedAt: number[] = [];
  readonly #now = createTimeCell();
  readonly #takenAt = createTimeCell();

  constructor(limit: TokenBucketLimit) {
    this.kernel = new TokenBucketKernel(limit, START_US);
    this.kernel.writeIdle(this.cells, 0);
  }

  take(us: number, cost: number): boolean {
    this.#now[0] = START_US + us;
    return this.kernel.tryTake(this.cells, 0, this.#now, cost);
  }

  callOthers(us: number, calls: number): void {
    for (let i = 0; i < calls; i += 1) if (this.take(us, 1)) this.admittedAt.push(us);
  }

  refund({ takesAt, givesBackAt, cost }: Loser, how: GiveBack): void {
    this.#now[0] = START_US + givesBackAt;
    this.#takenAt[0] = START_US + takesAt;
    if (how === "all") this.kernel.refund(this.cells, 0, this.#now, cost);
    else this.kernel.revoke(this.cells, 0, this.#takenAt, this.#now, cost);
  }

  /** Whether more units were admitted in some period than the bucket holds and refills in it. */
  get isOver(): boolean {
    return this.admittedAt.some((from, first) => {
      const rest = this.admittedAt.slice(first);
      return rest.some((to, later) => later >= CAPACITY + Math.floor((to - from) / US_PER_UNIT));
    });
  }
}

/** Whether other threads call before the losers at each moment, or after them. */
const ORDERS = ["before", "after"] as const;

function play(
  limit: TokenBucketLimit,
  calls: readonly number[],
  losers: readonly Loser[],
  order: (typeof ORDERS)[number],
  how: GiveBack,
): Run {
  const run = new Run(limit);
  const took = new Set<Loser>();
  for (const [us, asked] of calls.entries()) {
    if (order === "before") run.callOthers(us, asked);
    for (const loser of losers) {
      if (loser.takesAt === us && run.take(us, loser.cost)) took.add(loser);
      if (loser.givesBackAt === us && took.has(loser)) run.refund(loser, how);
    }
    if (order === "after") run.callOthers(us, asked);
  }
  return run;
}

/** Every pattern of other calls. */
function* sequences(length: number): Generator<readonly number[]> {
  for (let number = 0; number < (MOST_CALLS + 1) ** length; number += 1) {
    yield Array.from({ length }, (_, i) => Math.floor(number / (MOST_CALLS + 1) ** i) % (MOST_CALLS + 1));
  }
}

function losersOf(cost: number): Loser[] {
  const moments = Array.from({ length: MOMENTS }, (_, us) => us);
  return moments.flatMap((takesAt) => moments.slice(takesAt).map((givesBackAt) => ({ takesAt, givesBackAt, cost })));
}

/** Every case with one loser, and those cases with two losers that share the bucket. */
const LOSERS: readonly (readonly Loser[])[] = [
  ...losersOf(1).map((loser) => [loser]),
  ...losersOf(2).map((loser) => [loser]),
  ...losersOf(1).map((loser) => [{ takesAt: 0, givesBackAt: 3, cost: 1 }, loser]),
];

/** In how many runs other threads got more than the limit, and in how many more than without a loser. */
function count(limit: TokenBucketLimit, how: GiveBack): { readonly over: number; readonly more: number } {
  let over = 0;
  let more = 0;
  for (const calls of sequences(MOMENTS)) {
    const without = play(limit, calls, [], "before", how).admittedAt.length;
    for (const losers of LOSERS) {
      for (const order of ORDERS) {
        const run = play(limit, calls, losers, order, how);
        if (run.isOver) over += 1;
        if (run.admittedAt.length > without) more += 1;
      }
    }
  }
  return { over, more };
}

describe.each([
  ["an exact scale", EXACT],
  ["an inexact scale", INEXACT],
])("units of %s that are given back after others took", (_name, limit) => {
  it("never admit more than the limit, or than without them, if they refund what still counts", () => {
    expect(count(limit, "what still counts")).toEqual({ over: 0, more: 0 });
  });

  it("admit more than the limit if they refund everything", () => {
    const { over, more } = count(limit, "all");
    expect([over > 0, more > 0]).toEqual([true, true]);
  });

  it("get a full refund at the time of the take", () => {
    const run = new Run(limit);
    expect([run.take(0, 1), run.take(0, 1)]).toEqual([true, true]);
    run.refund({ takesAt: 0, givesBackAt: 0, cost: 2 }, "what still counts");
    expect([run.take(0, 2), run.take(0, 1)]).toEqual([true, false]);
  });

  it("get a full refund, and no more, when the clock has gone back", () => {
    const run = new Run(limit);
    expect([run.take(9, 1), run.take(9, 1)]).toEqual([true, true]);
    run.refund({ takesAt: 9, givesBackAt: 5, cost: 1 }, "what still counts");
    expect([run.take(9, 1), run.take(9, 1)]).toEqual([true, false]);
  });
});
