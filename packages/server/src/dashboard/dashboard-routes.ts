import type { IncomingMessage } from "node:http";
import { DashboardError, type DashboardSource, ROUTES, serveDashboard } from "tollgate/dashboard";
import type { NodeHandler } from "tollgate/node";
import type { DashboardRoutes } from "../admin/admin.ts";
import type { TokenCheck } from "../admin/bearer-tokens.ts";
import { callRate } from "../admin/call-rate.ts";
import type { Log } from "../log/log.ts";
import { SampledLog } from "../log/sampled-log.ts";
import { Sessions } from "./sessions.ts";

/** Wrong tokens of one address. Right ones are not counted. */
const WRONG_TOKENS = { atOnce: 10, perSecond: 1 };
const FAILURES_MS = 60_000;

/** The dashboard of the admin listener. Its pages open sessions with a token. */
export function dashboardRoutes(source: DashboardSource, tokens: TokenCheck, log: Log): DashboardRoutes {
  const sessions = new Sessions(source.clock);
  const wrong = callRate(source.clock, WRONG_TOKENS);
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
    routes: Object.fromEntries(
      ["", ...Object.values(ROUTES)].map((path) => [`/${path}`, { methods: "every" as const, handler }]),
    ),
    close: () => {
      board.close();
      wrong.close();
      failures.flush();
    },
  };
}
