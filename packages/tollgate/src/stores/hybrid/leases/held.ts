import type { LeaseGrant, LeaseReport } from "../../redis/script/lease.ts";

/** A moment by both clocks of a node, in microseconds (`node-time.ts`). */
export interface NodeMoment {
  readonly us: number;
  readonly wallUs: number;
}

/** Until when the calls of a key are denied that cost as much or more. */
export interface HeldDenial {
  readonly untilUs: number;
  readonly costs: readonly number[];
}

/** With what is left of a lease it should be renewed. */
export interface Reserve {
  /** Units, one entry per limit. */
  readonly low: ArrayLike<number>;
  /** Its last microseconds. */
  readonly marginUs: number;
}

/** Clocks may differ by this part of the time that passes. */
export const DRIFT = 0.01;

/**
 * The units that a node may spend for one key, and what else it knows of the key: a few leases, in this thread
 * (`held-leases.ts`) or in memory that all threads of a process share (`../threads`).
 *
 * A lease ends by the clocks of the node, counted from before it was requested. After a sleep or a stop one of them is
 * beyond its end.
 */
export interface Held {
  /** How many leases the script may still count for this node. */
  readonly count: number;
  /** Nothing of what the last reports were about was spent after this moment. */
  readonly spentUs: number;
  /** Spends a cost of the oldest lease, if more than that is left of it, and for longer. It is the fastest way. */
  spendOfPlenty(costs: readonly number[], reserve: Reserve, us: number, wallUs: number): boolean;
  /** Spends a cost. If the leases do not cover it, nothing is spent. */
  spend(costs: readonly number[], us: number, wallUs: number): boolean;
  /** Units of a limit that may be spent. */
  units(limit: number, us: number, wallUs: number): number;
  /** Microseconds until the last lease ends for this node; 0 without one. */
  lastsUs(us: number, wallUs: number): number;
  /** Units of a limit that the script counts for this node. */
  known(limit: number): number;
  /** Whether no more than the reserve is left. */
  isLow(reserve: Reserve, us: number): boolean;
  /** Adds a lease. False if there is no place for it: then it has to be given back. */
  add(grant: LeaseGrant, number: number, asked: NodeMoment): boolean;
  /** Reports all leases. Those without units are forgotten: if the report is lost, they end by themselves. */
  report(us: number, wallUs: number): LeaseReport[];
  /** Returns all leases. Nothing can be spent of them afterwards. */
  giveBack(us: number, wallUs: number): LeaseReport[];
  /** Forgets leases that have ended. */
  expire(us: number, wallUs: number): void;
  /** Finds memory for the key. False if other keys have all of it: then this one cannot have leases. */
  prepare(us: number): boolean;
  /** Whether other keys have all the memory, as far as is known without looking for more. */
  readonly lacksMemory: boolean;
  /** Begins a request to the server. False while another thread asks for the key: then calls `tryAgain` soon. */
  beginAsk(us: number, tryAgain: (() => void) | undefined): boolean;
  endAsk(): void;
  /** The denial that another thread noted. */
  findDenial(us: number): HeldDenial | undefined;
  /** Notes a denial for the other threads. */
  noteDenial(denial: HeldDenial): void;
  /** The demand of all threads, from `prepare` on. */
  readonly demand: Float64Array | undefined;
}
