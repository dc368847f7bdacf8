import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Kernel, PlainTake } from "../../algorithms/kernel.ts";
import type { Plan } from "../../core/plan.ts";
import type { LimiterContext } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Families } from "./families.ts";
import type { PlanTable } from "./plan-table.ts";
import type { SpaceStore } from "./space-store.ts";

/**
 * A limiter's view of its plan's table. A store lets empty tables go, and a table compiles its kernels for another
 * origin when a clock jumps by decades: the view always has the table and the kernels that are right for the current
 * call. The table keeps the cells; the view knows which limits enforce, and their order.
 */
export class PlanView {
  readonly plan: Plan;
  compiled: CompiledPlan;
  /** Set if `tryTake` alone decides `allow`: no limit starts empty. */
  plainTake: PlainTake | undefined;
  /** The kernel of a plan with a `plainTake` and one limit, which enforces. */
  only: Kernel | undefined;
  readonly context: LimiterContext;
  /** The relatives' families; `undefined` for a plan with separate counts. */
  readonly families: Families<PlanTable> | undefined;
  readonly #store: SpaceStore;
  #table: PlanTable | undefined;
  #isOpen = false;
  /** The table's kernels from which this view's were made. */
  #compiledFrom: CompiledPlan | undefined;

  constructor(plan: Plan, context: LimiterContext, store: SpaceStore) {
    this.plan = plan;
    this.context = context;
    this.families = plan.onChange === "separate" ? undefined : store.relatives.of(plan.scope);
    this.#store = store;
    this.compiled = new CompiledPlan(plan, 0);
  }

  /** The plan's table, with kernels that are exact at this moment. */
  tableAt(now: TimeCell): PlanTable {
    const table = this.#table;
    return table?.serves(this.#compiledFrom, now) ? table : this.#anotherTableAt(now);
  }

  /** Works like `tableAt`, if nothing has to be made: that calls clocks, and may throw. */
  readyTableAt(now: TimeCell): PlanTable | undefined {
    const table = this.#table;
    return table?.serves(this.#compiledFrom, now) ? table : undefined;
  }

  /** The plan's table, if there is one; it is not made. */
  get known(): PlanTable | undefined {
    if (this.#table === undefined || this.#table.retired) this.#use(this.#store.find(this.plan));
    return this.#table;
  }

  /** All tables in which keys of this plan may be counted. */
  get everyTable(): readonly PlanTable[] {
    return this.#withKnown((families) => families.relativesOf(this.plan).filter(({ isCounting }) => isCounting));
  }

  /** All tables in which a key of this plan may be counted. */
  tablesWith(key: string): readonly PlanTable[] {
    return this.#withKnown((families) => families.relativesWith(key, this.plan));
  }

  /** The tables whose keys count as this plan's. */
  get ownTables(): readonly PlanTable[] {
    return this.#withKnown((families) => families.formerOf(this.plan));
  }

  #withKnown(find: (families: Families<PlanTable>) => readonly PlanTable[]): readonly PlanTable[] {
    const { known } = this;
    const relatives = this.families?.hasTables ? find(this.families) : [];
    return known === undefined ? relatives : [known, ...relatives.filter((one) => one !== known)];
  }

  /** The limiter has got an observer of sweeps. */
  watchSweeps(): void {
    this.known?.users.add(this.context);
  }

  /** A space counts under these numbers. Views of keys that keep other numbers are not opened. */
  open(): void {
    this.#isOpen = true;
    this.families?.open(this.plan);
  }

  /** The space is closed. It gets no more notifications. */
  close(): void {
    this.known?.users.remove(this.context);
    if (this.#isOpen) this.families?.close(this.plan);
    this.#isOpen = false;
  }

  #anotherTableAt(now: TimeCell): PlanTable {
    const known = this.#table;
    const table = known === undefined || known.retired ? this.#use(this.#make(now)) : known;
    table.reach(now);
    this.#compiledFrom = table.compiled;
    this.compiled = table.compiledFor(this.plan);
    this.plainTake = this.compiled.startsEmpty ? undefined : this.compiled.plainTake;
    this.only = this.compiled.startsEmpty ? undefined : this.compiled.only;
    return table;
  }

  #make(now: TimeCell): PlanTable {
    return this.#store.make(this.plan, now, this.context.choosesLimits === true);
  }

  #use<Table extends PlanTable | undefined>(table: Table): Table {
    table?.users.add(this.context);
    table?.join(this.families);
    this.#table = table;
    return table;
  }
}
