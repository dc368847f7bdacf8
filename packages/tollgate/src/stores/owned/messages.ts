import type { BlockEnd } from "../../core/blocks.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { Limit } from "../../core/limits/limit.ts";

/** An owner refuses calls of another version: a worker may have loaded another release of this package. */
export const VERSION = 1;

/** An administrative call. `nowUs` is `null` where the clock of the owner decides. */
export type Operation =
  | readonly ["block", space: number, nowUs: number | null, key: string, end: BlockEnd | null, reason: string | null]
  | readonly ["find" | "drop", space: number, nowUs: number | null, key: string]
  | readonly ["clear" | "size" | "sweep", space: number, nowUs: number | null];

/** A verb as `encodeVerb` writes it. */
export type VerbWords = readonly [verb: number, nowUs: number | null, ...unknown[]];
/** A report as `encodeReport` writes it. */
export type ReportWords = readonly [bits: number, resets: number | null, ...unknown[]];

/** Calls for the owner of a store: the primary, or a Durable Object. */
export interface OwnerRequest {
  readonly version: number;
  /** One store of one worker, or of one isolate. */
  readonly client: string;
  /** The plans of the spaces of all calls: the owner may have forgotten them at any moment. */
  readonly plans: readonly (readonly [space: number, plan: string])[];
  readonly calls: readonly (VerbWords | Operation)[];
}

/** What an owner answers. */
export interface OwnerAnswer {
  /** Unless `"done"`, nothing was done; of a request that came too late, only what gives back. */
  readonly outcome: "done" | "late" | "other-version";
  /** Which owner answers: another one does not know its receipts. 0 for an owner that forgets nothing. */
  readonly owner: number;
  /** The moment of the decisions, by the owner's clock. */
  readonly nowUs: number;
  /** One for each call. */
  readonly results: readonly (ReportWords | Result | Failure)[];
  /** The keys whose counts moved to other numbers. */
  readonly moves: readonly Move[];
}

/** A limit as data, and whether its name was chosen. */
export type LimitWords = readonly [limit: Limit, hasChosenName: boolean];
export type Move = readonly [space: number, key: string, from: readonly LimitWords[], to: readonly LimitWords[]];
/** The block in force: how long, and the reason. */
export type BlockWords = readonly [forUs: number, reason: string | null] | null;
export type Failure = { readonly error: readonly [code: ErrorCode, message: string] };
/** What an operation returns. */
export type Result = number | BlockWords;
