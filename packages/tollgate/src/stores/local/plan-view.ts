import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Kernel, PlainTake } from "../../algorithms/kernel.ts";
import type { Plan } from "../../core/plan.ts";
import type { LimiterContext } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { PlanTable } from "./plan-table.ts";
import type { Relatives } from "./relatives.ts";
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
  /** Whether a space counts under these numbers, or keys that keep them alone. */
  readonly #isOfSpace: boolean;
  readonly #store: SpaceStore;
  #table: PlanTable | undefined;
  /** The table's kernels from which this view's were made. */
  #compiledFrom: CompiledPlan | undefined;

  constructor(plan: Plan, context: LimiterContext, store: SpaceStore, isOfSpace = true) {
    this.plan = plan;
    this.context = context;
    this.#isOfSpace = isOfSpace;
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
    return this.#withKnown((relatives) => relatives.of(this.plan).filter(({ isCounting }) => isCounting));
  }

  /** All tables in which a key of this plan may be counted. */
  tablesWith(key: string): readonly PlanTable[] {
    return this.#withKnown((relatives) => relatives.tablesWith(key, this.plan));
  }

  /** The tables whose keys count as this plan's. */
  get ownTables(): readonly PlanTable[] {
    return this.#withKnown((relatives) => relatives.formerOf(this.plan));
  }

  #withKnown(find: (relatives: Relatives<PlanTable>) => readonly PlanTable[]): readonly PlanTable[] {
    const { known } = this;
    const relatives = this.plan.onChange === "separate" ? [] : find(this.#store.relatives);
    return known === undefined ? relatives : [known, ...relatives.filter((one) => one !== known)];
  }

  /** The limiter has got an observer of sweeps. */
  watchSweeps(): void {
    this.known?.users.add(this.context);
  }

  /** Ends the notifications of the limiter. */
  release(): void {
    const table = this.known;
    table?.users.remove(this.context);
    if (table === undefined) this.#store.relatives.forgetAbsent(this.plan);
    else this.#store.relatives.close(table);
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
    if (table !== undefined && this.#isOfSpace) this.#store.relatives.open(table);
    if (this.plan.onChange !== "separate") table?.join(this.#store.relatives);
    this.#table = table;
    return table;
  }
}
