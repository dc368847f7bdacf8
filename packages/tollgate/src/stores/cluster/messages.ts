import type { BlockEnd, ReportedBlock } from "../../core/blocks.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { Taken } from "../../core/taken.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";

/** A primary refuses messages of another version: a worker may have loaded a newer release of this package. */
export const VERSION = 1;

/** A key in a space of the sender, what the call costs there, and with a correction what the call took. */
export type KeyCall = readonly [space: number, key: string, costs: readonly number[], taken?: TakenWords];
/** `resets` is `null` where they are infinite, as in JSON. */
export type TakenWords = readonly [where: Taken["where"], resets: number | null, untilUs: readonly number[]];

/** A call. `nowUs` is `null` where the clock of the primary decides. */
export type Operation =
  | readonly ["apply", space: number, nowUs: number | null, verb: Verb, calls: readonly KeyCall[]]
  | readonly ["block", space: number, nowUs: number | null, key: string, end: BlockEnd | null, reason: string | null]
  | readonly ["find" | "drop", space: number, nowUs: number | null, key: string]
  | readonly ["clear" | "size" | "sweep" | "release", space: number, nowUs: number | null];

/** A message of a worker. Without words it asks whether there is a primary. */
export interface Request {
  readonly version: number;
  /** One store of one worker. */
  readonly client: string;
  readonly id: number;
  /** When the worker decides without the primary, by the clock of the primary's process. */
  readonly dueMs: number;
  /** The spaces of all calls. */
  readonly uses: readonly number[];
  /** The plans of those that the primary does not know yet. */
  readonly opens: readonly (readonly [space: number, plan: string])[];
  /**
   * Each call is an `Operation`. The most frequent one, a take from one key by the primary's clock, is three words or
   * more in place of a list: its space, its key and a cost for each limit. Such calls take half the time by that.
   */
  readonly words: readonly unknown[];
}

/** All that a report has, with `null` for infinite numbers and for holes. */
export interface ReportWords {
  readonly admitted: boolean;
  readonly waitUs: readonly (number | null)[];
  readonly keptLimits: readonly (LimitWords | null)[];
  readonly resets?: number | undefined;
  readonly resetsOf: readonly (number | null | undefined)[];
  readonly block?: ReportedBlock | undefined;
}
/** A limit as data, and whether its name was chosen. */
export type LimitWords = readonly [limit: Limit, hasChosenName: boolean];
/** Used, reset, conforms, wait, used after the wait. */
export const FIGURES = 5;
/** The block in force: how long, and the reason. */
export type BlockWords = readonly [forUs: number, reason: string | null] | null;
export type Failure = { readonly error: readonly [code: ErrorCode, message: string] };
export type Result = number | ReportWords | BlockWords | Failure;

export interface Answer {
  readonly version: number;
  readonly client: string;
  readonly id: number;
  /** Which primary answers: another one knows neither spaces nor receipts. */
  readonly primary: number;
  /** The clock of the primary's process, as the answer was sent. */
  readonly nowMs: number;
  /** The moment of the decisions. */
  readonly nowUs: number;
  /** Unless `"done"`, nothing was done; of a request that came too late, only what gives back. */
  readonly outcome: "done" | "late" | "unknown-space" | "other-version";
  /**
   * The result of each call. A take whose figures say all has these in its place: `null`, whether it is admitted, after
   * how many resets (-1: it does not matter), and `FIGURES` numbers for each limit. One that is admitted, and after
   * which another fits, has the resets and the first two figures: most answers, in less than half the words.
   */
  readonly words: readonly unknown[];
  /** The keys whose counts moved to other numbers. */
  readonly moves: readonly Move[];
}

export type Move = readonly [space: number, key: string, from: readonly LimitWords[], to: readonly LimitWords[]];

/** In the form in which PM2 passes messages on, of which its bus shows `data` alone. Without PM2 it does no harm. */
export function seal(topic: string, data: Request | Answer): object {
  return { type: "process:msg", topic, data: { ...data, topic } };
}

/** What a message of this topic has; `undefined` for the messages of the application. */
export function contentOf(topic: string, message: unknown): unknown {
  const { data } = Object(message) as { readonly data?: unknown };
  const { topic: own } = Object(data) as { readonly topic?: unknown };
  return own === topic ? data : undefined;
}

/** Whether an operation gives back what the store took. */
export function givesBack([what, , , verb]: Operation): boolean {
  return what === "apply" && VERBS[verb].refunds;
}
