import type { HealthDetails } from "./http/health.ts";
import type { OperatorRoutes } from "./http/operator.ts";
import type { Routes } from "./http/route-table.ts";
import type { Tls } from "./http/tls.ts";
import type { LimiterSet } from "./limiter-set.ts";
import type { LimitsStatus } from "./limits/limits-files.ts";
import type { LimitsInForce } from "./limits/limits-in-force.ts";
import type { OperationSettings } from "./operations/operation-settings.ts";

/** What the service is about: which requests it answers, and by which limits. */
export interface Application {
  /** The routes of the port that clients reach. */
  readonly routes: Routes;
  /** The routes of the admin listener. They need its token if it has one. */
  readonly adminRoutes: OperatorRoutes;
  readonly limiters: LimiterSet;
  readonly health: HealthDetails;
  /** How the limits files are, if the limits are in files. */
  readonly limitsStatus?: () => LimitsStatus;
  /** Limits that operators may change. */
  readonly inForce?: LimitsInForce;
  /** What operators do to them. Set with `inForce`. */
  readonly operations?: OperationSettings;
  /** Answers what the primary process asks a worker for its operators. */
  readonly answerLead?: (question: unknown) => Promise<unknown>;
  /** Opens the gRPC port. Absent if the limits have no such protocol. */
  readonly listenGrpc?: (address: GrpcAddress) => Promise<GrpcListener>;
  /** Reads limits again that come from files. */
  readonly reload?: () => void;
  close(): void | Promise<void>;
}

export interface GrpcAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The most connections at once. Further ones are closed. */
  readonly connections: number;
  /** `undefined`: without TLS. */
  readonly tls?: Tls | undefined;
}

export interface GrpcListener {
  /** The real one. */
  readonly port: number;
  /** Answers the calls that are under way, up to a time, and accepts no more. Idempotent. */
  close(graceMs: number): Promise<void>;
}
