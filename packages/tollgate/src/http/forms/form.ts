import { algorithmOf } from "../../algorithms/registry.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { HeaderList } from "../header-list.ts";

/** What a client is told of where it stands. */
export interface Standing {
  /** The limits that enforce, in the limiter's order. */
  readonly limits: readonly Limit[];
  /** The binding one. */
  readonly limit: Limit;
  /** Whole units left under that limit. */
  readonly remaining: number;
  /**
   * Whole seconds until that limit is as good as new; when nothing is left, or the request was denied, until the same request
   * passes.
   */
  readonly seconds: number;
  /** The same as a moment, in seconds since the epoch, where a form tells it. */
  readonly resetSeconds: number;
  /** Names the quota's partition, where that was asked for. */
  readonly partition: string | undefined;
}

/** One form in which limits are told. */
export interface Form {
  readonly fieldNames: readonly string[];
  /** Whether it needs the time. */
  readonly tellsMoments: boolean;
  fields(standing: Standing): HeaderList;
}

/** The largest integer of a structured field: 15 digits. */
const LARGEST = 999_999_999_999_999;

/** A count as fields take it. */
export function count(units: number): string {
  return String(Math.min(units, LARGEST));
}

/** The whole seconds in which a limit is renewed: a window's length, or the time in which a token bucket fills. */
export function windowSeconds(limit: Limit): number {
  return algorithmOf(limit).windowSeconds(limit);
}
