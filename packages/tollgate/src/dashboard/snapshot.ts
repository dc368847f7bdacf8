/**
 * What the dashboard's page and its server say to each other. All routes lie below the address of the page:
 *
 * - `GET .`, `GET page.js`, `GET page.css`: the page.
 * - `POST session` with a `SessionRequest`: 204 and a cookie, or 401. Only a dashboard that has tokens needs it: others
 *   answer 204, too.
 * - `GET snapshots`: server-sent events, 401 without a session. The event `welcome` has a `Welcome`. An event
 *   `snapshot` follows each second, with a `Snapshot`.
 * - `POST key` with a `KeyRequest`: a `KeyDetail`.
 * - `POST act` with an `ActRequest`: an `ActAnswer`, 403 if the session may only read.
 *
 * `snapshots?keys=shown` and `key?keys=shown` ask for keys as they are. Without the right to change anything they stay
 * masked.
 *
 * The page has `<div id="app">` and loads the script as a module. Requests with a body are JSON from the page's own
 * origin. What is refused is a `Refusal`, with one of these:
 *
 * - 400 for a wrong body, 404 for a limiter that is not known, 501 for what a store cannot do.
 * - 401 without a session, 403 for another origin or a change that is not allowed.
 * - 429 with `Retry-After` for too many requests, lookers or sessions.
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

export interface SessionRequest {
  readonly token: string;
}

export interface Refusal {
  readonly error: string;
}

/** Calls per second, and how long decisions took. */
export interface Point {
  /** When the time of the point ended, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly admitted: number;
  readonly denied: number;
  /** Decided without the store, by the failure policy. They are in neither of the two before. */
  readonly degraded: number;
  /** Limits in shadow mode that would have denied. A call counts once for each. */
  readonly shadow: number;
  /** The decisions that were timed have it, by the bounds of a histogram. `null` if none was timed. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** The first event for a looker. */
export interface Welcome {
  /** `"read"`: the session changes nothing, and keys stay masked. */
  readonly access: "read" | "write";
  readonly keys: "masked" | "shown";
  /** What the session is called in the audit log. */
  readonly who: string;
  /** Whether modes of limits can be changed: only limits of a limits file. */
  readonly overridable: boolean;
  /** The last 5 minutes by the second, oldest first. Seconds without a reading are left out. */
  readonly seconds: readonly Point[];
  /** The last hour by 10 seconds, oldest first. */
  readonly hour: readonly Point[];
  /** The latest events, oldest first. */
  readonly events: readonly DashboardEvent[];
}

/** What is so now. It has the numbers of the last second. */
export interface Snapshot {
  readonly point: Point;
  /** The limits with most calls and denials first: at most 200 of `limitsTotal`. */
  readonly limits: readonly LimitRow[];
  readonly limitsTotal: number;
  readonly stores: readonly StoreRow[];
  /** The processes that decide: one, or workers of which some may be missing. */
  readonly processes: { readonly ready: number; readonly of: number };
  /** Limits files, if limits come from files. */
  readonly file?: FileStatus;
  readonly keys: KeyLists;
  /** Those since the last snapshot, oldest first. Their ids ascend. */
  readonly events: readonly DashboardEvent[];
}

export type LimitMode = "enforce" | "shadow" | "off";
export type OverrideMode = "on" | "shadow" | "off";

export interface LimitRow {
  /** Such as `"api/login"`: in a limits file, the domain and the rule. */
  readonly limiter: string;
  /** The name of the limit. Empty for calls that no limit counted. */
  readonly limit: string;
  /** Such as `"100 requests per 1m"`. Empty if it is not known. */
  readonly numbers: string;
  readonly mode: LimitMode;
  readonly override?: { readonly mode: OverrideMode; readonly untilMs: number; readonly by: string };
  /** Calls per second for which the limit was the binding one. */
  readonly admitted: number;
  readonly denied: number;
  readonly shadow: number;
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

/** A key in a list. `key` is a text to show, masked or not: `id` is what names the key in requests. */
export interface KeyRow {
  readonly limiter: string;
  readonly key: string;
  readonly id: string;
  /** Calls, or denials in `limited`, each by its age: an estimate. */
  readonly count?: number;
  /** The used part of the fullest limit, 1 if it is full. */
  readonly used?: number;
  /** When the next call passes, or when the block ends. `null`: never. */
  readonly untilMs?: number | null;
  /** What the block was given. */
  readonly reason?: string;
}

/** At most 20 keys each. */
export interface KeyLists {
  /** Those that are denied or blocked now, of the keys with most denials. */
  readonly limited: readonly KeyRow[];
  /** Those whose fullest limit is fullest, of the keys with most calls. */
  readonly closest: readonly KeyRow[];
  readonly active: readonly KeyRow[];
  /** `null`: the store cannot list them. */
  readonly blocked: readonly KeyRow[] | null;
}

export interface DashboardEvent {
  readonly id: number;
  readonly atMs: number;
  readonly kind: "denial" | "circuit" | "limits" | "block" | "change" | "process";
  /** A sentence. It never has a key. */
  readonly text: string;
  readonly limiter?: string;
  /** A text to show, and the id for requests. */
  readonly key?: string;
  readonly keyId?: string;
  readonly who?: string;
}

/** A key: its id in a list, or the key itself, which is a list if the limiter counts by several facts. */
export type NamedKey =
  | { readonly limiter: string; readonly id: string }
  | { readonly limiter: string; readonly key: string | readonly string[] };

/** `cost` is 1 by default: the answer says whether that cost would pass. */
export type KeyRequest = NamedKey & { readonly cost?: number };

export interface KeyDetail {
  readonly limiter: string;
  /** A text to show. */
  readonly key: string;
  readonly id: string;
  readonly atMs: number;
  readonly blockedUntilMs: number | null;
  readonly limits: readonly KeyBar[];
  readonly cost: number;
  /** Whether the cost would pass now. */
  readonly allowed: boolean;
  /** After so long it passes if nothing else arrives. `null`: never. */
  readonly retryAfterMs: number | null;
  /** The latest decisions of the key, newest first. All since `watchedSinceMs`, and of those before only denials. */
  readonly decisions: readonly KeyDecision[];
  readonly watchedSinceMs: number;
}

/** One limit of a key. `null` stands for infinity. */
export interface KeyBar {
  readonly name: string;
  readonly unit: string;
  readonly capacity: number;
  readonly used: number;
  readonly remaining: number;
  readonly retryAfterMs: number | null;
  readonly resetMs: number | null;
  readonly allowed: boolean;
  readonly mode: "enforce" | "shadow";
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

/** `for` is a duration such as `"10m"`. */
export type ActRequest =
  | ({ readonly action: "reset" | "unblock" } & NamedKey)
  | ({ readonly action: "block"; readonly for: string; readonly reason?: string } & NamedKey)
  | { readonly action: OverrideMode; readonly limiter: string; readonly for: string }
  | { readonly action: "restore"; readonly limiter: string };

export interface ActAnswer {
  /** What was done, as a sentence. */
  readonly text: string;
  /** Workers that have not confirmed the change yet. */
  readonly silent: readonly number[];
}
