import type { IncomingMessage } from "node:http";
import { type Clock, createLimiter, memoryStore, tokenBucket } from "tollgate";
import { DashboardError, type DashboardSource, serveDashboard } from "tollgate/dashboard";
import type { NodeHandler } from "tollgate/node";
import type { DashboardRoutes } from "../admin/admin.ts";
import type { TokenCheck } from "../admin/bearer-tokens.ts";
import type { Log } from "../log/log.ts";
import { SampledLog } from "../log/sampled-log.ts";
import { Sessions } from "./sessions.ts";

const PATHS = ["/", "/page.js", "/page.css", "/session", "/snapshots", "/key", "/act"];
/** Wrong tokens of one address at once, and per second. Right ones are not counted. */
const WRONG_AT_ONCE = 10;
const MOST_ADDRESSES = 1_000;
const FAILURES_MS = 60_000;

/** The dashboard of the admin listener. Its pages open sessions with a token. */
export function dashboardRoutes(source: DashboardSource, tokens: TokenCheck, log: Log): DashboardRoutes {
  const sessions = new Sessions(source.clock);
  const wrong = wrongTokens(source.clock);
  const failures = new SampledLog(log, {
    most: 1,
    intervalMs: FAILURES_MS,
    leftOut: (count) => ({ level: "warn", event: "dashboard-failures-left-out", fields: { count } }),
  });
  const board = serveDashboard<IncomingMessage>(
    source,
    {
      authorize: (request) => {
        const holder = sessions.find(request.headers.cookie);
        if (holder !== undefined) tokens.noteKnown(request);
        const seconds = holder && tokens.waitSeconds(holder.name);
        if (seconds !== undefined) throw new DashboardError(429, "too many calls", seconds);
        return holder && { who: holder.name, access: holder.access };
      },
      openSession: (token, request) => {
        const holder = tokens.find(token);
        if (holder !== undefined) {
          tokens.noteKnown(request);
          return sessions.open(holder, "encrypted" in request.socket);
        }
        const seconds = wrong.waitSeconds(request.socket.remoteAddress ?? "");
        if (seconds !== undefined) throw new DashboardError(429, "too many wrong tokens", seconds);
        tokens.noteRefused(request);
        throw new DashboardError(401, "unknown token");
      },
    },
    (error) =>
      failures.note(
        () => "",
        () => ({ level: "error", event: "dashboard-failed", text: `the dashboard failed: ${String(error)}` }),
      ),
  );
  const handler: NodeHandler = (request, response) => board.node(request, response);
  return {
    routes: Object.fromEntries(PATHS.map((path) => [path, { methods: "every" as const, handler }])),
    close: () => {
      board.close();
      wrong.close();
      failures.flush();
    },
  };
}

function wrongTokens(clock: Clock) {
  const store = memoryStore({ maxKeys: MOST_ADDRESSES });
  const limits = [tokenBucket({ capacity: WRONG_AT_ONCE, refill: 1, per: "1s" })];
  const limiter = createLimiter({ limits, store, clock });
  return {
    waitSeconds: (address: string): number | undefined => {
      const { allowed, retryAfterMs } = limiter.consume(address);
      return allowed ? undefined : Math.ceil(retryAfterMs / 1_000);
    },
    close: () => store.close(),
  };
}
