import { type AsyncStore, memoryStore, type SyncStore } from "tollgate";
import {
  type AsyncSpace,
  type Call,
  type LimiterContext,
  type Plan,
  Report,
  type SyncSpace,
  type TakenFrom,
  type TimeCell,
  type Verb,
} from "tollgate/store";

/** The memory store behind promises, like a store elsewhere. Tests can make it unavailable. */
export class AsyncTwin implements AsyncStore {
  readonly kind = "async";
  /** If set, the store is unavailable, and its failure policy decides. */
  outage: { readonly cause: string; readonly policy: "allow" | "deny" } | undefined;
  /** The `takenFrom` of each refund and charge. */
  readonly corrections: (readonly [verb: Verb, takenFrom: TakenFrom | undefined])[] = [];
  readonly #store: SyncStore;
  #held: Promise<void> | undefined;

  constructor(store: SyncStore = memoryStore()) {
    this.#store = store;
  }

  open(plan: Plan, context: LimiterContext): AsyncSpace {
    return new AsyncTwinSpace(this.#store.open(plan, context));
  }

  /** Delays all answers until the returned function is called. */
  hold(): () => void {
    let letGo = (): void => {};
    this.#held = new Promise((resolve) => {
      letGo = resolve;
    });
    return letGo;
  }

  async transact(
    verb: Verb,
    calls: readonly Call<AsyncSpace>[],
    now: TimeCell,
    takenFrom?: TakenFrom,
  ): Promise<Report> {
    if (verb === "refund" || verb === "charge") this.corrections.push([verb, takenFrom]);
    await nextTick();
    await this.#held;
    const report = this.#decide(verb, calls, now);
    for (const { space } of calls) innerOf(space).maintain();
    return report;
  }

  #decide(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell): Report {
    const report = new Report();
    if (this.outage !== undefined) {
      report.degraded = this.outage.cause;
      report.admitted = this.outage.policy === "allow";
      report.unavailableForUs = 250_000;
      return report;
    }
    if (verb === "take" || verb === "peek") {
      report.admitted = applyAll("peek", calls, now, report);
      if (!report.admitted) {
        if (verb === "take") touchAll(calls, now);
        applyAll("explain", calls, now, report);
        return report;
      }
    }
    report.admitted = applyAll(verb, calls, now, report);
    return report;
  }

  async close(): Promise<void> {
    this.#store.close();
  }
}

class AsyncTwinSpace implements AsyncSpace {
  readonly inner: SyncSpace;

  constructor(inner: SyncSpace) {
    this.inner = inner;
  }

  get plan(): Plan {
    return this.inner.plan;
  }

  async size(): Promise<number> {
    return this.inner.size;
  }

  async drop(key: string): Promise<void> {
    this.inner.drop(key);
  }

  async clear(): Promise<void> {
    this.inner.clear();
  }

  async sweep(now: TimeCell): Promise<number> {
    return this.inner.sweep(now);
  }

  release(): void {
    this.inner.release();
  }
}

function applyAll(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell, report: Report): boolean {
  let admitted = true;
  let at = 0;
  for (const { space, key, costs } of calls) {
    if (!innerOf(space).apply(verb, key, costs, now, report, at)) admitted = false;
    at += costs.length;
  }
  return admitted;
}

function touchAll(calls: readonly Call<AsyncSpace>[], now: TimeCell): void {
  for (const { space, key, costs } of calls) {
    const nothing = costs.map(() => 0);
    innerOf(space).apply("take", key, nothing, now, new Report(), 0);
  }
}

function innerOf(space: AsyncSpace): SyncSpace {
  if (space instanceof AsyncTwinSpace) return space.inner;
  throw new Error("expected a space of this store");
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
