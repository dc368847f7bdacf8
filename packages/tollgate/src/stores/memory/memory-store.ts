/// <reference lib="esnext.disposable" preserve="true" />

import { show, TollgateError } from "../../core/errors.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { Host, SyncSpace, SyncStore } from "../../core/store.ts";
import { KeyTable } from "./key-table.ts";
import { MemorySpace } from "./memory-space.ts";
import { Sweeper } from "./sweeper.ts";

/** How a memory store cleans up. */
export interface MemoryStoreOptions {
  /**
   * Milliseconds between background sweeps of all keys. Needed for no bound: memory stays in proportion to the keys in
   * use as calls come in. Set it to let a process that went quiet give memory back, or to hear of sweeps regularly.
   */
  readonly sweepIntervalMs?: number;
}

/** Timers wait at most this long; more wraps around to no wait at all. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Keeps exact string keys and their counts in this process. Limiters of the same name and the same limits on one store
 * share their keys; a limiter without a name keeps its own.
 *
 * @throws TollgateError `ERR_OPTION` when `sweepIntervalMs` is no whole number from 1 to 2^31 − 1.
 * @example
 * ```ts
 * import { createLimiter, memoryStore, perMinute } from "tollgate";
 *
 * const store = memoryStore({ sweepIntervalMs: 60_000 });
 * const limiter = createLimiter({ name: "api", limits: [perMinute(100)], store });
 * console.log(limiter.allow("ann"), limiter.size); // true 1
 * store.close();
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): SyncStore & Disposable {
  return new MemoryStore(options);
}

class MemoryStore implements SyncStore, Disposable {
  readonly kind = "sync";
  readonly #tables = new Map<Scope, Map<string, KeyTable>>();
  readonly #sweeper = new Sweeper((table) => this.#retire(table));
  readonly #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: MemoryStoreOptions) {
    if (typeof options !== "object" || options === null) {
      throw new TollgateError("ERR_OPTION", `memoryStore: expected an object of options, got ${show(options)}`);
    }
    const { sweepIntervalMs } = options;
    if (sweepIntervalMs === undefined) return;
    if (!Number.isInteger(sweepIntervalMs) || sweepIntervalMs < 1 || sweepIntervalMs > LONGEST_TIMER_MS) {
      throw new TollgateError(
        "ERR_OPTION",
        `sweepIntervalMs: expected a whole number from 1 to ${LONGEST_TIMER_MS}, got ${show(sweepIntervalMs)}`,
      );
    }
    this.#timer = setInterval(() => this.#sweeper.sweepAll(), sweepIntervalMs);
    // Timers are numbers outside Node, Bun and Deno.
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  open(plan: Plan, host: Host): SyncSpace {
    const tables = {
      find: () => this.#find(plan),
      make: (nowUs: number) => this.#find(plan) ?? this.#make(plan, nowUs),
    };
    return new MemorySpace(plan, host, tables, this.#sweeper);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #find({ scope, id }: Plan): KeyTable | undefined {
    return this.#tables.get(scope)?.get(id);
  }

  #make(plan: Plan, nowUs: number): KeyTable {
    const table = new KeyTable(plan, nowUs);
    const tables = this.#tables.get(plan.scope) ?? new Map<string, KeyTable>();
    this.#tables.set(plan.scope, tables.set(plan.id, table));
    this.#sweeper.add(table);
    return table;
  }

  #retire(table: KeyTable): void {
    table.retired = true;
    const { scope, id } = table.plan;
    const tables = this.#tables.get(scope);
    tables?.delete(id);
    if (tables?.size === 0) this.#tables.delete(scope);
  }
}
