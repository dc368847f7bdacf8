import type { Report } from "../../../core/report.ts";
import type { LeaseAsk, PlacesReport } from "../../redis/script/lease.ts";
import type { NodeMoment } from "./held.ts";

/** Places that were granted, one entry per limit: free ones, and those of calls that the server admitted. */
export interface NewPlaces {
  readonly free: readonly number[];
  readonly held: readonly number[];
}

/** What a call got places of. */
export interface LentFrom {
  /** Whether calls may begin to hold places, or renew them. */
  lastsAt(us: number, wallUs: number): boolean;
  /** A call no longer holds so many places. */
  takeBack(limit: number, count: number): void;
}

/** What a request says of leases of places. */
export type PlacesOfAsk = Pick<LeaseAsk, "places" | "replaced">;

/**
 * The places that a node has in advance for one key, and those of them that its calls hold: in this thread
 * (`leased-places.ts`), or in memory that all threads of a process share (`../threads/shared-places.ts`).
 *
 * A place is given to a call while its lease lasts, and comes back when the call is over. The script counts the places
 * of a lease until the last call that may have got one then is over at the latest. What is left of a lease is reported,
 * and never grows.
 */
export interface Places {
  /** How many leases and calls the script may still count for this node. */
  readonly count: number;
  /** When a call got a place last. */
  readonly lentAtUs: number;
  /** Whether other keys had all the memory when a call needed it last. */
  readonly lacksMemory: boolean;
  /** Whether there is memory for the lease that is asked for. */
  readonly mayAdd: boolean;
  /** Finds memory for the key. False if other keys have all of it. */
  prepare(us: number): boolean;
  /** Adds places that were granted. They belong to a new lease, which may have replaced one that was reported. */
  add(ask: LeaseAsk, more: NewPlaces, lastsUs: number, asked: NodeMoment, mayLend: boolean): LentFrom | undefined;
  /** There was no answer: the script may have replaced a lease. */
  noteFailure(ask: LeaseAsk): void;
  /** The answer was noted. */
  endAsk(): void;
  /** Whether calls may be admitted, and there are so many places for one. */
  covers(costs: readonly number[], us: number, wallUs: number): boolean;
  /** Gives places to a call. @returns the moment that identifies them; `undefined` if others were quicker. */
  lend(costs: readonly number[], us: number, wallUs: number): number | undefined;
  /** Notes the places of a new lease that a call holds which the server admitted between two moments. */
  hold(lease: LentFrom | undefined, costs: readonly number[], asked: NodeMoment, lastUs: number): number;
  /** Frees places that were given to a call. */
  giveUp(momentUs: number, counts: readonly number[]): void;
  /**
   * So many nodes share too few places: of those beyond this node's part, a part is for others, when calls have freed
   * them.
   */
  share(nodes: number, part: number, us: number): void;
  /** Whether places have to be renewed by the server, because their lease is over. */
  needsServer(momentsUs: readonly number[], us: number, wallUs: number): boolean;
  /** Begins the time of one place of each limit anew whose moment is not 0. The leases must last. */
  renew(momentsUs: readonly number[], us: number, wallUs: number): Report;
  /** Microseconds until calls get no more free places; 0 without any. */
  lastsUs(us: number, wallUs: number): number;
  /** Free places of a limit, which the next calls get. */
  free(limit: number, us: number, wallUs: number): number;
  /** Places of a limit that the script counts for this node, and that no call holds. */
  unused(limit: number): number;
  /** Whether few places are free, or a lease is near its end. */
  isLow(us: number, wallUs: number, marginUs: number): boolean;
  /** How many places of a limit to take in advance: what calls held lately, and a reserve. */
  wanted(limit: number): number;
  /** What has changed, leases to extend, and one that a new lease may replace. */
  report(us: number): PlacesOfAsk;
  /** Works like `report`, and gives back free places, which the server may give to a call that needs more. */
  offer(us: number): PlacesOfAsk;
  /** What has changed, after places that calls have not needed lately are given back. */
  news(us: number): PlacesReport[];
  /** All leases of which calls hold places, to extend them. */
  extension(): PlacesReport[];
  /** Gives back free places. No call is admitted with these leases from now on, unless they are extended. */
  giveBack(): PlacesReport[];
  /** Gives back all places. Calls that hold some have none any more. */
  forget(): PlacesReport[];
  /** Notes what the script knows of leases that were reported. */
  confirm(reports: readonly PlacesReport[], areKnown: readonly boolean[], asked: NodeMoment, mayLend: boolean): void;
  /** Ends what is over. */
  expire(us: number, wallUs: number): void;
}
