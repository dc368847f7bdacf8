import { readUs } from "../../../core/clock.ts";
import { later } from "../../../core/maybe-async.ts";
import type { Scope } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import type { SyncStore } from "../../../core/store.ts";
import { ownCopy } from "../../../core/text-memory.ts";
import { createTimeCell } from "../../../core/time-cell.ts";
import { memoryStore } from "../../memory/memory-store.ts";
import type { RedisSpace } from "../../redis/redis-space.ts";
import type { StoreOnServer } from "../../redis/redis-store.ts";
import type { LeaseStats } from "../stats.ts";

/** The most keys that are counted in this process, for all limiters of the store. */
const MOST_KEYS = 16_384;

/** What was admitted here of one key, and the server was not charged with. */
interface Debt {
  readonly space: RedisSpace;
  readonly key: string;
  /** One entry per limit. */
  readonly units: number[];
  /** Below 0, so that the receipts of its calls differ from those of the server, which have a moment. */
  readonly number: number;
}

/** What the spaces of one store share: the counts of this process, and what the server does not know of them. */
export class ThresholdNode {
  /** A key for which there is no slot is asked call by call. */
  readonly counts: SyncStore = memoryStore({ maxKeys: MOST_KEYS, overflow: "deny" });
  readonly store: StoreOnServer;
  readonly #stats: LeaseStats;
  readonly #debts = new Map<string, Debt>();
  #lastNumber = 0;
  /** The server's answers to the last charges, by the numbers of the debts. */
  readonly #charges = new Map<number, Promise<Report | undefined>>();
  /** Keys that may be blocked: calls ask the server, until it says that they are not. */
  readonly #blocked = new Set<string>();

  constructor(store: StoreOnServer, stats: LeaseStats) {
    this.store = store;
    this.#stats = stats;
  }

  mayBeBlocked(scope: Scope, key: string): boolean {
    return this.#blocked.size > 0 && this.#blocked.has(nameOf(scope, key));
  }

  noteBlocked(scope: Scope, key: string): void {
    if (this.#blocked.size >= MOST_KEYS) for (const oldest of this.#blocked) return void this.#blocked.delete(oldest);
    this.#blocked.add(nameOf(scope, key));
  }

  noteUnblocked(scope: Scope, key: string): void {
    if (this.#blocked.size > 0) this.#blocked.delete(nameOf(scope, key));
  }

  /** Units that have come back are not charged: before a call took its units, no more than the others counted. */
  lowerDebt(space: RedisSpace, key: string, used: readonly number[], taken: readonly number[]): void {
    const { units = [] } = this.#debts.get(debtOf(space, key)) ?? {};
    for (let i = 0; i < units.length; i += 1) units[i] = Math.min(units[i]!, used[i]! - taken[i]!);
  }

  /** @returns the number of the debt. */
  addDebt(space: RedisSpace, key: string, costs: readonly number[]): number {
    const known = this.#debts.get(debtOf(space, key)) ?? this.#newDebt(space, key);
    for (let i = 0; i < costs.length; i += 1) known.units[i]! += costs[i]!;
    return known.number;
  }

  #newDebt(space: RedisSpace, key: string): Debt {
    const [oldest] = this.#debts.size < MOST_KEYS ? [] : this.#debts.values();
    if (oldest !== undefined) void this.settle(oldest.space, oldest.key);
    this.#lastNumber -= 1;
    // A sliced string would keep its parent alive.
    const debt = { space, key: ownCopy(key), units: space.plan.limits.map(() => 0), number: this.#lastNumber };
    this.#debts.set(debtOf(space, debt.key), debt);
    return debt;
  }

  /** What the server said when it was charged with a debt; `undefined` if it was not, or too long ago. */
  chargeOf(number: number): Promise<Report | undefined> {
    return this.#charges.get(number) ?? Promise.resolve(undefined);
  }

  forgetDebt(space: RedisSpace, key: string): void {
    this.#debts.delete(debtOf(space, key));
  }

  forgetDebts(space: RedisSpace): void {
    for (const { key } of this.#debtsOf(space)) this.forgetDebt(space, key);
  }

  /** Charges the server with what was admitted here of a key. */
  async settle(space: RedisSpace, key: string): Promise<void> {
    const debt = this.#debts.get(debtOf(space, key));
    this.forgetDebt(space, key);
    if (debt === undefined || debt.units.every((count) => count === 0)) return;
    this.#stats.asks += 1;
    const now = createTimeCell(readUs(space.clock));
    // A failed charge is not repeated: it may have been counted.
    const call = { space, key, costs: debt.units };
    const charge = later(() => this.store.transact("charge", [call], now)).catch(() => undefined);
    const [oldest] = this.#charges.size < MOST_KEYS ? [] : this.#charges.keys();
    if (oldest !== undefined) this.#charges.delete(oldest);
    this.#charges.set(debt.number, charge);
    await charge;
  }

  async settleAll(space: RedisSpace): Promise<void> {
    await Promise.all(this.#debtsOf(space).map(({ key }) => this.settle(space, key)));
  }

  #debtsOf(space: RedisSpace): readonly Debt[] {
    return [...this.#debts.values()].filter((debt) => listOf(debt.space) === listOf(space));
  }
}

function nameOf(scope: Scope, key: string): string {
  return `${String(scope)}\n${key}`;
}

/** Limiters of one name with equal limits count together. */
function listOf({ keysOf, plan }: RedisSpace): string {
  return `${keysOf}\n${plan.onChange}\n${plan.id}`;
}

function debtOf(space: RedisSpace, key: string): string {
  return `${listOf(space)}\n${key}`;
}
