import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Part } from "../../algorithms/kernel.ts";
import type { Plan } from "../../core/plan.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { Descriptions } from "../shared/plan-descriptions.ts";
import { type PlanNumbers, tooManyPlansError } from "../shared/plan-rows.ts";

/** A slot's owner has 22 bits. */
const MOST_PLANS = 2 ** 22;
/** With more plans than this, the store looks for plans without keys. */
const MANY_PLANS = 4096;

interface PlanRow {
  readonly name: string;
  mayHaveKeys: boolean;
  originUs: number | undefined;
  /** Set by the first call. */
  compiled: CompiledPlan | undefined;
  parts: readonly Part[];
}

/**
 * The plans of a store of one thread: what `PlanRows` and `PlanDescriptions` keep in shared memory. Plans without keys
 * are forgotten. Their numbers never come again.
 */
export class PrivatePlans implements PlanNumbers, Descriptions {
  readonly all: Plan[] = [];
  /** How often plans were forgotten. */
  version = 0;
  readonly #numbers = new Map<string, number>();
  readonly #rows = new Map<number, PlanRow>();
  readonly #described = new Map<number, Plan>();
  readonly #numbersInUse: () => ReadonlySet<number>;
  readonly #idleSince = createTimeCell();
  #next = 0;
  #checkAt = MANY_PLANS;

  /** `numbersInUse` says which plans have keys or limiters. */
  constructor(numbersInUse: () => ReadonlySet<number>) {
    this.#numbersInUse = numbersInUse;
  }

  numberOf(low: number, high: number): number {
    const name = `${low} ${high}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.#rows.size >= this.#checkAt) this.#forgetUnused();
    if (this.#next === MOST_PLANS) throw tooManyPlansError(MOST_PLANS);
    const number = this.#next;
    this.#next += 1;
    this.#numbers.set(name, number);
    this.#add(number, name);
    return number;
  }

  describe(number: number, compiled: CompiledPlan): void {
    Object.assign(this.#rowOf(number), { compiled, parts: compiled.parts });
  }

  markInserted(number: number): void {
    this.#rowOf(number).mayHaveKeys = true;
  }

  mayHaveKeys(number: number): boolean {
    return this.#rowOf(number).mayHaveKeys;
  }

  originOf(number: number, nowUs: number): number {
    const row = this.#rowOf(number);
    row.originUs ??= nowUs;
    return row.originUs;
  }

  isIdle(number: number, cells: Float64Array, at: number, now: TimeCell): boolean {
    const { compiled, parts } = this.#rowOf(number);
    if (compiled === undefined) return false;
    this.#idleSince[0] = now[0]! - compiled.idleTtlUs;
    for (const { kernel, offset } of parts) {
      // An entry that is written off counts in another row: see `RelatedKeys.writeOff`.
      const isWrittenOff = Number.isNaN(cells[at + offset]);
      if (!(isWrittenOff || kernel.isIdle(cells, at + offset, this.#idleSince))) return false;
    }
    return true;
  }

  add(number: number, plan: Plan): void {
    if (this.#described.has(number)) return;
    this.#described.set(number, plan);
    this.all.push(plan);
  }

  /** A limiter that is closed may call on, although its plan is forgotten. */
  #rowOf(number: number): PlanRow {
    return this.#rows.get(number) ?? this.#add(number, "");
  }

  #add(number: number, name: string): PlanRow {
    const row = { name, mayHaveKeys: false, originUs: undefined, compiled: undefined, parts: [] };
    this.#rows.set(number, row);
    return row;
  }

  #forgetUnused(): void {
    const inUse = this.#numbersInUse();
    for (const [number, { name }] of this.#rows) {
      if (inUse.has(number)) continue;
      this.#rows.delete(number);
      this.#numbers.delete(name);
      this.#described.delete(number);
    }
    this.all.splice(0, this.all.length, ...this.#described.values());
    this.version += 1;
    this.#checkAt = Math.max(MANY_PLANS, 2 * this.#rows.size);
  }
}
