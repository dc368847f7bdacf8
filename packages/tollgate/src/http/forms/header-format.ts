import { algorithmOf } from "../../algorithms/compile-limit.ts";
import type { Clock } from "../../core/clock.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { HeaderList } from "../header-list.ts";
import type { PolicyTexts } from "./policy-texts.ts";

/** The state of a client's quota after a decision, as headers tell it. */
export interface ClientQuota {
  /** The binding limit. */
  readonly limit: Limit;
  /** Whole units left under the binding limit. */
  readonly remaining: number;
  /**
   * Milliseconds until the binding limit is idle. If nothing is left or the request was denied: until the same request
   * would pass.
   */
  readonly waitMs: number;
  /** The name of the quota's partition, if `partitionKey` gave one. */
  readonly partition: string | undefined;
}

/** Writes the headers of one form. */
export interface HeaderFormat {
  /** The texts of `RateLimit-Policy`, if the form has that header. */
  readonly policies: PolicyTexts | undefined;
  /** The headers that tell the state. Forms that share one exclude each other. */
  readonly stateHeaders: readonly string[];
  state(quota: ClientQuota, clock: Clock): HeaderList;
}

/** The largest integer of a structured header: 15 digits. */
const LARGEST = 999_999_999_999_999;

/** A number as headers show it. */
export function integerText(units: number): string {
  return String(Math.min(units, LARGEST));
}

/** Whole seconds, rounded up, so that a client that waits finds what the headers told. */
export function secondsText(ms: number): string {
  return integerText(Math.ceil(ms / 1_000));
}

/** The whole seconds in which a limit renews itself: its window's length, or the time in which a token bucket fills. */
export function windowSeconds(limit: Limit, nowMs: number): number {
  return algorithmOf(limit).windowSeconds(limit, nowMs * 1_000);
}
