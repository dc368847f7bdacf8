import type { Clock } from "../core/clock.ts";
import type {
  ActAnswer,
  ActRequest,
  DashboardEvent,
  FileStatus,
  KeyBar,
  KeyDecision,
  LimitRow,
  StoreRow,
} from "./snapshot.ts";

/** A metric as prom-client has it in JSON. */
export interface MetricFamily {
  readonly name: string;
  readonly values: readonly MetricValue[];
}

export interface MetricValue {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** A key of a limiter, as text: a tuple as `["ann","/login",42]`. */
export interface SourceKey {
  readonly limiter: string;
  readonly key: string;
}

export interface CountedKey extends SourceKey {
  readonly count: number;
}

export interface BlockedSourceKey extends SourceKey {
  readonly endsInMs: number;
  readonly reason?: string;
}

/** Denials of a key since the page before. */
export interface DeniedKey extends SourceKey {
  readonly count: number;
  readonly reason: string;
  /** Empty if no limit binds. */
  readonly limit: string;
}

/** What a process has decided since the page before, as plain data. */
export interface TrailPage {
  /** A sample: those keys that were denied first. */
  readonly denied: readonly DeniedKey[];
  /** How many denials of other keys there were. */
  readonly others: number;
  /** Those of the key that was asked for, newest first. */
  readonly decisions: readonly KeyDecision[];
  readonly watchedSinceMs: number;
}

/** A limit without what it counted. */
export type DescribedLimit = Omit<LimitRow, "admitted" | "denied" | "shadow">;

/** What changes seldom, and costs nothing to tell. */
export interface SourceState {
  readonly limits: readonly DescribedLimit[];
  /** Bounds of stores, and whether their kill switch is on, by their names in metrics. */
  readonly stores: readonly StoreRow[];
  readonly processes: { readonly ready: number; readonly of: number };
  readonly file?: FileStatus;
}

export interface ExplainedKey {
  readonly limits: readonly KeyBar[];
  readonly blockedUntilMs: number | null;
}

/** What the dashboard calls a client in logs, and what it lets the client do. */
export interface Looker {
  readonly who: string;
  readonly access: "read" | "write";
}

/** A change of a key names it as stores have it. */
export type SourceAct =
  | Exclude<ActRequest, { readonly action: "reset" | "unblock" | "block" }>
  | ({ readonly action: "reset" | "unblock" } & SourceKey)
  | ({ readonly action: "block"; readonly for: string; readonly reason?: string } & SourceKey);

export type SourceEvent = Pick<DashboardEvent, "kind" | "text" | "limiter" | "who">;

/** What a dashboard shows and changes: limiters of a process, or a whole service. */
export interface DashboardSource {
  readonly clock: Clock;
  /** Whether the modes of limits can be changed. */
  readonly overridable: boolean;
  /** The counters of now, once a second. */
  families(): Promise<readonly MetricFamily[]>;
  state(): SourceState;
  /** The keys with most calls, and those with most denials, of all limiters. */
  hot(): Promise<{ readonly active: readonly CountedKey[]; readonly denied: readonly CountedKey[] }>;
  /** `null` if the store cannot list them. */
  blocked(): readonly BlockedSourceKey[] | null | Promise<readonly BlockedSourceKey[] | null>;
  /** What a key has used, and whether a cost would pass. */
  explain(key: SourceKey, cost: number): Promise<ExplainedKey>;
  /** What was decided since the last call. With a key, it is watched, and its latest decisions are told. */
  trail(key: SourceKey | undefined): Promise<TrailPage>;
  act(act: SourceAct, looker: Looker): Promise<ActAnswer>;
  /** What happened since the last call. */
  events(): readonly SourceEvent[];
  /** What is shown of a key that is masked. */
  mask(key: SourceKey): string;
}

/**
 * An answer in place of what was asked for. Exported for the `tollgate` command only: applications see the response.
 *
 * @internal
 */
export class DashboardError extends Error {
  override readonly name = "DashboardError";
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, message: string, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
