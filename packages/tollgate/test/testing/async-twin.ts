import { memoryStore } from "tollgate";
import {
  type AsyncBlocks,
  type AsyncSpace,
  type AsyncStore,
  Blocking,
  type Call,
  type KeyBlock,
  type LimiterContext,
  type Plan,
  Report,
  type Scope,
  type SyncBlocks,
  type SyncSpace,
  type SyncStore,
  type Taken,
  type TimeCell,
  type Verb,
} from "tollgate/store";

/** The memory store behind promises, like a store elsewhere. Tests can make it unavailable. */
export class AsyncTwin implements AsyncStore {
  readonly kind = "async";
  /** If set, the store is unavailable, and its failure policy decides. */
  outage: { readonly cause: string; readonly policy: "allow" | "deny" } | undefined;
  /** The receipts of each refund and charge. */
  readonly corrections: (readonly [verb: Verb, taken: readonly Taken[] | undefined])[] = [];
  readonly #store: SyncStore;
  #held: Promise<void> | undefined;

  constructor(store: SyncStore = memoryStore()) {
    this.#store = store;
  }

  open(plan: Plan, context: LimiterContext): AsyncSpace {
    const blocks = this.#store.blocks?.(plan.scope, plan.limiter, context);
    return new AsyncTwinSpace(this.#store.open(plan, context), blocks);
  }

  blocks(scope: Scope, limiter: string, context: LimiterContext): AsyncBlocks {
    const blocks = this.#store.blocks?.(scope, limiter, context);
    const blocking = new Blocking([blocks]);
    return {
      limiter,
      block: async (key, end, reason, now) => {
        blocking.block([key], "untilUs" in end ? end.untilUs : now[0]! + end.forUs, reason, now);
      },
      unblock: async (key, now) => blocking.unblock([key], now),
      find: async (key, now) => inForce(blocks?.find(key), now),
    };
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
    taken?: readonly Taken[],
  ): Promise<Report> {
    if (verb === "refund" || verb === "charge") this.corrections.push([verb, taken]);
    await nextTick();
    await this.#held;
    const report = this.#decide(verb, calls, now, taken);
    for (const { space } of calls) innerOf(space).maintain();
    return report;
  }

  #decide(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell, taken: readonly Taken[] | undefined): Report {
    const report = new Report();
    if (this.outage !== undefined) {
      report.degraded = this.outage.cause;
      report.admitted = this.outage.policy === "allow";
      report.unavailableForUs = 250_000;
      return report;
    }
    const blocking = new Blocking(calls.map(({ space }) => twinOf(space).blocks));
    const inner = calls.map(({ space, key, costs }) => ({ space: innerOf(space), key, costs }));
    const request = {
      keys: calls.map(({ key }) => key),
      calls: inner,
      members: calls.map((call) => calls.findIndex((other) => isOfOneKey(call, other))),
    };
    return blocking.transact(verb, request, now, taken, report);
  }

  async close(): Promise<void> {
    this.#store.close();
  }
}

class AsyncTwinSpace implements AsyncSpace {
  readonly inner: SyncSpace;
  readonly blocks: SyncBlocks | undefined;

  constructor(inner: SyncSpace, blocks: SyncBlocks | undefined) {
    this.inner = inner;
    this.blocks = blocks;
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

function isOfOneKey(one: Call<AsyncSpace>, other: Call<AsyncSpace>): boolean {
  return one.key === other.key && one.space.plan.scope === other.space.plan.scope;
}

function inForce(block: KeyBlock | undefined, now: TimeCell): KeyBlock | undefined {
  return block !== undefined && now[0]! < block.untilUs ? block : undefined;
}

function innerOf(space: AsyncSpace): SyncSpace {
  return twinOf(space).inner;
}

function twinOf(space: AsyncSpace): AsyncTwinSpace {
  if (space instanceof AsyncTwinSpace) return space;
  throw new Error("expected a space of this store");
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
