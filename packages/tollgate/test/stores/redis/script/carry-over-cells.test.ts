import { describe, expect, it } from "vitest";
import { carryOver } from "../../../../src/algorithms/carry-over.ts";
import { compileLimit } from "../../../../src/algorithms/compile-limit.ts";
import { createTimeCell } from "../../../../src/core/time-cell.ts";
import { type Limit, perDay } from "../../../../src/index.ts";
import type { TransactionOutcome } from "../../../../src/stores/redis/script/decode-reply.ts";
import { originOf } from "../../../../src/stores/redis/script/encode-call.ts";
import type { EncodedPlan } from "../../../../src/stores/redis/script/encode-plan.ts";
import type { ScriptTransaction } from "../../../../src/stores/redis/script/transaction.ts";
import { capacityOf, type LimitSpec, libraryLimit } from "../../../properties/limit-spec.ts";
import { cellsIn, readRow } from "../kit/read-row.ts";
import { ALL_LIMITS, EXACT_BUCKETS, HUGE_WINDOWS, INEXACT_BUCKETS, SHORT_RINGS } from "./kit/limit-pool.ts";
import { Random } from "./kit/random.ts";
import { call, encoded, NOW_US } from "./kit/script-call.ts";
import { useScriptServer } from "./kit/script-server.ts";

const started = useScriptServer();
const ORIGIN = originOf(NOW_US);
const CHANGES = 2_500;
/** No key expires while clocks of keys stand still. */
const POOLS: readonly (readonly LimitSpec[])[] = [
  ALL_LIMITS,
  EXACT_BUCKETS,
  INEXACT_BUCKETS,
  SHORT_RINGS,
  HUGE_WINDOWS,
];

/** A cell of a row that stands for a moment before all others. */
const LONG_AGO = -(2 ** 54);

/** The cells of the only limit, padded with zeros. */
async function cellsOf(name: string, size: number): Promise<Float64Array> {
  const cells = new Float64Array(size);
  const value = await started.server.raw("GET", name);
  if (!Buffer.isBuffer(value)) return cells;
  const stored = cellsIn(readRow(value).entries[0]!).slice(0, size);
  cells.set(stored.map((cell) => (cell === LONG_AGO ? Number.NEGATIVE_INFINITY : cell)));
  return cells;
}

function runAt(nowUs: number, transaction: ScriptTransaction): Promise<readonly TransactionOutcome[] | undefined> {
  return started.server.run({ time: "transactions", transactions: [{ ...transaction, nowUs }] });
}

/** A key under one random limit that changes to another. */
class Change {
  readonly #random: Random;
  readonly #name: string;
  readonly #from: Limit;
  readonly #to: Limit;
  #nowUs: number;

  constructor(seed: number) {
    const random = new Random(seed);
    this.#random = random;
    this.#name = `change ${seed}`;
    const pool = random.of(POOLS);
    const from = random.of(pool);
    const others = (random.chance(0.6) ? pool : ALL_LIMITS).filter(({ kind }) => kind === from.kind);
    this.#from = libraryLimit(from, "limit");
    this.#to = libraryLimit({ ...this.#related(random.of(others)), unit: from.unit }, "limit");
    this.#nowUs = NOW_US + random.magnitude(40);
  }

  /** Counts carry over between windows of one length. */
  #related(spec: LimitSpec): LimitSpec {
    const { windowMs = 0, resolutionMs = 0 } = this.#from as { windowMs?: number; resolutionMs?: number };
    if (spec.kind === "token-bucket" || spec.kind === "calendar-window") return spec;
    const windowUs = Math.round(windowMs * 1_000);
    if (spec.kind === "fixed-window") return { ...spec, windowUs };
    const resolutionUs = this.#random.chance(0.5) ? undefined : Math.round(resolutionMs * 1_000);
    return { ...spec, windowUs, limit: 1 + (capacityOf(spec) % 4_000), resolutionUs };
  }

  /** The cells that the script wrote, and those of the kernels; `undefined` if nothing counted any more. */
  async play(): Promise<{ got: Float64Array; expected: Float64Array } | undefined> {
    const random = this.#random;
    const [own, next] = [encoded(this.#from), encoded(this.#to)];
    const kernel = compileLimit(this.#from, ORIGIN);
    for (let i = random.between(1, 12); i > 0; i -= 1) {
      const verb = random.weighted({ take: 4, charge: 3, refund: 1 } as const);
      const cost = random.chance(0.5)
        ? random.between(1, 3)
        : random.between(1, Math.min(this.#from.capacity, 2 ** 45));
      await runAt(this.#nowUs, call(verb, own, this.#name, cost));
      this.#nowUs += this.#step();
    }
    const before = await cellsOf(this.#name, kernel.size);
    const now = createTimeCell(this.#nowUs);
    if ((await started.server.command("EXISTS", this.#name)) === 0 || kernel.isIdle(before, 0, now)) return undefined;
    await runAt(this.#nowUs, call("take", next, this.#name, 0));
    const changed = compileLimit(this.#to, ORIGIN);
    const expected = new Float64Array(changed.size);
    carryOver(changed, expected, 0, now, kernel, before, 0);
    // In a shorter window the units may have left: the script removes the key.
    if (changed.isIdle(expected, 0, now)) expected.fill(0);
    return { got: await cellsOf(this.#name, changed.size), expected };
  }

  #step(): number {
    const { windowMs = 1 } = this.#from as { windowMs?: number };
    return this.#random.of([0, 1, this.#random.between(0, 1_000 * windowMs), this.#random.magnitude(22), -3]);
  }
}

describe("a limit that changes in Redis", () => {
  it("a take that lost a race gets nothing back after a change, because other numbers may have refilled more", async () => {
    const [small, large] = [10, 15].map((capacity) => perDay(capacity, { name: "calls" })) as [Limit, Limit];
    const [own, other] = [encoded(small), encoded(large)];
    const usedAfter = async (name: string, between: EncodedPlan) => {
      await runAt(NOW_US, call("take", own, name, 4));
      await runAt(NOW_US, call("take", between, name, 1));
      await runAt(NOW_US, call("refund", own, name, 4, { takenUs: NOW_US }));
      const [outcome] = (await runAt(NOW_US, call("explain", own, name))) ?? [];
      return outcome?.reports[0]?.used;
    };
    expect([await usedAfter("same", own), await usedAfter("changed", other)]).toEqual([[1], [5]]);
  });

  it(`the script carries over as the kernels do, to the bit: ${CHANGES} random changes`, {
    timeout: 120_000,
  }, async () => {
    let counted = 0;
    for (let from = 0; from < CHANGES; from += 100) {
      const played = await Promise.all(Array.from({ length: 100 }, (_, i) => new Change(from + i).play()));
      for (const [i, change] of played.entries()) {
        if (change === undefined) continue;
        counted += 1;
        expect([from + i, change.got]).toEqual([from + i, change.expected]);
      }
      await started.server.command("FLUSHALL");
    }
    expect(counted).toBeGreaterThan(CHANGES / 3);
  });
});
