export * from "./algorithms/limits/limits.ts";
export { type Clock, systemClock } from "./core/clock.ts";
export { coarseClock } from "./core/coarse-clock.ts";
export type { Cost, UnitCosts } from "./core/cost.ts";
export type { Allowed, Block, Decision, Denied, LimitStatus } from "./core/decision.ts";
export type { Duration } from "./core/duration.ts";
export { type ErrorCode, TollgateError } from "./core/errors.ts";
export type { KeptReservation } from "./core/kept-reservation.ts";
export type { Key, KeyPart } from "./core/key.ts";
export type {
  BlockObservation,
  ChangeObservation,
  DecisionObservation,
  DegradationObservation,
  Observation,
  Observer,
} from "./core/observer.ts";
export type { OnChange } from "./core/plan.ts";
export type { OnFailure, Store } from "./core/store.ts";
export type { BlockOptions, BlockTime } from "./limiter/block-time.ts";
export type { ChosenLimits, LimitsFunction } from "./limiter/choosing/limits-choice.ts";
export { combine } from "./limiter/combine.ts";
export { createLimiter } from "./limiter/create-limiter.ts";
export type {
  AsyncHandle,
  AsyncLimiter,
  BlockedKey,
  ClearOptions,
  Handle,
  Limiter,
} from "./limiter/limiter.ts";
export type { LimiterOptions } from "./limiter/options.ts";
export type { WorkOptions } from "./limiter/outgoing-work.ts";
export type { AcquireOptions, AsyncReservation, Reservation, ReserveOptions } from "./limiter/reserving/reservation.ts";
export { DeniedError } from "./limiter/waiting/denied-error.ts";
export type { RunOptions, WaitOptions, WaitSignal } from "./limiter/waiting/wait-options.ts";
export type { ObserveOptions } from "./limiter/watching/watch.ts";
export type { CapacityOptions, LocalStore, OverflowPolicy } from "./stores/local/local-store.ts";
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from "./stores/memory/memory-store.ts";
