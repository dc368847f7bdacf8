import type { BlockedKey, Clock } from "tollgate";
import type { HotRows, KeyAction, KeyResult, SourceKey, Trail } from "tollgate/dashboard";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import type { RecentTraffic } from "../limits/recent-requests.ts";
import type { Log } from "../log/log.ts";
import type { Reached, WorkersReached } from "./workers-reached.ts";

/** Where operators reach what counts: limits of this process, or those of all workers. */
export interface Operated {
  /** `undefined` without operators. */
  readonly recent: RecentSource | undefined;
  readonly operateKey: OperateKey;
  readonly hotOf: HotOf;
  readonly blockedOf: BlockedOf;
  readonly reached: Reached;
  /** What was decided lately, for the dashboard. */
  readonly trailOf: (key: SourceKey | undefined) => Promise<Trail>;
}

/** What the routes of operators need. */
export interface OperationSettings extends Operated {
  readonly inForce: LimitsInForce;
  readonly clock: Clock;
  readonly log: Log;
  /** A domain that limits have to have, because `/check` asks it. */
  readonly checkDomain: string | undefined;
}

/** Where the requests of the last minute are kept. */
export interface RecentSource {
  collect(): RecentTraffic | Promise<RecentTraffic>;
}

/** What an operator does to the key of a rule. */
export interface KeyCall {
  readonly domain: string;
  readonly rule: string;
  readonly key: string | readonly string[];
  readonly action: KeyAction;
}

/** Carries out a call, in this process or in all workers. */
export type OperateKey = (call: KeyCall) => Promise<KeyOutcome>;

export interface KeyOutcome extends KeyResult {
  /** Which workers have made the change. */
  readonly workers?: WorkersReached;
}

/** Lists the keys of a domain, or of all, that are called most, in this process or in all workers. */
export type HotOf = (domain: string | undefined) => Promise<HotRows>;

/** Lists the keys of a domain that are blocked. Redis would have to look at all keys. @throws RequestError 501. */
export type BlockedOf = (domain: string) => readonly BlockedKey[];
