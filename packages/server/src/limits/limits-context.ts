import type { Clock } from "tollgate";
import type { TrustProxy } from "tollgate/node";
import type { Log } from "../log/log.ts";
import type { RequestLog } from "../log/request-log.ts";
import type { FollowedLimits } from "./followed-limits.ts";
import type { Peers } from "./peers.ts";

/** What the service gives to limits in files. */
export interface LimitsContext {
  readonly clock: Clock;
  /** Which proxies may speak of their clients. */
  readonly trustProxy: TrustProxy;
  readonly log: Log;
  readonly requestLog: RequestLog;
  /** Whether there is an admin listener with tokens. */
  readonly hasOperators: boolean;
  /** The other processes that serve the port. */
  readonly peers: Peers | undefined;
  /** The limits that the primary process has put in force. `undefined`: this process reads the files itself. */
  readonly followed: FollowedLimits | undefined;
}
