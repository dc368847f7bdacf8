export { type Clock, systemClock } from "./core/clock.ts";
export { coarseClock } from "./core/coarse-clock.ts";
export type { Cost, UnitCosts } from "./core/cost.ts";
export type { Allowed, Block, Decision, Denied, LimitStatus } from "./core/decision.ts";
export type { Duration } from "./core/duration.ts";
export { type ErrorCode, TollgateError } from "./core/errors.ts";
export type { Key, KeyPart } from "./core/key.ts";
export * from "./core/limits/limit.ts";
export type {
  BlockObservation,
  ChangeObservation,
  DecisionObservation,
  DegradationObservation,
  Observation,
  Observer,
  SweepObservation,
} from "./core/observer.ts";
export type { OnChange } from "./core/plan.ts";
export type { AsyncStore, OnFailure, SyncStore } from "./core/store.ts";
export type { AsyncHandle, AsyncLimiter } from "./limiter/async-limiter.ts";
export type { BlockOptions, BlockSpan } from "./limiter/block-span.ts";
export { combine } from "./limiter/combine.ts";
export { createLimiter } from "./limiter/create-limiter.ts";
export { DeniedError } from "./limiter/denied-error.ts";
export type { Handle, Limiter } from "./limiter/limiter.ts";
export type { ChosenLimits, LimitsFunction } from "./limiter/limits-choice.ts";
export type { ObserveOptions } from "./limiter/observers.ts";
export type { LimiterOptions } from "./limiter/options.ts";
export type { RunOptions, WorkOptions } from "./limiter/outgoing-work.ts";
export type { AcquireOptions, AsyncReservation, Reservation, ReserveOptions } from "./limiter/reservation.ts";
export type { WaitOptions, WaitSignal } from "./limiter/wait-options.ts";
export type { CapacityOptions, LocalStore, OverflowPolicy } from "./stores/local/local-store.ts";
export { type MemoryStoreOptions, memoryStore } from "./stores/memory/memory-store.ts";
