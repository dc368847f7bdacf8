import type { Clock } from "../core/clock.ts";
import type {
  ActAnswer,
  CallRates,
  DashboardEvent,
  FileStatus,
  KeyBar,
  KeyDecision,
  LimitRow,
  SourceAct,
  StoreRow,
} from "./snapshot.ts";

/** A metric as prom-client has it in JSON. */
export interface MetricFamily {
  readonly name: string;
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
    readonly metricName?: string;
  }[];
}

/** A key of a limiter, as text: a tuple as `["ann","/login",42]`. */
export interface SourceKey {
  readonly limiter: string;
  readonly key: string;
}

/** Keys with most calls, or with most denials. */
export type CountedKeys = readonly (SourceKey & { readonly count: number })[];

export type BlockedKeys = readonly (SourceKey & { readonly endsInMs: number; readonly reason?: string })[];

/** What a process has decided lately, as plain data. */
export interface TrailPage {
  /** The latest decisions of the key that was asked for, newest first. */
  readonly decisions: readonly KeyDecision[];
  /** Without a key: the latest denial of each key since the page before, at most 20, and how many there were. */
  readonly denied: readonly (SourceKey & KeyDecision)[];
  readonly denials: number;
}

/** What changes seldom, and costs nothing to tell. */
export interface SourceState {
  /** The limits without what they have counted. */
  readonly limits: readonly Omit<LimitRow, keyof CallRates>[];
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

export type SourceEvent = Pick<DashboardEvent, "text" | "limiter" | "who">;

/** What a dashboard shows and changes: limiters of a process, or a whole service. */
export interface DashboardSource {
  readonly clock: Clock;
  /** The counters of now, once a second. */
  families(): Promise<readonly MetricFamily[]>;
  state(): SourceState;
  /** The keys with most calls, and those with most denials, of all limiters. */
  hot(): Promise<{ readonly active: CountedKeys; readonly denied: CountedKeys }>;
  /** `null` if the store cannot list them. */
  blocked(): BlockedKeys | null | Promise<BlockedKeys | null>;
  /** What a key has used, and whether a cost would pass. */
  explain(key: SourceKey, cost: number): Promise<ExplainedKey>;
  /** What was denied since the last call; or the decisions of a key, which is watched from then on. */
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
