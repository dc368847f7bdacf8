import type { LimitStatus } from "../core/decision.ts";

/**
 * What the dashboard's page and its server say to each other. All routes lie below the address of the page:
 *
 * - `GET .`, `GET page.js`, `GET page.css`: the page.
 * - `POST session` with `{ token }`: 204 and a cookie, or 401. Only a dashboard that has tokens needs it: others answer
 *   204, too.
 * - `GET snapshots`: server-sent events, 401 without a session. The first has a `Snapshot` with the last hour, and one
 *   follows each second, with what is new.
 * - `POST key` with a `KeyRequest`: a `KeyDetail`.
 * - `POST act` with an `ActRequest`: an `ActAnswer`, 403 if the session may only read.
 *
 * `snapshots?keys=shown` and `key?keys=shown` ask for keys as they are. Without the right to change anything they stay
 * masked.
 *
 * The page has `<div id="app">` and loads the script as a module. Requests with a body are JSON from the page's own
 * origin. What is refused is `{ error }`, with one of these:
 *
 * - 400 for a wrong body, 404 for a limiter that is not known, 501 for what a store cannot do.
 * - 401 without a session, 403 for another origin or a change that is not allowed.
 * - 429 with `Retry-After` for too many requests or pages.
 *
 * Exported for the page and the tests of both sides only: applications mount the whole dashboard.
 *
 * @internal
 */
export const ROUTES = {
  script: "page.js",
  style: "page.css",
  session: "session",
  snapshots: "snapshots",
  key: "key",
  act: "act",
} as const;

/** Per second. */
export interface CallRates {
  readonly admitted: number;
  readonly denied: number;
  /** Decided without the store, by the failure policy. They are in neither of the two before. */
  readonly degraded: number;
  /** Limits in shadow mode that would have denied. A call counts once for each. */
  readonly shadow: number;
}

/** A second: its calls, and how long decisions took. */
export interface Point extends CallRates {
  /** When the second ended, in milliseconds since the epoch. */
  readonly atMs: number;
  /** The decisions that were timed have it, by the bounds of a histogram. `null` if none was timed. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** What is so now, and what has happened. */
export interface Snapshot {
  /** `"read"`: the session changes nothing, and keys stay masked. Only the first snapshot has it. */
  readonly access: "read" | "write";
  /** The last hour, oldest first; then the last second. */
  readonly points: readonly Point[];
  /** The latest events, oldest first; then those since the last snapshot. */
  readonly events: readonly DashboardEvent[];
  readonly limits: readonly LimitRow[];
  readonly stores: readonly StoreRow[];
  /** The processes that decide: one, or workers of which some may be missing. */
  readonly processes: { readonly ready: number; readonly of: number };
  /** Limits files, if limits come from files. Only their modes can be changed. */
  readonly file?: FileStatus;
  /** The keys with most calls, with most denials, and with the longest blocks: first those that are limited now. */
  readonly keys: readonly KeyRow[];
  /** Whether the store can list blocked keys. */
  readonly listsBlocked: boolean;
}

export type OverrideMode = "on" | "shadow" | "off";

/** A limit, and the calls for which it was the binding one. */
export interface LimitRow extends CallRates {
  /** Such as `"api/login"`: in a limits file, the domain and the rule. */
  readonly limiter: string;
  /** The name of the limit. Empty for a rule without calls by plan or key. */
  readonly limit: string;
  /** Such as `"100 requests per 1m"`. Empty if it is not known. */
  readonly numbers: string;
  readonly mode: "enforce" | "shadow" | "off";
  readonly override?: { readonly mode: OverrideMode; readonly untilMs: number; readonly by: string };
}

export interface StoreRow {
  /** Such as `"memory"` or `"redis"`. */
  readonly name: string;
  readonly keys?: number;
  /** How many keys the store keeps at most. */
  readonly maxKeys?: number;
  readonly bytes?: number;
  /** Calls so far whose key got no slot. */
  readonly overflowed?: number;
  readonly blocked?: number;
  /** Set for a server elsewhere. `"bypass"`: its kill switch is on. */
  readonly server?: "up" | "probing" | "down" | "bypass";
}

export interface FileStatus {
  /** `"kept"`: the files have mistakes, and the limits before them are in force. */
  readonly state: "loaded" | "kept";
  readonly source: "files" | "operator";
  readonly version: string;
  readonly sinceMs: number;
  /** Lines such as `"limits.yaml:3:5: expected …"`, at most 20. */
  readonly mistakes: readonly string[];
}

/** A key of a limiter, as text: a tuple as `["ann","/login",42]`. Pages get it masked or cut. */
export interface SourceKey {
  readonly limiter: string;
  readonly key: string;
}

/** A key as pages have it: `key` is a text to show, and `id` names the key in requests. */
export interface ShownKey extends SourceKey {
  readonly id: string;
}

/** What a list tells of a key. */
export interface KeyFacts {
  /** Calls and denials, each by its age: estimates. */
  readonly calls?: number;
  readonly denials?: number;
  /** The used part of the fullest limit, 1 if it is full. Absent if the key cannot be explained. */
  readonly used?: number;
  /** Set for a key that is denied or blocked: when it passes again. `null`: never. */
  readonly untilMs?: number | null;
  /** Set for a key in the store's list of blocked keys: what the block was given, or empty. */
  readonly reason?: string;
}

export type KeyRow = ShownKey & KeyFacts;

export interface DashboardEvent {
  readonly id: number;
  readonly atMs: number;
  /** A sentence. It never has a key. */
  readonly text: string;
  readonly limiter?: string;
  readonly key?: ShownKey;
  /** The operator, if one did it. */
  readonly who?: string;
}

/** A key: its id in a list, or the key itself, which is a list if the limiter counts by several facts. */
export type NamedKey =
  | { readonly limiter: string; readonly id: string }
  | { readonly limiter: string; readonly key: string | readonly string[] };

/** `cost` is 1 by default: the answer says whether that cost would pass. */
export type KeyRequest = NamedKey & { readonly cost?: number };

export interface KeyDetail extends ShownKey {
  readonly blockedUntilMs: number | null;
  readonly limits: readonly KeyStatus[];
  /** Whether the cost would pass now. */
  readonly allowed: boolean;
  /** After so long it passes if nothing else arrives. `null`: never. */
  readonly retryAfterMs: number | null;
  /** The latest decisions of the key, newest first. */
  readonly decisions: readonly KeyDecision[];
}

/** One limit of a key. Infinity is `null` in JSON. */
export interface KeyStatus extends Omit<LimitStatus, "limiter" | "key" | "lease" | "retryAfterMs" | "resetMs"> {
  readonly retryAfterMs: number | null;
  readonly resetMs: number | null;
}

export interface KeyDecision {
  readonly atMs: number;
  readonly allowed: boolean;
  /** Set for a denial, such as `"exhausted"`. */
  readonly reason?: string;
  /** The binding limit. */
  readonly limit?: string;
  /** `null`: never. */
  readonly retryAfterMs: number | null;
}

/** A change. `for` is a duration such as `"10m"`: of a block, or of a mode. */
interface Act {
  /** The first three change a key, and the others the mode of a limiter. */
  readonly action: "reset" | "block" | "unblock" | OverrideMode | "restore";
  readonly limiter: string;
  readonly for?: string;
  readonly reason?: string;
}

export type ActRequest = Act | (Act & NamedKey);

/** The key is as stores have it. */
export type SourceAct = Act & { readonly key?: string };

/** What was done, as a sentence. */
export interface ActAnswer {
  readonly text: string;
}
