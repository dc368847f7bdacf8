import type { SyncBlocks } from "../../core/blocks.ts";
import { readUs, systemClock } from "../../core/clock.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace, SyncStore } from "../../core/store.ts";
import { tagOf } from "../redis/space-keys.ts";
import type { KeyRows } from "./key-rows.ts";
import { RowSpace, type RowSpaceStore } from "./row-space.ts";

/** Keeps all counts and blocks in the object's database, so that it may be evicted after any call. */
export class RowStore implements SyncStore, RowSpaceStore {
  readonly kind = "sync";
  readonly rows: KeyRows;
  nowUs = 0;
  number = 0;

  constructor(rows: KeyRows) {
    this.rows = rows;
  }

  /** Begins the calls of a request. */
  begin(): void {
    this.nowUs = readUs(systemClock);
    this.rows.begin();
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
      some: SOME,
      find: (key) => this.rows.read(space, tagOf(key)).block,
      replace: (key, _before, block, now) => {
        const { counts } = this.rows.read(space, tagOf(key));
        this.rows.write(space, tagOf(key), { counts, block }, this.nowUs - now[0]!);
        return "done";
      },
    };
  }

  close(): void {}
}

/** Blocks are in the rows of keys, which calls read anyway. */
const SOME = new Int32Array([1]);
