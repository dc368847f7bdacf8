// For authors of stores. `docs/writing-a-store.md` walks through one.

export { type BlockableRequest, Blocking } from "../algorithms/blocking.ts";
export { type DecidingSpace, transact } from "../algorithms/transact.ts";
export {
  type AsyncBlocks,
  type BlockChange,
  type BlockEnd,
  blockUntil,
  type KeyBlock,
  type SyncBlocks,
} from "../core/blocks.ts";
export type { Clock } from "../core/clock.ts";
export { KeyRef } from "../core/key-ref.ts";
export { createPlan, type OnChange, type Plan, type Scope } from "../core/plan.ts";
export { Report } from "../core/report.ts";
export type {
  AsyncSpace,
  AsyncStore,
  Call,
  KeptCall,
  LimiterContext,
  ReservationKeeper,
  SyncSpace,
  SyncStore,
} from "../core/store.ts";
export type { SentBatch, StoreReadings } from "../core/store-readings.ts";
export type { Taken, UndoRecord } from "../core/taken.ts";
export { createTimeCell, type TimeCell } from "../core/time-cell.ts";
export { VERBS, type Verb, type VerbTraits } from "../core/verbs.ts";
export { PlanMap } from "./plan-map.ts";
export { PlanVerbs } from "./plan-verbs.ts";
