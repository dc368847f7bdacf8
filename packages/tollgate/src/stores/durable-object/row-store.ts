import type { BlockChange, KeyBlock, SyncBlocks } from "../../core/blocks.ts";
import { readUs, systemClock } from "../../core/clock.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace, SyncStore } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { tagOf } from "../redis/space-keys.ts";
import type { KeyRows } from "./key-rows.ts";
import { RowSpace, type RowSpaceStore } from "./row-space.ts";

interface BlockColumns {
  readonly until_us: number;
  readonly offences: number;
  readonly forget_us: number;
  readonly reason: string | null;
}

/** Keeps all counts and blocks in the object's database, so that it may be evicted after any call. */
export class RowStore implements SyncStore, RowSpaceStore {
  readonly kind = "sync";
  readonly rows: KeyRows;
  nowUs = 0;
  number = 0;
  readonly #some = new Int32Array(1);

  constructor(rows: KeyRows) {
    this.rows = rows;
  }

  /** Begins the calls of a request. */
  begin(): void {
    this.nowUs = readUs(systemClock);
    if (this.rows.begin()) this.#some[0] = this.rows.query("SELECT 1 FROM tollgate_blocks LIMIT 1").length;
  }

  /** Numbers are moments, so that those of an object that was evicted are lower. */
  nextNumber(): number {
    this.number = Math.max(this.nowUs, this.number + 1);
    return this.number;
  }

  open(plan: Plan, context: LimiterContext): SyncSpace {
    return new RowSpace(plan, context, this);
  }

  blocks(scope: Scope, limiter: string, _context: LimiterContext): SyncBlocks {
    const space = JSON.stringify([scope]);
    return {
      limiter,
      some: this.#some,
      find: (key) => this.#find(space, tagOf(key)),
      replace: (key, _before, after, now) => this.#replace(space, tagOf(key), after, now),
    };
  }

  close(): void {}

  #find(space: string, key: string): KeyBlock | undefined {
    const statement = "SELECT until_us, offences, forget_us, reason FROM tollgate_blocks WHERE space = ? AND key = ?";
    const [row] = this.rows.query(statement, this.rows.idOf(space), key);
    if (row === undefined) return undefined;
    const { until_us: untilUs, offences, forget_us: forgetAtUs, reason } = row as unknown as BlockColumns;
    return { untilUs, offences, forgetAtUs, reason: reason ?? undefined };
  }

  #replace(space: string, key: string, after: KeyBlock | undefined, now: TimeCell): BlockChange {
    const id = this.rows.idOf(space);
    if (after === undefined) this.rows.query("DELETE FROM tollgate_blocks WHERE space = ? AND key = ?", id, key);
    else {
      const { untilUs, offences, forgetAtUs, reason } = after;
      const idleUs = Math.max(untilUs, forgetAtUs) + this.nowUs - now[0]!;
      this.rows.query(
        "INSERT OR REPLACE INTO tollgate_blocks VALUES (?, ?, ?, ?, ?, ?, ?)",
        ...[id, key, untilUs, offences, forgetAtUs, reason ?? null, idleUs],
      );
      this.rows.noteIdle(idleUs);
      this.#some[0] = 1;
    }
    return "done";
  }
}
