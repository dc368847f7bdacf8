import { type Clock, type Duration, systemClock } from "tollgate";
import type { TrustProxy } from "tollgate/node";
import { drainable } from "./drain.ts";
import { failureLine, guarded, type LogFailure } from "./failure.ts";
import { createGuardedServer, DEFAULT_TIMEOUTS, type Timeouts } from "./guarded-server.ts";
import { openLimiters } from "./limiters.ts";
import { listen } from "./listen.ts";
import { openRoutes } from "./routes.ts";

export interface ServiceSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The most requests that a client can make at once. */
  readonly capacity: number;
  /** How many it gets back every second. */
  readonly refillPerSecond: number;
  /** Which proxies may tell a client's address. */
  readonly trustProxy: TrustProxy;
}

export interface ServiceOptions extends ServiceSettings {
  readonly log: (line: string) => void;
  /** Logs failures, one line each. */
  readonly logError: (line: string) => void;
  readonly clock?: Clock;
  readonly sweepInterval?: Duration;
  /** How long requests in flight may take to finish once the service stops. */
  readonly graceMs?: number;
  readonly timeouts?: Partial<Timeouts>;
}

export interface Service {
  /** With the real port. */
  readonly url: string;
  /** Stops accepting connections and lets requests in flight finish. Idempotent. */
  close(): Promise<void>;
}

const SWEEP_INTERVAL: Duration = "1m";
const GRACE_MS = 10_000;

/**
 * Starts the service. It accepts connections when the promise resolves.
 *
 * @throws TollgateError if the numbers do not make a limit; ListenError if the address is not available.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { host, port, log, logError, clock = systemClock, sweepInterval = SWEEP_INTERVAL } = options;
  const { graceMs = GRACE_MS, timeouts } = options;
  const limiters = openLimiters({ ...options, clock, sweepInterval });
  const logFailure: LogFailure = (error, request) => logError(failureLine(error, request));
  const server = createGuardedServer(guarded(openRoutes(limiters, options.trustProxy, logFailure), logFailure), {
    ...DEFAULT_TIMEOUTS,
    ...timeouts,
  });
  const drain = drainable(server);
  let url: string;
  try {
    url = await listen(server, host, port);
  } catch (error) {
    limiters.close();
    throw error;
  }
  // Such as a lack of file descriptors for a connection: other connections go on.
  server.on("error", (error) => logError(`accepting a connection failed: ${error.message}`));
  const stop = async (): Promise<void> => {
    const drained = await drain(graceMs);
    limiters.close();
    if (drained === "cut off") log(`tollgate cut off requests that took longer than ${graceMs} ms to finish`);
  };
  let stopped: Promise<void> | undefined;
  return { url, close: () => (stopped ??= stop()) };
}
