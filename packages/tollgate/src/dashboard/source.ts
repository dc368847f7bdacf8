import type { Clock } from "../core/clock.ts";
import type { BlockTime } from "../limiter/block-time.ts";
import type {
  ActAnswer,
  CallRates,
  DashboardEvent,
  KeyDecision,
  KeyStatus,
  Snapshot,
  SourceAct,
  SourceKey,
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

/** The keys with most calls, and those with most denials. */
export interface HotRows {
  readonly active: readonly HotRow[];
  readonly denied: readonly HotRow[];
}

/** A key of `hotKeys`, which may be cut, with its limiter. */
export interface HotRow extends SourceKey {
  readonly count: number;
  readonly error: number;
}

export interface BlockedRow extends SourceKey {
  readonly endsInMs: number;
  readonly reason?: string;
}

export type SourceEvent = Omit<DashboardEvent, "id" | "atMs" | "key"> & { readonly key?: SourceKey };

/** What a process has decided lately. */
export interface Trail {
  /** The latest decisions of the key that was asked for, newest first. */
  readonly decisions: readonly KeyDecision[];
  /** Without a key: the denials since the last question. */
  readonly events: readonly SourceEvent[];
}

/** What is done to a key. */
export type KeyAction =
  /** Whether a cost would pass: 1 by default. */
  | { readonly verb: "explain"; readonly cost?: number }
  | { readonly verb: "reset" | "unblock" }
  | { readonly verb: "block"; readonly span: BlockTime; readonly reason: string | undefined };

/** What an action came to, as far as its verb says so. */
export interface KeyResult {
  /** What `explain` tells. */
  readonly limits?: readonly KeyStatus[];
  /** What `explain` and `block` tell, in milliseconds since the epoch. `null`: it is not blocked. */
  readonly blockedUntilMs?: number | null;
  /** What `unblock` tells. */
  readonly wasBlocked?: boolean;
}

/** What changes seldom, and costs nothing to tell: limits without their calls, and bounds of stores. */
export interface SourceState extends Pick<Snapshot, "stores" | "processes" | "file"> {
  readonly limits: readonly Omit<Snapshot["limits"][number], keyof CallRates>[];
}

/** What the dashboard calls a client in logs, and what it lets the client do. */
export interface Looker {
  readonly who: string;
  readonly access: "read" | "write";
}

/** What a dashboard shows and changes: limiters of a process, or a whole service. */
export interface DashboardSource {
  readonly clock: Clock;
  /** The counters of now, once a second. */
  families(): Promise<readonly MetricFamily[]>;
  state(): SourceState;
  /** The keys of all limiters. */
  hot(): Promise<HotRows>;
  /** `null` if the store cannot list them. */
  blocked(): readonly BlockedRow[] | null | Promise<readonly BlockedRow[] | null>;
  /** What a key has used, and whether a cost would pass. */
  explain(key: SourceKey, cost: number): Promise<KeyResult>;
  /** What was denied since the last call; or the decisions of a key, which is watched from then on. */
  trail(key: SourceKey | undefined): Promise<Trail>;
  act(act: SourceAct, looker: Looker): Promise<ActAnswer>;
  /** What else happened since the last call. */
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
