import type { BlockEnd } from "../../../core/blocks.ts";
import type { Verb } from "../../../core/verbs.ts";
import type { EncodedPlan } from "./encode-plan.ts";
import type { LeaseAsk } from "./lease.ts";

/**
 * What a transaction does: a verb, or one of these.
 *
 * - `drop`: removes a key if it is idle.
 * - `block`: begins or ends an operator's block.
 * - `forget`: removes what counts under the plan's names. Other limits of the key stay.
 * - `lease`: takes units in advance.
 * - `receipt`: changes a receipt, and the counts that it is about.
 */
export type ScriptVerb = Verb | "drop" | "forget" | "block" | "lease" | "receipt";

/** A row, and what a receipt changes there. */
export interface KeptScriptCall {
  readonly name: string;
  /** `EncodedPlan.text`. */
  readonly plan: string;
  /** One for each limit, as these: when the units leave that are given back or renewed. */
  readonly costs: readonly number[];
  readonly untilUs: readonly number[];
  /** The moment at which they were taken, by the server's time. */
  readonly decidedUs: number;
  /** How many cells the ring of each limit may have. */
  readonly ringCells: readonly number[];
}

/** A change of a receipt in a key of its own, if its client has read it as it is. Otherwise nothing is done. */
export interface KeptReceipt {
  /** The key's name in Redis. */
  readonly name: string;
  /** The revision that the client has read; 0 for a new receipt. */
  readonly revision: number;
  /** How long the receipt is kept from now on, in microseconds; 0: as long as before. */
  readonly ttlUs: number;
  /** What the receipt says from then on, to which the script adds what the calls take; `undefined` removes it. */
  readonly words: readonly (string | number)[] | undefined;
  /** What is given back first. */
  readonly given: readonly KeptScriptCall[];
  /** What is charged or renewed. */
  readonly verb: "charge" | "renew";
  readonly calls: readonly KeptScriptCall[];
}

/** An operator's block, or `"none"` to end one. */
export interface ScriptBlock {
  readonly end: BlockEnd | "none";
  readonly reason: string | undefined;
}

/** One key of a transaction. */
export interface ScriptKey {
  /** The key's name in Redis, the same for all plans of a limiter. */
  readonly name: string;
  readonly plan: EncodedPlan;
  /** One checked cost per limit of the plan. `drop` and `forget` ignore costs. */
  readonly costs: readonly number[];
  /**
   * With a `refund` or a `renew` that corrects one take, when its units leave, one moment per limit (`Taken.untilUs`).
   */
  readonly untilUs?: readonly number[] | undefined;
  /** The moment of that take by the server's time, if it is known. Units that were forgotten since stay forgotten. */
  readonly decidedUs?: number | undefined;
}

/** Keys that are decided together, all or nothing. */
export interface ScriptTransaction {
  readonly verb: ScriptVerb;
  /**
   * How many identical calls the transaction stands for. The script decides them one after another at the same
   * instant.
   */
  readonly times: number;
  /**
   * Which figures the reply has.
   *
   * - `"each"`: a report per call. Takes stop at the first denial, because the rest get the same figures. Read-only
   *   verbs are reported once.
   * - `"first-denied"`: the number of admitted calls, and a report of the first denied one.
   */
  readonly detail: "each" | "first-denied";
  /**
   * Refunds only: the moment at which all the units were taken. Buckets then get back the part that must still count,
   * whatever other calls did since; windows get nothing.
   */
  readonly takenUs?: number | undefined;
  /** Set with `block`. */
  readonly block?: ScriptBlock | undefined;
  /** Set with `lease`. */
  readonly lease?: LeaseAsk | undefined;
  /** Set with `receipt`. */
  readonly receipt?: KeptReceipt | undefined;
  /** At least one; `drop`, `forget`, `block` and `lease` have exactly one. Those of `receipt` are the rows. */
  readonly keys: readonly ScriptKey[];
}
