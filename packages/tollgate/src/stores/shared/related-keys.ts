import type { CountedCells } from "../../algorithms/carry-over.ts";
import { type Part, writeNew } from "../../algorithms/kernel.ts";
import { Report } from "../../core/report.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { KeyScan } from "./key-scan.ts";
import type { SharedPlan } from "./shared-plan.ts";
import type { SlotRange } from "./shared-table.ts";
import type { IsIdle } from "./slot-claims.ts";
import { type KeySlot, LIVE } from "./slot-search.ts";
import { frozen, GENERATION_MASK } from "./slot-state.ts";
import { PUBLISHED } from "./slot-values.ts";

/** What a slot has of a key under one plan: a claim, or cells. */
export interface Row extends KeySlot {
  readonly keys: RelatedKeys;
}

/** A copy of a row's cells, with the parts that were not written off. */
export interface RowCopy extends CountedCells {
  readonly row: Row;
}

/** The first cell of a part that was written off: another row counts that limit, or it was forgotten. */
const WRITTEN_OFF = Number.NaN;

/** One plan's keys in a part of a table, as the plan's relatives see them. */
export class RelatedKeys {
  readonly plan: SharedPlan;
  readonly scan: KeyScan;
  readonly #range: SlotRange;
  readonly #relatives: () => readonly RelatedKeys[];

  constructor(range: SlotRange, plan: SharedPlan, relatives: () => readonly RelatedKeys[]) {
    this.#range = range;
    this.plan = plan;
    this.scan = new KeyScan(range.slots, plan);
    this.#relatives = relatives;
  }

  /** The keys of the plan and of its relatives. */
  get everywhere(): readonly RelatedKeys[] {
    return [this, ...this.#relatives()];
  }

  /** Whether another plan may count keys. */
  get hasRelatives(): boolean {
    return this.#relatives().some(({ plan }) => plan.mayHaveKeys);
  }

  /**
   * Finds what there is of a key under this plan and its relatives. `low` and `high` are the key's hash xor the hash of
   * `under`. Ordered after this thread's own claim.
   */
  rowsOf(low: number, high: number, under: SharedPlan): Row[] {
    return this.everywhere.flatMap((keys) => keys.#find(low, high, under));
  }

  #find(low: number, high: number, under: SharedPlan): Row[] {
    if (!this.plan.mayHaveKeys) return [];
    const own = this.plan.fingerprints;
    const other = under.fingerprints;
    const found = this.#range.search.find(low ^ own.planLow ^ other.planLow, high ^ own.planHigh ^ other.planHigh);
    return found.map((slot) => ({ ...slot, keys: this }));
  }

  /** Copies a row's cells at the time of a call; `undefined` if the row has changed meanwhile. */
  copy(row: Row, { now }: SharedPlan): RowCopy | undefined {
    this.plan.setTime(now[0]!);
    const { values, compiled } = this.plan;
    values.read(row.slot, row.low, row.high);
    const cells = values.cells.slice();
    if (!this.confirm(row)) return undefined;
    return { row, cells, parts: compiled.parts.filter(({ offset }) => !Number.isNaN(cells[offset])) };
  }

  /** Whether a row's state, and so a copy of its cells, is still current. */
  confirm({ slot, low, high }: Row): boolean {
    return this.plan.values.confirm(slot, low, high);
  }

  /** Whether a live row has counted the key all the time since it was found. */
  isStillLive({ slot, high }: Row): boolean {
    return ((this.#range.slots.upperWord(slot) ^ high) & GENERATION_MASK) === 0;
  }

  freeze({ slot, low, high }: Row): boolean {
    return this.#range.search.freeze(slot, low, high);
  }

  vacate({ slot, low, high }: Pick<Row, "slot" | "low" | "high">): boolean {
    return this.#range.slots.vacate(slot, low, high);
  }

  /** Whether a key of this plan could have another slot. `low` and `high` are its hash as in `rowsOf`. */
  hasSlotFor(low: number, high: number, under: SharedPlan): boolean {
    const own = this.plan.fingerprints;
    const other = under.fingerprints;
    const { claims, slots } = this.#range;
    const isIdle: IsIdle = (slot, stateLow, stateHigh) =>
      this.plan.isSlotIdle(slots.planOf(slot), slot, stateLow, stateHigh);
    // Without another slot the search ends at the key's own.
    return claims.findClaimable(low ^ own.planLow ^ other.planLow, high ^ own.planHigh ^ other.planHigh, isIdle) >= 0;
  }

  /**
   * Writes off the parts of a row whose limits another plan has: a live row counts them, or they are forgotten. The
   * row goes if nothing else counts there. Otherwise it is frozen, unless it stays live with cells of a new key.
   * False if another thread has changed it.
   */
  writeOff({ row, cells, parts }: RowCopy, counted: SharedPlan, now: TimeCell, staysLive = false): boolean {
    const { values } = this.plan;
    const rest = parts.filter(({ kernel }) => !counted.has(kernel.limit));
    const report = new Report();
    for (const [i, { kernel, offset }] of rest.entries()) kernel.tell(cells, offset, now, 0, report, i);
    values.expiry[0] = now[0]! + Math.max(0, ...report.resetUs) + idleTtlUsOf(rest);
    if (areIdle({ parts: rest, cells }, now)) return this.vacate(row);
    values.cells.set(cells);
    for (const part of parts) {
      if (rest.includes(part)) continue;
      if (staysLive) writeNew(part.kernel, values.cells, part.offset, now);
      else values.cells[part.offset] = WRITTEN_OFF;
    }
    const generation = row.kind === LIVE && !staysLive ? frozen(row.high) : row.high;
    return values.publish(row.slot, row.low, row.high, generation) === PUBLISHED;
  }

  /** Forgets what all keys count under limits of this plan or of a relative. Other parts of their rows stay. */
  clear(forgotten: SharedPlan): void {
    if (this.plan.plan.limits.every((limit) => forgotten.has(limit))) {
      this.scan.clear();
      return;
    }
    // Plans look for frozen rows if another may have keys.
    forgotten.markInserted();
    this.scan.each((slot) => this.#clearAt(slot, forgotten));
  }

  #clearAt(slot: number, forgotten: SharedPlan): void {
    for (let row = this.scan.rowAt(slot); row !== undefined; row = this.scan.rowAt(slot)) {
      const copy = this.copy({ ...row, keys: this }, forgotten);
      if (copy === undefined) continue;
      if (!countsFor(copy, forgotten) || this.writeOff(copy, forgotten, forgotten.now)) return;
    }
  }
}

/** Whether a row still counts a limit of a plan. */
export function countsFor({ parts }: CountedCells, plan: SharedPlan): boolean {
  return parts.some(({ kernel }) => plan.has(kernel.limit));
}

/** Whether cells are idle, exactly. Without parts there is nothing that counts. */
export function areIdle({ parts, cells }: CountedCells, now: TimeCell): boolean {
  const then = createTimeCell(now[0]! - idleTtlUsOf(parts));
  return parts.every(({ kernel, offset }) => kernel.isIdle(cells, offset, then));
}

function idleTtlUsOf(parts: readonly Part[]): number {
  return Math.max(0, ...parts.map(({ kernel }) => kernel.idleTtlUs));
}
